/* Objects and the bounds table.
 *
 * Every 16 bytes of the arena and of the static data have an entry that names the object there, so an
 * access is checked in constant time. Between two objects lie at least GAP bytes that belong to none. The
 * contents of dead objects stay where they are; addresses are not reused within a run until the objects
 * of returned functions fill STACK_FRESH bytes.
 */
#include "runtime.h"

enum { LIVE = 1, HEAP = 2, CONSTANT = 4, LOCAL = 8, REACHED = 16, PARTS = 32 };

typedef struct {
    word start, size;
    u32 flags, parts; /* `parts`: the last of its constant parts, if PARTS */
} Object;

typedef struct {
    word offset, size;
    u32 next;
} Part;

#define GAP 64u
#define GRANULE 16u
#if __SIZEOF_POINTER__ == 4
#define ARENA_BASE 0x10137000u /* no round number: see semantics/layout.py */
#define HEAP_BYTES 0x20000000u
#define STACK_BYTES 0x10000000u
#else
#define ARENA_BASE 0x101357924000ull
#define HEAP_BYTES 0x40000000ull
#define STACK_BYTES 0x20000000ull
#endif
#define STACK_BASE (ARENA_BASE + HEAP_BYTES)
#define ARENA_BYTES (HEAP_BYTES + STACK_BYTES)
#define EXTERNAL_MAPPED (EXTERNAL_OBJECTS * EXTERNAL_SIZE)
#define STACK_FRESH (4u << 20)
#define MAX_OBJECTS (1u << 22)
#define MAX_PARTS (1u << 20)
#define SMALL_DATA (256u << 10)

static Object *objects; /* 0 is no object; then the globals; then those of the run */
static u32 object_count, global_count;
static Part *parts; /* 0 is none; then those of globals; then those of the run */
static u32 part_count, global_parts;
static u32 *arena_map, *data_map;
static word data_start, data_size;
static word heap_top, stack_top, heap_peak, stack_peak;
static u8 *data_copy;
static u8 scratch[4096] __attribute__((aligned(16)));

static Object *find(word address) {
    word offset = address - ARENA_BASE;
    if (likely(offset < ARENA_BYTES)) return &objects[arena_map[offset / GRANULE]];
    offset = address - data_start;
    if (likely(offset < data_size)) return &objects[data_map[offset / GRANULE]];
    return &objects[0];
}

static int external(word address, word size) {
    if (address - EXTERNAL_BASE >= EXTERNAL_END - EXTERNAL_BASE || size > EXTERNAL_END - address) return 0;
    if (address - EXTERNAL_BASE > EXTERNAL_MAPPED - size || size > EXTERNAL_MAPPED) end_run(MEMORY, 0);
    return 1;
}

static int inside(const Object *object, word address, word size) {
    return object->flags & LIVE && size <= object->size && address - object->start <= object->size - size;
}

int in_external(word address, word size) { return external(address, size); }

static int readable(word address, word size) {
    return likely(inside(find(address), address, size)) || external(address, size);
}

void __cp_constant(word address, word offset, word size) {
    Object *object = find(address);
    if (part_count >= MAX_PARTS) end_run(MEMORY, 0);
    parts[part_count] = (Part){offset, size, object->flags & PARTS ? object->parts : 0};
    object->flags |= PARTS;
    object->parts = part_count++;
}

static int has_constant_part(const Object *object, word address, word size) {
    word offset = address - object->start;
    for (u32 i = object->parts; i; i = parts[i].next)
        if (offset < parts[i].offset + parts[i].size && parts[i].offset < offset + size) return 1;
    return 0;
}

static int writable(word address, word size) {
    const Object *object = find(address);
    if (likely(inside(object, address, size))) {
        if (likely(!(object->flags & (CONSTANT | PARTS)))) return 1;
        return !(object->flags & CONSTANT) && !has_constant_part(object, address, size);
    }
    return external(address, size);
}

/* A pointer was computed from another. It belongs to the object of that one wherever it lies, and machine words do
 * not tell: where it comes to lie in (or one past) an object, dead or live, that the other one does not point into,
 * the run ends without a judgement. So a pointer that lies in an object belongs to it. */
void __cp_rt_moved(word from, word to) {
    if (likely((from ^ to) < GRANULE)) return; /* one object at most reaches into a granule */
    const Object *there = find(to);
    if (likely(there != objects && to - there->start <= there->size)) {
        if (unlikely(find(from) != there)) end_run(STRAYED, 0);
    } else if (to - EXTERNAL_BASE < EXTERNAL_END - EXTERNAL_BASE && from - EXTERNAL_BASE > EXTERNAL_END - EXTERNAL_BASE) {
        end_run(STRAYED, 0);
    }
}

/* ------------------------------------------------------------------ between runs */

void memory_start(void) {
    global_count = (u32)__cp_global_count;
    objects = reserve(0, MAX_OBJECTS * sizeof(Object));
    parts = reserve(0, MAX_PARTS * sizeof(Part));
    arena_map = reserve(0, ARENA_BYTES / GRANULE * sizeof(u32));
    reserve(ARENA_BASE, ARENA_BYTES);
    reserve(EXTERNAL_BASE, EXTERNAL_MAPPED);
    word low = (word)__cp_data_begin < (word)__cp_zero_begin ? (word)__cp_data_begin : (word)__cp_zero_begin;
    word high = (word)__cp_data_end > (word)__cp_zero_end ? (word)__cp_data_end : (word)__cp_zero_end;
    data_start = low;
    data_size = high - low;
    data_map = reserve(0, data_size / GRANULE * sizeof(u32) + GRANULE);
    for (u32 i = 0; i < global_count; i++) {
        const GlobalObject *g = &__cp_globals[i];
        objects[i + 1] = (Object){g->start, g->size, LIVE | (g->constant ? CONSTANT : 0), 0};
        for (word p = g->start; p <= g->start + g->size; p += GRANULE) data_map[(p - data_start) / GRANULE] = i + 1;
    }
    part_count = 1;
    for (word i = 0; i < __cp_global_part_count; i++) {
        const GlobalPart *part = &__cp_global_parts[i];
        __cp_constant(part->start, part->offset, part->size);
    }
    global_parts = part_count;
    word size = (word)(__cp_data_end - __cp_data_begin);
    if (size <= SMALL_DATA) {
        data_copy = reserve(0, size);
        memcpy(data_copy, __cp_data_begin, size);
    }
    object_count = global_count + 1;
    heap_peak = heap_top = ARENA_BASE;
    stack_peak = stack_top = STACK_BASE;
}

static void forget_objects(word base, word *top, word *peak) {
    word used = (*peak > *top ? *peak : *top) - base;
    if (used > (16u << 20)) {
        word tail = used + 4096 < ARENA_BYTES - (base - ARENA_BASE) ? 4096 : 0;
        forget_pages((void *)base, (used + 4095) & ~(word)4095);
        word first = (base - ARENA_BASE) / GRANULE * sizeof(u32);
        forget_pages((u8 *)arena_map + first, ((used + tail) / GRANULE * sizeof(u32) + 4095) & ~(word)4095);
    } else {
        memset(arena_map + (base - ARENA_BASE) / GRANULE, 0, (used + 2 * GAP) / GRANULE * sizeof(u32));
    }
    *peak = *top = base;
}

void memory_reset(void) {
    if (data_copy)
        memcpy(__cp_data_begin, data_copy, (word)(__cp_data_end - __cp_data_begin));
    else /* private pages of the file: dropping them brings the file's contents back */
        forget_pages(__cp_data_begin, (word)(__cp_data_end - __cp_data_begin));
    word zero = (word)(__cp_zero_end - __cp_zero_begin);
    if (zero <= SMALL_DATA)
        memset(__cp_zero_begin, 0, zero);
    else
        forget_pages(__cp_zero_begin, zero);
    forget_objects(ARENA_BASE, &heap_top, &heap_peak);
    forget_objects(STACK_BASE, &stack_top, &stack_peak);
    external_reset();
    object_count = global_count + 1;
    part_count = global_parts;
}

/* ------------------------------------------------------------------ accesses: an address that may be used */

const void *__cp_rt_read(word address, u32 bits, u32 pointer) {
    word size = (bits + 7) / 8;
    if (likely(inside(find(address), address, size))) {
        if (unlikely(pointer && external_used)) pointer_loaded(address);
        return (const void *)address;
    }
    if (external(address, size)) {
        external_read(address, size, pointer);
        return (const void *)address;
    }
    if (bits > 8 * sizeof scratch) end_run(MEMORY, 0);
    if (pointer) {
        word value = input_pointer(INVALID_READ, RAW_POINTER);
        memcpy(scratch, &value, sizeof value);
        return scratch;
    }
    for (word at = 0; at < size; at += 16) {
        u64 high = 0;
        u32 part = bits - 8 * (u32)at > 128 ? 128 : bits - 8 * (u32)at;
        u64 low = input_scalar(INVALID_READ, part, &high);
        memcpy(scratch + at, &low, 8);
        memcpy(scratch + at + 8, &high, 8);
    }
    return scratch;
}

void *__cp_rt_write(word address, u32 bytes) {
    if (likely(writable(address, bytes))) {
        if (unlikely(external_used)) external_settle(address, bytes);
        return (void *)address;
    }
    if (bytes > sizeof scratch) end_run(MEMORY, 0);
    return scratch;
}

void __cp_rt_copy(word target, word source, u64 size) {
    word bytes = (word)size;
    if (bytes != size || bytes == 0 || !writable(target, bytes)) return;
    charge(bytes);
    if (likely(readable(source, bytes))) {
        memmove((void *)target, (const void *)source, bytes);
        if (unlikely(external_used)) external_copied(target, source, bytes);
    } else
        input_memory(INVALID_READ, (u8 *)target, bytes);
}

/* The initialiser writes what is constant afterwards. */
void __cp_initialise(word target, word source, word size) {
    if (size && inside(find(target), target, size) && readable(source, size)) {
        charge(size);
        memmove((void *)target, (const void *)source, size);
        if (unlikely(external_used)) external_copied(target, source, size);
    }
}

void __cp_rt_fill(word target, u32 byte, u64 size) {
    word bytes = (word)size;
    if (bytes != size || bytes == 0 || !writable(target, bytes)) return;
    charge(bytes);
    if (unlikely(external_used)) external_settle(target, bytes);
    memset((void *)target, (int)byte, bytes);
}

void __cp_havoc(word target, word size, i32 site) {
    if (!size || !writable(target, size)) return;
    if (unlikely(external_used)) external_settle(target, size);
    input_memory(site, (u8 *)target, size);
}

/* ------------------------------------------------------------------ objects */

static word place(word *top, word end, word size, word alignment, u32 flags) {
    if (alignment < GRANULE) alignment = GRANULE;
    word start = (*top + alignment - 1) & ~(alignment - 1);
    if (object_count >= MAX_OBJECTS || start > end || size > end - start || end - start - size < 2 * GAP)
        end_run(MEMORY, 0);
    charge(size);
    u32 id = object_count++;
    objects[id] = (Object){start, size, flags | LIVE, 0};
    u32 *entry = arena_map + (start - ARENA_BASE) / GRANULE;
    for (word granules = size / GRANULE + 1; granules--;) *entry++ = id;
    *top = start + ((size + GAP + GRANULE - 1) & ~(word)(GRANULE - 1));
    return start;
}

word __cp_allocate(word size, i32 site) {
    word start = place(&heap_top, STACK_BASE, size, 0, HEAP);
    input_memory(site, (u8 *)start, size);
    return start;
}

word __cp_allocate_zeroed(word size, i32 site) {
    (void)site;
    word start = place(&heap_top, STACK_BASE, size, 0, HEAP);
    memset((void *)start, 0, size);
    return start;
}

void __cp_free(word address) {
    Object *object = find(address);
    if (object->flags & HEAP && object->start == address) object->flags &= ~(u32)LIVE;
}

u32 __cp_rt_mark(void) { return object_count; }

word __cp_rt_alloca(word size, word alignment) {
    word start = place(&stack_top, STACK_BASE + STACK_BYTES, size, alignment, LOCAL);
    memset((void *)start, 0, size);
    return start;
}

/* The function whose locals are those after `mark` returns. Heap blocks made since then stay. */
void __cp_rt_leave(u32 mark) {
    word lowest = 0;
    u32 last = object_count;
    for (u32 i = object_count; i-- > mark;) {
        if (!(objects[i].flags & LOCAL)) {
            last = 0;
            continue;
        }
        objects[i].flags = LOCAL;
        lowest = objects[i].start;
    }
    if (lowest && stack_top - STACK_BASE > STACK_FRESH) {
        if (stack_top > stack_peak) stack_peak = stack_top;
        memset(arena_map + (lowest - ARENA_BASE) / GRANULE, 0, (stack_top - lowest) / GRANULE * sizeof(u32));
        stack_top = lowest;
        if (last) object_count = mark;
    }
}

/* A local of the function whose locals are those after `mark` is dead for good. */
void __cp_rt_end(word address, u32 mark) {
    Object *object = find(address);
    if (object->start != address || !(object->flags & LOCAL)) return;
    object->flags = LOCAL;
    if (stack_top - STACK_BASE <= STACK_FRESH) return;
    while (object_count > mark && objects[object_count - 1].flags == LOCAL) {
        word start = objects[--object_count].start;
        if (stack_top > stack_peak) stack_peak = stack_top;
        memset(arena_map + (start - ARENA_BASE) / GRANULE, 0, (stack_top - start) / GRANULE * sizeof(u32));
        stack_top = start;
    }
}

void __cp_rt_life(word address, u32 live) {
    Object *object = find(address);
    if (object->start != address || !(object->flags & LOCAL)) return;
    object->flags = live ? object->flags | LIVE : object->flags & ~(u32)LIVE;
}

word __cp_object_size(word address) {
    const Object *object = find(address);
    if (object->flags & LIVE && address - object->start <= object->size) return object->start + object->size - address;
    return 0;
}

/* The address, if all of address[0..size) is valid; else one of the null page (program/external.py). */
word __cp_whole(word address, word size) { return readable(address, size) ? address : NOWHERE; }
word __cp_inside(word address, word size) { return __cp_whole(address, size); }

/* ------------------------------------------------------------------ memory-safety's checks */

/* A pointer that lies in an object belongs to it (__cp_rt_moved), so its base says nothing more. */
void __cp_check_access(word address, word base, word size, i32 check) {
    (void)base;
    if (size && !readable(address, size)) end_run(VIOLATED, check);
}

void __cp_check_write(word address, word base, word size, i32 check) {
    (void)base;
    if (size && !writable(address, size)) end_run(VIOLATED, check);
}

void __cp_check_apart(word target, word source, word size, i32 check) {
    if (target != source && (target - source < size || source - target < size)) end_run(VIOLATED, check);
}

void __cp_check_free(word address, i32 check) {
    const Object *object = find(address);
    if (address && !(object->flags & HEAP && object->flags & LIVE && object->start == address))
        end_run(VIOLATED, check);
}

static u32 *waiting, waiting_count;

/* A pointer may lie at any offset and point anywhere into a block, one past its end included. */
static void visit_bytes(word start, word size) {
    for (word at = 0; at + sizeof(word) <= size; at++) {
        u64 next[2];
        while (at + sizeof next <= size) { /* most memory is zero */
            memcpy(next, (void *)(start + at), sizeof next);
            if (next[0] | next[1]) break;
            at += 8;
        }
        word address;
        memcpy(&address, (void *)(start + at), sizeof address);
        Object *object = find(address);
        if ((object->flags & (LIVE | HEAP | REACHED)) != (LIVE | HEAP)) continue;
        if (address - object->start > object->size) continue;
        object->flags |= REACHED;
        waiting[waiting_count++] = (u32)(object - objects);
    }
}

static int leaks(int reachable_ok) {
    if (reachable_ok) {
        if (!waiting) waiting = reserve(0, MAX_OBJECTS * sizeof(u32));
        waiting_count = 0;
        for (u32 i = 1; i < object_count; i++)
            if ((objects[i].flags & (LIVE | HEAP)) == LIVE) visit_bytes(objects[i].start, objects[i].size);
        visit_bytes(EXTERNAL_BASE, external_shared() * EXTERNAL_SIZE);
        visit_bytes(OWN_BASE, external_own() * EXTERNAL_SIZE);
        while (waiting_count) {
            const Object *object = &objects[waiting[--waiting_count]];
            visit_bytes(object->start, object->size);
        }
    }
    int lost = 0;
    for (u32 i = 1; i < object_count; i++) {
        if ((objects[i].flags & (LIVE | HEAP | REACHED)) == (LIVE | HEAP)) lost = 1;
        objects[i].flags &= ~(u32)REACHED;
    }
    return lost;
}

void __cp_check_leak(i32 check) {
    if (__cp_check_kinds[check] == 2 && is_assumed((u32)check)) return; /* not asked for: program/focus.py */
    if (leaks(__cp_check_kinds[check] == 2)) end_run(VIOLATED, check);
}
