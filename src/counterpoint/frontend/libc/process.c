/* The end of a run and the host's environment: C17 7.22.4; POSIX. Functions registered with atexit
   are not modelled: registering is UNSUPPORTED, so none can be pending here. */
#include "kernel.h"

/* exit, _Exit, quick_exit, abort: C17 7.22.4.4, .5, .7, .1. A shell's code for abort is 128 + SIGABRT. */
_Noreturn void exit(int code) { __cp_stop(code); }
_Noreturn void _Exit(int code) { __cp_stop(code); }
_Noreturn void _exit(int code) { __cp_stop(code); }
_Noreturn void quick_exit(int code) { __cp_stop(code); }
_Noreturn void abort(void) { __cp_stop(134); }

/* getenv: C17 7.22.4.6. Null or an unknown string outside the program. */
char *getenv(const char *name) {
    read_text(name);
    return __cp_nondet_ptr(INPUT);
}

char *secure_getenv(const char *name) {
    read_text(name);
    return __cp_nondet_ptr(INPUT);
}

/* setenv, unsetenv, putenv, clearenv: POSIX. getenv gives anything before and after. */
int setenv(const char *name, const char *value, int overwrite) {
    (void)overwrite;
    read_text(name);
    read_text(value);
    return done_or_failure();
}

int unsetenv(const char *name) {
    read_text(name);
    return done_or_failure();
}

int putenv(char *assignment) {
    read_text(assignment);
    return done_or_failure();
}

int clearenv(void) { return done_or_failure(); }

/* setlocale: C17 7.11.1.1. Null or an unknown string; the locale stays "C". */
char *setlocale(int category, const char *locale) {
    (void)category;
    if (locale) read_text(locale);
    return __cp_nondet_ptr(INPUT);
}

/* system: C17 7.22.4.8. The command changes nothing that the program could see. */
int system(const char *command) {
    if (command) read_text(command);
    return (int)__cp_nondet_i32(INPUT);
}

/* getpid and relatives: POSIX. */
static int some_identifier(void) { return (int)(__cp_nondet_i32(INPUT) >> 1); }

int getpid(void) {
    int process = some_identifier();
    return process > 0 ? process : 1;
}
int getppid(void) { return some_identifier(); }
unsigned getuid(void) { return __cp_nondet_i32(INPUT); }
unsigned geteuid(void) { return __cp_nondet_i32(INPUT); }
unsigned getgid(void) { return __cp_nondet_i32(INPUT); }
unsigned getegid(void) { return __cp_nondet_i32(INPUT); }

/* isatty: POSIX. */
int isatty(int descriptor) {
    (void)descriptor;
    return __cp_nondet_i1(INPUT);
}

/* __ctype_get_mb_cur_max: glibc's MB_CUR_MAX; 1 in the C locale. */
size_t __ctype_get_mb_cur_max(void) { return 1; }
