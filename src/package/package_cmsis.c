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
    "  <name>%s</name>\n"
    "  <description>The machine-learning model %s as C</description>\n"
    "  <url>%s</url>\n"
    "  <license>LICENSE.txt</license>\n"
    "  <releases>\n"
    "    <release version=\"%s\">First release</release>\n"
    "  </releases>\n"
    "  <components>\n"
    "    <component Cclass=\"Machine Learning\" Cgroup=\"Model\" Csub=\"%s\" "
    "Cversion=\"%s\">\n"
    "      <description>Compile with: %s</description>\n"
    "      <files>\n"
    "        <file category=\"doc\" name=\"README.md\"/>\n"
    "        <file category=\"include\" name=\"include/\"/>\n"
    "        <file category=\"header\" name=\"include/%s.h\"/>\n"
    "        <file category=\"sourceC\" name=\"src/%s.c\"/>\n"
    "      </files>\n"
    "    </component>\n"
    "  </components>\n"
    "</package>\n";
static const char license_text[] =
    "The machine-learning model %s as C, version %s\n"
    "Author: %s\n"
    "SPDX-License-Identifier: %s\n";

#define CASE "examples/" TENON_PACKAGE_CASE
static const char solution_text[] =
    "solution:\n"
    "  created-for: CMSIS-Toolbox@2.6.0\n"
    "  compiler: GCC\n"
    "  packs:\n"
    "    - pack: Tenon::%s\n"
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
    "    - project: " TENON_PACKAGE_CASE ".cproject.yml\n";
static const char project_text[] =
    "project:\n"
    "  groups:\n"
    "    - group: " TENON_PACKAGE_CASE
    "\n"
    "      files:\n"
    "        - file: %s_test.c\n"
    "  components:\n"
    "    - component: ARM::CMSIS:CORE\n"
    "    - component: ARM::Device:Startup&C Startup\n"
    "    - component: ARM::CMSIS-Compiler:CORE\n"
    "    - component: ARM::CMSIS-Compiler:STDOUT:Semihosting\n"
    "    - component: Machine Learning:Model:%s\n"
    "  misc:\n"
    "    - C:\n"
    "        - %s\n"
    "  output:\n"
    "    type: elf\n";

static const char building_text[] =
    "Zip the content of this folder as `Tenon.%s.%s.pack` and install it, or "
    "install the folder:\n\n"
    "```sh\ncpackget add Tenon.%s.pdsc\n```\n\n"
    "A project of the CMSIS-Toolbox, Keil Studio or uVision then has the "
    "component, in `*.cproject.yml`:\n\n"
    "```yaml\n  components:\n    - component: Machine Learning:Model:%s\n"
    "  misc:\n    - C: [%s]\n```\n\n"
    "%s"
    "## Where the memory goes\n\n"
    "`static %s model;` goes where the linker's script or scatter file puts "
    "`.bss`. For a place of its own:\n\n"
    "```c\nstatic %s model __attribute__((section(\".bss.%s\")));\n```\n\n"
    "and in the script, of GNU's linker and of Arm's:\n\n"
    "```\n.model (NOLOAD) : ALIGN(64) { *(.bss.%s) } > DTCM\n\n"
    "RW_MODEL 0x20000000 UNINIT 0x10000 { *(.bss.%s) }\n```\n\n"
    "Constants go to `.rodata`, or where "
    "`-D%s_CONST='__attribute__((section(\".weights\")))'` says.\n\n";
static const char example_text[] =
    "`" CASE
    "` is a solution that runs recorded inputs and prints by semihosting:\n\n"
    "```sh\ncbuild " CASE "/" TENON_PACKAGE_CASE
    ".csolution.yml --packs --update-rte\n```\n\n"
    "Its device, `ARMCM55`, is a model; put yours into "
    "`target-types`.\n\n";

// '&' may stand in a URL and not in a text of XML.
static const char *xml(tenon_packaging *p, const char *text_of) {
  const char *amp = strchr(text_of, '&');
  if (!amp) return text_of;
  const char *rest = xml(p, amp + 1);
  return rest ? p->api->format(p, "%.*s&amp;%s", (int)(amp - text_of), text_of,
                               rest)
              : NULL;
}

static tenon_status cmsis_add_texts(tenon_packaging *p,
                                    const tenon_parts *parts) {
  const char *n = parts->prefix, *version = TENON_PACKAGE_ABOUT(p, VERSION);
  const char *url = xml(p, TENON_PACKAGE_ABOUT(p, URL));
  const char *path = p->api->format(p, "Tenon.%s.pdsc", n);
  if (!url) return p->api->add(p, NULL, NULL);  // no memory
  TENON_PACKAGE_ADD(p, path, text, n, n, url, version, n, version,
                    parts->cflags, n, n);
  TENON_PACKAGE_ADD(p, "LICENSE.txt", license_text, n, version,
                    TENON_PACKAGE_ABOUT(p, AUTHOR),
                    TENON_PACKAGE_ABOUT(p, LICENSE));
  if (!parts->has_test) return TENON_OK;
  TENON_PACKAGE_ADD(p, CASE "/" TENON_PACKAGE_CASE ".csolution.yml",
                    solution_text, n);
  TENON_PACKAGE_ADD(p, CASE "/" TENON_PACKAGE_CASE ".cproject.yml",
                    project_text, n, n, parts->cflags);
  return TENON_OK;
}

static tenon_status cmsis_lay_out(tenon_packaging *p) {
  tenon_parts parts = {
      .include = "include", .source = "src", .test = CASE, .manual = ""};
  TENON_PACKAGE_TRY(tenon_parts_place(p, &parts));
  const char *n = parts.prefix;
  if (strlen(n) > 32)  // CsubType of PACK.xsd
    return p->api->fail(p,
                        "a component of a pack is called by 32 characters at "
                        "most: give another --prefix than '%s'",
                        n);
  TENON_PACKAGE_TRY(cmsis_add_texts(p, &parts));
  TENON_PACKAGE_BUILDING(p, building_text, n, TENON_PACKAGE_ABOUT(p, VERSION),
                         n, n, parts.cflags, parts.has_test ? example_text : "",
                         n, n, n, n, n, parts.upper);
  return TENON_OK;
}

const tenon_package_desc tenon_package_cmsis = {
    .struct_size = sizeof tenon_package_cmsis,
    .name = "cmsis-pack",
    .doc =
        "The contents of a CMSIS-Pack, with its .pdsc; with --self-test a "
        "solution that runs the case.",
    .lay_out = cmsis_lay_out,
};
