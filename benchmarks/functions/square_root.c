// function square_root
// requires x <= 1000000
// assigns nothing
// ensures result * result <= x
// ensures (result + 1) * (result + 1) > x

unsigned square_root(unsigned x) {
    unsigned r = 0;
    while ((r + 1) * (r + 1) <= x) r++;
    return r;
}
