// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// A global matrix, walked by a pointer per row and an index.
static int m[20][30];
int main(void) {
  int sum = 0;
  for (int (*row)[30] = m; row != m + 20; row++)
    for (int *p = *row; p != *row + 30; ++p) {
#ifdef BUG
      sum ^= p[1];
#else
      sum ^= *p;
#endif
      *p = 1;
    }
  return sum;
}
