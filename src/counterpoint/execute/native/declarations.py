"""What instrumented modules declare: the functions of the runtime; and names that they must not define."""

RUNTIME_DECLARATIONS = """\
declare ptr @__cp_rt_read(ptr, i32, i32)
declare ptr @__cp_rt_write(ptr, i32)
declare void @__cp_rt_moved(ptr, ptr)
declare void @__cp_rt_copy(ptr, ptr, i64)
declare void @__cp_rt_fill(ptr, i32, i64)
declare void @__cp_rt_life(ptr, i32)
declare ptr @__cp_rt_alloca(WORD, WORD)
declare void @__cp_rt_end(ptr, i32)
declare i32 @__cp_rt_mark()
declare void @__cp_rt_leave(i32)
declare void @__cp_rt_enter(i32)
declare void @__cp_rt_depth()
declare void @__cp_rt_block(i32)
declare void @__cp_rt_endless(i32)
declare void @__cp_rt_onward()
declare void @__cp_rt_truth(i32, i32)
declare void @__cp_rt_cmp8(i32, i32)
declare void @__cp_rt_cmp16(i32, i32)
declare void @__cp_rt_cmp32(i32, i32)
declare void @__cp_rt_cmp64(i64, i64)
declare void @__cp_rt_assume(i32)
declare void @__cp_rt_check(i32, i32)
declare i64 @__cp_rt_nondet(i32, i32)
declare void @__cp_rt_nondet_wide(i32, i32)
declare i64 @__cp_rt_nondet_float(i32, i32)
declare ptr @__cp_rt_nondet_ptr(i32)
declare ptr @__cp_rt_any_ptr(i32)
declare ptr @__cp_rt_shared_ptr(i32)
declare void @__cp_havoc(ptr, WORD, i32)
declare void @__cp_check_access(ptr, ptr, WORD, i32)
declare void @__cp_check_write(ptr, ptr, WORD, i32)
declare void @__cp_check_apart(ptr, ptr, WORD, i32)
declare void @__cp_check_free(ptr, i32)
declare void @__cp_check_leak(i32)
declare void @__cp_constant(ptr, WORD, WORD)
declare void @__cp_initialise(ptr, ptr, WORD)
declare ptr @__cp_allocate(WORD, i32)
declare ptr @__cp_allocate_zeroed(WORD, i32)
declare void @__cp_free(ptr)
declare WORD @__cp_object_size(ptr)
declare ptr @__cp_whole(ptr, WORD)
declare ptr @__cp_inside(ptr, WORD)
declare void @__cp_stop(i32) noreturn
declare void @__cp_unsupported(i32) noreturn
@__cp_rt_wide = external global [512 x i8]
attributes #0 = { nounwind "no-builtins" "frame-pointer"="none" }"""

# Names that the code generator calls by itself: a program's own function of that name must not be taken.
_LIBRARY_CALLS = """
    memcpy memmove memset memcmp bcmp fmod fmodf floor floorf ceil ceilf trunc truncf rint rintf nearbyint
    nearbyintf round roundf roundeven roundevenf sqrt sqrtf fma fmaf fmin fminf fmax fmaxf pow powf exp expf
    exp2 exp2f log logf log2 log2f log10 log10f sin sinf cos cosf tan tanf ldexp ldexpf frexp frexpf
    lround lroundf llround llroundf lrint lrintf llrint llrintf fmaximum fminimum sincos sincosf
    __udivdi3 __umoddi3 __divdi3 __moddi3 __udivti3 __umodti3 __divti3 __modti3 __fixunsdfdi __fixunssfdi
    __fixunsdfti __fixunssfti __fixdfti __fixsfti __floattidf __floattisf __floatuntidf __floatuntisf
    __extendhfsf2 __truncsfhf2 __truncdfhf2 __multi3 __muldi3 __ashldi3 __lshrdi3 __ashrdi3
    __powidf2 __powisf2
"""
RESERVED = frozenset(_LIBRARY_CALLS.split())
"""Names that the code generator calls by itself."""
