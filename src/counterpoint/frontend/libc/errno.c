/* errno: C17 7.5. One static int behind the accessors of glibc and musl, of Bionic and of Darwin.
   Library models set it only where the standard says that they do. */
#include "kernel.h"

static int error_number;

int *__errno_location(void) { return &error_number; }
int *___errno_location(void) { return &error_number; }
int *__errno(void) { return &error_number; }
int *__error(void) { return &error_number; }
