// ops/aten/aten_set.h - a catalog from two tables: schemas, and what some of
// them mean.
#ifndef TENON_OPS_ATEN_ATEN_SET_H
#define TENON_OPS_ATEN_ATEN_SET_H

#include "tenon/ext/plugin.h"

typedef struct tenon_schema_row {
  const char *name, *schema;
  const char *functional;  // what this is the form in place of, or null
  bool is_random;          // another result each time
} tenon_schema_row;

typedef struct tenon_meaning_row {
  const char *names;  // words: of operators that mean the same, without the set
  tenon_lower_fn *lower;
  const char *user;  // handed to `lower`: mostly the core operator it builds
  const char *doc;
  bool is_complex;  // `lower` knows complex numbers
} tenon_meaning_row;

typedef struct tenon_schema_set {
  const tenon_schema_row *schemas;  // ascending by name
  const tenon_meaning_row *meanings;
  size_t n_schemas, n_meanings;
} tenon_schema_set;

// The functional operator of which `row` is the out variant; null: of none. In
// aten_out.c, with the lowering to it, whose `user` it is.
const tenon_schema_row *tenon_aten_out_of(const tenon_schema_set *s,
                                          const tenon_schema_row *row);
tenon_status tenon_aten_out_lower(tenon_rewriter *rw, const tenon_node *n);

// `name` and `describe` of a tenon_catalog_desc whose `user` is a
// tenon_schema_set. What has no meaning is TENON_OP_DECLARED; a form in place
// has that of its functional operator.
const char *tenon_schema_set_name(const void *user, size_t i);
void tenon_schema_set_describe(const void *user, size_t i, tenon_op_desc *out);

#endif  // TENON_OPS_ATEN_ATEN_SET_H
