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
    "name=%p\n"
    "version=%v\n"
    "author=%a\n"
    "maintainer=%a\n"
    "sentence=The machine-learning model %p as C.\n"
    "paragraph=Its memory is an object that the sketch defines; nothing is "
    "allocated. Licence: %l.\n"
    "category=Data Processing\n"
    "url=%u\n"
    "architectures=*\n"
    "includes=%p.h\n";
static const char sketch_text[] =
    "// Runs recorded inputs and says whether the outputs are the recorded "
    "ones.\n"
    "#include <%p.h>\n"
    "\n"
    "extern \"C\" {\n"
    "int %c(void);\n"
    "void %c_puts(const char *text) { Serial.print(text); }\n"
    "}\n"
    "\n"
    "void setup() {\n"
    "  Serial.begin(115200);\n"
    "  while (!Serial) {\n"
    "  }\n"
    "  Serial.println(%c() ? \"FAILED\" : \"passed\");\n"
    "}\n"
    "\n"
    "void loop() {}\n";
static const char case_text[] =
    "// The recordings, as C; what they print goes to the sketch.\n"
    "void %c_puts(const char *text);\n"
    "#define %P_PUTS(text) %c_puts(text)\n"
    "#define %P_TEST_MAIN %c\n"
    "#include \"recordings.h\"\n";

static const char building_text[] =
    "Put this folder into the sketchbook's `libraries/`, or zip it and take "
    "*Sketch, Include Library, Add .ZIP\nLibrary*. In the sketch:\n\n"
    "```cpp\n#include <%p.h>\n\n"
    "static %p model;  // all memory of the model; begin with "
    "%p_init(&model...)\n```\n\n"
    "With the command line:\n\n"
    "```sh\narduino-cli compile -b FQBN --library . examples/%(%c%)%[SKETCH%]\n"
    "arduino-cli upload  -b FQBN -p PORT examples/%(%c%)%[SKETCH%]\n```\n\n"
    "%(`examples/%c` runs recorded inputs and prints on the serial port, at "
    "115200 baud, how far the\noutputs are from the recorded ones, and "
    "`passed` or `FAILED`.\n\n"
    "%)## Where the memory goes\n\n"
    "`model` above is in RAM with the other variables of the sketch; the board "
    "must have so much (below), and\nthe constants in flash. What the cores "
    "have for other places stands in front of it:\n\n"
    "| core | |\n"
    "|---|---|\n"
    "| Teensy 4 | `DMAMEM static %p model;`: the second half of RAM |\n"
    "| ESP32 with PSRAM | `EXT_RAM_BSS_ATTR static %p model;` |\n"
    "| AVR | an `int` has 16 bits there: the model's file refuses it |\n\n"
    "The builder's own flags may contract multiplications and additions of "
    "floats on some boards; integers\nare the same everywhere.\n\n";

static bool is_theirs(const char *name) {
  static const char start[] = "arduino";
  size_t i = 0;
  while (start[i] && (name[i] | 0x20) == start[i])
    ++i;
  return start[i] == 0;
}

static tenon_status arduino_check(tenon_packaging *p,
                                  const tenon_parts *parts) {
  const char *n = parts->prefix,
             *author = p->api->about(p, TENON_PACKAGE_AUTHOR);
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

static const tenon_layout arduino_layout = {
    .include = "src",
    .source = "src",
    .test = "examples/%c",
    .test_name = "recordings.h",
    .check = arduino_check,
    .texts = {{"library.properties", text},
              {"%(examples/%c/%c.ino%)", sketch_text},
              {"%(examples/%c/recordings.c%)", case_text}},
    .building = building_text,
};

TENON_PACKAGE_LAYOUT(
    arduino, "arduino",
    "An Arduino library; with --self-test a sketch that runs the case.");
