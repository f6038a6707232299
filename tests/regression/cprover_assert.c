// TRUE define=LEAST=0
// TRUE property=memory-safety define=LEAST=1
// FALSE(unreach-call) define=LEAST=1
// CBMC's assertions are errors whatever else is one, and end no run; its clauses between a head and a body are nothing.
#ifndef LEAST
#define LEAST 0
#endif
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
void __CPROVER_assert(_Bool holds, const char *text);
unsigned half(unsigned of)
__CPROVER_requires(of < 10)
__CPROVER_ensures(__CPROVER_return_value <= of)
{
    return of / 2;
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint() % 4, i;
    for (i = 0; i < n; i++)
        __CPROVER_assigns(i)
        __CPROVER_loop_invariant(i <= n)
        __CPROVER_decreases(n - i)
    {
        __CPROVER_assert(n - half(i) >= LEAST + 1, "much is left");
    }
    if (i != n)
        reach_error();
    return 0;
}
