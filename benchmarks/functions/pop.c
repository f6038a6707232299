// function pop
// requires top <= 16 && valid(out) && separate(out, &top) && separate(out, items)
// assigns top, *out
// ensures result == (old(top) > 0)
// ensures top == old(top) - (unsigned)result
// ensures result == 1 ==> *out == items[top]
// ensures result == 0 ==> *out == old(*out)

int items[16];
unsigned top;

int pop(int *out) {
    if (top == 0) return 0;
    top--;
    *out = items[top];
    return 1;
}
