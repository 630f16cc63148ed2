// package_cmake.c - a static library for add_subdirectory or FetchContent, with
// its recordings as a test where it is the project itself.
#include "package/package.h"

static const char text[] =
    "cmake_minimum_required(VERSION 3.13)\n"
    "project(%s VERSION " TENON_PACKAGE_VERSION
    " LANGUAGES C)\n"
    "\n"
    "add_library(%s STATIC %s.c)\n"
    "target_include_directories(%s PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})\n"
    "separate_arguments(flags UNIX_COMMAND \"%s\")\n"
    "target_compile_options(%s PRIVATE ${flags})\n"
    "find_library(%s_MATH m)\n"
    "if(%s_MATH)\n"
    "  target_link_libraries(%s PUBLIC ${%s_MATH})\n"
    "endif()\n";
static const char test_text[] =
    "\n"
    "if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)\n"
    "  enable_testing()\n"
    "  add_executable(%s_test %s_test.c)\n"
    "  target_compile_options(%s_test PRIVATE ${flags})\n"
    "  target_link_libraries(%s_test PRIVATE %s)\n"
    "  add_test(NAME %s COMMAND %s_test)\n"
    "endif()\n";

static tenon_status lay_out(tenon_packaging *p) {
  tenon_parts parts = {.include = "", .source = "", .test = "", .manual = ""};
  TENON_PACKAGE_TRY(tenon_parts_place(p, &parts));
  const char *n = parts.prefix, *more = "";
  if (parts.has_test) more = p->api->format(p, test_text, n, n, n, n, n, n, n);
  const char *all =
      p->api->format(p, text, n, n, n, n, parts.cflags, n, n, n, n, n);
  if (!more || !all) return p->api->add(p, NULL, NULL);  // no memory
  TENON_PACKAGE_ADD(p, "CMakeLists.txt", "%s%s", all, more);
  return TENON_OK;
}

const tenon_package_desc tenon_package_cmake = {
    .struct_size = sizeof tenon_package_cmake,
    .name = "cmake",
    .doc = "A CMake project: a static library, and a test with --self-test.",
    .lay_out = lay_out,
};
