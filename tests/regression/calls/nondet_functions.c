// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=PLAIN model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) define=MEMORY model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=STRING model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) define=WIDE model=LP64 prepare=default,none
// FALSE(valid-deref) define=TOO_MUCH property=memory-safety model=ILP32,LP64 prepare=none,default
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// The inputs of verification tasks, declared as tasks do, or not at all.
typedef unsigned long size_type;
extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned __VERIFIER_nondet_unsigned(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern long long __VERIFIER_nondet_longlong(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern size_type __VERIFIER_nondet_size_t(void);
extern long long __VERIFIER_nondet_loff_t(void);
extern unsigned long __VERIFIER_nondet_sector_t(void);
extern unsigned long __VERIFIER_nondet_pthread_t(void);
extern signed char __VERIFIER_nondet_S8(void);
extern unsigned char __VERIFIER_nondet_U8(void);
extern unsigned short __VERIFIER_nondet_u16(void);
extern unsigned __VERIFIER_nondet_u32(void);
extern unsigned long long __VERIFIER_nondet_u64(void);
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);
extern void *__VERIFIER_nondet_pointer(void);
extern char *__VERIFIER_nondet_pchar(void);
#ifdef __SIZEOF_INT128__
extern __int128 __VERIFIER_nondet_int128(void);
extern unsigned __int128 __VERIFIER_nondet_uint128(void);
#endif
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);
static struct { char before; int numbers[2]; char after; } block;

int main(void) {
    int (*input)() = (int (*)())__VERIFIER_nondet_uint;
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0 && n <= 3);
    __VERIFIER_atomic_begin();
    if (n > 3 || __VERIFIER_nondet_bool() > 1 || __VERIFIER_nondet_U8() > 255) reach_error();
    if (__VERIFIER_nondet_char() > 127 || __VERIFIER_nondet_S8() < -128 || __VERIFIER_nondet_u16() > 65535) reach_error();
    __VERIFIER_atomic_end();
    double sum = __VERIFIER_nondet_uchar() + __VERIFIER_nondet_ushort() + __VERIFIER_nondet_short();
    sum += __VERIFIER_nondet_float() + __VERIFIER_nondet_double() + __VERIFIER_nondet_loff_t();
    sum += __VERIFIER_nondet_size_t() + __VERIFIER_nondet_sector_t() + __VERIFIER_nondet_pthread_t();
    sum += __VERIFIER_nondet_long() + __VERIFIER_nondet_ulonglong() + __VERIFIER_nondet_unsigned();
    char *text = __VERIFIER_nondet_pchar();
    __VERIFIER_nondet_memory(block.numbers, sizeof block.numbers);
    if (block.before != 0 || block.after != 0) reach_error();
#ifdef PLAIN
    if (n == 2 && input() == 12345 && __VERIFIER_nondet_u64() == 1ull << 40 && __VERIFIER_nondet_long() < -5) reach_error();
#endif
#ifdef MEMORY
    if (block.numbers[1] == 77) reach_error();
#endif
#ifdef STRING
    if (text != 0 && text[0] == 'a' && text[1] == 0 && __VERIFIER_nondet_pointer() == 0) reach_error();
#endif
#ifdef WIDE
    if (__VERIFIER_nondet_int128() < -(__int128)1 << 100 && __VERIFIER_nondet_uint128() >> 127) reach_error();
#endif
#ifdef TOO_MUCH
    __VERIFIER_nondet_memory(&block.after, 2 + (int)sizeof block);
#endif
    return 0;
}
