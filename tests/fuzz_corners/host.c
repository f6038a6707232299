/* Inputs and ends for generated programs as the host's compilers make them: inputs are the environment's CORNER_INPUTS,
   numbers with commas between them, then zeros. Exit status 77: reach_error; 78: an assumption does not hold. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static const char *next;
static int begun;
static unsigned long long given(void) {
  char *end;
  unsigned long long value;
  if (!begun) { next = getenv("CORNER_INPUTS"); begun = 1; }
  if (!next || !*next) return 0;
  value = strtoull(next, &end, 10);
  next = *end ? end + 1 : end;
  return value;
}
#define GIVES(type, name) type __VERIFIER_nondet_##name(void) { return (type)given(); }
GIVES(_Bool, bool) GIVES(char, char) GIVES(unsigned char, uchar) GIVES(short, short) GIVES(unsigned short, ushort)
GIVES(int, int) GIVES(unsigned, uint) GIVES(long, long) GIVES(unsigned long, ulong)
GIVES(long long, longlong) GIVES(unsigned long long, ulonglong)
float __VERIFIER_nondet_float(void) { unsigned u = (unsigned)given(); float f; memcpy(&f, &u, 4); return f; }
double __VERIFIER_nondet_double(void) { unsigned long long u = given(); double d; memcpy(&d, &u, 8); return d; }
void __VERIFIER_nondet_memory(void *p, unsigned long n) { memset(p, (int)given(), n); }
void reach_error(void) { _exit(77); }
void __VERIFIER_assume(int c) { if (!c) _exit(78); }
