// package_esp_idf.c - a component of ESP-IDF.
//
// Format: Espressif's "Build System" (idf_component_register) and "Manifest
// File Format" of the component manager (idf_component.yml: version,
// description, url, license, maintainers; examples are looked for in
// examples/).
#include "package/package.h"

static const char cmake_text[] =
    "idf_component_register(SRCS \"src/%p.c\" INCLUDE_DIRS \"include\")\n"
    "separate_arguments(%p_flags UNIX_COMMAND \"%f\")\n"
    "target_compile_options(${COMPONENT_LIB} PRIVATE ${%p_flags})\n";
static const char manifest_text[] =
    "version: \"%v\"\n"
    "description: The machine-learning model %p as C\n"
    "url: %u\n"
    "license: %l\n"
    "maintainers: [\"%a\"]\n";
static const char project_text[] =
    "cmake_minimum_required(VERSION 3.16)\n"
    "set(EXTRA_COMPONENT_DIRS \"${CMAKE_CURRENT_LIST_DIR}/../..\")\n"
    "include($ENV{IDF_PATH}/tools/cmake/project.cmake)\n"
    "project(%c)\n";
static const char main_cmake_text[] =
    "idf_component_register(SRCS \"main.c\" \"%p_test.c\")\n"
    "target_compile_definitions(${COMPONENT_LIB} PRIVATE %P_TEST_MAIN=%c)\n";
static const char main_text[] =
    "// Runs recorded inputs and says whether the outputs are the recorded "
    "ones.\n"
    "#include <stdio.h>\n"
    "\n"
    "int %c(void);\n"
    "void app_main(void);\n"
    "\n"
    "void app_main(void) {\n"
    "  int failed = %c();\n"
    "  printf(\"%p: %%s\\n"
    "\", failed ? \"FAILED\" : \"passed\");\n"
    "}\n";

static const char building_text[] =
    "A component of ESP-IDF 4.4 or later: put this folder into a project's "
    "`components/`, or name it in the\nproject's `CMakeLists.txt` in front of "
    "`project.cmake`:\n\n"
    "```cmake\nset(EXTRA_COMPONENT_DIRS \"/path/to/this/folder\")\n```\n\n"
    "`#include \"%p.h\"` works in `main`; another component names this one in "
    "`REQUIRES`. It is compiled with `%f`\nbeside the project's flags; "
    "*Compiler options, Optimization Level* of `idf.py menuconfig` should be "
    "`-O2`.\n\n"
    "%(`examples/%c` runs recorded inputs:\n\n"
    "```sh\ncd examples/%c\nidf.py set-target esp32s3\nidf.py build flash "
    "monitor\n```\n\n"
    "%)## Where the memory goes\n\n"
    "| | |\n"
    "|---|---|\n"
    "| `static %p model;` | internal RAM |\n"
    "| `EXT_RAM_BSS_ATTR static %p model;` | PSRAM, with "
    "`CONFIG_SPIRAM_ALLOW_BSS_SEG_EXTERNAL_MEMORY=y` |\n"
    "| `heap_caps_aligned_alloc(%P_ALIGN, sizeof(%p), MALLOC_CAP_SPIRAM)` | "
    "the same, when it is asked for |\n"
    "| `-D%P_CONST=DRAM_ATTR` | constants in RAM, where flash is too slow |\n\n"
    "Constants are read from flash through the cache otherwise. A run needs "
    "little stack; `CONFIG_ESP_MAIN_TASK_STACK_SIZE`\nof 8192 is enough.\n\n";

static const tenon_layout esp_idf_layout = {
    .include = "include",
    .source = "src",
    .test = "examples/%c/main",
    .texts = {{"CMakeLists.txt", cmake_text},
              {"idf_component.yml", manifest_text},
              {"%(examples/%c/CMakeLists.txt%)", project_text},
              {"%(examples/%c/main/CMakeLists.txt%)", main_cmake_text},
              {"%(examples/%c/main/main.c%)", main_text}},
    .building = building_text,
};

TENON_PACKAGE_LAYOUT(
    esp_idf, "esp-idf",
    "A component of ESP-IDF; with --self-test a project that runs the case.");
