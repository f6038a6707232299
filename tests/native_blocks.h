/* What the native calls of fuzz_entries.py need: blocks in a table, which gcc's calls for each access look up (it
   builds with -fsanitize=kernel-address, whose functions these are), lost blocks, lines that calls get to. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#define PLAIN __attribute__((no_sanitize("kernel-address"), no_sanitize_coverage, noinline))
enum { DEREF, FREE, LOST, BLOCKS = 256, ROOM = 256 };
static _Alignas(16) char pool[BLOCKS][ROOM]; static long size_of[BLOCKS]; static char live[BLOCKS], given[BLOCKS], marked[BLOCKS];
static int blocks, running; static sigjmp_buf out; static volatile int ticks; static long steps_made;
static struct { char *from, *to, *inner, *end; } areas[64]; static int area_count, global_count;
static struct { int kind; void *at; long times; } seen[64]; static int seen_count;
PLAIN static void leave(int why) { if (running) { running = 0; siglongjmp(out, why); } }
PLAIN static void failed(int kind, void *at) {
    int i = 0; while (i < seen_count && (seen[i].kind != kind || seen[i].at != at)) i++;
    if (i == seen_count && seen_count < 64) { seen_count++; seen[i].kind = kind; seen[i].at = at; seen[i].times = 0; }
    seen[i].times++; leave(1);
}
PLAIN static void reach(const void *p, size_t size, void *from) {
    if (!running || !size) return;
    if (++steps_made > 100000) leave(2);
    const char *at = p;
    if (at >= pool[0] && at < pool[BLOCKS - 1] + ROOM) {
        int of = (at - pool[0]) / ROOM;
        if (of < blocks && live[of] && at >= pool[of] && size <= (size_t)size_of[of] && at - pool[of] <= size_of[of] - (long)size) return;
        failed(DEREF, from);
    }
    for (int i = 0; i < area_count; i++)
        if (at >= areas[i].from && at < areas[i].to) { if (at >= areas[i].inner && at + size <= areas[i].end) return; failed(DEREF, from); }
    char *here = __builtin_frame_address(0);
    if (at < here || at > here + (1 << 20)) failed(DEREF, from);
}
PLAIN static void area(void *from, size_t all, void *inner, size_t size) {
    if (area_count < 64) { areas[area_count].from = from; areas[area_count].to = (char *)from + all; areas[area_count].inner = inner; areas[area_count++].end = (char *)inner + size; }
}
#define HOOK(n) PLAIN void __asan_load##n##_noabort(void *p) { reach(p, n, __builtin_return_address(0)); } \
    PLAIN void __asan_store##n##_noabort(void *p) { reach(p, n, __builtin_return_address(0)); }
HOOK(1) HOOK(2) HOOK(4) HOOK(8) HOOK(16)
PLAIN void __asan_loadN_noabort(void *p, size_t n) { reach(p, n, __builtin_return_address(0)); }
PLAIN void __asan_storeN_noabort(void *p, size_t n) { reach(p, n, __builtin_return_address(0)); }
PLAIN void __asan_handle_no_return(void) {}
PLAIN static void *block(size_t size, int caller) {
    if (size > ROOM - 32) { if (running) leave(2); size = ROOM - 32; }
    if (blocks == BLOCKS) leave(2);
    for (int i = 0; i < ROOM; i++) pool[blocks][i] = (char)rand();
    size_of[blocks] = size; live[blocks] = 1; given[blocks] = caller; return pool[blocks++];
}
PLAIN static void release(void *p, void *from) {
    if (!p) return;
    char *at = p;
    int of = at >= pool[0] && at < pool[BLOCKS - 1] + ROOM ? (at - pool[0]) / ROOM : -1;
    if (of < 0 || of >= blocks || !live[of] || at != pool[of]) failed(FREE, from);
    live[of] = 0;
}
#define FROM __builtin_return_address(0)
PLAIN static void *my_malloc(size_t n) { return block(n, 0); }
PLAIN static void *my_calloc(size_t n, size_t m) { void *p = block(n * m, 0); memset(p, 0, n * m); return p; }
PLAIN static void my_free(void *p) { release(p, FROM); }
PLAIN static void *my_realloc(void *p, size_t n) {
    if (!p) return block(n, 0);
    char *at = p; int of = (at - pool[0]) / ROOM;
    if (at < pool[0] || of >= blocks || !live[of] || at != pool[of]) failed(FREE, FROM);
    void *made = block(n, 0); memcpy(made, p, n < (size_t)size_of[of] ? n : (size_t)size_of[of]); live[of] = 0; return made;
}
PLAIN static void *my_memcpy(void *d, const void *s, size_t n) {
    reach(d, n, FROM); reach(s, n, FROM);
    if (n && (char *)d < (char *)s + n && (char *)s < (char *)d + n) failed(DEREF, FROM);
    return memmove(d, s, n);
}
PLAIN static void *my_memmove(void *d, const void *s, size_t n) { reach(d, n, FROM); reach(s, n, FROM); return memmove(d, s, n); }
PLAIN static void *my_memset(void *d, int c, size_t n) { reach(d, n, FROM); return memset(d, c, n); }
PLAIN static size_t my_strlen(const char *s) { size_t n = 0; for (;; n++) { reach(s + n, 1, FROM); if (!s[n]) return n; } }
PLAIN static char *my_strcpy(char *d, const char *s) { for (size_t n = 0;; n++) { reach(s + n, 1, FROM); reach(d + n, 1, FROM); if (!(d[n] = s[n])) return d; } }
PLAIN static void mark(char *p) {
    if (p < pool[0] || p >= pool[BLOCKS - 1] + ROOM) return;
    int of = (p - pool[0]) / ROOM;
    if (of >= blocks || !live[of] || marked[of] || p > pool[of] + size_of[of]) return;
    marked[of] = 1;
    for (long i = 0; i + 8 <= size_of[of]; i += 8) mark(*(char **)(pool[of] + i));
}
PLAIN static void look(void *result) {
    memset(marked, 0, sizeof marked);
    for (int i = 0; i < blocks; i++) if (given[i]) mark(pool[i]);
    for (int i = 0; i < global_count; i++) for (char *p = areas[i].inner; p + 8 <= areas[i].end; p += 8) mark(*(char **)p);
    mark(result);
    for (int i = 0; i < blocks; i++) if (live[i] && !given[i] && !marked[i]) failed(LOST, 0);
}
static void *blocks_now[512], *blocks_passed[512]; static int now_count, passed_count;
PLAIN void __sanitizer_cov_trace_pc(void) {
    if (!running) return;
    void *at = FROM; for (int i = 0; i < now_count; i++) if (blocks_now[i] == at) return;
    if (now_count < 512) blocks_now[now_count++] = at;
}
PLAIN static void took(void) {
    for (int i = 0; i < now_count; i++) {
        int k = 0; while (k < passed_count && blocks_passed[k] != blocks_now[i]) k++;
        if (k == passed_count && k < 512) blocks_passed[passed_count++] = blocks_now[i];
    }
}
PLAIN static int of_block(const void *p) { const char *at = p; return at >= pool[0] && at < pool[BLOCKS - 1] + ROOM ? (int)((at - pool[0]) / ROOM) : -1; }
PLAIN static int is_valid(const void *p, long n, long size) { int of = of_block(p); return of >= 0 && of < blocks && live[of] && (n <= 0 || (const char *)p - pool[of] + n * size <= size_of[of]); }
PLAIN static int is_string(const char *p) { int of = of_block(p); return of >= 0 && memchr(p, 0, size_of[of]) != 0; }
#define CT_COUNTED(p, n, ...) is_valid((p), (long)(n), sizeof *(p))
#define valid(...) CT_COUNTED(__VA_ARGS__, 1, 0)
#define string(p) is_string(p)
PLAIN static long number(void) {
    switch (rand() % 8) { case 0: return rand() % 3 - 1; case 1: return -(rand() % 10); case 2: return (long)((unsigned long)rand() << 33 ^ rand()); case 3: return rand() % 64; default: return rand() % 9; }
}
PLAIN static void late(int s) { (void)s; if (++ticks > 3) leave(2); }
PLAIN static void crashed(int s, siginfo_t *about, void *context) {
    (void)s; (void)about; if (running) failed(DEREF, *(void **)((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP]); _exit(9);
}
PLAIN static int any_function(int x) { (void)x; return (int)number(); }
#define malloc my_malloc
#define calloc my_calloc
#define free my_free
#define realloc my_realloc
#define memcpy my_memcpy
#define memmove my_memmove
#define memset my_memset
#define strlen my_strlen
#define strcpy my_strcpy
#define abort() leave(3)
#define exit(n) leave(3)
#define LOCAL(type, name, count) type name##_room[(count) + 64]; area(name##_room, sizeof name##_room, name##_room + 32, (count) * sizeof(type)); type *const name = name##_room + 32
