// function largest_of_three
// assigns nothing
// ensures result >= a && result >= b && result >= c
// ensures result == a || result == b || result == c

int largest_of_three(int a, int b, int c) {
    int most = a;
    if (b > most) most = b;
    if (c > most) most = c;
    return most;
}
