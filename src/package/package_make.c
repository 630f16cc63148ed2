// package_make.c - a Makefile for POSIX make: lib<prefix>.a, test, clean. CC,
// AR and CFLAGS are the user's; what the code needs is in its own variable.
#include "package/package.h"

static const char text[] =
    "CC = cc\n"
    "AR = ar\n"
    "CFLAGS = -O2\n"
    "NEEDED = %s\n"
    "\n"
    "lib%s.a: %s.o\n"
    "\t$(AR) rcs $@ %s.o\n"
    "\n"
    "%s.o: %s.c %s.h\n"
    "\t$(CC) $(CFLAGS) $(NEEDED) -c %s.c -o $@\n"
    "\n"
    "clean:\n"
    "\trm -f lib%s.a %s.o%s%s%s\n";
static const char test_text[] =
    "\n"
    "test: %s_test\n"
    "\t./%s_test\n"
    "\n"
    "%s_test: %s_test.c lib%s.a\n"
    "\t$(CC) $(CFLAGS) $(NEEDED) %s_test.c lib%s.a -lm -o $@\n";

static const char building_text[] =
    "```sh\nmake%s\n"
    "make CC=arm-none-eabi-gcc AR=arm-none-eabi-ar CFLAGS=\"-O2 "
    "-mcpu=cortex-m4 -mthumb\"\n```\n\n"
    "gives `lib%s.a`, compiled with `%s` beside `CFLAGS`%s. `make clean` "
    "removes what was made.\n\n"
    "## Where the memory goes\n\n"
    "`static %s model;` is where the linker's script has `.bss`, and "
    "`static %s model __attribute__((section(\".dtcm\")));`\nwhere it has "
    "that section. Constants are in `.rodata`, or with "
    "`CFLAGS='-O2 "
    "-D%s_CONST=__attribute__((section(\".weights\")))'`\nelsewhere.\n\n";

static tenon_status make_lay_out(tenon_packaging *p) {
  tenon_parts parts = {.include = "", .source = "", .test = "", .manual = ""};
  TENON_PACKAGE_TRY(tenon_parts_place(p, &parts));
  const char *n = parts.prefix, *more = "";
  bool has = parts.has_test;
  if (has) more = p->api->format(p, test_text, n, n, n, n, n, n, n);
  const char *all =
      p->api->format(p, text, parts.cflags, n, n, n, n, n, n, n, n, n,
                     has ? " " : "", has ? n : "", has ? "_test" : "");
  if (!more || !all) return p->api->add(p, NULL, NULL);  // no memory
  TENON_PACKAGE_ADD(p, "Makefile", "%s%s", all, more);
  TENON_PACKAGE_BUILDING(
      p, building_text, has ? " && make test" : "", n, parts.cflags,
      has ? "; `make test` runs recorded inputs" : "", n, n, parts.upper);
  return TENON_OK;
}

const tenon_package_desc tenon_package_make = {
    .struct_size = sizeof tenon_package_make,
    .name = "make",
    .doc = "A Makefile: a static library, and a test with --self-test.",
    .lay_out = make_lay_out,
};
