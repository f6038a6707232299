// function lowest_bit
// assigns nothing
// ensures (result == 0) == (x == 0)
// ensures (result & (result - 1)) == 0 && (result & x) == result
// ensures (x & (result - 1)) == 0 || x == 0

unsigned lowest_bit(unsigned x) { return x & (0u - x); }
