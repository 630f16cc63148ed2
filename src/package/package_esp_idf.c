// package_esp_idf.c - a component of ESP-IDF.
//
// Format: Espressif's "Build System" (idf_component_register) and "Manifest
// File Format" of the component manager (idf_component.yml: version,
// description, url, license, maintainers; examples are looked for in
// examples/).
#include "package/package.h"

static const char cmake_text[] =
    "idf_component_register(SRCS \"src/%s.c\" INCLUDE_DIRS \"include\")\n"
    "separate_arguments(%s_flags UNIX_COMMAND \"%s\")\n"
    "target_compile_options(${COMPONENT_LIB} PRIVATE ${%s_flags})\n";
static const char manifest_text[] =
    "version: \"%s\"\n"
    "description: The machine-learning model %s as C\n"
    "url: %s\n"
    "license: %s\n"
    "maintainers: [\"%s\"]\n";

// The component is two folders up, under whatever name it was put there.
static const char project_text[] =
    "cmake_minimum_required(VERSION 3.16)\n"
    "set(EXTRA_COMPONENT_DIRS \"${CMAKE_CURRENT_LIST_DIR}/../..\")\n"
    "include($ENV{IDF_PATH}/tools/cmake/project.cmake)\n"
    "project(" TENON_PACKAGE_CASE ")\n";
static const char main_cmake_text[] =
    "idf_component_register(SRCS \"main.c\" \"%s_test.c\")\n"
    "target_compile_definitions(${COMPONENT_LIB} PRIVATE "
    "%s_TEST_MAIN=" TENON_PACKAGE_CASE ")\n";
static const char main_text[] =
    "// Runs recorded inputs and says whether the outputs are the recorded "
    "ones.\n"
    "#include <stdio.h>\n"
    "\n"
    "int " TENON_PACKAGE_CASE
    "(void);\n"
    "void app_main(void);\n"
    "\n"
    "void app_main(void) {\n"
    "  int failed = " TENON_PACKAGE_CASE
    "();\n"
    "  printf(\"%s: %%s\\n\", failed ? \"FAILED\" : \"passed\");\n"
    "}\n";

static const char building_text[] =
    "A component of ESP-IDF 4.4 or later: put this folder into a project's "
    "`components/`, or name it in the\nproject's `CMakeLists.txt` in front of "
    "`project.cmake`:\n\n"
    "```cmake\nset(EXTRA_COMPONENT_DIRS \"/path/to/this/folder\")\n```\n\n"
    "`#include \"%s.h\"` works in `main`; another component names this one in "
    "`REQUIRES`. It is compiled with `%s`\nbeside the project's flags; "
    "*Compiler options, Optimization Level* of `idf.py menuconfig` should be "
    "`-O2`.\n\n"
    "%s"
    "## Where the memory goes\n\n"
    "| | |\n|---|---|\n"
    "| `static %s model;` | internal RAM |\n"
    "| `EXT_RAM_BSS_ATTR static %s model;` | PSRAM, with "
    "`CONFIG_SPIRAM_ALLOW_BSS_SEG_EXTERNAL_MEMORY=y` |\n"
    "| `heap_caps_aligned_alloc(%s_ALIGN, sizeof(%s), MALLOC_CAP_SPIRAM)` | "
    "the same, when it is asked for |\n"
    "| `-D%s_CONST=DRAM_ATTR` | constants in RAM, where flash is too slow |\n"
    "\n"
    "Constants are read from flash through the cache otherwise. A run needs "
    "little stack; `CONFIG_ESP_MAIN_TASK_STACK_SIZE`\nof 8192 is "
    "enough.\n\n";
static const char example_text[] =
    "`examples/" TENON_PACKAGE_CASE
    "` runs recorded inputs:\n\n"
    "```sh\ncd examples/" TENON_PACKAGE_CASE
    "\n"
    "idf.py set-target esp32s3\nidf.py build flash monitor\n```\n\n";

static tenon_status add_example(tenon_packaging *p, const tenon_parts *parts) {
  static const char at[] = "examples/" TENON_PACKAGE_CASE;
  TENON_PACKAGE_ADD(p, p->api->format(p, "%s/CMakeLists.txt", at), "%s",
                    project_text);
  TENON_PACKAGE_ADD(p, p->api->format(p, "%s/main/CMakeLists.txt", at),
                    main_cmake_text, parts->prefix, parts->upper);
  TENON_PACKAGE_ADD(p, p->api->format(p, "%s/main/main.c", at), main_text,
                    parts->prefix);
  return TENON_OK;
}

static tenon_status esp_idf_lay_out(tenon_packaging *p) {
  tenon_parts parts = {.include = "include",
                       .source = "src",
                       .test = "examples/" TENON_PACKAGE_CASE "/main",
                       .manual = ""};
  TENON_PACKAGE_TRY(tenon_parts_place(p, &parts));
  const char *n = parts.prefix;
  TENON_PACKAGE_ADD(p, "CMakeLists.txt", cmake_text, n, n, parts.cflags, n);
  TENON_PACKAGE_ADD(
      p, "idf_component.yml", manifest_text, TENON_PACKAGE_ABOUT(p, VERSION), n,
      TENON_PACKAGE_ABOUT(p, URL), TENON_PACKAGE_ABOUT(p, LICENSE),
      TENON_PACKAGE_ABOUT(p, AUTHOR));
  if (parts.has_test) TENON_PACKAGE_TRY(add_example(p, &parts));
  TENON_PACKAGE_BUILDING(p, building_text, n, parts.cflags,
                         parts.has_test ? example_text : "", n, n, parts.upper,
                         n, parts.upper);
  return TENON_OK;
}

const tenon_package_desc tenon_package_esp_idf = {
    .struct_size = sizeof tenon_package_esp_idf,
    .name = "esp-idf",
    .doc =
        "A component of ESP-IDF; with --self-test a project that runs the "
        "case.",
    .lay_out = esp_idf_lay_out,
};
