// api/explain_groups.h - which steps a session will compute piece by piece.
#ifndef TENON_API_EXPLAIN_GROUPS_H
#define TENON_API_EXPLAIN_GROUPS_H

#include "base/buf.h"
#include "ir/graph.h"

// Compiles the module, whose operators are all covered, to find out. As text:
// alike groups in a row, under a heading; else elements of a list, in the order
// of the plan. Nothing where there are none, where steps are for another
// machine, or where no plan can be made, which is for who compiles to report.
tenon_status tenon_explain_groups(tenon_module *m, uint32_t flags,
                                  tenon_buf *out, bool is_json);

#endif  // TENON_API_EXPLAIN_GROUPS_H
