// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// A string in a local array, ended at its last byte, skipped over and copied.
extern char __VERIFIER_nondet_char(void);
int main(void) {
  char line[64], word[64];
  for (int i = 0; i < 64; i++) line[i] = __VERIFIER_nondet_char();
#ifndef BUG
  line[63] = 0;
#endif
  char *p = line;
  while (*p == ' ') p++;
  char *w = word;
  while (*p && *p != ' ') *w++ = *p++;
  *w = 0;
  return 0;
}
