// api/selecting.h - a selection while it is made: pairs of operator and kernel,
// and targets.
//
//   select.c        from options: operators, programs, manifests
//   select_read.c   from one manifest
//   select_pick.c   what both pick by name; errors with the nearest
//   select_write.c  the C source, the manifest, lists
//
// Everything points into the context or lies in the arena.
#ifndef TENON_API_SELECTING_H
#define TENON_API_SELECTING_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "bind/target.h"
#include "conf/yaml.h"
#include "program/program.h"
#include "tenon/selection.h"

// What all files are called, and the function that they are about.
#define TENON_SELECTED "tenon_selected"

typedef struct tenon_chosen {
  const tenon_op *op;
  const tenon_kernel *kernel;
} tenon_chosen;

typedef struct tenon_selection {
  tenon_context *cx;
  tenon_arena arena;
  tenon_target target;
  uint64_t dtypes;                             // a bit each; 0: any
  TENON_VEC(tenon_chosen) list;                // in the end sorted, each once
  TENON_VEC(const tenon_extension *) targets;  // those of plugins; the same
  tenon_status status;  // of the first failure; all are reported
} tenon_selection;

// Keeps the first failure; true when there was none.
bool tenon_select_keep(tenon_selection *s, tenon_status status);
// TENON_BAD_PLUGIN; `at`, where in a manifest, and `note` may be null.
void tenon_select_fail(tenon_selection *s, const tenon_yaml *at, const char *id,
                       const char *note, const char *fmt, ...)
    TENON_PRINTF(5, 6);
// Null after reporting: nobody has it.
const tenon_op *tenon_select_op(tenon_selection *s, const char *name,
                                const tenon_yaml *at);
void tenon_select_target(tenon_selection *s, const char *name,
                         const tenon_yaml *at);
void tenon_select_add(tenon_selection *s, const tenon_op *op,
                      const tenon_kernel *kernel);
// All kernels that fit; a failure when there is none.
void tenon_select_all(tenon_selection *s, const tenon_op *op,
                      const tenon_yaml *at);
void tenon_select_read(tenon_selection *s, const tenon_manifest *m);

void tenon_select_source(const tenon_selection *s, tenon_buf *out);
void tenon_select_header(const tenon_selection *s, tenon_buf *out);
void tenon_select_manifest(const tenon_selection *s, tenon_buf *out);
void tenon_select_text(const tenon_selection *s, tenon_buf *out);
void tenon_select_json(const tenon_selection *s, tenon_buf *out);

#endif  // TENON_API_SELECTING_H
