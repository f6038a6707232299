/* The start of the process, its system calls and its output.
 *
 * Usage: EXECUTABLE replay|trials|search SEED MILLISECONDS RUNS STEPS TOLD TOTAL DULL ONWARD [ASSUMED]
 * ASSUMED: hexadecimal digits; bit i of digit d, the first being 0, says that check 4 * d + i is only assumed.
 * The program under test makes no system call; what there is here is for the driver alone.
 */
#include "runtime.h"

#define STACK_SIZE (128u << 20)
#define STACK_RESERVE (1u << 20)

enum { SIGILL = 4, SIGTRAP = 5, SIGBUS = 7, SIGFPE = 8, SIGKILL = 9, SIGSEGV = 11 };
enum { PR_SET_PDEATHSIG = 1, RLIMIT_CPU = 0, RLIMIT_CORE = 4, MADV_DONTNEED = 4, CLOCK_MONOTONIC = 1 };
enum { PROT_READ_WRITE = 3, MAP_PRIVATE = 2, MAP_FIXED = 0x10, MAP_ANONYMOUS = 0x20, MAP_NORESERVE = 0x4000 };

Arguments arguments;
word stack_lowest;

#if __SIZEOF_POINTER__ == 4
enum { READ = 3, WRITE = 4, EXIT = 252, MMAP = 192, MADVISE = 219, PRCTL = 172, SIGACTION = 174, SIGALTSTACK = 186,
       CLOCK = 265, SETRLIMIT = 75 };

/* The sixth argument goes through ebp, which the compiler may need for itself. */
__asm__(".globl system_call\nsystem_call:\n"
        "push %ebx\npush %esi\npush %edi\npush %ebp\n"
        "mov 20(%esp), %eax\nmov 24(%esp), %ebx\nmov 28(%esp), %ecx\nmov 32(%esp), %edx\n"
        "mov 36(%esp), %esi\nmov 40(%esp), %edi\nmov 44(%esp), %ebp\n"
        "int $0x80\npop %ebp\npop %edi\npop %esi\npop %ebx\nret\n");
__asm__(".globl _start\n_start:\nmov %esp, %eax\nand $-16, %esp\nsub $12, %esp\npush %eax\ncall begin\nhlt\n");
__asm__(".globl on_stack\non_stack:\nmov 4(%esp), %eax\nmov 8(%esp), %edx\nmov %eax, %esp\nand $-16, %esp\n"
        "call *%edx\nhlt\n");
#define PAGE_OFFSET(offset) 0
#else
enum { READ = 0, WRITE = 1, EXIT = 231, MMAP = 9, MADVISE = 28, PRCTL = 157, SIGACTION = 13, SIGALTSTACK = 131,
       CLOCK = 228, SETRLIMIT = 160 };

__asm__(".globl system_call\nsystem_call:\n"
        "mov %rdi, %rax\nmov %rsi, %rdi\nmov %rdx, %rsi\nmov %rcx, %rdx\nmov %r8, %r10\nmov %r9, %r8\n"
        "mov 8(%rsp), %r9\nsyscall\nret\n");
__asm__(".globl _start\n_start:\nmov %rsp, %rdi\nand $-16, %rsp\ncall begin\nhlt\n");
__asm__(".globl on_stack\non_stack:\nmov %rdi, %rsp\nand $-16, %rsp\ncall *%rsi\nhlt\n");
#endif

long system_call(long number, long a, long b, long c, long d, long e, long f);
void on_stack(void *top, void (*function)(void)) __attribute__((noreturn));
void begin(word *stack);

/* ------------------------------------------------------------------ output */

static char buffer[1 << 16];
static u32 buffered;

void flush(void) {
    for (u32 done = 0; done < buffered;) {
        long count = system_call(WRITE, 1, (long)(buffer + done), buffered - done, 0, 0, 0);
        if (count <= 0) system_call(EXIT, 3, 0, 0, 0, 0, 0);
        done += (u32)count;
    }
    buffered = 0;
}

void print(const char *text) {
    while (*text) {
        if (buffered == sizeof buffer) flush();
        buffer[buffered++] = *text++;
    }
}

void print_number(u64 value) {
    char digits[24];
    u32 at = sizeof digits - 1;
    digits[at] = 0;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    print(digits + at);
}

void print_hex(u64 value) {
    char digits[20];
    u32 at = sizeof digits - 1;
    digits[at] = 0;
    do
        digits[--at] = "0123456789abcdef"[value & 15];
    while (value >>= 4);
    print(digits + at);
}

static void print_signed(i32 value) {
    if (value < 0) print("-");
    print_number(value < 0 ? (u64) - (i64)value : (u64)value);
}

void print_inputs(const Input *inputs, u32 count, const u8 *bytes) {
    for (u32 i = 0; i < count; i++) {
        const Input *input = &inputs[i];
        print(input->bits ? "s " : "m ");
        print_signed(input->site);
        print(" ");
        print_number(input->bits ? input->bits : input->low);
        print(" ");
        if (input->bits) {
            print_hex(input->high);
            print(" ");
            print_hex(input->low);
        } else {
            for (u32 b = 0; b < input->length; b++) {
                u8 byte = bytes[input->start + b];
                print((char[3]){"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15], 0});
            }
        }
        print("\n");
    }
}

void die(const char *text) {
    print("broken ");
    print(text);
    print("\n");
    flush();
    system_call(EXIT, 4, 0, 0, 0, 0, 0);
    __builtin_unreachable();
}

int read_some(void *target, word size) {
    for (word done = 0; done < size;) {
        long count = system_call(READ, 0, (long)target + (long)done, (long)(size - done), 0, 0, 0);
        if (count == 0 && done == 0) return 0;
        if (count <= 0) die("inputs are incomplete");
        done += (word)count;
    }
    return 1;
}

void read_exactly(void *target, word size) {
    if (size && !read_some(target, size)) die("inputs are incomplete");
}

/* ------------------------------------------------------------------ memory, time */

void *reserve(word address, word size) {
    long flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (address ? MAP_FIXED : 0);
    if (!size) size = 1;
    long at = system_call(MMAP, (long)address, (long)size, PROT_READ_WRITE, flags, -1, 0);
    if ((word)at >= (word)-4096) die("no memory");
    return (void *)at;
}

void forget_pages(void *start, word size) {
    if (size) system_call(MADVISE, (long)start, (long)size, MADV_DONTNEED, 0, 0, 0);
}

u64 milliseconds(void) {
    long now[2];
    system_call(CLOCK, CLOCK_MONOTONIC, (long)now, 0, 0, 0, 0);
    return (u64)now[0] * 1000 + (u64)now[1] / 1000000;
}

/* ------------------------------------------------------------------ signals: a crash ends the run, not the search */

static void crashed(int signal) { end_run(CRASHED, signal); }

static void catch_signals(void) {
    static u8 signal_stack[1 << 16];
    struct {
        void *start;
        int flags;
        word size;
    } stack = {signal_stack, 0, sizeof signal_stack};
    system_call(SIGALTSTACK, (long)&stack, 0, 0, 0, 0, 0);
    /* SA_ONSTACK | SA_RESTORER | SA_NODEFER; the handler never returns, so the restorer is never called. */
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(int);
        u64 mask;
    } action = {crashed, 0x08000000 | 0x04000000 | 0x40000000, crashed, 0};
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    for (u32 i = 0; i < ARRAY_LENGTH(signals); i++)
        system_call(SIGACTION, signals[i], (long)&action, 0, 8, 0, 0);
}

/* ------------------------------------------------------------------ modes */

static void replay(void) {
    static const char *const names[] = {"running", "finished", "violated", "assumption", "unsupported",
                                        "steps",   "depth",    "memory",   "crashed",    "inputs",
                                        "strayed"};
    load_inputs();
    replay_start();
    enum Outcome outcome = run_once(arguments.steps);
    print("outcome ");
    print(names[outcome]);
    print(" ");
    print_signed(run_detail);
    print(" ");
    print_number(run_steps);
    print(" ");
    print_number(run_invented);
    print("\n");
    print_inputs(run_inputs, run_input_count, run_bytes);
    print("end\n");
}

static char mode;

static void drive(void) {
    catch_signals();
    memory_start();
    start_inputs();
    if (mode == 'r') {
        replay();
    } else if (mode == 't') {
        trials();
    } else {
        load_inputs();
        search();
    }
    flush();
    system_call(EXIT, 0, 0, 0, 0, 0, 0);
}

static u64 number(const char *text) {
    u64 value = 0;
    while (*text >= '0' && *text <= '9') value = value * 10 + (u64)(*text++ - '0');
    return value;
}

void begin(word *stack) {
    char **words = (char **)(stack + 1);
    if (stack[0] < 10) die("usage: replay|trials|search SEED MILLISECONDS RUNS STEPS TOLD TOTAL DULL ONWARD [ASSUMED]");
    mode = words[1][0];
    replaying = mode != 's';
    arguments = (Arguments){number(words[2]), number(words[3]), number(words[4]), number(words[5]),
                            number(words[6]), number(words[7]), number(words[8]), number(words[9])};
    if (stack[0] > 10) assumed_checks = words[10];
    system_call(PRCTL, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
    word seconds = (word)(arguments.milliseconds / 1000 + 2);
    word cpu[2] = {seconds, seconds + 1}, core[2] = {0, 0};
    system_call(SETRLIMIT, RLIMIT_CPU, (long)cpu, 0, 0, 0, 0);
    system_call(SETRLIMIT, RLIMIT_CORE, (long)core, 0, 0, 0, 0);
    u8 *low = reserve(0, STACK_SIZE);
    stack_lowest = (word)low + STACK_RESERVE;
    on_stack(low + STACK_SIZE - 64, drive);
}
