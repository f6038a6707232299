// TRUE prepare=default,none
// What compilers know of sizes and constants: where clang does not fold it without optimising, nothing.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
void *malloc(__SIZE_TYPE__);
int main(void) {
    char room[10], *p = __VERIFIER_nondet_int() ? room : room + 4, *q = malloc(__VERIFIER_nondet_int() & 7);
    if (__builtin_object_size(room, 0) != 10 || __builtin_constant_p(10) != 1)
        reach_error();
    if (__builtin_object_size(p, 0) != -1ul || __builtin_object_size(p, 2) != 0 || __builtin_dynamic_object_size(q, 0) != -1ul)
        reach_error();
    if (__builtin_constant_p(__VERIFIER_nondet_int()))
        reach_error();
    return 0;
}
