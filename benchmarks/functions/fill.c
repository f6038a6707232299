// function fill
// requires valid(a, n)
// assigns a[0 .. n - 1]
// ensures forall(i, 0, n, a[i] == value)

void fill(int *a, unsigned n, int value) {
    for (unsigned i = 0; i < n; i++) a[i] = value;
}
