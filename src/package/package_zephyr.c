// package_zephyr.c - a Zephyr module, found through ZEPHYR_EXTRA_MODULES or
// west.
//
// Format: the module documentation of the Zephyr Project ("Modules (External
// projects)"): zephyr/module.yml with build.cmake and build.kconfig, whose
// paths are relative to the module; "Samples" and "Test Runner": an application
// is CMakeLists.txt, prj.conf and sample.yaml.
#include "package/package.h"

static const char module_text[] =
    "name: %s\n"
    "build:\n"
    "  cmake: zephyr\n"
    "  kconfig: zephyr/Kconfig\n";
static const char kconfig_text[] =
    "config TENON_MODEL_%s\n"
    "\tbool \"The model %s\"\n"
    "\thelp\n"
    "\t  A machine-learning model as C. Its memory is an object of type %s\n"
    "\t  that the application defines.\n";
static const char cmake_text[] =
    "if(CONFIG_TENON_MODEL_%s)\n"
    "  zephyr_include_directories(${CMAKE_CURRENT_SOURCE_DIR}/../include)\n"
    "  zephyr_library_named(%s)\n"
    "  zephyr_library_sources(${CMAKE_CURRENT_SOURCE_DIR}/../src/%s.c)\n"
    "  separate_arguments(%s_flags UNIX_COMMAND \"%s\")\n"
    "  zephyr_library_compile_options(${%s_flags})\n"
    "endif()\n";

#define SAMPLE "samples/" TENON_PACKAGE_CASE
static const char sample_cmake_text[] =
    "cmake_minimum_required(VERSION 3.20.0)\n"
    "list(APPEND ZEPHYR_EXTRA_MODULES ${CMAKE_CURRENT_SOURCE_DIR}/../..)\n"
    "find_package(Zephyr REQUIRED HINTS $ENV{ZEPHYR_BASE})\n"
    "project(" TENON_PACKAGE_CASE
    " LANGUAGES C)\n"
    "target_sources(app PRIVATE src/%s_test.c)\n";
static const char prj_text[] =
    "CONFIG_TENON_MODEL_%s=y\n"
    "CONFIG_MAIN_STACK_SIZE=8192\n";
static const char twister_text[] =
    "sample:\n"
    "  name: The model %s on a recorded case\n"
    "tests:\n"
    "  tenon.%s." TENON_PACKAGE_CASE
    ":\n"
    "    harness: console\n"
    "    harness_config:\n"
    "      type: one_line\n"
    "      regex:\n"
    "        - \"[1-9][0-9]* passed, 0 failed\"\n";

static const char building_text[] =
    "A module of Zephyr 3.2 or later. The application switches the model on in "
    "`prj.conf`,\n\n"
    "```\nCONFIG_TENON_MODEL_%s=y\n```\n\n"
    "and is built with this folder among its modules:\n\n"
    "```sh\nwest build -b BOARD APPLICATION -- "
    "-DZEPHYR_EXTRA_MODULES=/path/to/this/folder\n```\n\n"
    "or the folder is a project of the `west.yml`. It is compiled with `%s` "
    "beside the board's flags; `CONFIG_SPEED_OPTIMIZATIONS=y`\nmakes it "
    "`-O2`.\n\n"
    "%s"
    "## Where the memory goes\n\n"
    "| | |\n|---|---|\n"
    "| `static %s model;` | `zephyr,sram` of the board |\n"
    "| `static %s __dtcm_bss_section model;` | tightly coupled memory "
    "(`zephyr,dtcm`), with `<zephyr/linker/section_tags.h>` |\n"
    "| `static %s Z_GENERIC_SECTION(SRAM1) model;` | a region of the device "
    "tree with `zephyr,memory-region = \"SRAM1\"` |\n"
    "| `-D%s_CONST='__attribute__((section(\".dtcm_data\")))'` | constants "
    "there, where flash is too slow |\n\n"
    "Constants are in flash otherwise.\n\n";
static const char example_text[] =
    "`" SAMPLE
    "` runs recorded inputs, on a board or emulated:\n\n"
    "```sh\nwest build -b mps2/an385 " SAMPLE
    "\nwest build -t run\n"
    "west twister -T " SAMPLE " -p mps2/an385\n```\n\n";

static tenon_status add_sample(tenon_packaging *p, const tenon_parts *parts) {
  const char *n = parts->prefix;
  TENON_PACKAGE_ADD(p, SAMPLE "/CMakeLists.txt", sample_cmake_text, n);
  TENON_PACKAGE_ADD(p, SAMPLE "/prj.conf", prj_text, parts->upper);
  TENON_PACKAGE_ADD(p, SAMPLE "/sample.yaml", twister_text, n, n);
  return TENON_OK;
}

static tenon_status zephyr_lay_out(tenon_packaging *p) {
  tenon_parts parts = {.include = "include",
                       .source = "src",
                       .test = SAMPLE "/src",
                       .manual = ""};
  TENON_PACKAGE_TRY(tenon_parts_place(p, &parts));
  const char *n = parts.prefix, *option = parts.upper;
  TENON_PACKAGE_ADD(p, "zephyr/module.yml", module_text, n);
  TENON_PACKAGE_ADD(p, "zephyr/Kconfig", kconfig_text, option, n, n);
  TENON_PACKAGE_ADD(p, "zephyr/CMakeLists.txt", cmake_text, option, n, n, n,
                    parts.cflags, n);
  if (parts.has_test) TENON_PACKAGE_TRY(add_sample(p, &parts));
  TENON_PACKAGE_BUILDING(p, building_text, option, parts.cflags,
                         parts.has_test ? example_text : "", n, n, n, option);
  return TENON_OK;
}

const tenon_package_desc tenon_package_zephyr = {
    .struct_size = sizeof tenon_package_zephyr,
    .name = "zephyr",
    .doc =
        "A Zephyr module, switched on by CONFIG_TENON_MODEL_<PREFIX>; with "
        "--self-test a sample that runs the case.",
    .lay_out = zephyr_lay_out,
};
