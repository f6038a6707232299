// TRUE model=ILP32,LP64 prepare=default,none
// TRUE property=memory-safety model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) define=CONTENT model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) or UNKNOWN timeout=10 define=LENGTH model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) or UNKNOWN timeout=10 define=MANY model=ILP32,LP64 prepare=none,default
// FALSE(valid-deref) define=MISSING property=memory-safety model=ILP32,LP64 prepare=default,none
// FALSE(valid-deref) define=BEHIND property=memory-safety model=ILP32,LP64 prepare=none,default
// FALSE(valid-deref) or UNKNOWN timeout=10 define=COPIED property=memory-safety model=ILP32,LP64 prepare=default,none
// FALSE(valid-free) or UNKNOWN timeout=10 define=FREED property=memory-safety model=ILP32,LP64 prepare=none,default
// FALSE(valid-deref) define=SECOND property=memory-safety model=ILP32,LP64 prepare=default,none
// The arguments of main: strings, and null behind the last.
#include <stdlib.h>
#include <string.h>

extern void reach_error(void);

int main(int argc, char **argv) {
    char copy[8];
    if (argc < 1 || argv == NULL || argv[argc] != NULL || argv[0] == NULL) reach_error();
    if (argc > 1) {
        argv[1][0] = 'x';
        if (argv[1][0] != 'x') reach_error();
    }
#ifdef CONTENT
    if (argc == 3 && argv[2][0] == 'a' && argv[2][1] == 0) reach_error();
#endif
#ifdef LENGTH
    if (argc > 1 && strlen(argv[1]) == 5) reach_error();
#endif
#ifdef MANY
    if (argc == 6 && argv[5][0] == 'z') reach_error();
#endif
#ifdef MISSING
    copy[0] = argv[1][0];
#endif
#ifdef BEHIND
    if (argv[argc + 1] == argv[0]) return 1;
#endif
#ifdef COPIED
    strcpy(copy, argv[0]);
#endif
#ifdef FREED
    if (argc > 1) free(argv[1]);
#endif
#ifdef SECOND
    if (argv[0][0] != 0) copy[0] = argv[0][2];
#endif
    argv[0] = copy;
    return 0;
}
