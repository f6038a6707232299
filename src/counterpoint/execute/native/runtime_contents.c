/* Contents of memory in a plan, edited: characters that the program compares with are put in, others taken out, pieces
 * repeated. Edits live for one run, behind the bytes of the corpus and of a run. */
#include "runtime_search.h"

#define LONGEST_EDIT 4096u
#define ROOM_BEHIND 16u

static u32 edited;
static u8 characters[256];
static u32 character_count;
int contents_seen;

void start_contents(void) {
    u8 known[256] = {1};
    for (u32 i = 0; i < (u32)__cp_constant_count; i++) {
        u64 value = __cp_constants[i];
        if (value > 255 || known[value]) continue;
        known[value] = 1;
        characters[character_count++] = (u8)value;
    }
}

void start_edits(void) { edited = 0; }

u8 *edit(Input *input, u32 room) {
    u32 length = input->length < LONGEST_EDIT ? input->length : LONGEST_EDIT;
    if (room < length) room = length;
    if (room > LONGEST_EDIT || room > EDIT_BYTES - edited) return 0;
    u32 start = POOL_BYTES + MAX_RUN_BYTES + edited;
    edited += room;
    memcpy(pool_bytes + start, pool_bytes + input->start, length);
    memset(pool_bytes + start + length, 0, room - length);
    input->start = start;
    input->length = room;
    return pool_bytes + start;
}

static u8 character(void) {
    if (character_count && chance(70)) return characters[upto(character_count)];
    switch (upto(4)) {
    case 0: return (u8)('0' + upto(10));
    case 1: return (u8)('a' + upto(26));
    default: return (u8)rnd();
    }
}

static void insert(u8 *bytes, u32 room, u32 at, u32 count) {
    if (count < room - at) memmove(bytes + at + count, bytes + at, room - at - count);
}

void change_contents(Input *input) {
    u32 length = input->length < LONGEST_EDIT ? input->length : LONGEST_EDIT;
    u64 size = input->low < LONGEST_EDIT - ROOM_BEHIND ? input->low + ROOM_BEHIND : LONGEST_EDIT;
    u8 *bytes = input->low ? edit(input, (u32)size) : 0;
    if (!bytes) return;
    u32 room = input->length, at = chance(85) ? upto(length < room ? length + 1 : room) : upto(room);
    switch (upto(8)) {
    case 0: case 1: bytes[at] = character(); break;
    case 2: bytes[at] = chance(50) ? bytes[at] ^ (u8)(1 << upto(8)) : (u8)(bytes[at] + upto(9) - 4); break;
    case 3: case 4:
        insert(bytes, room, at, 1);
        bytes[at] = character();
        break;
    case 5: {
        u32 count = 1 + upto(1 + upto(8));
        if (count > room - at) count = room - at;
        memmove(bytes + at, bytes + at + count, room - at - count);
        memset(bytes + room - count, 0, count);
        break;
    }
    case 6: { /* a piece again */
        u8 piece[8];
        u32 count = 1 + upto(8), from = upto(room);
        if (count > room - at) count = room - at;
        if (count > room - from) count = room - from;
        memcpy(piece, bytes + from, count);
        insert(bytes, room, at, count);
        memcpy(bytes + at, piece, count);
        break;
    }
    default: {
        u64 value = value_of(MIXED, input->site, 32);
        u32 width = chance(50) ? 4 : 2;
        memcpy(bytes + at, &value, width < room - at ? width : room - at);
        break;
    }
    }
}
