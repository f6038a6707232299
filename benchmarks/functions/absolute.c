// function absolute
// requires x != -2147483647 - 1
// assigns nothing
// ensures result >= 0
// ensures result == x || result == -x

int absolute(int x) { return x < 0 ? -x : x; }
