// function range
// requires n >= 1 && valid(a, n) && valid(low) && valid(high)
// requires separate(low, high) && separate(low, a) && separate(high, a)
// assigns *low, *high
// ensures *low <= *high
// ensures forall(i, 0, n, *low <= a[i] && a[i] <= *high)
// ensures exists(i, 0, n, *low == a[i]) && exists(i, 0, n, *high == a[i])

void range(const int *a, unsigned n, int *low, int *high) {
    *low = a[0];
    *high = a[0];
    for (unsigned i = 1; i < n; i++) {
        if (a[i] < *low) *low = a[i];
        if (a[i] > *high) *high = a[i];
    }
}
