// emit/beside/layout.h - where emitted files go: between a packager and the
// writer.
//
// The emitter lists its files, the packager is asked once, and then every place
// is known and every text that it added is there: nothing is written before.
#ifndef TENON_EMIT_LAYOUT_H
#define TENON_EMIT_LAYOUT_H

#include "emit/emission.h"
#include "tenon/ext/package.h"

#define TENON_LAYOUT_FILES 8

// A file of the packager's own.
typedef struct tenon_layout_text {
  struct tenon_layout_text *next;
  const char *path, *text;
} tenon_layout_text;

typedef struct tenon_layout {
  tenon_packaging base;  // first: what the packager gets points here
  tenon_emission *e;
  tenon_package_file files[TENON_LAYOUT_FILES];
  const char *places[TENON_LAYOUT_FILES];  // null: left out
  size_t n_files;
  tenon_layout_text *first, **last;
  const char *cflags;
  const char *about[5];  // of TENON_PACKAGE_LICENSE to TENON_PACKAGE_VERSION
  bool is_made_up[5];    // and was asked for
} tenon_layout;

// Finds the packager that the options name, before anything is made.
tenon_status tenon_layout_choose(tenon_emission *e);

// All memory is the emission's.
void tenon_layout_open(tenon_layout *l, tenon_emission *e);
void tenon_layout_list(tenon_layout *l, const char *name, uint32_t role);
// What the options say of the package, checked; in about.c.
tenon_status tenon_layout_read_about(tenon_layout *l);
// One of them, made up where nobody says it, and a warning of those.
const char *tenon_layout_about(tenon_layout *l, uint32_t what);
void tenon_layout_warn(const tenon_layout *l);
// Runs the packager and checks the paths that it gave.
tenon_status tenon_layout_ask(tenon_layout *l);
// The texts that it added.
tenon_status tenon_layout_write(const tenon_layout *l, tenon_write_fn *write,
                                void *self);

#endif  // TENON_EMIT_LAYOUT_H
