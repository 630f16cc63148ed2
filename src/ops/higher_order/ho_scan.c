// scan, map and associative_scan: a loop that counts down. What is stacked lies
// in a tensor that the loop carries and writes slice by slice, in place.
#include <string.h>

#include "ops/higher_order/ho_op.h"

// What one loop is made of.
typedef struct walk {
  const tenon_node *node;
  tenon_value *left, *at;     // turns to go; index of the slice; both s64[1]
  tenon_value *all[HO_MOST];  // xs, whole
  int n_all;
  tenon_dim length;  // may be open
} walk;

static bool ho_scan_is_empty(const walk *w) {
  return w->length.symbol == 0 && w->length.value == 0;
}

static tenon_dim ho_scan_less(tenon_rewriter *rw, tenon_dim d, int64_t n) {
  return rw->api->dim(rw, TENON_DIM_SUB, d, tenon_ho_dim(n));
}

// A number of turns, as what a loop counts: s64[1].
static tenon_value *ho_scan_count_of(tenon_rewriter *rw, tenon_dim d) {
  const tenon_dim one = tenon_ho_dim(1);
  tenon_arg args[] = {tenon_arg_dims("value", &d, 1),
                      {"dtype", TENON_KIND_DTYPE, {0}},
                      TENON_END_ARGS};
  args[1].as.i = TENON_S64;
  if (!d.symbol) return tenon_ho_int(rw, d.value);
  tenon_value *n = tenon_ho_make(rw, "core::number", NULL, 0, args, NULL);
  return tenon_ho_reshape(rw, n, &one, 1);
}

// Slice `at` of x along dimension 0, without that dimension.
static tenon_value *ho_scan_take(tenon_rewriter *rw, tenon_value *x,
                                 tenon_value *at) {
  static const int64_t axis[] = {0}, one[] = {1};
  tenon_value *in[] = {x, at};
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!t) return x;
  tenon_value *y = tenon_ho_make(rw, "core::dynamic_slice", in, 2,
                                 TENON_ARGS(tenon_arg_ints("axes", axis, 1),
                                            tenon_arg_ints("size", one, 1)),
                                 NULL);
  return tenon_ho_reshape(rw, y, t->dims + 1, t->rank - 1);
}

// x with slice `at` replaced.
static tenon_value *ho_scan_put(tenon_rewriter *rw, tenon_value *x,
                                tenon_value *slice, tenon_value *at) {
  static const int64_t axis[] = {0};
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dim dims[TENON_MAX_RANK];
  if (!t) return x;
  for (int i = 1; i < t->rank; ++i)
    dims[i] = t->dims[i];
  dims[0] = tenon_ho_dim(1);
  tenon_value *in[] = {x, tenon_ho_reshape(rw, slice, dims, t->rank), at};
  return tenon_ho_make(rw, "core::dynamic_update", in, 3,
                       TENON_ARGS(tenon_arg_ints("axes", axis, 1)), NULL);
}

// Elements that nobody reads before they are written.
static tenon_value *ho_scan_empty(tenon_rewriter *rw, const tenon_type *t) {
  tenon_arg args[] = {tenon_arg_dims("size", t->dims, t->rank),
                      {"dtype", TENON_KIND_DTYPE, {0}},
                      TENON_END_ARGS};
  args[1].as.i = t->dtype;
  return tenon_ho_make(rw, "core::empty", NULL, 0, args, t);
}

static tenon_status check_xs(tenon_rewriter *rw, walk *w, int arg) {
  tenon_ho_list xs = {.n = 0};
  TENON_TRY(tenon_ho_operands(rw, w->node, arg, &xs));
  if (xs.n == 0) return tenon_rw_fail(rw, "nothing to go through");
  w->n_all = xs.n;
  w->length = tenon_ho_dim(TENON_UNKNOWN);
  for (int i = 0; i < xs.n; ++i) {
    const tenon_type *t = tenon_rw_type(rw, xs.data[i]);
    w->all[i] = xs.data[i];
    if (!t) continue;  // `replace` reports it
    if (t->rank == 0) return tenon_rw_fail(rw, "x %d has no dimension", i);
    const tenon_dim d = t->dims[0];
    bool is_first = tenon_dim_is_none(w->length);
    bool are_equal = d.symbol == w->length.symbol &&
                     (d.symbol || d.value == w->length.value);
    if (!is_first && !are_equal && (d.symbol || w->length.symbol))
      return tenon_rw_fail(rw, "x %d has another length, which is open", i);
    if (!is_first && !are_equal)
      return tenon_rw_fail(rw, "x %d has %lld slices, those before have %lld",
                           i, (long long)d.value, (long long)w->length.value);
    w->length = d;
  }
  return TENON_OK;
}

// The condition: turns are left. `carried` are the types of what is carried.
static tenon_status begin_loop(tenon_rewriter *rw,
                               const tenon_type *const *carried, int n,
                               tenon_region **test) {
  tenon_value *args[HO_MOST];
  tenon_arg dtype[] = {{"dtype", TENON_KIND_DTYPE, {0}}, TENON_END_ARGS};
  dtype[0].as.i = TENON_BOOL;
  *test = rw->api->begin(rw, carried, n, args);
  tenon_value *go = tenon_ho_make(rw, "core::cast", args, 1, dtype, NULL);
  return rw->api->end(rw, *test, &go, 1);
}

// --- scan and map ------------------------------------------------------------

// Of the values that the body returns, the first `n_carry` are carried, the
// others stacked.
static tenon_status ho_scan_body(tenon_rewriter *rw, walk *w, int n_carry,
                                 int n, const tenon_ho_list *others,
                                 const tenon_type *const *carried,
                                 tenon_region **out) {
  tenon_value *params[HO_MOST], *results[HO_MOST];
  tenon_ho_list args = {.n = 0};
  *out = rw->api->begin(rw, carried, n + 1, params);
  w->left = params[0];
  w->at =
      tenon_rw_op2(rw, "core::sub", ho_scan_count_of(rw, w->length), w->left);
  for (int i = 0; i < n_carry; ++i)
    TENON_TRY(tenon_ho_add(rw, &args, params[i + 1]));
  for (int i = 0; i < w->n_all; ++i)
    TENON_TRY(tenon_ho_add(rw, &args, ho_scan_take(rw, w->all[i], w->at)));
  for (int i = 0; i < others->n; ++i)
    TENON_TRY(tenon_ho_add(rw, &args, others->data[i]));
  TENON_TRY(tenon_ho_call(rw, w->node, 0, args.data, args.n, results + 1, n));
  TENON_TRY(tenon_ho_check_given(rw, 0, results + 1, carried + 1, n_carry));
  for (int i = n_carry; i < n; ++i)
    results[i + 1] = ho_scan_put(rw, params[i + 1], results[i + 1], w->at);
  results[0] = tenon_rw_op2(rw, "core::sub", w->left, tenon_ho_int(rw, 1));
  return rw->api->end(rw, *out, results, n + 1);
}

// `init` are the operands that are carried; results behind these are stacked.
static tenon_status go_through(tenon_rewriter *rw, const tenon_node *node,
                               int init, int xs, int rest) {
  walk w = {.node = node};
  tenon_ho_list in = {.n = 0}, others = {.n = 0};
  const tenon_type *types[HO_MOST + 1];
  tenon_value *results[HO_MOST + 1];
  tenon_region *regions[2];
  int n = tenon_ho_results(rw, node, types + 1);
  if (n < 0 || n >= HO_MOST)
    return tenon_rw_fail(rw, "more than %d results", HO_MOST - 1);
  TENON_TRY(check_xs(rw, &w, xs));
  TENON_TRY(tenon_ho_operands(rw, node, rest, &others));
  TENON_TRY(tenon_ho_add(rw, &in, ho_scan_count_of(rw, w.length)));
  types[0] = tenon_rw_type(rw, in.data[0]);
  if (init >= 0) TENON_TRY(tenon_ho_operands(rw, node, init, &in));
  int n_carry = in.n - 1;
  if (n_carry > n)
    return tenon_rw_fail(rw, "%d values are carried, %d come out", n_carry, n);
  for (int i = n_carry; i < n; ++i)
    TENON_TRY(tenon_ho_add(rw, &in, ho_scan_empty(rw, types[i + 1])));
  if (ho_scan_is_empty(&w)) return rw->api->replace(rw, node, in.data + 1, n);
  TENON_TRY(begin_loop(rw, types, n + 1, &regions[0]));
  TENON_TRY(ho_scan_body(rw, &w, n_carry, n, &others, types, &regions[1]));
  tenon_ho_build(rw, "core::while", 0, &in, regions, types, n + 1, results);
  return rw->api->replace(rw, node, results + 1, n);
}

tenon_status tenon_ho_scan_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_arg *a = tenon_rw_attrs(rw, node);
  if (a[0].as.i != 0 || a[1].as.i != 0)
    return tenon_rw_fail(rw,
                         "a scan over another dimension than the first, or "
                         "from the end, is not supported");
  return go_through(rw, node, 0, 1, 2);
}

tenon_status tenon_ho_map_lower(tenon_rewriter *rw, const tenon_node *node) {
  return go_through(rw, node, -1, 0, 1);
}

// --- associative_scan
// ----------------------------------------------------------

// One slice after the other. What is combined so far is carried beside what is
// stacked, which begins as xs: its first slices are right already.
static tenon_status combine(tenon_rewriter *rw, walk *w,
                            const tenon_ho_list *others,
                            const tenon_type *const *carried,
                            tenon_region **out) {
  tenon_value *params[HO_MOST], *results[HO_MOST];
  tenon_ho_list args = {.n = 0};
  int n = w->n_all;
  *out = rw->api->begin(rw, carried, 2 * n + 1, params);
  w->left = params[0];
  w->at =
      tenon_rw_op2(rw, "core::sub", ho_scan_count_of(rw, w->length), w->left);
  for (int i = 0; i < n; ++i)
    TENON_TRY(tenon_ho_add(rw, &args, params[i + 1]));
  for (int i = 0; i < n; ++i)
    TENON_TRY(tenon_ho_add(rw, &args, ho_scan_take(rw, w->all[i], w->at)));
  for (int i = 0; i < others->n; ++i)
    TENON_TRY(tenon_ho_add(rw, &args, others->data[i]));
  TENON_TRY(tenon_ho_call(rw, w->node, 0, args.data, args.n, results + 1, n));
  TENON_TRY(tenon_ho_check_given(rw, 0, results + 1, carried + 1, n));
  for (int i = 0; i < n; ++i)
    results[n + i + 1] =
        ho_scan_put(rw, params[n + i + 1], results[i + 1], w->at);
  results[0] = tenon_rw_op2(rw, "core::sub", w->left, tenon_ho_int(rw, 1));
  return rw->api->end(rw, *out, results, 2 * n + 1);
}

// x with one slice more, which nobody reads, so that there is one to begin
// with.
static tenon_value *longer(tenon_rewriter *rw, tenon_value *x) {
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dim dims[TENON_MAX_RANK];
  if (!t) return x;
  tenon_type one = *t;
  memcpy(dims, t->dims, t->rank * sizeof *dims);
  dims[0] = tenon_ho_dim(1);
  one.dims = dims;
  tenon_value *parts[] = {x, ho_scan_empty(rw, &one)};
  return tenon_rw_concat(rw, parts, 2, 0);
}

// Without it.
static tenon_value *shorter(tenon_rewriter *rw, tenon_value *x,
                            tenon_dim length) {
  const tenon_type *t = tenon_rw_type(rw, x);
  int64_t begin[TENON_MAX_RANK] = {0}, step[TENON_MAX_RANK];
  tenon_dim dims[TENON_MAX_RANK];
  if (!t) return x;
  for (int i = 0; i < t->rank; ++i) {
    step[i] = 1;
    dims[i] = i ? t->dims[i] : length;
  }
  return tenon_ho_make(rw, "core::slice", &x, 1,
                       TENON_ARGS(tenon_arg_ints("begin", begin, t->rank),
                                  tenon_arg_dims("size", dims, t->rank),
                                  tenon_arg_ints("step", step, t->rank)),
                       NULL);
}

tenon_status tenon_ho_associative_lower(tenon_rewriter *rw,
                                        const tenon_node *node) {
  walk w = {.node = node};
  tenon_ho_list in = {.n = 0}, others = {.n = 0};
  const tenon_type *types[HO_MOST];
  tenon_value *results[HO_MOST];
  tenon_region *regions[2];
  TENON_TRY(check_xs(rw, &w, 0));
  TENON_TRY(tenon_ho_operands(rw, node, 1, &others));
  int n = w.n_all;
  if (2 * n >= HO_MOST)
    return tenon_rw_fail(rw, "more than %d operands", HO_MOST / 2 - 1);
  if (ho_scan_is_empty(&w)) return rw->api->replace(rw, node, w.all, n);
  tenon_dim some = rw->api->dim(rw, TENON_DIM_MAX, w.length, tenon_ho_dim(1));
  const bool may_be_none = w.length.symbol && some.symbol != w.length.symbol;
  TENON_TRY(
      tenon_ho_add(rw, &in, ho_scan_count_of(rw, ho_scan_less(rw, some, 1))));
  for (int i = 0; i < n && may_be_none; ++i)
    w.all[i] = longer(rw, w.all[i]);
  for (int i = 0; i < n; ++i)
    TENON_TRY(
        tenon_ho_add(rw, &in, ho_scan_take(rw, w.all[i], tenon_ho_int(rw, 0))));
  for (int i = 0; i < n; ++i)
    TENON_TRY(tenon_ho_add(rw, &in, w.all[i]));
  tenon_ho_types(rw, &in, types);
  TENON_TRY(begin_loop(rw, types, in.n, &regions[0]));
  TENON_TRY(combine(rw, &w, &others, types, &regions[1]));
  tenon_ho_build(rw, "core::while", 0, &in, regions, types, in.n, results);
  for (int i = 0; i < n && may_be_none; ++i)
    results[n + 1 + i] = shorter(rw, results[n + 1 + i], w.length);
  return rw->api->replace(rw, node, results + n + 1, n);
}
