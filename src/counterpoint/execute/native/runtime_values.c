/* Values that nobody planned: small ones, boundaries, the program's constants, uniform ones, earlier ones. A run
 * has one profile for all of its sites, or one for each. FIRST: but for the first few values all are zero. */
#include "runtime_search.h"

u64 rng[2];
u64 run_key;
static enum Profile run_profile;
static int profile_per_site;
static u32 counter;

static u64 boundary(u32 bits) {
    u64 top = (u64)1 << ((bits > 64 ? 64 : bits) - 1);
    switch (upto(8)) {
    case 0: return top;
    case 1: return top - 1;
    case 2: return (u64)-1;
    case 3: return top + 1;
    case 4: return (u64)-2;
    case 5: return ((u64)1 << upto(bits > 64 ? 64 : bits)) - 1;
    case 6: return -((u64)1 << upto(bits > 64 ? 64 : bits));
    default: return (u64)1 << upto(bits > 64 ? 64 : bits);
    }
}

static u64 program_constant(u32 bits) {
    if (!__cp_constant_count) return boundary(bits);
    u64 value = __cp_constants[upto((u32)__cp_constant_count)];
    switch (upto(8)) {
    case 0: return value + 1;
    case 1: return value - 1;
    case 2: return -value;
    default: return value;
    }
}

static u64 fixed(i32 site, u32 bits) {
    u64 key = mix(run_key ^ mix((u64)(u32)site)), saved[2] = {rng[0], rng[1]};
    rng[0] = key;
    rng[1] = mix(key) | 1;
    (void)rnd();
    static const enum Profile kinds[] = {TRUTH, DIGIT, SMALL, SIGNED, PROGRAM, PROGRAM, BOUNDARY, UNIFORM, MAGNITUDE};
    enum Profile kind = kinds[upto(ARRAY_LENGTH(kinds))];
    u64 value = value_of(kind, site, bits);
    rng[0] = saved[0];
    rng[1] = saved[1];
    return value;
}

u64 value_of(enum Profile profile, i32 site, u32 bits) {
    switch (profile) {
    case TRUTH: return rnd() >> 63;
    case DIGIT: return upto(8);
    case SMALL: return rnd() >> (64 - 1 - (u32)run_key % 10);
    case SIGNED: return (u64)(i64)((i32)upto(21) - 10);
    case PROGRAM: return program_constant(bits);
    case BOUNDARY: return boundary(bits);
    case UNIFORM: return rnd();
    case MAGNITUDE: {
        u64 value = rnd() >> upto(64);
        return rnd() >> 63 ? value : -value;
    }
    case FIXED: return fixed(site, bits);
    case COUNTING: return counter++ + (run_key >> 32 & 1);
    case ZERO: return 0;
    case ONE: return 1;
    case FIRST: return run_input_count < 1 + (run_key >> 32) % 3 ? value_of(SMALL, site, bits) : 0;
    case EARLIER:
        if (run_input_count && chance(70)) {
            u32 back = 1 + upto(run_input_count < 4 ? run_input_count : 4);
            const Input *input = &run_inputs[run_input_count - back];
            if (input->bits) return input->low + (chance(30) ? (u64)(i64)((i32)upto(3) - 1) : 0);
        }
        return value_of(SMALL, site, bits);
    default: {
        static const enum Profile kinds[] = {TRUTH, DIGIT, DIGIT, SMALL, SMALL, SIGNED, PROGRAM, PROGRAM, BOUNDARY,
                                             UNIFORM, MAGNITUDE, EARLIER};
        return value_of(kinds[upto(ARRAY_LENGTH(kinds))], site, bits);
    }
    }
}

enum Profile profile_of(i32 site) {
    if (!profile_per_site) return run_profile;
    return (enum Profile)((mix(run_key + (u64)(u32)site * 77) >> 32) * PROFILES >> 32);
}

u64 fresh(i32 site, u32 bits) {
    if (bits == 1) return profile_of(site) == FIXED ? fixed(site, 1) : rnd() >> 63;
    return cut(value_of(profile_of(site), site, bits), bits);
}

/* The profile of the run with this number, of all or of the long ones: simple ones first. After FIRST, loops that compare
 * what was read with each other soon come to an end. */
void new_profile(u64 run, int is_long) {
    static const enum Profile first[] = {ZERO, ONE, COUNTING, TRUTH};
    static const enum Profile first_long[LONG_SIMPLE] = {FIRST, COUNTING, FIRST, MIXED, FIRST};
    run_key = rnd();
    counter = 0;
    int is_simple = is_long ? run < ARRAY_LENGTH(first_long) : run < ARRAY_LENGTH(first);
    profile_per_site = chance(40) && !is_simple;
    run_profile = !is_simple ? (enum Profile)upto(PROFILES) : is_long ? first_long[run] : first[run];
}

static u64 bits_of_double(double value) {
    u64 bits;
    memcpy(&bits, &value, 8);
    return bits;
}

static u64 bits_of_float(float value) {
    u32 bits;
    memcpy(&bits, &value, 4);
    return bits;
}

u64 fresh_float(i32 site, u32 bits) {
    if (bits != 32 && bits != 64) return rnd();
    double value;
    switch (upto(12)) {
    case 0: return rnd();
    case 1: { /* zeros, infinities, largest, denormal, a NaN */
        static const double special[] = {0.0, -0.0, __builtin_inf(), -__builtin_inf(), __builtin_nan(""),
                                         1.7976931348623157e308, 2.2250738585072014e-308, 5e-324};
        static const float single[] = {0.0f, -0.0f, __builtin_inff(), -__builtin_inff(), __builtin_nanf(""),
                                       3.40282347e38f, 1.17549435e-38f, 1e-45f};
        u32 which = upto(ARRAY_LENGTH(special));
        return bits == 32 ? bits_of_float(single[which]) : bits_of_double(special[which]);
    }
    case 2: case 3: value = (double)(i64)value_of(PROGRAM, site, 32); break;
    case 4: value = (double)(i32)rnd() / 2147483648.0; break;
    case 5: value = (double)(i32)rnd() / 65536.0; break;
    case 6: value = (double)(i32)upto(2001) / 100.0 - 10.0; break;
    case 7: value = (double)(i64)(i32)fixed(site, 32); break;
    case 8: case 9:
        if (__cp_float_constant_count) {
            u64 constant = __cp_float_constants[upto((u32)__cp_float_constant_count)];
            memcpy(&value, &constant, sizeof value);
            break;
        } /* fall through */
    default: value = (double)(i64)value_of(SIGNED, site, 32); break;
    }
    return bits == 32 ? bits_of_float((float)value) : bits_of_double(value);
}

/* `target` is all zeros before. */
void fresh_memory(i32 site, u8 *target, word size) {
    word few = size < 1024 ? size : 1024;
    switch ((run_key ^ (u32)site) & 8 ? upto(10) : 0) {
    case 1: case 2: case 3: case 4: { /* 32-bit values, each by the profile */
        for (word at = 0; at + 4 <= few; at += 4) {
            u32 value = (u32)value_of(profile_of(site), site, 32);
            memcpy(target + at, &value, 4);
        }
        break;
    }
    case 5: case 6: { /* bytes, each by the profile; a text ends somewhere */
        word end = upto((u32)few + 1);
        for (word at = 0; at < end; at++) target[at] = (u8)value_of(profile_of(site), site, 8);
        break;
    }
    case 7: memset(target, (int)rnd(), few); break;
    case 8:
        for (word at = 0; at < few; at++) target[at] = (u8)rnd();
        break;
    case 9: {
        u32 value = (u32)value_of(MIXED, site, 32);
        for (word at = 0; at + 4 <= few; at += 4) memcpy(target + at, &value, 4);
        break;
    }
    default: break;
    }
}
