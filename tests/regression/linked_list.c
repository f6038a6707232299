// TRUE
#include <assert.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
int main(void) {
    struct node *list = 0;
    for (int i = 0; i < 4; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i;
        n->next = list;
        list = n;
    }
    int expected = 3;
    for (struct node *n = list; n; n = n->next)
        assert(n->value == expected--);
    assert(expected == -1);
    return 0;
}
