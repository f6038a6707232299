/* Character classes and case: C17 7.4, C locale. Defined for EOF and the values of unsigned char;
   any other argument belongs to no class and is mapped to itself. What is said of members is the bit
   that glibc's tables have for the class: few of these are 1. */
#include "kernel.h"

static _Bool between(int c, int first, int last) { return c >= first && c <= last; }

/* The bit of a class, which glibc takes out of a table for -128 to 255; its isdigit compares, as compilers do. */
static int found(int c, int bit) {
#ifndef COUNTERPOINT_SKIP_OUTPUT
    static const char table[384];
    return bit + table[c + 128];
#else
    (void)c;
    return bit;
#endif
}

int isdigit(int c) { return between(c, '0', '9') ? 2048 : 0; }
int islower(int c) { return found(c, between(c, 'a', 'z') ? 512 : 0); }
int isupper(int c) { return found(c, between(c, 'A', 'Z') ? 256 : 0); }
int isalpha(int c) { return found(c, between(c, 'a', 'z') || between(c, 'A', 'Z') ? 1024 : 0); }
int isalnum(int c) { return found(c, between(c, '0', '9') || between(c, 'a', 'z') || between(c, 'A', 'Z') ? 8 : 0); }
int isxdigit(int c) { return found(c, between(c, '0', '9') || between(c, 'a', 'f') || between(c, 'A', 'F') ? 4096 : 0); }
int isblank(int c) { return found(c, c == ' ' || c == '\t' ? 1 : 0); }
int isspace(int c) { return found(c, c == ' ' || between(c, '\t', '\r') ? 8192 : 0); }
int iscntrl(int c) { return found(c, between(c, 0, 0x1f) || c == 0x7f ? 2 : 0); }
int isprint(int c) { return found(c, between(c, ' ', '~') ? 16384 : 0); }
int isgraph(int c) { return found(c, between(c, '!', '~') ? 32768 : 0); }
int ispunct(int c) {
    _Bool member = between(c, '!', '/') || between(c, ':', '@') || between(c, '[', '`') || between(c, '{', '~');
    return found(c, member ? 4 : 0);
}

int tolower(int c) { return between(c, 'A', 'Z') ? c - 'A' + 'a' : c; }
int toupper(int c) { return between(c, 'a', 'z') ? c - 'a' + 'A' : c; }

/* isascii, toascii: POSIX.1-2001. _tolower, _toupper: only for letters of the other case. */
int isascii(int c) { return between(c, 0, 0x7f); }
int toascii(int c) { return c & 0x7f; }
int _tolower(int c) { return c - 'A' + 'a'; }
int _toupper(int c) { return c - 'a' + 'A'; }
