// How: a schema is found by its place and its meaning by name. The search among
// meanings is linear, since it is done once per operator that a model has.
#include "ops/aten/aten_set.h"

#include <string.h>

static const tenon_meaning_row *meaning_of(const tenon_schema_set *s,
                                           const char *name) {
  for (size_t i = 0; i < s->n_meanings; ++i) {
    if (strcmp(s->meanings[i].name, name) == 0) return &s->meanings[i];
  }
  return NULL;
}

static bool is_strided(const char *name) {
  static const char *const names[] = {"aten::as_strided",
                                      "aten::as_strided_copy",
                                      "aten::as_strided_scatter", NULL};
  for (int i = 0; names[i]; ++i)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

const char *tenon_schema_set_name(const void *user, size_t i) {
  return ((const tenon_schema_set *)user)->schemas[i].name;
}

void tenon_schema_set_describe(const void *user, size_t i, tenon_op_desc *out) {
  const tenon_schema_set *s = (const tenon_schema_set *)user;
  const tenon_schema_row *row = &s->schemas[i];
  const tenon_meaning_row *m = meaning_of(s, row->name);
  bool is_pure = !row->is_random && !strchr(row->schema, '!');
  out->flags = (is_pure ? (uint32_t)TENON_OP_PURE : 0u) |
               (row->is_random && !strchr(row->schema, '!')
                    ? (uint32_t)TENON_OP_DROPPABLE
                    : 0u) |
               (is_strided(row->name) ? (uint32_t)TENON_OP_STRIDED : 0u) |
               (m ? 0u : (uint32_t)TENON_OP_DECLARED);
  out->schema = row->schema;
  if (!m) return;
  out->doc = m->doc;
  out->lower = m->lower;
  out->user = m->user;
}
