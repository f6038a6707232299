// FALSE(unreach-call) model=LP64 prepare=default
// FALSE(unreach-call) model=ILP32 prepare=none
// An allocator of the program's own gives memory that it shares: a NaN's sign is seen through another block of it.
extern void reach_error(void);
static double pool[4];
void *malloc(__SIZE_TYPE__ size) { return pool; }
int main(void) {
    double zero = 0;
    double *number = malloc(sizeof *number);
    unsigned char *bytes = malloc(8);
    *number = zero / zero;
    if (bytes[7] >> 7) reach_error();
}
