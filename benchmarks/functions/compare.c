// function compare
// assigns nothing
// ensures result == a || result == b
// ensures a > b && a > 0 ==> result == a
// ensures b >= a && b > 0 ==> result == b

static int sign_of(int x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
static int size_of(int x) { return (int)(x < 0 ? 0u - (unsigned)x : (unsigned)x); }

int compare(int a, int b) {
    if (sign_of(a) == sign_of(b)) {
        if (size_of(a) > size_of(b)) return a;
        return b;
    }
    if (a > b) return a;
    return b;
}
