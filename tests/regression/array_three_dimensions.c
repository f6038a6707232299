// TRUE timeout=90
// FALSE(unreach-call) timeout=30 define=WRONG
// Three loops, one in another, fill an array of three dimensions; WRONG: all but its last cell.
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
int a[50][40][30];
int main(void) {
    for (int i = 0; i < 50; i++)
        for (int j = 0; j < 40; j++)
#ifdef WRONG
            for (int k = 0; k < 30 - (i == 49 && j == 39); k++)
#else
            for (int k = 0; k < 30; k++)
#endif
                a[i][j][k] = 7;
    int p = __VERIFIER_nondet_int(), q = __VERIFIER_nondet_int(), r = __VERIFIER_nondet_int();
    if (p < 0 || p >= 50 || q < 0 || q >= 40 || r < 0 || r >= 30) abort();
    if (a[p][q][r] != 7) reach_error();
}
