// function reverse
// requires valid(a, n)
// assigns a[0 .. n - 1]
// ensures forall(i, 0, n, a[i] == old(a[n - 1 - i]))

void reverse(int *a, unsigned n) {
    for (unsigned i = 0; i < n / 2; i++) {
        int kept = a[i];
        a[i] = a[n - 1 - i];
        a[n - 1 - i] = kept;
    }
}
