// TRUE timeout=90
// FALSE(unreach-call) timeout=30 define=WRONG
// TRUE timeout=90 define=IN_PLACE
// FALSE(unreach-call) timeout=30 define=IN_PLACE_WRONG
// TRUE timeout=90 define=ROTATED
// FALSE(unreach-call) timeout=30 define=ROTATED_WRONG
// Cells that move inside of one array: by one, also round its ends, or to the other end.
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n <= 3 || n > 100000) abort();
    int a[n];
#if defined IN_PLACE || defined IN_PLACE_WRONG
    for (int i = 0; i < n; i++) a[i] = i;
    int low = 0, high = n - 1;
    while (low < high) {
        int t = a[low];
        a[low++] = a[high];
        a[high--] = t;
    }
#ifdef IN_PLACE_WRONG
    n--;
#endif
    for (int i = 0; i < n; i++) if (a[i] != n - 1 - i) reach_error();
#else
    int b[n];
    for (int i = 0; i < n; i++) b[i] = a[i] = __VERIFIER_nondet_int();
    int first = a[0];
    for (int i = 0; i + 1 < n; i++) a[i] = a[i + 1];
#if defined ROTATED
    a[n - 1] = first;
#elif defined ROTATED_WRONG
    a[n - 2] = first;
#endif
#if defined ROTATED || defined ROTATED_WRONG
    for (int i = 0; i + 1 < n; i++) if (a[i] != b[i + 1]) reach_error();
    if (a[n - 1] != b[0]) reach_error();
#elif defined WRONG
    for (int i = 0; i < n; i++) if (i + 1 <= n && a[i] != b[i + 1 < n ? i + 1 : 0]) reach_error();
#else
    for (int i = 0; i + 1 < n; i++) if (a[i] != b[i + 1]) reach_error();
#endif
#endif
}
