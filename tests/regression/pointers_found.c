// TRUE property=memory-safety entry=removed model=LP64,ILP32 prepare=default,none
// FALSE(valid-deref) property=memory-safety entry=second model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) entry=same model=LP64,ILP32 prepare=default,none
// FALSE(unreach-call) entry=number model=ILP32,LP64 prepare=none,default
// Pointers that are found in memory of the environment are null or lead to such memory, the same for several or not; a
// word that is read as a number only has any value.
extern void reach_error(void);
struct node { struct node *previous, *next; int value; };
struct either { int is_pointer; union { long number; struct node *pointer; } of; };

int removed(struct node *p) {
    if (!p) return 0;
    if (p->previous) p->previous->next = p->next;
    if (p->next) p->next->previous = p->previous;
    struct node copy = *p;
    return copy.next ? copy.next->value : 0;
}

int second(struct node *p) {
    if (!p || !p->next) return 0;
    return p->next->value == 77 ? p->next->next->value : 0;
}

int same(struct node *p, struct node *q) {
    if (!p || !q || p == q || !p->next) return 0;
    if (p->next == q && q->next == p && p->value == 12345) reach_error();
    return 0;
}

int number(struct either *e) {
    if (!e) return 0;
    if (e->is_pointer) return e->of.pointer != 0 && e->of.pointer->value;
    if (e->of.number == 5) reach_error();
    return 0;
}
