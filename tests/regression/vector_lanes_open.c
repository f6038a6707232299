// TRUE prepare=default,none
// FALSE(unreach-call) define=LANE prepare=none,default
// FALSE(unreach-call) define=BEYOND prepare=default,none
// FALSE(unreach-call) define=ZEROS prepare=none,default
// Lanes of a vector that nothing sets have any value; what decides by them goes on, either way.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
typedef int two __attribute__((vector_size(8)));
typedef int three __attribute__((ext_vector_type(3)));
typedef int four __attribute__((vector_size(16)));

int main(void) {
    int x = __VERIFIER_nondet_int();
    two p = {x, 2};
    three t = {1, 2, 3};
    four s = __builtin_shufflevector(p, p, 0, -1, 1, 0);
#if defined LANE
    if (x == 1234 && s[1] == 7)
        reach_error();
#elif defined BEYOND
    four whole = *(four *)&t;
    if (x == 1234 && whole[3] == 7)
        reach_error();
#elif defined ZEROS
    four none = {0, 1, 2, x};
    if (x == 1234 && __builtin_elementwise_ctzg((unsigned __attribute__((vector_size(16))))none)[0] == 99)
        reach_error();
#else
    t.y = x;
    three sum = t + t;
    if (s[0] != x || s[2] != 2 || s[3] != x || sum.y != (int)(2u * x) || sum.z != 6)
        reach_error();
#endif
    return 0;
}
