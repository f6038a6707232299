// FALSE(unreach-call)
// A list without a bound: what is pushed last is popped first.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);

struct node { int value; struct node *next; };

static void push(struct node **head, int value) {
    struct node *made = malloc(sizeof *made);
    made->value = value;
    made->next = *head;
    *head = made;
}

static int pop(struct node **head) {
    struct node *first = *head;
    int value = first->value;
    *head = first->next;
    free(first);
    return value;
}

static void push_some(struct node **head, unsigned n) {
    while (n > 0) {
        push(head, (int)n);
        n--;
    }
}

int main(void) {
    struct node *list = 0;
    int value = __VERIFIER_nondet_int();
    push_some(&list, __VERIFIER_nondet_uint());
    struct node *before = list;
    push(&list, value);
    if (before != 0) push(&list, 7);
    assert(pop(&list) == value);
    assert(list == before);
    return 0;
}
