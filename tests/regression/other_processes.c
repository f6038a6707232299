// UNKNOWN(UNSUPPORTED) engines=bmc define=CALL=daemon model=LP64 prepare=default
// UNKNOWN(UNSUPPORTED) engines=bmc define=CALL=forkpty model=ILP32 prepare=none
// UNKNOWN(UNSUPPORTED) engines=bmc define=CALL=_Fork model=LP64 prepare=default
// TRUE engines=bmc define=CALL=getppid model=LP64 prepare=none
// A process has one number all the time; what goes on in another one is beyond the model.
extern int CALL(), getpid(void);
extern void reach_error(void);
int main(void) {
    int mine = getpid();
    CALL();
    if (getpid() != mine)
        reach_error();
    return 0;
}
