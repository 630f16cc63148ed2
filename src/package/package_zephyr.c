// package_zephyr.c - a Zephyr module, found through ZEPHYR_EXTRA_MODULES or
// west.
//
// Format: the module documentation of the Zephyr Project ("Modules (External
// projects)"): zephyr/module.yml with build.cmake and build.kconfig, whose
// paths are relative to the module; "Samples" and "Test Runner": an application
// is CMakeLists.txt, prj.conf and sample.yaml.
#include "package/package.h"

static const char module_text[] =
    "name: %p\n"
    "build:\n"
    "  cmake: zephyr\n"
    "  kconfig: zephyr/Kconfig\n";
static const char kconfig_text[] =
    "config TENON_MODEL_%P\n"
    "\tbool \"The model %p\"\n"
    "\thelp\n"
    "\t  A machine-learning model as C. Its memory is an object of type %p\n"
    "\t  that the application defines.\n";
static const char cmake_text[] =
    "if(CONFIG_TENON_MODEL_%P)\n"
    "  zephyr_include_directories(${CMAKE_CURRENT_SOURCE_DIR}/../include)\n"
    "  zephyr_library_named(%p)\n"
    "  zephyr_library_sources(${CMAKE_CURRENT_SOURCE_DIR}/../src/%p.c)\n"
    "  separate_arguments(%p_flags UNIX_COMMAND \"%f\")\n"
    "  zephyr_library_compile_options(${%p_flags})\n"
    "endif()\n";
static const char sample_cmake_text[] =
    "cmake_minimum_required(VERSION 3.20.0)\n"
    "list(APPEND ZEPHYR_EXTRA_MODULES ${CMAKE_CURRENT_SOURCE_DIR}/../..)\n"
    "find_package(Zephyr REQUIRED HINTS $ENV{ZEPHYR_BASE})\n"
    "project(%c LANGUAGES C)\n"
    "target_sources(app PRIVATE src/%p_test.c)\n";
static const char prj_text[] =
    "CONFIG_TENON_MODEL_%P=y\n"
    "CONFIG_MAIN_STACK_SIZE=8192\n";
static const char twister_text[] =
    "sample:\n"
    "  name: The model %p on a recorded case\n"
    "tests:\n"
    "  tenon.%p.%c:\n"
    "    harness: console\n"
    "    harness_config:\n"
    "      type: one_line\n"
    "      regex:\n"
    "        - \"[1-9][0-9]* passed, 0 failed\"\n";

static const char building_text[] =
    "A module of Zephyr 3.2 or later. The application switches the model on in "
    "`prj.conf`,\n\n"
    "```\nCONFIG_TENON_MODEL_%P=y\n```\n\n"
    "and is built with this folder among its modules:\n\n"
    "```sh\nwest build -b BOARD APPLICATION -- "
    "-DZEPHYR_EXTRA_MODULES=/path/to/this/folder\n```\n\n"
    "or the folder is a project of the `west.yml`. It is compiled with `%f` "
    "beside the board's flags; `CONFIG_SPEED_OPTIMIZATIONS=y`\nmakes it "
    "`-O2`.\n\n"
    "%(`samples/%c` runs recorded inputs, on a board or emulated:\n\n"
    "```sh\nwest build -b mps2/an385 samples/%c\nwest build -t run\nwest "
    "twister -T samples/%c -p mps2/an385\n```\n\n"
    "%)## Where the memory goes\n\n"
    "| | |\n"
    "|---|---|\n"
    "| `static %p model;` | `zephyr,sram` of the board |\n"
    "| `static %p __dtcm_bss_section model;` | tightly coupled memory "
    "(`zephyr,dtcm`), with `<zephyr/linker/section_tags.h>` |\n"
    "| `static %p Z_GENERIC_SECTION(SRAM1) model;` | a region of the device "
    "tree with `zephyr,memory-region = \"SRAM1\"` |\n"
    "| `-D%P_CONST='__attribute__((section(\".dtcm_data\")))'` | constants "
    "there, where flash is too slow |\n\n"
    "Constants are in flash otherwise.\n\n";

static const tenon_layout zephyr_layout = {
    .include = "include",
    .source = "src",
    .test = "samples/%c/src",
    .texts = {{"zephyr/module.yml", module_text},
              {"zephyr/Kconfig", kconfig_text},
              {"zephyr/CMakeLists.txt", cmake_text},
              {"%(samples/%c/CMakeLists.txt%)", sample_cmake_text},
              {"%(samples/%c/prj.conf%)", prj_text},
              {"%(samples/%c/sample.yaml%)", twister_text}},
    .building = building_text,
};

TENON_PACKAGE_LAYOUT(
    zephyr, "zephyr",
    "A Zephyr module, switched on by CONFIG_TENON_MODEL_<PREFIX>; with "
    "--self-test a sample that runs the case.");
