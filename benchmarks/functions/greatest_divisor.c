// function greatest_divisor
// requires a > 0 && b > 0
// assigns nothing
// ensures result > 0
// ensures a % result == 0 && b % result == 0
// ensures result <= a && result <= b

unsigned greatest_divisor(unsigned a, unsigned b) {
    while (b != 0) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
