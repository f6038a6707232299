// TRUE define=TEXT property=memory-safety model=ILP32,LP64 prepare=default,none
// TRUE define=TEXT model=ILP32,LP64 prepare=none,default
// FALSE(valid-deref) define=NULL_STREAM property=memory-safety model=ILP32,LP64 prepare=none,default
// FALSE(valid-deref) define=CLOSED property=memory-safety model=ILP32,LP64 prepare=default,none
// FALSE(valid-deref) define=CLOSED_TWICE property=memory-safety model=ILP32,LP64 prepare=none,default
// FALSE(valid-deref) define=NOT_REOPENED property=memory-safety model=ILP32,LP64 prepare=default,none
// FALSE(valid-deref) define=INVALID property=memory-safety model=ILP32,LP64 prepare=none,default
// FALSE(valid-deref) define=CLOSED_OUTPUT property=memory-safety model=ILP32,LP64 prepare=default,none
// FALSE(valid-free) define=FREED property=memory-safety model=ILP32,LP64 prepare=none,default
// FALSE(valid-deref) define=FLUSHED property=memory-safety model=ILP32,LP64 prepare=default,none
// What is no open stream cannot be used; fflush(NULL) flushes all.
#include <stdio.h>
#include <stdlib.h>

extern void reach_error(void);

int main(void) {
    char line[4];
    fflush(NULL);
#ifdef TEXT
    fprintf(stderr, "%d\n", 3);
    if (fgets(line, sizeof line, stdin) == stdin) reach_error();
#endif
    FILE *file = fopen("a", "r");
#ifndef NULL_STREAM
    if (file == NULL) return 0;
#endif
    FILE *other = fopen("b", "w");
    if (other != NULL && other == file) reach_error();
    int c = fgetc(file);
    if (other != NULL) {
        fputc(c, other);
        fclose(other);
    }
#ifdef NOT_REOPENED
    freopen("c", "r", file);
    c = getc(file);
#else
    file = freopen("c", "r", file);
    if (file == NULL) return 1;
#endif
#ifdef TEXT
    ungetc('x', file);
    rewind(file);
#endif
#ifdef FREED
    free(file);
#endif
    fclose(file);
#ifdef CLOSED
    c = feof(file);
#endif
#ifdef CLOSED_TWICE
    fclose(file);
#endif
#ifdef FLUSHED
    fflush(file);
#endif
#ifdef INVALID
    fputs("text", (FILE *)line);
#endif
#ifdef CLOSED_OUTPUT
    fclose(stdout);
    fputs("text", stdout);
#endif
    return 0;
}
