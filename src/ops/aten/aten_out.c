// How: an out variant takes what a functional overload of its name takes and
// then, by keyword alone, a tensor for each of its results, or a list of them.
// Which overload that is their schemas say as texts; each result becomes what
// the tensor holds afterwards, whose type is the one that the call states.
#include <string.h>

#include "ops/aten/aten_op.h"
#include "ops/aten/aten_set.h"

#define MOST_ARGS 16     // attributes of a call
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

static int aten_out_count(const char *from, const char *to, const char *what) {
  int n = 0;
  for (const char *at = strstr(from, what); at && at < to;
       at = strstr(at + 1, what))
    ++n;
  return n;
}

static int aten_out_count_results(const char *schema) {
  const char *arrow = strstr(schema, "->");
  return aten_out_count(arrow, schema + strlen(schema), "Tensor");
}

// A list of results, however long.
static bool aten_out_is_list(const char *schema) {
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
  int n_outs = aten_out_count(open, arrow, "!) "),
      n_lists = aten_out_count(open, arrow, "!)[]");
  size_t size = (size_t)(end - open);
  for (size_t i = 0; i < s->n_schemas; ++i) {
    const tenon_schema_row *other = &s->schemas[i];
    const char *from = strchr(other->schema, '('), *to = from + size;
    if (!has_base(other->name, row->name, base) || strchr(other->schema, '!') ||
        strncmp(from, open, size) != 0 || strncmp(to, ") -> ", 5) != 0)
      continue;
    int n_results = aten_out_count_results(other->schema);
    if (!strstr(to, "Tensor(") &&
        (aten_out_is_list(other->schema) ? n_lists == 1 && n_results == 1
                                         : n_lists == 0 && n_results == n_outs))
      return other;
  }
  return NULL;
}

// Where a `dtype` is not given, PyTorch computes in the type of the tensor that
// is written. False: the operator has no such argument.
static bool take_dtype(tenon_rewriter *rw, const tenon_node *n,
                       const tenon_type *written, tenon_arg *out) {
  const tenon_arg *given = rw->api->args(rw, n);
  bool is_taken = false;
  int count = 0;
  for (; given && given->name && count < MOST_ARGS; ++given) {
    tenon_arg *a = &out[count++];
    *a = *given;
    if (a->kind != 0 || strcmp(a->name, "dtype") != 0) continue;
    a->kind = TENON_KIND_DTYPE;
    a->as.i = written->dtype;
    is_taken = true;
  }
  out[count] = (tenon_arg)TENON_END_ARGS;
  return is_taken && !given->name;
}

// Those whose results are not the ones of their own type, brought into another.
static bool computes_in_written(const char *name) {
  static const char *const bases[] = {"aten::var", "aten::std",
                                      "aten::logsumexp", "aten::logcumsumexp"};
  for (size_t i = 0; i < sizeof bases / sizeof *bases; ++i)
    if (has_base(name, bases[i], strlen(bases[i]))) return true;
  return false;
}

// The result in the type of the tensor that is written.
static tenon_value *bring(tenon_rewriter *rw, tenon_value *y,
                          const tenon_type *written) {
  tenon_arg args[] = {{"dtype", TENON_KIND_DTYPE, {0}}, TENON_END_ARGS};
  args[0].as.i = written->dtype;
  return tenon_rw_op(rw, "core::cast", &y, 1, args);
}

// One result of a type of its own: what is written may be of another.
static tenon_status build_one(tenon_rewriter *rw, tenon_build *b,
                              const tenon_type *written) {
  b->types = NULL;
  tenon_value *y = rw->api->build(rw, b);
  const tenon_type *t = tenon_rw_type(rw, y);
  if (!t || t->dtype == 0 || t->dtype == written->dtype) return TENON_OK;
  if (computes_in_written(b->op))
    return tenon_rw_fail(rw,
                         "'%s' computes in the type of the tensor that it "
                         "writes, which is not its own here",
                         b->op);
  b->out[0] = bring(rw, y, written);
  return TENON_OK;
}

TENON_ATEN_LOWER(out) {
  const tenon_schema_row *row = (const tenon_schema_row *)rw->api->user(rw);
  const char *arrow = strstr(row->schema, "->");
  int n_groups = aten_out_count(strchr(row->schema, '('), arrow, "Tensor");
  int n_outs = aten_out_count_results(row->schema), first_out = 0;
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
  if (aten_out_is_list(row->schema))
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
  tenon_arg args[MOST_ARGS + 1];
  bool is_cat = has_base(row->name, "aten::cat", 9);
  if (n_outs == 1 && types[0] && take_dtype(rw, n, types[0], args)) {
    b.args = args;
    (void)rw->api->build(rw, &b);
  } else if (n_outs == 1 && types[0] &&
             (is_cat || computes_in_written(row->name))) {
    TENON_TRY(build_one(rw, &b, types[0]));
  } else {
    (void)rw->api->build(rw, &b);
  }
  return rw->api->replace(rw, n, out, n_outs);
}
