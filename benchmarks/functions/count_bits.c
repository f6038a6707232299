// function count_bits
// assigns nothing
// ensures result <= 32
// ensures (result == 0) == (x == 0)
// ensures (result & 1) == (unsigned)__builtin_parity(x)

unsigned count_bits(unsigned x) {
    unsigned count = 0;
    while (x != 0) {
        count += x & 1;
        x >>= 1;
    }
    return count;
}
