// function clear_range
// requires from <= to && valid(a, to)
// assigns a[from .. to - 1]
// ensures forall(i, from, to, a[i] == 0)
// ensures forall(i, 0, from, a[i] == old(a[i]))

void clear_range(int *a, unsigned from, unsigned to) {
    while (from < to) {
        a[from] = 0;
        from++;
    }
}
