// TRUE model=ILP32,LP64 prepare=default engines=bmc
// FALSE(unreach-call) model=LP64 prepare=none define=OTHER engines=bmc
// Operands have clang's order; a place where C tells none is listed in the result (tests/test_frontend_rewriting.py).
extern void reach_error(void);
int main(void) {
    int i = 3;
    int sum = i + i++;
#ifdef OTHER
    if (sum != 7) reach_error();
#else
    if (sum != 6 || i != 4) reach_error();
#endif
    return 0;
}
