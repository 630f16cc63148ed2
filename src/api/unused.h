// api/unused.h - what was registered and not used, and what there is instead.
//
// Of plugins only. A lowering that replaced nothing is the usual sign that the
// file has another operator than its author thought.
#ifndef TENON_API_UNUSED_H
#define TENON_API_UNUSED_H

#include "base/buf.h"
#include "base/map.h"
#include "bind/findings.h"

typedef struct tenon_unused {
  const tenon_context *cx;
  const tenon_map *used;  // names of operators and kernels
  const tenon_findings *findings;
  const char *const *ops;  // of the file, each once
  size_t n_ops;
  bool is_json;  // elements of a list; else lines under a heading
} tenon_unused;

// Memory that ran out is latched in `out`.
void tenon_unused_print(const tenon_unused *u, tenon_buf *out);

#endif  // TENON_API_UNUSED_H
