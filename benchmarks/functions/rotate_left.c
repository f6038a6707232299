// function rotate_left
// requires k < 32
// assigns nothing
// ensures k == 0 ==> result == x
// ensures k > 0 ==> result == (x << k | x >> (32 - k))

unsigned rotate_left(unsigned x, unsigned k) { return k == 0 ? x : x << k | x >> (32 - k); }
