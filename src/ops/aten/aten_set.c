// How: a schema is found by its place and its meaning by name. The search among
// meanings is linear, since it is done once per operator that a model has.
#include "ops/aten/aten_set.h"

#include <string.h>

#include "ops/aten/complex/complex_op.h"

static bool meaning_has(const char *names, const char *name) {
  size_t size = strlen(name);
  for (size_t n; *names; names += n + (names[n] == ' ')) {
    n = strcspn(names, " ");
    if (n == size && memcmp(names, name, size) == 0) return true;
  }
  return false;
}

static const tenon_meaning_row *meaning_named(const tenon_schema_set *s,
                                              const char *name) {
  name = strstr(name, "::") + 2;
  for (size_t i = 0; i < s->n_meanings; ++i) {
    if (meaning_has(s->meanings[i].names, name)) return &s->meanings[i];
  }
  return NULL;
}

// A form in place is functional when it is lowered, so it means the same.
static const tenon_meaning_row *meaning_of(const tenon_schema_set *s,
                                           const tenon_schema_row *row) {
  const tenon_meaning_row *own = meaning_named(s, row->name);
  return own || !row->functional ? own : meaning_named(s, row->functional);
}

static bool is_strided(const char *name) {
  static const char *const names[] = {"aten::as_strided",
                                      "aten::as_strided_copy",
                                      "aten::as_strided_scatter", NULL};
  for (int i = 0; names[i]; ++i)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

// Where and how a tensor lies is the planner's, which of several ways a GPU
// takes nobody's, and gradients are not computed: values are all the same.
static tenon_status lower_row(tenon_rewriter *rw, const tenon_node *n) {
  const char *layout = tenon_aten_str(rw, n, "layout");
  if (layout && strcmp(layout, "strided") != 0)
    return tenon_rw_fail(rw, "layout '%s' is not supported", layout);
  tenon_aten_without_effect(
      rw, n,
      "device pin_memory memory_format non_blocking copy layout generator "
      "cudnn_enabled cudnn_enable benchmark deterministic allow_tf32 "
      "sparse_grad sparse scale_grad_by_freq implicit assume_unique");
  const tenon_type *x = tenon_rw_type(rw, tenon_aten_in(rw, n, 0));
  if (x && x->rank == 0)  // whose dimensions are none
    tenon_aten_without_effect(rw, n, "dim keepdim source destination");
  const tenon_meaning_row *m = (const tenon_meaning_row *)rw->api->user(rw);
  if (m->is_complex || !tenon_parts_concern(rw, n)) return m->lower(rw, n);
  // What computes the right real numbers may compute wrong complex ones.
  const tenon_parts_row *parts = tenon_parts_find(rw->api->op(rw, n));
  if (!parts) return tenon_rw_fail(rw, "complex numbers are not supported");
  return parts->lower ? parts->lower(rw, n) : m->lower(rw, n);
}

const char *tenon_schema_set_name(const void *user, size_t i) {
  return ((const tenon_schema_set *)user)->schemas[i].name;
}

// Served by the functional operator, where that one has a meaning.
static void describe_out(const tenon_schema_set *s, const tenon_schema_row *row,
                         tenon_op_desc *out) {
  const tenon_schema_row *functional = tenon_aten_out_of(s, row);
  const tenon_meaning_row *m = functional ? meaning_of(s, functional) : NULL;
  if (!m) return;
  out->flags &= ~(uint32_t)TENON_OP_DECLARED;
  out->doc = m->doc;
  out->lower = tenon_aten_out_lower;
  out->user = functional;
}

void tenon_schema_set_describe(const void *user, size_t i, tenon_op_desc *out) {
  const tenon_schema_set *s = (const tenon_schema_set *)user;
  const tenon_schema_row *row = &s->schemas[i];
  const tenon_meaning_row *m = meaning_of(s, row);
  bool is_pure = !row->is_random && !strchr(row->schema, '!');
  // A draw that nobody reads is missed by the next one.
  out->flags = (is_pure ? (uint32_t)TENON_OP_PURE : 0u) |
               (row->is_random && !m && !strchr(row->schema, '!')
                    ? (uint32_t)TENON_OP_DROPPABLE
                    : 0u) |
               (is_strided(row->name) ? (uint32_t)TENON_OP_STRIDED : 0u) |
               (m ? 0u : (uint32_t)TENON_OP_DECLARED);
  out->schema = row->schema;
  if (!m) {
    describe_out(s, row, out);
    return;
  }
  out->flags |= TENON_OP_ASKED;
  out->doc = m->doc;
  out->lower = lower_row;
  out->user = m;
}
