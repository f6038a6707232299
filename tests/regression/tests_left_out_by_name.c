// UNKNOWN(UNSUPPORTED) property=shift engines=bmc
// Whether a macro of this name leaves out tests is not known.
extern int __VERIFIER_nondet_int(void);
#define no_sanitize __attribute__((no_sanitize("shift")))
no_sanitize static int f(int x) { return x << 3; }
int main(void) { return f(__VERIFIER_nondet_int()); }
