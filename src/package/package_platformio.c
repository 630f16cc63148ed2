// package_platformio.c - a PlatformIO library.
//
// Format: PlatformIO's "library.json": name and version are required,
// build.srcDir, build.includeDir and build.flags say how it is compiled;
// authors, license and homepage whose it is; examples/ has projects.
#include "package/package.h"

static const char text[] =
    "{\n"
    "  \"name\": \"%p\",\n"
    "  \"version\": \"%v\",\n"
    "  \"description\": \"The machine-learning model %p as C\",\n"
    "  \"keywords\": \"machine-learning, model\",\n"
    "  \"authors\": {\"name\": \"%a\"},\n"
    "  \"license\": \"%l\",\n"
    "  \"homepage\": \"%u\",\n"
    "  \"frameworks\": \"*\",\n"
    "  \"platforms\": \"*\",\n"
    "  \"headers\": \"%p.h\",\n"
    "  \"build\": {\n"
    "    \"srcDir\": \"src\",\n"
    "    \"includeDir\": \"include\",\n"
    "    \"flags\": \"%f\"\n"
    "  }\n"
    "}\n";
static const char project_text[] =
    "; Runs recorded inputs: pio run -e native -t exec\n"
    "[env:native]\n"
    "platform = native\n"
    "lib_deps = symlink://../..\n"
    "build_flags = -lm\n"
    "\n"
    "; On a board of a framework that begins with main(), such as Zephyr:\n"
    "; [env:board]\n"
    "; platform = nordicnrf52\n"
    "; board = nrf52840_dk\n"
    "; framework = zephyr\n"
    "; lib_deps = symlink://../..\n";

static const char building_text[] =
    "Put this folder into a project's `lib/`, or name it in `platformio.ini`:\n"
    "\n"
    "```ini\nlib_deps = symlink:///path/to/this/folder\n```\n\n"
    "and `#include \"%p.h\"`. It is compiled with `%f`, which `library.json` "
    "says; optimisation is the\nproject's (`build_unflags = -Os`, `build_flags "
    "= -O2`).\n\n"
    "%(`examples/%c` runs recorded inputs, on this machine as it is:\n\n"
    "```sh\npio run -d examples/%c -e native -t exec\n```\n\n"
    "%)## Where the memory goes\n\n"
    "`static %p model;` is in RAM. A board's framework has words for other "
    "places that stand in front of it:\n`__attribute__((section(\".dtcm\")))` "
    "with a linker script of your own (`board_build.ldscript`),\n"
    "`EXT_RAM_BSS_ATTR` on ESP32, `DMAMEM` on Teensy 4. Constants go where "
    "`-D%P_CONST=...` in `build_flags`\nsays.\n\n";

static const tenon_layout platformio_layout = {
    .include = "include",
    .source = "src",
    .test = "examples/%c/src",
    .texts = {{"library.json", text},
              {"%(examples/%c/platformio.ini%)", project_text}},
    .building = building_text,
};

TENON_PACKAGE_LAYOUT(
    platformio, "platformio",
    "A PlatformIO library; with --self-test a project that runs the case.");
