// package_cmake.c - a static library for add_subdirectory or FetchContent, with
// its recordings as a test where it is the project itself.
#include "package/package.h"

static const char text[] =
    "cmake_minimum_required(VERSION 3.13)\n"
    "project(%s VERSION %s LANGUAGES C)\n"
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

static const char building_text[] =
    "As part of another project it is a library and nothing else:\n\n"
    "```cmake\nadd_subdirectory(/path/to/this/folder %s)\n"
    "target_link_libraries(application PRIVATE %s)\n```\n\n"
    "It is compiled with `%s`. For a microcontroller the project's toolchain "
    "file says compiler and processor:\n"
    "`cmake -B build -DCMAKE_TOOLCHAIN_FILE=arm.cmake "
    "-DCMAKE_BUILD_TYPE=Release`.\n\n"
    "%s"
    "## Where the memory goes\n\n"
    "`static %s model;` is where the linker's script has `.bss`, and "
    "`static %s model __attribute__((section(\".dtcm\")));`\nwhere it has "
    "that section. Constants are in `.rodata`, or with\n"
    "`target_compile_definitions(%s PRIVATE "
    "\"%s_CONST=__attribute__((section(\\\".weights\\\")))\")` "
    "elsewhere.\n\n";
static const char alone_text[] =
    "Alone it is a project whose test runs recorded inputs:\n\n"
    "```sh\ncmake -B build && cmake --build build && ctest --test-dir "
    "build\n```\n\n";

static tenon_status cmake_lay_out(tenon_packaging *p) {
  tenon_parts parts = {.include = "", .source = "", .test = "", .manual = ""};
  TENON_PACKAGE_TRY(tenon_parts_place(p, &parts));
  const char *n = parts.prefix, *more = "";
  if (parts.has_test) more = p->api->format(p, test_text, n, n, n, n, n, n, n);
  const char *all = p->api->format(p, text, n, TENON_PACKAGE_ABOUT(p, VERSION),
                                   n, n, n, parts.cflags, n, n, n, n, n);
  if (!more || !all) return p->api->add(p, NULL, NULL);  // no memory
  TENON_PACKAGE_ADD(p, "CMakeLists.txt", "%s%s", all, more);
  TENON_PACKAGE_BUILDING(p, building_text, n, n, parts.cflags,
                         parts.has_test ? alone_text : "", n, n, n,
                         parts.upper);
  return TENON_OK;
}

const tenon_package_desc tenon_package_cmake = {
    .struct_size = sizeof tenon_package_cmake,
    .name = "cmake",
    .doc = "A CMake project: a static library, and a test with --self-test.",
    .lay_out = cmake_lay_out,
};
