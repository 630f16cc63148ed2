// package_esp_idf.c - a component of ESP-IDF.
//
// Format: Espressif's "Build System" (idf_component_register) and "Manifest
// File Format" of the component manager (idf_component.yml).
#include "package/package.h"

static const char cmake_text[] =
    "idf_component_register(SRCS \"src/%s.c\" INCLUDE_DIRS \"include\")\n"
    "separate_arguments(%s_flags UNIX_COMMAND \"%s\")\n"
    "target_compile_options(${COMPONENT_LIB} PRIVATE ${%s_flags})\n";
static const char manifest_text[] =
    "version: \"" TENON_PACKAGE_VERSION
    "\"\n"
    "description: The machine-learning model %s as C\n";

static tenon_status lay_out(tenon_packaging *p) {
  tenon_parts parts = {
      .include = "include", .source = "src", .test = "test", .manual = ""};
  TENON_PACKAGE_TRY(tenon_parts_place(p, &parts));
  const char *n = parts.prefix;
  TENON_PACKAGE_ADD(p, "CMakeLists.txt", cmake_text, n, n, parts.cflags, n);
  TENON_PACKAGE_ADD(p, "idf_component.yml", manifest_text, n);
  return TENON_OK;
}

const tenon_package_desc tenon_package_esp_idf = {
    .struct_size = sizeof tenon_package_esp_idf,
    .name = "esp-idf",
    .doc = "A component of ESP-IDF.",
    .lay_out = lay_out,
};
