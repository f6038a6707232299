// function next_ticket
// assigns issued
// ensures result == old(issued)
// ensures issued == old(issued) + 1

unsigned issued, served;

unsigned next_ticket(void) {
    unsigned mine = issued;
    issued = issued + 1;
    return mine;
}
