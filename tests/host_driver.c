/* Runs a generated program (tests/c_generator.py) as its compiler sees it, without a libc: inputs come as
   records of 16 bytes on standard input, observations go as records of 16 bytes (kind, value) to standard output. */
typedef __SIZE_TYPE__ size_t;
typedef unsigned long long word;

static unsigned char given[1 << 20];
static word told[4096];
static unsigned long length, at, count;

static long system_call(long number, long a, long b, long c) {
  long result;
#ifdef __x86_64__
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
#else
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
#endif
  return result;
}
#ifdef __x86_64__
enum { READ = 0, WRITE = 1, EXIT = 60 };
#else
enum { READ = 3, WRITE = 4, EXIT = 1 };
#endif

static void tell(word kind, word value) {
  if (count < sizeof told / sizeof *told) { told[count++] = kind; told[count++] = value; }
}
static _Noreturn void end(word kind) {
  tell(kind, 0);
  for (unsigned long sent = 0; sent < count * sizeof(word);) {
    long n = system_call(WRITE, 1, (long)told + sent, count * sizeof(word) - sent);
    if (n <= 0) break;
    sent += n;
  }
  for (;;) system_call(EXIT, 0, 0, 0);
}

void emit(word value) { tell(1, value); }
void reach_error(void) { end(2); }
void abort(void) { end(3); }
void __VERIFIER_assume(int holds) { if (!holds) end(4); }

static void take(unsigned char *target, unsigned long size) {
  for (unsigned long k = 0; k < size; k++) target[k] = at + k < length ? given[at + k] : 0;
  at += 16;
}
#define INPUT(type, name) type __VERIFIER_nondet_##name(void) { type v; take((unsigned char *)&v, sizeof v); return v; }
INPUT(int, int) INPUT(unsigned, uint) INPUT(_Bool, bool) INPUT(char, char) INPUT(unsigned char, uchar)
INPUT(word, ulonglong) INPUT(signed char, schar) INPUT(short, short) INPUT(unsigned short, ushort)
INPUT(long, long) INPUT(unsigned long, ulong) INPUT(long long, longlong) INPUT(float, float) INPUT(double, double)
#ifdef __x86_64__
INPUT(__int128, int128) INPUT(unsigned __int128, uint128)
#endif

void *memcpy(void *t, const void *s, size_t n) { for (size_t k = 0; k < n; k++) ((char *)t)[k] = ((char *)s)[k]; return t; }
void *memset(void *t, int c, size_t n) { for (size_t k = 0; k < n; k++) ((char *)t)[k] = c; return t; }
void *memmove(void *t, const void *s, size_t n) {
  if ((size_t)t < (size_t)s) return memcpy(t, s, n);
  while (n--) ((char *)t)[n] = ((char *)s)[n];
  return t;
}
int memcmp(const void *a, const void *b, size_t n) {
  const unsigned char *p = a, *q = b;
  for (; n; n--, p++, q++) if (*p != *q) return *p < *q ? -1 : 1;
  return 0;
}
size_t strlen(const char *s) { size_t n = 0; while (s[n]) n++; return n; }
int strcmp(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return (unsigned char)*a - (unsigned char)*b; }
char *strcpy(char *t, const char *s) { for (char *p = t; (*p++ = *s++);) {} return t; }
char *strchr(const char *s, int c) { for (;; s++) { if (*s == (char)c) return (char *)s; if (!*s) return 0; } }
static char heap[1 << 20] __attribute__((aligned(16)));
static size_t used;
void *malloc(size_t n) { void *p = heap + used; used += (n + 31) & ~(size_t)15; return p; }
void *calloc(size_t n, size_t size) { return memset(malloc(n * size), 0, n * size); }
void free(void *p) { (void)p; }

#ifdef __i386__
/* What compilers call for 64-bit operations; there may be no libgcc for this target. */
static word divided(word a, word b, word *rest) {
  word quotient = 0, r = 0;
  for (int k = 63; k >= 0; k--) {
    int carry = r >> 63;
    r = r << 1 | (a >> k & 1);
    if (carry || r >= b) { r -= b; quotient |= 1ull << k; }
  }
  *rest = r;
  return quotient;
}
word __udivdi3(word a, word b) { word r; return divided(a, b, &r); }
word __umoddi3(word a, word b) { word r; divided(a, b, &r); return r; }
long long __divdi3(long long a, long long b) {
  word r, q = divided(a < 0 ? -(word)a : a, b < 0 ? -(word)b : b, &r);
  return (a < 0) != (b < 0) ? -q : q;
}
long long __moddi3(long long a, long long b) {
  word r;
  divided(a < 0 ? -(word)a : a, b < 0 ? -(word)b : b, &r);
  return a < 0 ? -r : r;
}
word __fixunsdfdi(double x) { return x < 9223372036854775808.0 ? (word)(long long)x : (word)(long long)(x - 9223372036854775808.0) ^ 1ull << 63; }
word __fixunssfdi(float x) { return __fixunsdfdi(x); }
int __popcountsi2(unsigned a) { int n = 0; for (; a; a &= a - 1) n++; return n; }
int __popcountdi2(word a) { return __popcountsi2(a) + __popcountsi2(a >> 32); }
int __paritysi2(unsigned a) { return __popcountsi2(a) & 1; }
int __paritydi2(word a) { return __popcountdi2(a) & 1; }
int __ctzdi2(word a) { int n = 0; for (; !(a & 1); a >>= 1) n++; return n; }
int __clzdi2(word a) { int n = 0; for (; !(a >> 63); a <<= 1) n++; return n; }
long long __mulvdi3(long long a, long long b) { return a * b; }
#endif

extern int main(void);
__attribute__((used)) void begin(void) {
  long n;
  while ((n = system_call(READ, 0, (long)given + length, sizeof given - length)) > 0) length += n;
  main();
  end(0);
}
#ifdef __x86_64__
__asm__(".globl _start\n_start: and $-16, %rsp\n call begin\n");
#else
__asm__(".globl _start\n_start: and $-16, %esp\n call begin\n");
#endif
