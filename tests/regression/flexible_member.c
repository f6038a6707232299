// TRUE
#include <assert.h>
#include <stdlib.h>
struct packet { unsigned length; unsigned char data[]; };
int main(void) {
    struct packet *p = malloc(sizeof *p + 4);
    p->length = 4;
    for (unsigned i = 0; i < p->length; i++)
        p->data[i] = (unsigned char)(i * i);
    assert(p->data[3] == 9);
    free(p);
    return 0;
}
