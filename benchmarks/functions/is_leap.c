// function is_leap
// assigns nothing
// ensures result == 0 || result == 1
// ensures result == (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0))

int is_leap(unsigned year) {
    if (year % 400 == 0) return 1;
    if (year % 100 == 0) return 0;
    return year % 4 == 0;
}
