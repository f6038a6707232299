"""What the environment was asked for before: the answer is the same, or is tied to the first one."""

from __future__ import annotations

from fuzz_corners.kit import UNREACH, Draw, Part, shape

H = ("fcntl.h", "locale.h", "stdio.h", "stdlib.h", "string.h", "time.h", "unistd.h")


@shape(UNREACH, "error", weight=3, clean=False)
def asked_twice(d: Draw) -> Part:
    name = d.choose(("HOME", "PATH", "NONE_OF_THIS_NAME"))
    seed, letter, error = d.between(0, 9), d.choose("abc"), d.between(0, 30)
    before, holds = d.choose((
        ("int one = getpid();", "one == getpid()"),
        ("unsigned one = getuid();", "one == getuid()"),
        ("unsigned one = getegid();", "one == getegid()"),
        (f"int one = getenv(\"{name}\") != 0;", f"one == (getenv(\"{name}\") != 0)"),
        (f"srand({seed}); int one = rand(); srand({seed});", "one == rand()"),
        (f"srandom({seed}); long one = random(); random(); srandom({seed});", "one == random()"),
        (f"srand48({seed}); double one = drand48(); srand48({seed});", "one == drand48()"),
        (f"unsigned state = {seed}; int one = rand_r(&state); state = {seed};", "one == rand_r(&state)"),
        (f"char one[64]; strncpy(one, strerror({error}), 63); one[63] = 0;", f"strncmp(one, strerror({error}), 63) == 0"),
        ("clock_t one = clock(), two = clock();", "one == -1 || two == -1 || two >= one"),
        ("struct timespec one, two; int no = clock_gettime(CLOCK_MONOTONIC, &one) || clock_gettime(CLOCK_MONOTONIC, &two);", "no || two.tv_sec >= one.tv_sec"),
        (f"ungetc('{letter}', stdin);", f"getchar() == '{letter}'"),
        (f"char one[2] = \"{letter}\"; ungetc('{letter}', stdin); int no = !fgets(one, 2, stdin);", f"no || one[0] == '{letter}'"),
        ("time_t now = 951782400; struct tm one = *localtime(&now), two = *localtime(&now);", "one.tm_hour == two.tm_hour && one.tm_mday == two.tm_mday"),
        ("int one = open(\"/dev/null\", 0), two = open(\"/dev/null\", 0);", "one < 0 || one != two"),
        ("int one = fileno(stdin);", "one == fileno(stdin)"),
        ("char *one = setlocale(LC_ALL, \"C\");", "one && one[0] == 'C'"),
    ))  # fmt: skip
    return d.part(before, f"A({'!' * d.fault}({holds}));", headers=H)
