/* Integer arithmetic: C17 7.22.6, POSIX ffs. Where the standard leaves a result undefined, abs of the
   least value is that value and a quotient that does not exist is what the front end makes of it. */
#include "kernel.h"

typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;

/* abs, labs, llabs, imaxabs: C17 7.22.6.1, 7.8.2.1. */
int abs(int n) { return n < 0 ? -n : n; }
long labs(long n) { return n < 0 ? -n : n; }
long long llabs(long long n) { return n < 0 ? -n : n; }
__INTMAX_TYPE__ imaxabs(__INTMAX_TYPE__ n) { return n < 0 ? -n : n; }

/* div, ldiv, lldiv, imaxdiv: C17 7.22.6.2, 7.8.2.2. */
div_t div(int n, int d) { return (div_t){n / d, n % d}; }
ldiv_t ldiv(long n, long d) { return (ldiv_t){n / d, n % d}; }
lldiv_t lldiv(long long n, long long d) { return (lldiv_t){n / d, n % d}; }
lldiv_t imaxdiv(long long n, long long d) { return (lldiv_t){n / d, n % d}; }

/* ffs: POSIX; 1 + the number of the lowest bit set, 0 for 0. */
int ffs(int n) { return __builtin_ffs(n); }
int ffsl(long n) { return __builtin_ffsl(n); }
int ffsll(long long n) { return __builtin_ffsll(n); }
