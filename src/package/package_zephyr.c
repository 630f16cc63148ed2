// package_zephyr.c - a Zephyr module, found through ZEPHYR_EXTRA_MODULES or
// west.
//
// Format: the module documentation of the Zephyr Project ("Modules (External
// projects)"): zephyr/module.yml with build.cmake and build.kconfig, whose
// paths are relative to the module.
#include "package/package.h"

static const char module_text[] =
    "name: %s\n"
    "build:\n"
    "  cmake: zephyr\n"
    "  kconfig: zephyr/Kconfig\n";
static const char kconfig_text[] =
    "config %s\n"
    "\tbool \"The model %s\"\n"
    "\thelp\n"
    "\t  A machine-learning model as C. Its memory is an object of type %s\n"
    "\t  that the application defines.\n";
static const char cmake_text[] =
    "if(CONFIG_%s)\n"
    "  zephyr_include_directories(${CMAKE_CURRENT_SOURCE_DIR}/../include)\n"
    "  zephyr_library_named(%s)\n"
    "  zephyr_library_sources(${CMAKE_CURRENT_SOURCE_DIR}/../src/%s.c)\n"
    "  separate_arguments(%s_flags UNIX_COMMAND \"%s\")\n"
    "  zephyr_library_compile_options(${%s_flags})\n"
    "endif()\n";

// "kws" to "TENON_MODEL_KWS": options of Kconfig are in upper case.
static const char *option_of(tenon_packaging *p, const char *prefix) {
  char upper[128];
  size_t n = 0;
  for (; prefix[n] && n + 1 < sizeof upper; ++n)
    upper[n] = prefix[n] >= 'a' && prefix[n] <= 'z'
                   ? (char)(prefix[n] - 'a' + 'A')
                   : prefix[n];
  upper[n] = 0;
  return prefix[n] ? NULL : p->api->format(p, "TENON_MODEL_%s", upper);
}

static tenon_status lay_out(tenon_packaging *p) {
  tenon_parts parts = {
      .include = "include", .source = "src", .test = "test", .manual = ""};
  TENON_PACKAGE_TRY(tenon_parts_place(p, &parts));
  const char *n = parts.prefix, *option = option_of(p, n);
  if (!option)
    return p->api->fail(p, "the prefix '%s' is too long for an option", n);
  TENON_PACKAGE_ADD(p, "zephyr/module.yml", module_text, n);
  TENON_PACKAGE_ADD(p, "zephyr/Kconfig", kconfig_text, option, n, n);
  TENON_PACKAGE_ADD(p, "zephyr/CMakeLists.txt", cmake_text, option, n, n, n,
                    parts.cflags, n);
  return TENON_OK;
}

const tenon_package_desc tenon_package_zephyr = {
    .struct_size = sizeof tenon_package_zephyr,
    .name = "zephyr",
    .doc = "A Zephyr module, switched on by CONFIG_TENON_MODEL_<PREFIX>.",
    .lay_out = lay_out,
};
