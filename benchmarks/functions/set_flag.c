// function set_flag
// requires valid(flags) && bit < 32
// assigns *flags
// ensures *flags == (old(*flags) | 1u << bit)
// ensures result == (int)(old(*flags) >> bit & 1)

int set_flag(unsigned *flags, unsigned bit) {
    int was = (int)(*flags >> bit & 1);
    *flags |= 1u << bit;
    return was;
}
