// function saturating_add
// assigns nothing
// ensures a >= 0 ==> result >= b
// ensures a <= 0 ==> result <= b
// ensures result == a + b || result == 2147483647 || result == -2147483647 - 1
// ensures a > 0 && b > 0 ==> result > 0

int saturating_add(int a, int b) {
    if (b > 0 && a > 2147483647 - b) return 2147483647;
    if (b < 0 && a < -2147483647 - 1 - b) return -2147483647 - 1;
    return a + b;
}
