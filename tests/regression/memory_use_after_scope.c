// FALSE(valid-deref) property=memory-safety
static int *p;
int main(void) {
    for (int i = 0; i < 2; i++) {
        int inner = i;
        p = &inner;
    }
    return *p;
}
