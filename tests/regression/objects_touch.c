// TRUE model=ILP32,LP64 prepare=default,none
// TRUE engines=houdini,spacer,kinduction
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc define=BEHIND
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 engines=bmc define=LOCALS
// UNKNOWN(UNSUPPORTED) engines=bmc define=NUMBERS
// UNKNOWN(UNSUPPORTED) engines=bmc define=ORDERED
// UNKNOWN(UNSUPPORTED) engines=bmc define=HANDED
// UNKNOWN(UNSUPPORTED) engines=bmc define=DISTANT
// TRUE model=ILP32,LP64 prepare=default,none define=SETTLED
// UNKNOWN(UNSUPPORTED) prepare=default,none engines=bmc define=EXCLUSIVE
// UNKNOWN(UNSUPPORTED) prepare=default,none engines=bmc define=BYTES
// UNKNOWN(UNSUPPORTED) prepare=default,none engines=bmc define=BYTE_BY_BYTE
// UNKNOWN(UNSUPPORTED) prepare=default,none engines=bmc define=FURTHER
// UNKNOWN(UNSUPPORTED) prepare=default,none engines=bmc define=TURNED
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc define=WIDER
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
#ifdef EXCLUSIVE
    if (((unsigned long)(one + 4) ^ (unsigned long)two) == 0)
        reach_error();
#endif
#ifdef BYTES
    int *one_past = one + 4, *begin = two;
    if (__builtin_memcmp(&one_past, &begin, sizeof begin) == 0)
        reach_error();
#endif
#ifdef BYTE_BY_BYTE
    int *one_past = one + 4, *begin = two, same = 1;
    for (unsigned i = 0; i < sizeof begin; i++)
        same &= ((char *)&one_past)[i] == ((char *)&begin)[i];
    if (same)
        reach_error();
#endif
#ifdef FURTHER
    if ((unsigned long)(one + 4) + 1 == (unsigned long)two + 1 || (unsigned long)&one[3] == (unsigned long)two - 4)
        reach_error();
#endif
#ifdef TURNED
    if (-(unsigned long)(one + 4) == -(unsigned long)two || ~(unsigned long)(one + 4) == ~(unsigned long)two)
        reach_error();
#endif
#ifdef WIDER
    if ((__INT64_TYPE__)(long)(one + 4) == (__INT64_TYPE__)(long)two && (float)(long)(one + 4) == (float)(long)two)
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
#ifdef SETTLED
    if (((unsigned long)one & 3) != 0 || ((unsigned long)one ^ (unsigned long)two) == 0)
        reach_error();
#endif
    if (end - p != 4 || &one[3] - one != 3)
        reach_error();
    return here[0] + there[0];
}
