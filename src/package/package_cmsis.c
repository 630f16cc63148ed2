// package_cmsis.c - the contents of a CMSIS-Pack; zipped, it is one.
//
// Format: Open-CMSIS-Pack, "Pack Description (*.pdsc) Format", schema 1.7
// (valid against PACK.xsd 1.7.60): a package with vendor, name, description,
// url, license, releases and one component with its files. The file is called
// Vendor.name.pdsc. The example is a solution of the CMSIS-Toolbox
// (*.csolution.yml, *.cproject.yml).
#include <string.h>

#include "package/package.h"

static const char text[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<package schemaVersion=\"1.7.7\" "
    "xmlns:xs=\"http://www.w3.org/2001/XMLSchema-instance\" "
    "xs:noNamespaceSchemaLocation=\"PACK.xsd\">\n"
    "  <vendor>Tenon</vendor>\n"
    "  <name>%p</name>\n"
    "  <description>The machine-learning model %p as C</description>\n"
    "  <url>%U</url>\n"
    "  <license>LICENSE.txt</license>\n"
    "  <releases>\n"
    "    <release version=\"%v\">First release</release>\n"
    "  </releases>\n"
    "  <components>\n"
    "    <component Cclass=\"Machine Learning\" Cgroup=\"Model\" Csub=\"%p\" "
    "Cversion=\"%v\">\n"
    "      <description>Compile with: %f</description>\n"
    "      <files>\n"
    "        <file category=\"doc\" name=\"README.md\"/>\n"
    "        <file category=\"include\" name=\"include/\"/>\n"
    "        <file category=\"header\" name=\"include/%p.h\"/>\n"
    "        <file category=\"sourceC\" name=\"src/%p.c\"/>\n"
    "      </files>\n"
    "    </component>\n"
    "  </components>\n"
    "</package>\n";
static const char license_text[] =
    "The machine-learning model %p as C, version %v\n"
    "Author: %a\n"
    "SPDX-License-Identifier: %l\n";
static const char solution_text[] =
    "solution:\n"
    "  created-for: CMSIS-Toolbox@2.6.0\n"
    "  compiler: GCC\n"
    "  packs:\n"
    "    - pack: Tenon::%p\n"
    "      path: ../..\n"
    "    - pack: ARM::CMSIS\n"
    "    - pack: ARM::CMSIS-Compiler\n"
    "    - pack: ARM::Cortex_DFP\n"
    "  target-types:\n"
    "    - type: M55\n"
    "      device: ARMCM55\n"
    "  build-types:\n"
    "    - type: Release\n"
    "      optimize: speed\n"
    "  projects:\n"
    "    - project: %c.cproject.yml\n";
static const char project_text[] =
    "project:\n"
    "  groups:\n"
    "    - group: %c\n"
    "      files:\n"
    "        - file: %p_test.c\n"
    "  components:\n"
    "    - component: ARM::CMSIS:CORE\n"
    "    - component: ARM::Device:Startup&C Startup\n"
    "    - component: ARM::CMSIS-Compiler:CORE\n"
    "    - component: ARM::CMSIS-Compiler:STDOUT:Semihosting\n"
    "    - component: Machine Learning:Model:%p\n"
    "  misc:\n"
    "    - C:\n"
    "        - %f\n"
    "  output:\n"
    "    type: elf\n";

static const char building_text[] =
    "Zip the content of this folder as `Tenon.%p.%v.pack` and install it, or "
    "install the folder:\n\n"
    "```sh\ncpackget add Tenon.%p.pdsc\n```\n\n"
    "A project of the CMSIS-Toolbox, Keil Studio or uVision then has the "
    "component, in `*.cproject.yml`:\n\n"
    "```yaml\n  components:\n    - component: Machine Learning:Model:%p\n  "
    "misc:\n    - C: [%f]\n```\n\n"
    "%(`examples/%c` is a solution that runs recorded inputs and prints by "
    "semihosting:\n\n"
    "```sh\ncbuild examples/%c/%c.csolution.yml --packs --update-rte\n```\n\n"
    "Its device, `ARMCM55`, is a model; put yours into `target-types`.\n\n"
    "%)## Where the memory goes\n\n"
    "`static %p model;` goes where the linker's script or scatter file puts "
    "`.bss`. For a place of its own:\n\n"
    "```c\nstatic %p model __attribute__((section(\".bss.%p\")));\n```\n\n"
    "and in the script, of GNU's linker and of Arm's:\n\n"
    "```\n.model (NOLOAD) : ALIGN(64) { *(.bss.%p) } > DTCM\n\n"
    "RW_MODEL 0x20000000 UNINIT 0x10000 { *(.bss.%p) }\n```\n\n"
    "Constants go to `.rodata`, or where "
    "`-D%P_CONST='__attribute__((section(\".weights\")))'` says.\n\n";

static tenon_status cmsis_check(tenon_packaging *p, const tenon_parts *parts) {
  if (strlen(parts->prefix) <= 32) return TENON_OK;  // CsubType of PACK.xsd
  return p->api->fail(p,
                      "a component of a pack is called by 32 characters at "
                      "most: give another --prefix than '%s'",
                      parts->prefix);
}

static const tenon_layout cmsis_layout = {
    .include = "include",
    .source = "src",
    .test = "examples/%c",
    .check = cmsis_check,
    .texts = {{"Tenon.%p.pdsc", text},
              {"LICENSE.txt", license_text},
              {"%(examples/%c/%c.csolution.yml%)", solution_text},
              {"%(examples/%c/%c.cproject.yml%)", project_text}},
    .building = building_text,
};

TENON_PACKAGE_LAYOUT(cmsis, "cmsis-pack",
                     "The contents of a CMSIS-Pack, with its .pdsc; with "
                     "--self-test a solution that runs the case.");
