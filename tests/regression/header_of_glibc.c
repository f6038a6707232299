// TRUE property=memory-safety model=LP64 prepare=default
// FALSE(valid-deref) property=memory-safety define=BEHIND model=LP64 prepare=default
// FALSE(valid-deref) property=memory-safety define=BEHIND model=ILP32 prepare=default
// <sys/cdefs.h>, which musl has not, beside members that other systems' cdefs.h names.
#include <sys/cdefs.h>
#include <sys/stat.h>
#include <stdlib.h>

__BEGIN_DECLS
int twice __P((int)) __THROW;
__END_DECLS

struct block { int __unused; struct stat of; };

int __CONCAT(tw, ice)(int n) { return 2 * n; }

int main(void) {
    int kept[4] = {0};
    struct block block = {1, {0}};
#if __GNUC_PREREQ(3, 4) && !defined BEHIND
    return __glibc_likely(kept[twice(1)] == 0) ? 0 : block.__unused;
#else
    return kept[twice(2)] + block.__unused;
#endif
}
