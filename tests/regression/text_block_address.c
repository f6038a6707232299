// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=BUG
// A string that looks like the address of a label, beside the address of one.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

char said[] = "blockaddress(@main, %7) blockaddress(@main, %8)";

int main(void) {
    int k = __VERIFIER_nondet_int() & 31;
    void *where = k ? &&one : &&two;
    goto *where;
one:
    if (sizeof(said) != 48 || (k == 13 && said[k] != '@') || (k == 20 && said[k + 17] != '@'))
        reach_error();
    return 0;
two:
#ifdef BUG
    if (said[k] == 'b' && said[k + 24] == 'b')
        reach_error();
#endif
    return 0;
}
