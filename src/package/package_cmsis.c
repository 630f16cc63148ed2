// package_cmsis.c - the contents of a CMSIS-Pack; zipped, it is one.
//
// Format: Open-CMSIS-Pack, "Pack Description (*.pdsc) Format", schema 1.7
// (valid against PACK.xsd 1.7.60): a package with vendor, name, description,
// url, license, releases and one component with its files. The file is called
// Vendor.name.pdsc.
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
    "  <url></url>\n"
    "  <license>README.md</license>\n"
    "  <releases>\n"
    "    <release version=\"" TENON_PACKAGE_VERSION
    "\">First release</release>\n"
    "  </releases>\n"
    "  <components>\n"
    "    <component Cclass=\"Machine Learning\" Cgroup=\"Model\" Csub=\"%s\" "
    "Cversion=\"" TENON_PACKAGE_VERSION
    "\">\n"
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

static tenon_status lay_out(tenon_packaging *p) {
  tenon_parts parts = {
      .include = "include", .source = "src", .test = "test", .manual = ""};
  TENON_PACKAGE_TRY(tenon_parts_place(p, &parts));
  const char *n = parts.prefix;
  if (strlen(n) > 32)  // CsubType of PACK.xsd
    return p->api->fail(p,
                        "a component of a pack is called by 32 characters at "
                        "most: give another --prefix than '%s'",
                        n);
  const char *path = p->api->format(p, "Tenon.%s.pdsc", n);
  TENON_PACKAGE_ADD(p, path, text, n, n, n, parts.cflags, n, n);
  return TENON_OK;
}

const tenon_package_desc tenon_package_cmsis = {
    .struct_size = sizeof tenon_package_cmsis,
    .name = "cmsis-pack",
    .doc = "The contents of a CMSIS-Pack, with its .pdsc.",
    .lay_out = lay_out,
};
