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

// What a layout has to know of the files.
typedef struct tenon_parts {
  const char *prefix, *upper;  // "kws", "KWS"
  const char *cflags;
  // Folders, "" for the top; null leaves such files out. A driver and its flags
  // are never asked for together with a layout of a build system, and stay
  // where they are. Constants in a file of their own lie beside the source.
  const char *include, *source, *test, *manual;
  const char *test_name;  // null: as it is called without a layout
  bool has_test;
} tenon_parts;

// Fills in all but the folders and places every file.
tenon_status tenon_parts_place(tenon_packaging *p, tenon_parts *parts);

// What the user says of the package, or may not have said; within the quotes of
// JSON and YAML it needs no escape (tenon_emit_options.about).
#define TENON_PACKAGE_ABOUT(p, what) \
  ((p)->api->about((p), TENON_PACKAGE_##what))

#define TENON_PACKAGE_ADD(p, path, ...) \
  TENON_PACKAGE_TRY(                    \
      (p)->api->add((p), (path), (p)->api->format((p), __VA_ARGS__)))
// What README.md says of building and of memory.
#define TENON_PACKAGE_BUILDING(p, ...) \
  TENON_PACKAGE_TRY((p)->api->building((p), (p)->api->format((p), __VA_ARGS__)))
#define TENON_PACKAGE_TRY(call)                              \
  do {                                                       \
    tenon_status package_status_ = (call);                   \
    if (package_status_ != TENON_OK) return package_status_; \
  } while (0)

// The folder of the application that runs the recorded case.
#define TENON_PACKAGE_CASE "recorded_case"

#endif  // TENON_PACKAGE_PACKAGE_H
