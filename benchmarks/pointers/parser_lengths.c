// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// Records with a length byte, in a global buffer.
extern unsigned char __VERIFIER_nondet_uchar(void);
static unsigned char buffer[256];
int main(void) {
  for (int i = 0; i < 256; i++) buffer[i] = __VERIFIER_nondet_uchar();
  unsigned char *p = buffer, *end = buffer + sizeof buffer;
  int sum = 0;
  while (end - p >= 2) {
    unsigned length = p[1];
#ifdef BUG
    if (length > end - p - 1) break;
#else
    if (length > end - p - 2) break;
#endif
    for (unsigned i = 0; i < length; i++) sum ^= p[2 + i];
    p += 2 + length;
  }
  return sum;
}
