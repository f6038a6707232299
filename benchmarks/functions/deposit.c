// function deposit
// requires balance >= 0 && balance <= 1000000
// assigns balance, refused
// ensures balance >= old(balance) && balance <= 1000000
// ensures balance == old(balance) || balance == old(balance) + amount
// ensures refused == old(refused) + (balance == old(balance) ? 1 : 0)

int balance;
unsigned refused;

void deposit(int amount) {
    if (amount <= 0 || amount > 1000000 - balance) {
        refused++;
        return;
    }
    balance += amount;
}
