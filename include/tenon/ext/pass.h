// tenon/ext/pass.h - whole-module transforms, added and ordered by name.
//
// A rewrite of single operators is a lowering with that `pass` (ext/lower.h);
// this is for what needs to see more. A transform gets an opaque module and a
// table of methods; which methods there are grows with what transforms need.
#ifndef TENON_EXT_PASS_H
#define TENON_EXT_PASS_H

#include "tenon/ext/lower.h"

typedef struct tenon_pass_context tenon_pass_context;
typedef struct tenon_pass_api {
  uint32_t struct_size;
  uint32_t reserved;
  // Visits every node of every function and region, in order, through a
  // rewriter: the callback may replace the node, as a lowering does, or return
  // TENON_OK and leave it. It is given nodes of all operators, so it asks
  // `op`, and for attributes `arg`; `user` is that of the pass. A failure ends
  // it and is returned.
  tenon_status (*each)(tenon_pass_context *, tenon_lower_fn *rewrite);
  // What was given, else the default, as text of at most 255 bytes; null: the
  // pass has no such option. Lives until the next call of `option`.
  const char *(*option)(const tenon_pass_context *, const char *key);
  // Returns the status that `run` returns: TENON_UNSUPPORTED.
  tenon_status (*fail)(tenon_pass_context *, const char *fmt, ...)
      TENON_PRINTF(2, 3);
} tenon_pass_api;
struct tenon_pass_context {
  const tenon_pass_api *api;
};

enum {
  TENON_PASS_OPTIONAL = 1u << 0,   // `--no-pass '*'` leaves it out
  TENON_PASS_OVERRIDES = 1u << 1,  // instead of another one of its name
  // In the default pipeline only where its options are given, or a rule
  // switches it on.
  TENON_PASS_ASKED = 1u << 2
};

typedef struct tenon_pass_desc {
  uint32_t struct_size;
  uint32_t flags;       // TENON_PASS_*
  const char *name;     // "dce"
  const char *doc;      // first line is a summary
  const char *after;    // runs behind this pass of the default pipeline, or
                        // behind "read"; null: only when named. `tenon ops
                        // --kind passes` lists them
  const char *options;  // "key=default key2=default", or null: none
  // Null: applies the lowerings that name this pass, until none does.
  tenon_status (*run)(tenon_pass_context *);
  const void *user;
} tenon_pass_desc;

TENON_NO_TAIL_PADDING(tenon_pass_desc, user);

#endif  // TENON_EXT_PASS_H
