// function length
// requires string(s)
// assigns nothing
// ensures s[result] == 0
// ensures forall(i, 0, result, s[i] != 0)

unsigned length(const char *s) {
    unsigned n = 0;
    while (s[n] != 0) n++;
    return n;
}
