/* Runs PROGRAM's main so many times as the argument says, each in a process of its own, on random inputs (confirm.py). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t state;

static uint64_t random_bits(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545F4914F6CDD1DULL;
}

/* Mostly small, sometimes at the ends of a type, sometimes any. */
static uint64_t input(void) {
    uint64_t kind = random_bits() >> 60, bits = random_bits();
    if (kind < 10) return bits % 7;
    if (kind < 12) return (uint64_t)-(int64_t)(bits % 7);
    if (kind < 13) return bits % 200;
    if (kind < 14) return ((uint64_t)1 << (bits % 64)) - (bits >> 6) % 2;
    return bits;
}

#define INPUT(name, type) type __VERIFIER_nondet_##name(void) { return (type)input(); }
INPUT(int, int) INPUT(uint, unsigned) INPUT(long, long) INPUT(ulong, unsigned long) INPUT(char, char)
INPUT(uchar, unsigned char) INPUT(short, short) INPUT(ushort, unsigned short) INPUT(bool, _Bool)
INPUT(longlong, long long) INPUT(ulonglong, unsigned long long)
void __VERIFIER_assume(int holds) { if (!holds) _exit(0); }
#define main program_main
#include PROGRAM
#undef main

#ifndef HAS_REACH_ERROR /* one with a body is told by the abort behind its call */
void reach_error(void) { fprintf(stderr, "reached\n"); abort(); }
#endif

int main(int count, char **words) {
    int failed = 0, ended = 0, stopped = 0, status;
    for (int run = 0; run < atoi(words[1]); run++) {
        if (fork() == 0) {
            struct rlimit none = {0, 0};
            setrlimit(RLIMIT_CORE, &none);
            if (failed) freopen("/dev/null", "w", stderr);
            state = 88172645463325252ULL + (uint64_t)run * 0x9E3779B97F4A7C15ULL;
            for (int i = 0; i < 8; i++) random_bits();
            ualarm(30000, 0);
            program_main();
            _exit(0);
        }
        wait(&status);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) ended++;
        else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) stopped++;
        else failed++;
    }
    printf("failed %d ended %d stopped %d\n", failed, ended, stopped);
    return count != 2;
}
