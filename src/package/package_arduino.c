// package_arduino.c - an Arduino library.
//
// Format: "Arduino library specification", revision 1.5: library.properties
// with name, version, author, maintainer, sentence, paragraph, category, url
// and architectures; sources under src/, which is on the include path. The
// specification has no place for compiler flags, so a model that needs more
// than C99 without contraction is refused.
#include <string.h>

#include "package/package.h"

static const char text[] =
    "name=%s\n"
    "version=" TENON_PACKAGE_VERSION
    "\n"
    "author=%s\n"
    "maintainer=%s\n"
    "sentence=The machine-learning model %s as C.\n"
    "paragraph=Its memory is an object that the sketch defines; nothing is "
    "allocated.\n"
    "category=Data Processing\n"
    "url=https://example.com/\n"
    "architectures=*\n"
    "includes=%s.h\n";

static bool is_theirs(const char *name) {
  static const char start[] = "arduino";
  size_t i = 0;
  while (start[i] && (name[i] | 0x20) == start[i])
    ++i;
  return start[i] == 0;
}

static tenon_status lay_out(tenon_packaging *p) {
  tenon_parts parts = {
      .include = "src", .source = "src", .test = "extras/test", .manual = ""};
  TENON_PACKAGE_TRY(tenon_parts_place(p, &parts));
  const char *n = parts.prefix;
  // Names that begin so are the makers' own.
  if (is_theirs(n))
    return p->api->fail(p,
                        "the prefix '%s' begins with 'arduino', as no library "
                        "of others may; choose another --prefix",
                        n);
  if (strcmp(parts.cflags, "-std=c99 -ffp-contract=off") != 0 &&
      strcmp(parts.cflags, "-std=c99") != 0)
    return p->api->fail(p,
                        "the model needs '%s', and an Arduino library cannot "
                        "say so; emit for target c",
                        parts.cflags);
  TENON_PACKAGE_ADD(p, "library.properties", text, n, n, n, n, n);
  return TENON_OK;
}

const tenon_package_desc tenon_package_arduino = {
    .struct_size = sizeof tenon_package_arduino,
    .name = "arduino",
    .doc = "An Arduino library.",
    .lay_out = lay_out,
};
