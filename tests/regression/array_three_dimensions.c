// TRUE timeout=90
// FALSE(unreach-call) timeout=30 define=WRONG
// Three loops, one in another, fill an array of three dimensions; WRONG: all but its last cell.
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
#ifdef WRONG
enum { X = 10, Y = 8, Z = 6, MISSING = 1 };
#else
enum { X = 50, Y = 40, Z = 30, MISSING = 0 };
#endif
int a[X][Y][Z];
int main(void) {
    for (int i = 0; i < X; i++)
        for (int j = 0; j < Y; j++)
            for (int k = 0; k < Z - (MISSING && i == X - 1 && j == Y - 1); k++)
                a[i][j][k] = 7;
    int p = __VERIFIER_nondet_int(), q = __VERIFIER_nondet_int(), r = __VERIFIER_nondet_int();
    if (p < 0 || p >= X || q < 0 || q >= Y || r < 0 || r >= Z) abort();
    if (a[p][q][r] != 7) reach_error();
}
