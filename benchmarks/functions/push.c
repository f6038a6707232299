// function push
// requires top <= 16
// assigns top, items[top]
// ensures result == (old(top) < 16)
// ensures top == old(top) + (unsigned)result
// ensures result == 1 ==> items[top - 1] == value

int items[16];
unsigned top;

int push(int value) {
    if (top == 16) return 0;
    items[top] = value;
    top++;
    return 1;
}
