// function is_power_of_two
// assigns nothing
// ensures result == 0 || result == 1
// ensures result == (x != 0 && (x & (x - 1)) == 0)

int is_power_of_two(unsigned x) { return x != 0 && (x & (x - 1)) == 0; }
