// function count_equal
// requires valid(a, n)
// assigns nothing
// ensures result <= n
// ensures result == 0 ==> forall(i, 0, n, a[i] != x)
// ensures result == n ==> forall(i, 0, n, a[i] == x)

unsigned count_equal(const int *a, unsigned n, int x) {
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++)
        if (a[i] == x) count++;
    return count;
}
