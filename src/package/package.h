// package/package.h - the layouts of emitted files that come with the library:
// one ordinary plugin, against include/tenon/ alone, a file for each layout.
#ifndef TENON_PACKAGE_PACKAGE_H
#define TENON_PACKAGE_PACKAGE_H

#include "tenon/ext/package.h"
#include "tenon/ext/plugin.h"

extern const tenon_plugin tenon_packages_plugin;

#define PACKAGE(name) extern const tenon_package_desc tenon_package_##name;
#include "package/packages.def"
#undef PACKAGE

// What texts say of the files.
typedef struct tenon_parts {
  const char *prefix, *upper;  // "kws", "KWS"
  const char *cflags;
  bool has_test;
} tenon_parts;

// A layout as data, `user` of its descriptor. In paths and texts %p is the
// prefix and %P the same in capitals, %f what a compiler must be told; %v, %l,
// %u, %a are version, licence, URL and author as the user says them, or may not
// have said them (within the quotes of JSON and YAML they need no escape,
// tenon_emit_options.about), %U a URL as text of XML; %c is the folder of the
// application that runs the recorded case, and %% a percent sign. What stands
// between %( and %) is there with a recorded case alone, between %[ and %]
// without one.
typedef struct tenon_layout {
  // Folders, null: the top. A driver and its flags are never asked for together
  // with a layout of a build system, and stay where they are. Constants in a
  // file of their own lie beside the source.
  const char *include, *source, *test;
  const char *test_name;  // null: as it is called without a layout
  // Whether it can serve such files; null: all.
  tenon_status (*check)(tenon_packaging *p, const tenon_parts *parts);
  // Files beside them, up to a null path; one of an empty path is left out.
  struct {
    const char *path, *text;
  } texts[8];
  // What README.md says of building and of memory; null: as without a layout.
  const char *building;
} tenon_layout;

tenon_status tenon_package_lay_out(tenon_packaging *p);

// The descriptor of <ident>_layout.
#define TENON_PACKAGE_LAYOUT(ident, its_name, its_doc) \
  const tenon_package_desc tenon_package_##ident = {   \
      .struct_size = sizeof tenon_package_##ident,     \
      .name = its_name,                                \
      .doc = its_doc,                                  \
      .lay_out = tenon_package_lay_out,                \
      .user = &ident##_layout}

#endif  // TENON_PACKAGE_PACKAGE_H
