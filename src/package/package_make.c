// package_make.c - a Makefile for POSIX make: lib<prefix>.a, test, clean. CC,
// AR and CFLAGS are the user's; what the code needs is in its own variable.
#include "package/package.h"

static const char text[] =
    "CC = cc\n"
    "AR = ar\n"
    "CFLAGS = -O2\n"
    "NEEDED = %f\n"
    "\n"
    "lib%p.a: %p.o\n"
    "\t$(AR) rcs $@ %p.o\n"
    "\n"
    "%p.o: %p.c %p.h\n"
    "\t$(CC) $(CFLAGS) $(NEEDED) -c %p.c -o $@\n"
    "\n"
    "clean:\n"
    "\trm -f lib%p.a %p.o%( %p_test%)\n"
    "%(\n"
    "test: %p_test\n"
    "\t./%p_test\n"
    "\n"
    "%p_test: %p_test.c lib%p.a\n"
    "\t$(CC) $(CFLAGS) $(NEEDED) %p_test.c lib%p.a -lm -o $@\n"
    "%)";

static const char building_text[] =
    "```sh\nmake%( && make test%)\nmake CC=arm-none-eabi-gcc "
    "AR=arm-none-eabi-ar CFLAGS=\"-O2 -mcpu=cortex-m4 -mthumb\"\n```\n\n"
    "gives `lib%p.a`, compiled with `%f` beside `CFLAGS`%(; `make test` runs "
    "recorded inputs%). `make clean` removes what was made.\n\n"
    "## Where the memory goes\n\n"
    "`static %p model;` is where the linker's script has `.bss`, and `static "
    "%p model __attribute__((section(\".dtcm\")));`\nwhere it has that "
    "section. Constants are in `.rodata`, or with `CFLAGS='-O2 "
    "-D%P_CONST=__attribute__((section(\".weights\")))'`\nelsewhere.\n\n";

static const tenon_layout make_layout = {
    .texts = {{"Makefile", text}},
    .building = building_text,
};

TENON_PACKAGE_LAYOUT(
    make, "make", "A Makefile: a static library, and a test with --self-test.");
