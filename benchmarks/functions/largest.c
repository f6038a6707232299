// function largest
// requires n >= 1 && valid(a, n)
// assigns nothing
// ensures forall(i, 0, n, a[i] <= result)
// ensures exists(i, 0, n, a[i] == result)

int largest(const int *a, unsigned n) {
    int most = a[0];
    for (unsigned i = 1; i < n; i++)
        if (a[i] > most) most = a[i];
    return most;
}
