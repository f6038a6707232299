// function is_sorted
// requires valid(a, n)
// assigns nothing
// ensures result == 0 || result == 1
// ensures result == forall(i, 1, n, a[i - 1] <= a[i])

int is_sorted(const int *a, unsigned n) {
    for (unsigned i = 1; i < n; i++)
        if (a[i - 1] > a[i]) return 0;
    return 1;
}
