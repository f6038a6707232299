"""Library functions that a program calls without declaring them.

C compilers know the types of the usual ones and declare them with these at their first call; clang does so only
where it also gives them a meaning of its own, which is not wanted here. So a file with such calls is
compiled once more, with declarations before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from counterpoint.core.patterns import regex

_UNDECLARED = regex(r"call to undeclared (?:library )?function '(\w+)'")

_SIZE = "__SIZE_TYPE__"
_DECLARATIONS = f"""
void *memset(void *, int, {_SIZE}); void *memcpy(void *, const void *, {_SIZE});
void *memmove(void *, const void *, {_SIZE});
int memcmp(const void *, const void *, {_SIZE}); void *memchr(const void *, int, {_SIZE});
void *mempcpy(void *, const void *, {_SIZE});
char *strcpy(char *, const char *); char *strncpy(char *, const char *, {_SIZE}); char *stpcpy(char *, const char *);
char *strcat(char *, const char *); char *strncat(char *, const char *, {_SIZE});
int strcmp(const char *, const char *); int strncmp(const char *, const char *, {_SIZE});
int strcasecmp(const char *, const char *); int strncasecmp(const char *, const char *, {_SIZE});
{_SIZE} strlen(const char *); {_SIZE} strnlen(const char *, {_SIZE});
char *strchr(const char *, int); char *strrchr(const char *, int); char *strstr(const char *, const char *);
char *index(const char *, int); char *rindex(const char *, int);
{_SIZE} strspn(const char *, const char *); {_SIZE} strcspn(const char *, const char *);
char *strpbrk(const char *, const char *); char *strdup(const char *); char *strndup(const char *, {_SIZE});
void bzero(void *, {_SIZE}); void bcopy(const void *, void *, {_SIZE}); int bcmp(const void *, const void *, {_SIZE});
void *malloc({_SIZE}); void *calloc({_SIZE}, {_SIZE}); void *realloc(void *, {_SIZE}); void free(void *);
void *alloca({_SIZE}); void *aligned_alloc({_SIZE}, {_SIZE});
void exit(int); void _exit(int); void _Exit(int); void abort(void);
long labs(long); long long llabs(long long);
double fabs(double); double sqrt(double); double floor(double); double ceil(double); double fmod(double, double);
double pow(double, double); double exp(double); double log(double); double log10(double);
double sin(double); double cos(double); double tan(double);
double asin(double); double acos(double); double atan(double);
double atan2(double, double); double sinh(double); double cosh(double); double tanh(double);
double ldexp(double, int); double frexp(double, int *); double modf(double, double *); double copysign(double, double);
double round(double); double trunc(double); double rint(double);
double fmin(double, double); double fmax(double, double);
float fabsf(float); float sqrtf(float); float floorf(float); float ceilf(float); float copysignf(float, float);
int printf(const char *, ...); int sprintf(char *, const char *, ...); int snprintf(char *, {_SIZE}, const char *, ...);
int scanf(const char *, ...); int sscanf(const char *, const char *, ...);
"""
_BY_NAME = {
    found[1]: found[0].strip() for found in re.finditer(r"[^;\n]*?\b(\w+)\([^;]*\);", _DECLARATIONS)
}

NAMES = frozenset(_BY_NAME)
"""The usual functions."""


def declarations(said: str) -> str:
    """C declarations of the library functions that the compiler said were not declared; "" if there is none."""
    return "".join(f"{_BY_NAME[name]}\n" for name in _known(_UNDECLARED.findall(said)))


def _known(names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name in _BY_NAME]
