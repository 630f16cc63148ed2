// package_platformio.c - a PlatformIO library.
//
// Format: PlatformIO's "library.json": name and version are required,
// build.srcDir, build.includeDir and build.flags say how it is compiled;
// authors, license and homepage whose it is; examples/ has projects.
#include "package/package.h"

static const char text[] =
    "{\n"
    "  \"name\": \"%s\",\n"
    "  \"version\": \"%s\",\n"
    "  \"description\": \"The machine-learning model %s as C\",\n"
    "  \"keywords\": \"machine-learning, model\",\n"
    "  \"authors\": {\"name\": \"%s\"},\n"
    "  \"license\": \"%s\",\n"
    "  \"homepage\": \"%s\",\n"
    "  \"frameworks\": \"*\",\n"
    "  \"platforms\": \"*\",\n"
    "  \"headers\": \"%s.h\",\n"
    "  \"build\": {\n"
    "    \"srcDir\": \"src\",\n"
    "    \"includeDir\": \"include\",\n"
    "    \"flags\": \"%s\"\n"
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
    "Put this folder into a project's `lib/`, or name it in "
    "`platformio.ini`:\n\n"
    "```ini\nlib_deps = symlink:///path/to/this/folder\n```\n\n"
    "and `#include \"%s.h\"`. It is compiled with `%s`, which "
    "`library.json` says; optimisation is the\nproject's "
    "(`build_unflags = -Os`, `build_flags = -O2`).\n\n"
    "%s"
    "## Where the memory goes\n\n"
    "`static %s model;` is in RAM. A board's framework has words for other "
    "places that stand in front of it:\n"
    "`__attribute__((section(\".dtcm\")))` with a linker script of your own "
    "(`board_build.ldscript`),\n"
    "`EXT_RAM_BSS_ATTR` on ESP32, `DMAMEM` on Teensy 4. Constants go where "
    "`-D%s_CONST=...` in `build_flags`\nsays.\n\n";
static const char example_text[] =
    "`examples/" TENON_PACKAGE_CASE
    "` runs recorded inputs, on this machine as it is:\n\n"
    "```sh\npio run -d examples/" TENON_PACKAGE_CASE
    " -e native -t exec\n```\n\n";

static tenon_status pio_lay_out(tenon_packaging *p) {
  tenon_parts parts = {.include = "include",
                       .source = "src",
                       .test = "examples/" TENON_PACKAGE_CASE "/src",
                       .manual = ""};
  TENON_PACKAGE_TRY(tenon_parts_place(p, &parts));
  const char *n = parts.prefix;
  TENON_PACKAGE_ADD(p, "library.json", text, n, TENON_PACKAGE_ABOUT(p, VERSION),
                    n, TENON_PACKAGE_ABOUT(p, AUTHOR),
                    TENON_PACKAGE_ABOUT(p, LICENSE),
                    TENON_PACKAGE_ABOUT(p, URL), n, parts.cflags);
  if (parts.has_test)
    TENON_PACKAGE_ADD(p, "examples/" TENON_PACKAGE_CASE "/platformio.ini", "%s",
                      project_text);
  TENON_PACKAGE_BUILDING(p, building_text, n, parts.cflags,
                         parts.has_test ? example_text : "", n, parts.upper);
  return TENON_OK;
}

const tenon_package_desc tenon_package_platformio = {
    .struct_size = sizeof tenon_package_platformio,
    .name = "platformio",
    .doc =
        "A PlatformIO library; with --self-test a project that runs the "
        "case.",
    .lay_out = pio_lay_out,
};
