// FALSE(valid-memtrack) property=memory-safety model=ILP32,LP64 prepare=default,none
// Small numbers between zeros are no pointers to the first heap block.
#include <stdlib.h>
static struct { size_t length, capacity; } list = { 0, 16 };
static char bytes[8] = { 0, 0, 0, 16, 0, 0, 0, 16 };
static int *data;
int main(void) {
  data = malloc(list.capacity * sizeof(int));
  data[list.length++] = bytes[3];
  data = 0;
  list.length = 0;
  return 0;
}
