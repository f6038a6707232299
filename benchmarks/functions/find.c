// function find
// requires n <= 1000 && valid(a, n)
// assigns nothing
// ensures result >= -1 && result < (int)n
// ensures result >= 0 ==> a[result] == x
// ensures result == -1 ==> forall(i, 0, n, a[i] != x)

int find(const int *a, unsigned n, int x) {
    for (unsigned i = 0; i < n; i++)
        if (a[i] == x) return (int)i;
    return -1;
}
