// TRUE property=memory-safety entry=kept model=LP64,ILP32 prepare=default,none
// TRUE property=memory-safety entry=linked model=LP64,ILP32 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety entry=sometimes model=LP64,ILP32 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety entry=unlinked model=LP64,ILP32 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety entry=shared model=LP64,ILP32 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety entry=number model=LP64 prepare=default,none
// Blocks that a function hangs up in its caller's memory are reached from there: they are lost where nothing there leads to them.
void *malloc(__SIZE_TYPE__);
void free(void *);
struct node { struct node *next, *other; int value; };

static struct node *made(void)
{
    struct node *node = malloc(sizeof *node);
    node->next = node->other = 0;
    node->value = 1;
    return node;
}

void kept(struct node *p)
{
    struct node *node = made();
    if (p)
        p->next = node;
    else
        free(node);
}

void linked(struct node *p, struct node *q)
{
    if (!p || !q)
        return;
    p->next = made();
    p->next->other = made();
    q->other = 0;
}

void sometimes(struct node *p, int k)
{
    struct node *node = made();
    if (p && k > 3) {
        p->next = node;
        if (k == 5)
            p->next = 0;
    } else {
        free(node);
    }
}

void unlinked(struct node *p)
{
    if (!p)
        return;
    p->next = made();
    p->next = p->next->next;
}

void shared(struct node *p, struct node *q)
{
    if (!p || !q)
        return;
    p->next = made();
    q->next = 0;
}

void number(struct node *p)
{
    if (!p)
        return;
    p->next = made();
    p->value = (int)(long)p->next;
    p->next = 0;
}
