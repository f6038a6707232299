// function list_length
// requires n <= 1000
// requires first == 0 || valid(first)
// assigns nothing
// ensures result <= n
// ensures first == 0 ==> result == 0
// ensures first != 0 && n > 0 ==> result >= 1

struct node {
    int value;
    struct node *next;
};

unsigned list_length(const struct node *first, unsigned n) {
    unsigned length = 0;
    while (first != 0 && length < n) {
        length++;
        first = first->next;
    }
    return length;
}
