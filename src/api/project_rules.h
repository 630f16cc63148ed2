// api/project_rules.h - what project_rules.c and project_places.c share.
#ifndef TENON_API_PROJECT_RULES_H
#define TENON_API_PROJECT_RULES_H

#include "api/project.h"
#include "base/buf.h"
#include "ir/graph.h"

typedef struct tenon_project_placing {
  tenon_module *m;
  tenon_allocator allocator;
} tenon_project_placing;

// Where a rule puts "result", "constant" or "scratch"; null: it does not say.
const tenon_yaml *tenon_project_place_of(const tenon_project_rule *r,
                                         const char *key);
// Adds what the rules for these three, or null, mean for an operator.
tenon_status tenon_project_place(const tenon_project_placing *a,
                                 const tenon_node *n,
                                 const tenon_project_rule *const best[3]);

#endif  // TENON_API_PROJECT_RULES_H
