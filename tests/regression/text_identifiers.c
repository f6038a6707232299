// TRUE model=ILP32,LP64 prepare=default,none timeout=60
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none timeout=60 define=BUG
// Identifiers with letters of other scripts and with dollar signs, of all kinds; a loop needs invariants about them.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct größe$ { int höhe, $breite; };
static struct größe$ größe;
static int zähler, $zahl, zahl$;

static int nächster(int 数) { return 数 + $zahl; }

int main(void) {
    int обход = __VERIFIER_nondet_int(), $i, i$ = 0;
    größe.höhe = 1;
    $zahl = 1;
    for ($i = 0; $i < обход; $i++) {
        zähler = nächster(i$) - größe.höhe;
        if (zähler != i$)
            reach_error();
        i$++;
    }
#ifdef BUG
    if (обход > 3)
        reach_error();
#endif
    return zahl$ + größe.$breite;
}
