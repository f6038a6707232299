// TRUE
#include <assert.h>
#include <string.h>
const char *greeting = "hello";
int main(void) {
    char buffer[16] = "say ";
    assert(strlen(greeting) == 5);
    strcat(buffer, greeting);
    assert(strcmp(buffer, "say hello") == 0);
    assert(strchr(buffer, 'h') == buffer + 4);
    memset(buffer, 'x', 3);
    assert(memcmp(buffer, "xxx hello", 10) == 0);
    memmove(buffer + 1, buffer, 4);
    assert(buffer[4] == ' ');
    return 0;
}
