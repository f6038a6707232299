// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=BUG
// Strings with the words that the preparations write and look for.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

char one[] = " externally_initialized global ";
char two[] = "@one = internal constant [4 x i8] undef, poison, zeroinitializer";
char three[] = "}\ndefine internal void @main() #90000 {\n}\n; No predecessors!\n  call void @__cp_check(i1 false, i32 0)";

int main(void) {
    int k = __VERIFIER_nondet_int();
    if (k < 0 || k > 30)
        return 0;
    if (sizeof(one) != 32 || sizeof(two) != 65 || sizeof(three) != 102)
        reach_error();
    if (k == 1 && (one[k] != 'e' || two[k] != 'o' || three[k + 1] != 'd'))
        reach_error();
    if (k == 24 && (one[k] != 'g' || two[k + 10] != 'u' || three[k + 75] != '0'))
        reach_error();
    one[k] = 'x';
    if (one[k] != 'x')
        reach_error();
#ifdef BUG
    if (one[0] == 'x' && two[k] == '@')
        reach_error();
#endif
    return 0;
}
