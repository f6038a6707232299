// FALSE(unreach-call)
extern void reach_error(void);
int zeros[2];
int zero;

int main(void) {
    int *array = zeros + 500, *scalar = &zero + 500;
    if (*array == 6 && *scalar == 7) reach_error();
    return 0;
}
