// package_cmake.c - a static library for add_subdirectory or FetchContent, with
// its recordings as a test where it is the project itself.
#include "package/package.h"

static const char text[] =
    "cmake_minimum_required(VERSION 3.13)\n"
    "project(%p VERSION %v LANGUAGES C)\n"
    "\n"
    "add_library(%p STATIC %p.c)\n"
    "target_include_directories(%p PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})\n"
    "separate_arguments(flags UNIX_COMMAND \"%f\")\n"
    "target_compile_options(%p PRIVATE ${flags})\n"
    "find_library(%p_MATH m)\n"
    "if(%p_MATH)\n"
    "  target_link_libraries(%p PUBLIC ${%p_MATH})\n"
    "endif()\n"
    "%(\n"
    "if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)\n"
    "  enable_testing()\n"
    "  add_executable(%p_test %p_test.c)\n"
    "  target_compile_options(%p_test PRIVATE ${flags})\n"
    "  target_link_libraries(%p_test PRIVATE %p)\n"
    "  add_test(NAME %p COMMAND %p_test)\n"
    "endif()\n"
    "%)";

static const char building_text[] =
    "As part of another project it is a library and nothing else:\n\n"
    "```cmake\nadd_subdirectory(/path/to/this/folder %p)\n"
    "target_link_libraries(application PRIVATE %p)\n```\n\n"
    "It is compiled with `%f`. For a microcontroller the project's toolchain "
    "file says compiler and processor:\n`cmake -B build "
    "-DCMAKE_TOOLCHAIN_FILE=arm.cmake -DCMAKE_BUILD_TYPE=Release`.\n\n"
    "%(Alone it is a project whose test runs recorded inputs:\n\n"
    "```sh\ncmake -B build && cmake --build build && ctest --test-dir build\n"
    "```\n\n"
    "%)## Where the memory goes\n\n"
    "`static %p model;` is where the linker's script has `.bss`, and `static "
    "%p model __attribute__((section(\".dtcm\")));`\nwhere it has that "
    "section. Constants are in `.rodata`, or with\n"
    "`target_compile_definitions(%p PRIVATE "
    "\"%P_CONST=__attribute__((section(\\\".weights\\\")))\")` elsewhere.\n\n";

static const tenon_layout cmake_layout = {
    .texts = {{"CMakeLists.txt", text}},
    .building = building_text,
};

TENON_PACKAGE_LAYOUT(
    cmake, "cmake",
    "A CMake project: a static library, and a test with --self-test.");
