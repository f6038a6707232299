// FALSE(unreach-call) timeout=90
extern void reach_error(void);
int main(void) {
    unsigned x = 0, y = 7;
    while (x < 90000000) { if (x < 40000000) x++; else { x++; y++; } }
    if (y == 50000007) reach_error();
}
