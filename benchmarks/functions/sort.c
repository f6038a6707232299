// function sort
// requires n <= 1000 && valid(a, n)
// assigns a[0 .. n - 1]
// ensures forall(i, 1, n, a[i - 1] <= a[i])
// ensures n > 0 ==> exists(i, 0, n, a[i] == old(a[0]))

void sort(int *a, unsigned n) {
    for (unsigned i = 1; i < n; i++) {
        int x = a[i];
        unsigned j = i;
        while (j > 0 && a[j - 1] > x) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = x;
    }
}
