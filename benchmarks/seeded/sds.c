/* The recorded test of hiredis' strings (sds.c) for entry_mutants.py: strings are made, changed, split and joined, with
   blocks of exact size. It returns 0 without a fault. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include SOURCE
#include "sds.h"

static char *exact(const char *text) {
    size_t n = strlen(text);
    char *block = malloc(n ? n : 1);
    memcpy(block, text, n);
    return block;
}

static void grown(size_t n) {
    char *text = malloc(n + 1);
    memset(text, 'x', n);
    text[n] = 0;
    sds one = sdsnewlen(text, n), two = sdsdup(one), three = sdsempty();
    one = sdscatlen(one, text, n);
    one = sdscatsds(one, two);
    one = sdscat(one, "");
    one = sdsgrowzero(one, 3 * n + 5);
    one = sdsRemoveFreeSpace(one);
    one = sdsMakeRoomFor(one, 1);
    sdsIncrLen(one, 1);
    sdsIncrLen(one, -1);
    (void)sdsAllocSize(one);
    (void)sdsAllocPtr(one);
    (void)sdscmp(one, two);
    two = sdscpylen(two, text, n / 2);
    two = sdscpy(two, text);
    sdsupdatelen(two);
    three = sdscatprintf(three, "%s %d", text, (int)n);
    three = sdscatfmt(three, "%s %S %i %u %I %U %% %x", text, one, -3, 7u, -4ll, 8ull);
    sdstrim(one, "x");
    sdsrange(two, 1, -2);
    sdsrange(two, -3, 0);
    sdsrange(three, 9, 3);
    sdsclear(three);
    sdsfree(one);
    sdsfree(two);
    sdsfree(three);
    free(text);
}

static void split(void) {
    static const char *const lines[] = {"", "a", " set \"x\\x41\\n\\\"\" 'y\\'z' ", "\"open", "'open", "\"a\"b", "'a'b", "a b\tc", "\"\\x4", "\"\\"};
    int n;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        sds *made = sdssplitargs(lines[i], &n);
        sdsfreesplitres(made, n);
    }
    char *text = exact("a,b,,c,d,e,f,g"), *word = exact("xx");
    sds *made = sdssplitlen(text, 14, ",", 1, &n);
    sds joined = sdsjoinsds(made, n, "--", 2);
    sdsfreesplitres(made, n);
    made = sdssplitlen(word, 2, "xx", 2, &n);
    sdsfreesplitres(made, n);
    made = sdssplitlen(word, 2, "xxx", 3, &n);
    sdsfreesplitres(made, n);
    (void)sdssplitlen(word, 2, "", 0, &n);
    made = sdssplitlen(word, 0, ",", 1, &n);
    sdsfreesplitres(made, n);
    sdsfreesplitres(NULL, 3);
    free(text);
    free(word);
    char *parts[] = {"a", "bc", ""};
    sds other = sdsjoin(parts, 3, ", ");
    other = sdscatrepr(other, "\x01\"\\\n\r\t\a\bz", 9);
    sdsmapchars(other, "ab", "AB", 2);
    sdstolower(other);
    sdstoupper(other);
    sdsfree(other);
    sdsfree(joined);
}

int main(void) {
    static const size_t sizes[] = {0, 1, 2, 10, 31, 32, 84, 85, 86, 127, 128, 255, 256, 300, 21845, 32767, 65535, 65536, 70000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) grown(sizes[i]);
    static const long long numbers[] = {0, 1, -1, 10, 12345678901234, -9223372036854775807ll - 1, 9223372036854775807ll};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sdsfree(sdsfromlonglong(numbers[i]));
    char text[32];
    (void)sdsull2str(text, ~0ull);
    split();
    sdsfree(NULL);
    sdsfree(sdsnew(NULL));
    sdsfree(sdsnewlen(NULL, 3));
    return 0;
}
