// function divide_by_seven
// requires a < 100000
// requires valid(rest)
// assigns *rest
// ensures *rest < 7
// ensures result * 7 + *rest == a

unsigned divide_by_seven(unsigned a, unsigned *rest) {
    unsigned q = 0;
    while (a >= 7) {
        a -= 7;
        q++;
    }
    *rest = a;
    return q;
}
