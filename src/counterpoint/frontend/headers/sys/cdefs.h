/* What programs take from glibc's <sys/cdefs.h>, which musl does not have. Found behind all other folders. */
#ifndef _SYS_CDEFS_H
#define _SYS_CDEFS_H

#define __BEGIN_DECLS
#define __END_DECLS
#define __BEGIN_NAMESPACE_STD
#define __END_NAMESPACE_STD
#define __USING_NAMESPACE_STD(name)

#define __P(arguments) arguments
#define __PMT(arguments) arguments
#define __CONCAT(x, y) x##y
#define __STRING(x) #x
#define __ptr_t void *

#define __THROW
#define __THROWNL
#define __NTH(function) function
#define __NTHNL(function) function
#define __LEAF
#define __LEAF_ATTR
#define __flexarr []

#define __attribute_malloc__ __attribute__((__malloc__))
#define __attribute_pure__ __attribute__((__pure__))
#define __attribute_const__ __attribute__((__const__))
#define __attribute_used__ __attribute__((__used__))
#define __attribute_noinline__ __attribute__((__noinline__))
#define __attribute_deprecated__ __attribute__((__deprecated__))
#define __attribute_format_arg__(x) __attribute__((__format_arg__(x)))
#define __attribute_warn_unused_result__ __attribute__((__warn_unused_result__))
#define __attribute_maybe_unused__ __attribute__((__unused__))
#define __attribute_nonnull__(parameters) __attribute__((__nonnull__ parameters))
#define __nonnull(parameters) __attribute__((__nonnull__ parameters))
#define __returns_nonnull __attribute__((__returns_nonnull__))
#define __wur
#define __always_inline __inline __attribute__((__always_inline__))
#define __extern_inline extern __inline __attribute__((__gnu_inline__))
#define __extern_always_inline extern __always_inline __attribute__((__gnu_inline__))
#define __fortify_function __extern_always_inline

#ifndef __glibc_likely
#define __glibc_likely(condition) __builtin_expect((condition), 1)
#define __glibc_unlikely(condition) __builtin_expect((condition), 0)
#endif
#ifndef __GNUC_PREREQ
#define __GNUC_PREREQ(major, minor) ((__GNUC__ << 16) + __GNUC_MINOR__ >= ((major) << 16) + (minor))
#endif
#ifndef __glibc_clang_prereq
#define __glibc_clang_prereq(major, minor) ((__clang_major__ << 16) + __clang_minor__ >= ((major) << 16) + (minor))
#endif

#endif
