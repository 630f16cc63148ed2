// api/project.h - a project file, read.
#ifndef TENON_API_PROJECT_H
#define TENON_API_PROJECT_H

#include "base/arena.h"
#include "base/vec.h"
#include "conf/yaml.h"
#include "core/report.h"
#include "tenon/project.h"

// An attribute that a rule sets.
typedef struct tenon_project_attr {
  const char *name;
  const tenon_yaml *value;
} tenon_project_attr;

typedef struct tenon_project_rule {
  const tenon_yaml *at;
  const char *type;  // glob; null: any
  const char *id;    // number or glob of a place; null: any
  const char *name;  // glob of a result; null: any
  char relation;     // of the size: '<', 'l' (<=), '>', 'g', '='; 0: any
  int64_t size;
  const tenon_yaml *set;    // a map; or null
  const tenon_yaml *place;  // a map, or a memory for results; or null
  int rank;                 // none 0, type 1, id 2, both 3
} tenon_project_rule;

struct tenon_project {
  tenon_allocator allocator;
  tenon_report report;
  tenon_arena arena;
  TENON_VEC(tenon_project_setting) settings;
  TENON_VEC(tenon_project_rule) rules;
  tenon_status status;  // of the first fault
};

// Keys of the sections that are the library's own; project_schema.c describes
// them from the same lists.
extern const char *const tenon_project_rule_keys[];  // ends with null
extern const char *const tenon_project_pass_keys[];
extern const char *const tenon_project_place_keys[];
// Checks what stands under `place`.
tenon_status tenon_project_read_place(const tenon_yaml *v);

#endif  // TENON_API_PROJECT_H
