// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// Looks values up in a table, for ever.
extern int __VERIFIER_nondet_int(void);
static int table[16];
struct entry { int key, value; };
static struct entry more[8];
int main(void) {
  int found = 0;
  for (;;) {
    int key = __VERIFIER_nondet_int();
    if (key == -1) break;
#ifdef BUG
    found = table[key & 16];
#else
    found = table[key & 15];
#endif
    for (struct entry *m = more; m < more + 8; m++)
      if (m->key == key) found += m->value & 1;
    table[(unsigned)found % 16] = key;
  }
  return found;
}
