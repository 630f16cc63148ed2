// How: an out variant takes what a functional overload of its name takes and
// then, by keyword alone, a tensor for each of its results, or a list of them.
// Which overload that is their schemas say as texts; each result becomes what
// the tensor holds afterwards, whose type is the one that the call states.
#include <string.h>

#include "ops/aten/aten_op.h"
#include "ops/aten/aten_set.h"

#define MOST_TENSORS 64  // operands of a call, and results

// Where the arguments of a schema end that are no outs: before ", *, Tensor(a!)
// out" and ", Tensor(a!) out". Null: it takes none by keyword.
static const char *end_of_arguments(const char *open) {
  const char *star = strstr(open, "*, "), *out = strstr(open, "Tensor(a!)");
  if (!star || !out || out < star) return NULL;
  bool is_first = star + 3 == out;
  const char *end = is_first ? star : out;
  return end - open > 3 ? end - 2 : end;
}

static int count(const char *from, const char *to, const char *what) {
  int n = 0;
  for (const char *at = strstr(from, what); at && at < to;
       at = strstr(at + 1, what))
    ++n;
  return n;
}

static int count_results(const char *schema) {
  const char *arrow = strstr(schema, "->");
  return count(arrow, schema + strlen(schema), "Tensor");
}

// A list of results, however long.
static bool is_list(const char *schema) {
  return strstr(strstr(schema, "->"), "Tensor[]") != NULL;
}

static bool has_base(const char *name, const char *base, size_t size) {
  return strncmp(name, base, size) == 0 &&
         (name[size] == 0 || name[size] == '.');
}

const tenon_schema_row *tenon_aten_out_of(const tenon_schema_set *s,
                                          const tenon_schema_row *row) {
  const char *open = strchr(row->schema, '('), *arrow = strstr(open, "->");
  const char *end = end_of_arguments(open);
  size_t base = strcspn(row->name, ".");
  if (!end || end > arrow) return NULL;
  int n_outs = count(open, arrow, "!) "), n_lists = count(open, arrow, "!)[]");
  size_t size = (size_t)(end - open);
  for (size_t i = 0; i < s->n_schemas; ++i) {
    const tenon_schema_row *other = &s->schemas[i];
    const char *from = strchr(other->schema, '('), *to = from + size;
    if (!has_base(other->name, row->name, base) || strchr(other->schema, '!') ||
        strncmp(from, open, size) != 0 || strncmp(to, ") -> ", 5) != 0)
      continue;
    int n_results = count_results(other->schema);
    if (!strstr(to, "Tensor(") &&
        (is_list(other->schema) ? n_lists == 1 && n_results == 1
                                : n_lists == 0 && n_results == n_outs))
      return other;
  }
  return NULL;
}

tenon_status tenon_aten_out_lower(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_schema_row *row = (const tenon_schema_row *)rw->api->user(rw);
  const char *arrow = strstr(row->schema, "->");
  int n_groups = count(strchr(row->schema, '('), arrow, "Tensor");
  int n_outs = count_results(row->schema), first_out = 0;
  tenon_value *in[MOST_TENSORS], *out[MOST_TENSORS];
  const tenon_type *types[MOST_TENSORS];
  uint16_t groups[MOST_TENSORS + 1] = {0};
  uint32_t n_in = 0;
  for (int i = 0; i < n_groups; ++i) {
    int first = 0, size = rw->api->group(rw, n, i, &first);
    if (n_groups > MOST_TENSORS || (int)n_in + size > MOST_TENSORS)
      return tenon_rw_fail(rw, "more than %d operands", MOST_TENSORS);
    for (int k = 0; k < size; ++k)
      in[n_in++] = rw->api->operand(rw, n, first + k);
    groups[i + 1] = (uint16_t)n_in;
  }
  if (is_list(row->schema))
    n_outs = rw->api->group(rw, n, n_groups, &first_out);
  if (n_outs > MOST_TENSORS)
    return tenon_rw_fail(rw, "more than %d results", MOST_TENSORS);
  for (int i = 0; i < n_outs; ++i)
    types[i] = rw->api->result(rw, n, i);
  tenon_build b = {.struct_size = sizeof b,
                   .types = types,
                   .n_in = n_in,
                   .n_out = (uint32_t)n_outs,
                   .op = row->name,
                   .args = rw->api->args(rw, n),
                   .in = in,
                   .in_group = groups,
                   .out = out};
  (void)rw->api->build(rw, &b);
  return rw->api->replace(rw, n, out, n_outs);
}
