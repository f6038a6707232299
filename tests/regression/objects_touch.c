// TRUE model=ILP32,LP64 prepare=default,none
// TRUE engines=houdini,spacer,kinduction
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc define=BEHIND
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 engines=bmc define=LOCALS
// UNKNOWN(UNSUPPORTED) engines=bmc define=NUMBERS
// UNKNOWN(UNSUPPORTED) engines=bmc define=ORDERED
// UNKNOWN(UNSUPPORTED) engines=bmc define=HANDED
// UNKNOWN(UNSUPPORTED) engines=bmc define=DISTANT
// Where one object ends another may begin: whether a pointer one past the one is equal to the other's start is open.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int one[4], two[4];
static int meets(int *end, int *start) { return end == start; }
int main(void) {
    int here[2] = {0}, there[2] = {0}, seen = 0;
    int *p = __VERIFIER_nondet_int() ? one : two, *end = p + 4;
    for (int *each = p; each != end; each++)
        seen++;
    if (seen != 4 || one == two || &one[3] == two || one + 1 == two + 1 || one + 4 == two + 1)
        reach_error();
#ifdef BEHIND
    if (one + 4 == two)
        reach_error();
#endif
#ifdef LOCALS
    if (meets(here + 2, there) || meets(there + 2, here))
        reach_error();
#endif
#ifdef NUMBERS
    if ((unsigned long)one + sizeof one == (unsigned long)two)
        reach_error();
#endif
#ifdef ORDERED
    if (one + 4 >= two && one + 4 <= two)
        reach_error();
#endif
#ifdef HANDED
    int *other = p == one ? two : one;
    if (end == other)
        reach_error();
#endif
#ifdef DISTANT
    if ((char *)two - (char *)one == sizeof one)
        reach_error();
#endif
    if (end - p != 4 || &one[3] - one != 3)
        reach_error();
    return here[0] + there[0];
}
