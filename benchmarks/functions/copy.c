// function copy
// requires valid(to, n) && valid(from, n) && separate(to, from)
// assigns to[0 .. n - 1]
// ensures forall(i, 0, n, to[i] == from[i])

void copy(int *to, const int *from, unsigned n) {
    for (unsigned i = 0; i < n; i++) to[i] = from[i];
}
