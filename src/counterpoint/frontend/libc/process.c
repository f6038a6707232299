/* The end of a run and the host's environment: C17 7.22.4; POSIX. What was registered with atexit the front end calls. A
   program is one process (fork and its like are UNSUPPORTED), so its number stays. */
#include "kernel.h"

/* exit, _Exit, quick_exit, abort: C17 7.22.4.4, .5, .7, .1. A shell's code for abort is 128 + SIGABRT. */
_Noreturn void exit(int code) { __cp_stop(code); }
_Noreturn void _Exit(int code) { __cp_stop(code); }
_Noreturn void _exit(int code) { __cp_stop(code); }
_Noreturn void quick_exit(int code) { __cp_stop(code); }
_Noreturn void abort(void) { __cp_stop(134); }

static _Bool changed_by_program;

/* Whether the environment has no choice any more: this name, or one that begins alike, was asked for before (three of
   them are remembered), or the program itself may have given it a value. */
static _Bool is_settled(const char *name) {
    static unsigned first, second, third;
    unsigned start = 1u << 24 | (byte)name[0];
    if (name[0]) start |= (unsigned)(byte)name[1] << 8;
    if (name[0] && name[1]) start |= (unsigned)(byte)name[2] << 16;
    if (start == first || start == second || start == third) return 1;
    if (!first) first = start;
    else if (!second) second = start;
    else if (!third) third = start;
    else return 1;
    return changed_by_program;
}

/* getenv: C17 7.22.4.6. Null or an unknown string outside the program. */
static char *value_of(const char *name) {
    read_text(name);
    return is_settled(name) ? __cp_nondet_ptr(APPROXIMATED) : __cp_nondet_ptr(INPUT);
}

char *getenv(const char *name) { return value_of(name); }
char *secure_getenv(const char *name) { return value_of(name); }

/* setenv, unsetenv, putenv, clearenv: POSIX. */
int setenv(const char *name, const char *value, int overwrite) {
    (void)overwrite;
    changed_by_program = 1;
    read_text(name);
    read_text(value);
    return done_or_failure();
}

int unsetenv(const char *name) {
    changed_by_program = 1;
    read_text(name);
    return done_or_failure();
}

int putenv(char *assignment) {
    changed_by_program = 1;
    read_text(assignment);
    return done_or_failure();
}

int clearenv(void) {
    changed_by_program = 1;
    return done_or_failure();
}

/* setlocale: C17 7.11.1.1. Null or an unknown string; the locale stays "C", to which every category can be set. */
char *setlocale(int category, const char *locale) {
    static char c[2] = "C";
    if (!locale) return __cp_nondet_ptr(APPROXIMATED);
    read_text(locale);
    if (locale[0] == 'P') return __cp_nondet_ptr(APPROXIMATED); /* "POSIX" is "C" */
    return (unsigned)category <= 12 && locale[0] == 'C' && !locale[1] ? c : __cp_nondet_ptr(INPUT);
}

/* system: C17 7.22.4.8. The command changes nothing that the program could see. */
int system(const char *command) {
    if (command) read_text(command);
    return (int)__cp_nondet_i32(INPUT);
}

/* getpid and relatives: POSIX. */
static int some_identifier(void) { return (int)(__cp_nondet_i32(INPUT) >> 1); }

int getpid(void) {
    static int process;
    if (process <= 0) process = some_identifier();
    if (process <= 0) process = 1;
    return process;
}
int getppid(void) { return some_identifier(); }

/* The first reading is the environment's choice; what functions that set it make of it is not known. */
static unsigned identity(_Bool *read) {
    if (*read) return __cp_nondet_i32(APPROXIMATED);
    *read = 1;
    return __cp_nondet_i32(INPUT);
}
static _Bool read_identity[4];
unsigned getuid(void) { return identity(&read_identity[0]); }
unsigned geteuid(void) { return identity(&read_identity[1]); }
unsigned getgid(void) { return identity(&read_identity[2]); }
unsigned getegid(void) { return identity(&read_identity[3]); }

/* isatty: POSIX. */
int isatty(int descriptor) {
    static _Bool called;
    (void)descriptor;
    if (called) return __cp_nondet_i1(APPROXIMATED);
    called = 1;
    return __cp_nondet_i1(INPUT);
}

/* __ctype_get_mb_cur_max: glibc's MB_CUR_MAX; 1 in the C locale. */
size_t __ctype_get_mb_cur_max(void) { return 1; }
