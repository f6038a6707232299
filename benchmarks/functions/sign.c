// function sign
// assigns nothing
// ensures (result > 0) == (x > 0) && (result < 0) == (x < 0)
// ensures result >= -1 && result <= 1

int sign(int x) {
    if (x > 0) return 1;
    if (x < 0) return -1;
    return 0;
}
