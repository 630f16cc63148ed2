// package_arduino.c - an Arduino library.
//
// Format: "Arduino library specification", revision 1.5: library.properties
// with name, version, author, maintainer, sentence, paragraph, category, url
// and architectures; sources under src/, which is on the include path; sketches
// in folders of their name under examples/. The specification has no place for
// compiler flags, so a model that needs more than C99 without contraction is
// refused. A sketch is C++ and the recordings are C: a file beside the sketch
// includes them as what the builder copies, a header.

#include <string.h>

#include "package/package.h"

static const char text[] =
    "name=%s\n"
    "version=%s\n"
    "author=%s\n"
    "maintainer=%s\n"
    "sentence=The machine-learning model %s as C.\n"
    "paragraph=Its memory is an object that the sketch defines; nothing is "
    "allocated. Licence: %s.\n"
    "category=Data Processing\n"
    "url=%s\n"
    "architectures=*\n"
    "includes=%s.h\n";

static const char sketch_text[] =
    "// Runs recorded inputs and says whether the outputs are the recorded "
    "ones.\n"
    "#include <%s.h>\n"
    "\n"
    "extern \"C\" {\n"
    "int " TENON_PACKAGE_CASE
    "(void);\n"
    "void " TENON_PACKAGE_CASE
    "_puts(const char *text) { Serial.print(text); }\n"
    "}\n"
    "\n"
    "void setup() {\n"
    "  Serial.begin(115200);\n"
    "  while (!Serial) {\n"
    "  }\n"
    "  Serial.println(" TENON_PACKAGE_CASE
    "() ? \"FAILED\" : \"passed\");\n"
    "}\n"
    "\n"
    "void loop() {}\n";

static const char case_text[] =
    "// The recordings, as C; what they print goes to the sketch.\n"
    "void " TENON_PACKAGE_CASE
    "_puts(const char *text);\n"
    "#define %s_PUTS(text) " TENON_PACKAGE_CASE
    "_puts(text)\n"
    "#define %s_TEST_MAIN " TENON_PACKAGE_CASE
    "\n"
    "#include \"recordings.h\"\n";

static const char building_text[] =
    "Put this folder into the sketchbook's `libraries/`, or zip it and take "
    "*Sketch, Include Library, Add .ZIP\nLibrary*. In the sketch:\n\n"
    "```cpp\n#include <%s.h>\n\nstatic %s model;  // all memory of the model; "
    "begin with %s_init(&model...)\n```\n\n"
    "With the command line:\n\n"
    "```sh\narduino-cli compile -b FQBN --library . examples/%s\n"
    "arduino-cli upload  -b FQBN -p PORT examples/%s\n```\n\n"
    "%s"
    "## Where the memory goes\n\n"
    "`model` above is in RAM with the other variables of the sketch; the board "
    "must have so much (below), and\nthe constants in flash. What the cores "
    "have for other places stands in front of it:\n\n"
    "| core | |\n|---|---|\n"
    "| Teensy 4 | `DMAMEM static %s model;`: the second half of RAM |\n"
    "| ESP32 with PSRAM | `EXT_RAM_BSS_ATTR static %s model;` |\n"
    "| AVR | an `int` has 16 bits there: the model's file refuses it |\n\n"
    "The builder's own flags may contract multiplications and additions of "
    "floats on some boards; integers\nare the same everywhere.\n\n";

static const char example_text[] =
    "`examples/" TENON_PACKAGE_CASE
    "` runs recorded inputs and prints on the serial port, at 115200 baud, how "
    "far the\noutputs are from the recorded ones, and `passed` or "
    "`FAILED`.\n\n";

static bool is_theirs(const char *name) {
  static const char start[] = "arduino";
  size_t i = 0;
  while (start[i] && (name[i] | 0x20) == start[i])
    ++i;
  return start[i] == 0;
}

static tenon_status arduino_check(tenon_packaging *p,
                                  const tenon_parts *parts) {
  const char *n = parts->prefix, *author = TENON_PACKAGE_ABOUT(p, AUTHOR);
  // Names that begin so are the makers' own.
  if (is_theirs(n))
    return p->api->fail(p,
                        "the prefix '%s' begins with 'arduino', as no library "
                        "of others may; choose another --prefix",
                        n);
  if (is_theirs(author))
    return p->api->fail(p,
                        "the author '%s' begins with 'arduino', as no "
                        "maintainer of others may",
                        author);
  if (strcmp(parts->cflags, "-std=c99 -ffp-contract=off") != 0 &&
      strcmp(parts->cflags, "-std=c99") != 0)
    return p->api->fail(p,
                        "the model needs '%s', and an Arduino library cannot "
                        "say so; emit for target c",
                        parts->cflags);
  return TENON_OK;
}

static tenon_status arduino_lay_out(tenon_packaging *p) {
  tenon_parts parts = {.include = "src",
                       .source = "src",
                       .test = "examples/" TENON_PACKAGE_CASE,
                       .test_name = "recordings.h",
                       .manual = ""};
  TENON_PACKAGE_TRY(tenon_parts_place(p, &parts));
  TENON_PACKAGE_TRY(arduino_check(p, &parts));
  const char *n = parts.prefix, *author = TENON_PACKAGE_ABOUT(p, AUTHOR);
  TENON_PACKAGE_ADD(p, "library.properties", text, n,
                    TENON_PACKAGE_ABOUT(p, VERSION), author, author, n,
                    TENON_PACKAGE_ABOUT(p, LICENSE),
                    TENON_PACKAGE_ABOUT(p, URL), n);
  if (parts.has_test) {
    TENON_PACKAGE_ADD(
        p, "examples/" TENON_PACKAGE_CASE "/" TENON_PACKAGE_CASE ".ino",
        sketch_text, n);
    TENON_PACKAGE_ADD(p, "examples/" TENON_PACKAGE_CASE "/recordings.c",
                      case_text, parts.upper, parts.upper);
  }
  const char *sketch = parts.has_test ? TENON_PACKAGE_CASE : "SKETCH";
  TENON_PACKAGE_BUILDING(p, building_text, n, n, n, sketch, sketch,
                         parts.has_test ? example_text : "", n, n);
  return TENON_OK;
}

const tenon_package_desc tenon_package_arduino = {
    .struct_size = sizeof tenon_package_arduino,
    .name = "arduino",
    .doc = "An Arduino library; with --self-test a sketch that runs the case.",
    .lay_out = arduino_lay_out,
};
