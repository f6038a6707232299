/* Character classes and case: C17 7.4, C locale. Defined for EOF and the values of unsigned char;
   any other argument belongs to no class and is mapped to itself. */
#include "kernel.h"

static _Bool between(int c, int first, int last) { return c >= first && c <= last; }

int isdigit(int c) { return between(c, '0', '9'); }
int islower(int c) { return between(c, 'a', 'z'); }
int isupper(int c) { return between(c, 'A', 'Z'); }
int isalpha(int c) { return between(c, 'a', 'z') || between(c, 'A', 'Z'); }
int isalnum(int c) { return between(c, '0', '9') || between(c, 'a', 'z') || between(c, 'A', 'Z'); }
int isxdigit(int c) { return between(c, '0', '9') || between(c, 'a', 'f') || between(c, 'A', 'F'); }
int isblank(int c) { return c == ' ' || c == '\t'; }
int isspace(int c) { return c == ' ' || between(c, '\t', '\r'); }
int iscntrl(int c) { return between(c, 0, 0x1f) || c == 0x7f; }
int isprint(int c) { return between(c, ' ', '~'); }
int isgraph(int c) { return between(c, '!', '~'); }
int ispunct(int c) {
    return between(c, '!', '/') || between(c, ':', '@') || between(c, '[', '`') || between(c, '{', '~');
}

int tolower(int c) { return between(c, 'A', 'Z') ? c - 'A' + 'a' : c; }
int toupper(int c) { return between(c, 'a', 'z') ? c - 'a' + 'A' : c; }

/* isascii, toascii: POSIX.1-2001. _tolower, _toupper: only for letters of the other case. */
int isascii(int c) { return between(c, 0, 0x7f); }
int toascii(int c) { return c & 0x7f; }
int _tolower(int c) { return c - 'A' + 'a'; }
int _toupper(int c) { return c - 'a' + 'A'; }
