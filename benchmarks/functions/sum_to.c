// function sum_to
// requires n <= 1000
// assigns nothing
// ensures 2 * result == n * (n + 1)
// ensures result >= n

unsigned sum_to(unsigned n) {
    unsigned sum = 0;
    for (unsigned i = 1; i <= n; i++) sum += i;
    return sum;
}
