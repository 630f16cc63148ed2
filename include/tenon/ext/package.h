// tenon/ext/package.h - a layout of emitted files: where each one goes, and
// what a build system wants beside them.
//
// A packager never sees a program: it is told the names and roles of the files
// that will be written, says under which path each goes, and adds texts of its
// own (a build file, a manifest). It runs before anything is written, so one
// that fails leaves nothing. Paths are relative, with '/', without "." and
// ".."; two files of one path are refused.
#ifndef TENON_EXT_PACKAGE_H
#define TENON_EXT_PACKAGE_H

#include "tenon/base.h"

enum {
  TENON_PACKAGE_HEADER = 1,  // <prefix>.h
  TENON_PACKAGE_SOURCE,      // <prefix>.c
  TENON_PACKAGE_TEST,        // <prefix>_test.c: a main that runs recordings
  TENON_PACKAGE_DRIVER,      // <prefix>_driver.c: a main that reads and writes
  TENON_PACKAGE_FLAGS,       // <prefix>_driver.flags
  TENON_PACKAGE_MANUAL,      // README.md
  TENON_PACKAGE_CONSTANTS    // <prefix>_constants.bin: bytes, beside the source
};

typedef struct tenon_package_file {
  const char *name;  // as it is called without a packager
  uint32_t role;     // TENON_PACKAGE_*
  uint32_t reserved;
} tenon_package_file;

// What the user says of the package.
enum {
  TENON_PACKAGE_LICENSE = 1,  // of SPDX: "Apache-2.0"
  TENON_PACKAGE_URL,          // "https://example.com/kws"
  TENON_PACKAGE_AUTHOR,       // "A. Name <a@example.com>"
  TENON_PACKAGE_VERSION       // "1.0.2"
};

typedef struct tenon_packaging tenon_packaging;
// Texts that are returned live as long as the packaging.
typedef struct tenon_packaging_api {
  uint32_t struct_size;
  uint32_t reserved;
  // Of every external symbol, and of the files: a C identifier.
  const char *(*prefix)(const tenon_packaging *);
  // What a compiler must be told: "-std=c99 -ffp-contract=off -mavx2".
  const char *(*cflags)(const tenon_packaging *);
  // The i-th file, in the order in which they are written; null behind the
  // last.
  const tenon_package_file *(*file)(const tenon_packaging *, size_t i);
  // Where the i-th file goes. Until then, under its name at the top; null: it
  // is left out.
  tenon_status (*place)(tenon_packaging *, size_t i, const char *path);
  // One more file. Path and text are copied; null stands for what `format`
  // could not make, and is reported as such.
  tenon_status (*add)(tenon_packaging *, const char *path, const char *text);
  // Null when memory ran out.
  const char *(*format)(tenon_packaging *, const char *fmt, ...)TENON_PRINTF(2,
                                                                             3);
  tenon_status (*fail)(tenon_packaging *, const char *fmt, ...)
      TENON_PRINTF(2, 3);
  const void *(*user)(const tenon_packaging *);
  // One of TENON_PACKAGE_LICENSE and so on, never empty: what nobody has said
  // is made up, and the user is warned of it. No control characters, quotes or
  // backslashes; no '<' and '>' but in an author.
  const char *(*about)(tenon_packaging *, uint32_t what);
  // Markdown that stands in README.md for how the package is built and where
  // its memory goes, in place of the calls of a compiler. Copied; null as in
  // `add`.
  tenon_status (*building)(tenon_packaging *, const char *text);
} tenon_packaging_api;
struct tenon_packaging {
  const tenon_packaging_api *api;
};

enum {
  // The header stands in the .c file, and there is no README.
  TENON_PACKAGE_SINGLE = 1u << 0,
  TENON_PACKAGE_OVERRIDES = 1u << 1  // instead of another one of its name
};

typedef struct tenon_package_desc {
  uint32_t struct_size;
  uint32_t flags;    // TENON_PACKAGE_SINGLE, TENON_PACKAGE_OVERRIDES
  const char *name;  // "cmake"
  const char *doc;   // first line is a summary
  // Pure, called once per emission; a failure that `fail` or another method
  // returned is returned. Null: every file at the top.
  tenon_status (*lay_out)(tenon_packaging *);
  const void *user;
} tenon_package_desc;

TENON_NO_TAIL_PADDING(tenon_package_desc, user);

#endif  // TENON_EXT_PACKAGE_H
