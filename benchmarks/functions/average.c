// function average
// assigns nothing
// ensures result >= (a < b ? a : b) && result <= (a < b ? b : a)
// ensures result == ((unsigned long)a + b) / 2

unsigned average(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }
