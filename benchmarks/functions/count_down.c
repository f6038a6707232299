// function count_down
// requires n <= 1000
// assigns steps
// ensures steps == old(steps) + n
// ensures result == 0

unsigned steps;

unsigned count_down(unsigned n) {
    if (n == 0) return 0;
    steps++;
    return count_down(n - 1);
}
