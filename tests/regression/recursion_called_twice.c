// FALSE(no-overflow) property=no-overflow
// FALSE(no-overflow) property=no-overflow engines=dash
// TRUE property=no-overflow define=SAFE engines=dash
// Of two calls in one step the second one is made in another state than the first.
extern int __VERIFIER_nondet_int(void);

int g;

static void up(int n) {
    if (n) {
        up(n - 1);
        return;
    }
    g = g + 1;
}

int main(void) {
    g = __VERIFIER_nondet_int();
#ifdef SAFE
    if (g > 0x7ffffffd) return 0;
#else
    if (g > 0x7ffffffe) return 0;
#endif
    up(0);
    up(0);
    return 0;
}
