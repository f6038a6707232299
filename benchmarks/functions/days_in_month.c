// function days_in_month
// requires month >= 1 && month <= 12
// requires leap == 0 || leap == 1
// assigns nothing
// ensures result >= 28 && result <= 31
// ensures month == 2 ==> result == 28 + leap
// ensures month == 4 || month == 6 || month == 9 || month == 11 ==> result == 30
// ensures month == 1 || month == 7 || month == 8 || month == 12 ==> result == 31

int days_in_month(int month, int leap) {
    switch (month) {
    case 2: return 28 + leap;
    case 4:
    case 6:
    case 9:
    case 11: return 30;
    default: return 31;
    }
}
