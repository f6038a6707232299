// function upper
// assigns nothing
// ensures c >= 97 && c <= 122 ==> result == c - 32
// ensures c < 97 || c > 122 ==> result == c

int upper(int c) {
    if (c >= 'a' && c <= 'z') return c - 'a' + 'A';
    return c;
}
