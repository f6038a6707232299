// function divide
// requires b != 0
// requires valid(quotient) && valid(rest) && separate(quotient, rest)
// assigns *quotient, *rest
// ensures *rest < b
// ensures *quotient * b + *rest == a

void divide(unsigned a, unsigned b, unsigned *quotient, unsigned *rest) {
    *quotient = a / b;
    *rest = a - *quotient * b;
}
