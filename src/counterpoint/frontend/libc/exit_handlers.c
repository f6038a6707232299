/* Functions that run at the end of a run: C17 7.22.4.2, .3; on_exit: glibc. The front end calls __cp_at_exit where
   a run ends by exit or by the return of main, and __cp_at_quick_exit where it ends by quick_exit (7.22.4.4, .7).
   Registering succeeds, as malloc does; a run that registers more than CAPACITY functions is UNSUPPORTED. */
#include "kernel.h"

#define CAPACITY 64

struct handler {
    _Bool informed; /* it is told the exit code */
    void (*plain)(void);
    void (*told)(int, void *);
    void *context;
};

static struct handler handlers[CAPACITY];
static unsigned registered;
static void (*quick_handlers[CAPACITY])(void);
static unsigned quick_registered;

int atexit(void (*handler)(void)) {
    if (registered == CAPACITY) __cp_unsupported(0);
    handlers[registered].informed = 0;
    handlers[registered].plain = handler;
    registered++;
    return 0;
}

int on_exit(void (*handler)(int, void *), void *context) {
    if (registered == CAPACITY) __cp_unsupported(0);
    handlers[registered].informed = 1;
    handlers[registered].told = handler;
    handlers[registered].context = context;
    registered++;
    return 0;
}

int at_quick_exit(void (*handler)(void)) {
    if (quick_registered == CAPACITY) __cp_unsupported(0);
    quick_handlers[quick_registered++] = handler;
    return 0;
}

/* The last that was registered runs first; one that a handler registers runs next. */
void __cp_at_exit(int code) {
    while (registered) {
        struct handler *last = &handlers[--registered];
        if (last->informed)
            last->told(code, last->context);
        else
            last->plain();
    }
}

void __cp_at_quick_exit(int code) {
    (void)code;
    while (quick_registered) quick_handlers[--quick_registered]();
}
