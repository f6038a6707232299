// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=BUG
/* Library functions that nobody declared have their usual types: pointers are not cut to int. */
extern void reach_error(void);
static double half(double x) { return sqrt(x) / 2; }
int main(void) {
    char *copy = malloc(6), text[6];
    memset(text, 'a', sizeof text);
    strcpy(text + 1, "bcd");
    memcpy(copy, text, 5);
    if (strlen(copy) != 4 || strcmp(copy, "abcd") || strchr(copy, 'c') != copy + 2)
        reach_error();
    if (half(16.0) != 2.0)
        reach_error();
    int *block = alloca(2 * sizeof(int));
    block[1] = 7;
#ifdef BUG
    block[1]--;
#endif
    if (block[1] != 7)
        reach_error();
    free(copy);
    return 0;
}
