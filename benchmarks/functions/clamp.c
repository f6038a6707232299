// function clamp
// requires lo <= hi
// assigns nothing
// ensures result >= lo && result <= hi
// ensures x >= lo && x <= hi ==> result == x
// ensures x < lo ==> result == lo
// ensures x > hi ==> result == hi

int clamp(int x, int lo, int hi) {
    if (x < lo) return lo;
    if (x > hi) return hi;
    return x;
}
