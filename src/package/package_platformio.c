// package_platformio.c - a PlatformIO library.
//
// Format: PlatformIO's "library.json": name and version are required,
// build.srcDir, build.includeDir and build.flags say how it is compiled.
#include "package/package.h"

static const char text[] =
    "{\n"
    "  \"name\": \"%s\",\n"
    "  \"version\": \"" TENON_PACKAGE_VERSION
    "\",\n"
    "  \"description\": \"The machine-learning model %s as C\",\n"
    "  \"keywords\": \"machine-learning, model\",\n"
    "  \"frameworks\": \"*\",\n"
    "  \"platforms\": \"*\",\n"
    "  \"headers\": \"%s.h\",\n"
    "  \"build\": {\n"
    "    \"srcDir\": \"src\",\n"
    "    \"includeDir\": \"include\",\n"
    "    \"flags\": \"%s\"\n"
    "  }\n"
    "}\n";

static tenon_status lay_out(tenon_packaging *p) {
  tenon_parts parts = {.include = "include",
                       .source = "src",
                       .test = "extras/test",
                       .manual = ""};
  TENON_PACKAGE_TRY(tenon_parts_place(p, &parts));
  const char *n = parts.prefix;
  TENON_PACKAGE_ADD(p, "library.json", text, n, n, n, parts.cflags);
  return TENON_OK;
}

const tenon_package_desc tenon_package_platformio = {
    .struct_size = sizeof tenon_package_platformio,
    .name = "platformio",
    .doc = "A PlatformIO library.",
    .lay_out = lay_out,
};
