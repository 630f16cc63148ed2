// STABLEHLO_REDUCE_WINDOW, REDUCE_WINDOW and STABLEHLO_REDUCE: a function of
// two operands over windows, or whole dimensions.
//
// How: what is spread and padded is written into a tensor of the initial value;
// windows of that are a view with more dimensions, which are reduced.
#include <string.h>

#include "ops/tfl/tfl_op.h"

// A function, as a reduction and as what joins two.
typedef struct body {
  const char *names[2];  // of operators that compute it
  int64_t function;      // ReduceWindowFunction of the schema
  const char *over, *two;
  bool is_logical;
} body;

static const body bodies[] = {
    {{"STABLEHLO_ADD", "ADD"}, 1, "core::sum", "core::add", false},
    {{"STABLEHLO_MULTIPLY", "MUL"}, 2, "core::prod", "core::mul", false},
    {{"STABLEHLO_MINIMUM", "MINIMUM"}, 3, "core::amin", "core::minimum", false},
    {{"STABLEHLO_MAXIMUM", "MAXIMUM"}, 4, "core::amax", "core::maximum", false},
    {{"STABLEHLO_AND", "LOGICAL_AND"},
     5,
     "core::all",
     "core::bitwise_and",
     true},
    {{"STABLEHLO_OR", "LOGICAL_OR"}, 6, "core::any", "core::bitwise_or", true},
};

static const body *hlo_window_find_body(const char *name, int64_t function) {
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i)
    if (name ? strcmp(bodies[i].names[0], name) == 0 ||
                   strcmp(bodies[i].names[1], name) == 0
             : bodies[i].function == function)
      return &bodies[i];
  return NULL;
}

typedef struct window {
  int64_t size[TENON_MAX_RANK], step[TENON_MAX_RANK], spread[TENON_MAX_RANK];
  int64_t base[TENON_MAX_RANK];  // distance of elements of x
  int64_t before[TENON_MAX_RANK], after[TENON_MAX_RANK];
} window;

// --- What windows there are
// -----------------------------------------------------

// The size of dimension i with what stands between and around elements.
static int64_t padded_size(const window *w, int64_t n, int i) {
  const int64_t whole = n > 0 ? (n - 1) * w->base[i] + 1 : 0;
  return whole + w->before[i] + w->after[i];
}

static int64_t window_count(const window *w, int64_t padded, int i) {
  const int64_t whole = (w->size[i] - 1) * w->spread[i] + 1;
  return padded < whole ? 0 : (padded - whole) / w->step[i] + 1;
}

static tenon_status hlo_window_check_window(tenon_infer *c, const window *w,
                                            const tenon_type *x,
                                            tenon_tfl_shape *y) {
  *y = tenon_tfl_shape_of(x);
  for (int i = 0; i < x->rank; ++i) {
    const int64_t all[] = {w->size[i], w->step[i], w->spread[i], w->base[i]};
    for (int k = 0; k < 4; ++k)
      if (all[k] < 1 || all[k] > INT32_MAX)
        return tenon_infer_fail(c, "a window of %lld in dimension %d",
                                (long long)all[k], i);
    const int64_t most = INT32_MAX,
                  padded = x->dims[i].symbol
                               ? 0
                               : padded_size(w, x->dims[i].value, i);
    if (w->before[i] < -most || w->before[i] > most || w->after[i] < -most ||
        w->after[i] > most || padded < 0 || padded > most)
      return tenon_infer_fail(c, "dimension %d is padded by %lld and %lld", i,
                              (long long)w->before[i], (long long)w->after[i]);
    y->dims[i] = x->dims[i].symbol
                     ? c->api->decided(c, tenon_tfl_fixed(TENON_UNKNOWN))
                     : tenon_tfl_fixed(window_count(w, padded, i));
  }
  return TENON_OK;
}

static tenon_status check_start(tenon_infer *c, const tenon_type **x) {
  const tenon_type *start;
  tenon_dim open;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, x));
  TENON_TRY(tenon_tfl_operand(c, 1, "start", -1, &start));
  TENON_TRY(tenon_tfl_check_alike(c, *x, "x", start, "start"));
  if (tenon_tfl_product(c, start->dims, start->rank, &open) != 1 || open.symbol)
    return tenon_infer_fail(c, "'start' is not one number");
  return TENON_OK;
}

static void hlo_window_read_list(tenon_ints list, int rank, int64_t absent,
                                 int64_t *out) {
  for (int i = 0; i < rank; ++i)
    out[i] = list.count ? list.data[i] : absent;
}

static window hlo_window_of(const tenon_tfl_stablehlo_window_attrs *a,
                            int rank) {
  window w;
  memset(&w, 0, sizeof w);
  hlo_window_read_list(a->window_dimensions, rank, 1, w.size);
  hlo_window_read_list(a->window_strides, rank, 1, w.step);
  hlo_window_read_list(a->window_dilations, rank, 1, w.spread);
  hlo_window_read_list(a->base_dilations, rank, 1, w.base);
  for (int i = 0; a->padding.count && i < rank; ++i) {
    w.before[i] = a->padding.data[2 * i];
    w.after[i] = a->padding.data[2 * i + 1];
  }
  return w;
}

static bool hlo_window_fits(tenon_ints list, int count) {
  return list.count == 0 || list.count == (size_t)count;
}

tenon_status tenon_tfl_stablehlo_window_infer(tenon_infer *c) {
  const tenon_tfl_stablehlo_window_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x;
  tenon_tfl_shape y;
  TENON_TRY(check_start(c, &x));
  if (!hlo_window_fits(a->window_dimensions, x->rank) ||
      !hlo_window_fits(a->window_strides, x->rank) ||
      !hlo_window_fits(a->base_dilations, x->rank) ||
      !hlo_window_fits(a->window_dilations, x->rank) ||
      !hlo_window_fits(a->padding, 2 * x->rank))
    return tenon_infer_fail(c, "the options are not of %d dimensions", x->rank);
  const window w = hlo_window_of(a, x->rank);
  TENON_TRY(hlo_window_check_window(c, &w, x, &y));
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

// The constants of REDUCE_WINDOW. False: one is none, or not of this rank.
static bool constants_of(tenon_rewriter *rw, const tenon_node *node, int rank,
                         window *w) {
  int64_t *lists[] = {w->size, w->step, w->spread};
  memset(w, 0, sizeof *w);
  for (int i = 0; i < rank; ++i)
    w->base[i] = 1;
  for (int i = 0; i < 3; ++i)
    if (tenon_tfl_in_ints(rw, node, 2 + i, lists[i], TENON_MAX_RANK) != rank)
      return false;
  return true;
}

tenon_status tenon_tfl_window_infer(tenon_infer *c) {
  static const char *const names[] = {"window", "strides", "dilations"};
  const tenon_type *x, *t;
  tenon_tfl_shape y;
  window w;
  memset(&w, 0, sizeof w);
  int64_t *lists[] = {w.size, w.step, w.spread};
  TENON_TRY(check_start(c, &x));
  for (int i = 0; i < x->rank; ++i)
    w.base[i] = 1;
  for (int i = 0; i < 3; ++i) {
    TENON_TRY(tenon_tfl_operand(c, 2 + i, names[i], 1, &t));
    const tenon_tensor *list = c->api->constant(c, 2 + i);
    if (!list || tenon_tfl_ints(list, lists[i], TENON_MAX_RANK) != x->rank)
      return tenon_infer_fail(c,
                              "operand %d, '%s', is no constant of %d integers",
                              2 + i, names[i], x->rank);
  }
  TENON_TRY(hlo_window_check_window(c, &w, x, &y));
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

// --- Lowering
// -----------------------------------------------------------------

// Distances of elements of such sizes; returns how many there are.
static int64_t strides_of(const int64_t *sizes, int rank, int64_t *out) {
  int64_t n = 1;
  for (int i = rank; i-- > 0;) {
    out[i] = n;
    n *= sizes[i];
  }
  return n;
}

// x with its elements `base` apart, and the initial value between and around.
static tenon_value *spread_out(tenon_rewriter *rw, tenon_value *x,
                               tenon_value *start, const window *w,
                               const int64_t *sizes) {
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_tfl_shape all = {.rank = t->rank};
  tenon_dim begin[TENON_MAX_RANK], count[TENON_MAX_RANK], by[TENON_MAX_RANK];
  int64_t ones[TENON_MAX_RANK], stride[TENON_MAX_RANK], offset = 0;
  bool is_same = true, is_empty = false;
  (void)strides_of(sizes, t->rank, stride);
  for (int i = 0; i < t->rank; ++i) {
    const int64_t n = t->dims[i].value, base = w->base[i];
    const int64_t cut = w->before[i] < 0 ? -w->before[i] : 0;
    const int64_t first = (cut + base - 1) / base;
    // The last place that is not cut off.
    const int64_t end = (n - 1) * base - (w->after[i] < 0 ? -w->after[i] : 0);
    const int64_t last = end < 0 ? -1 : end / base;
    const int64_t left = last - first + 1;
    ones[i] = 1;
    begin[i] = tenon_tfl_fixed(first);
    count[i] = tenon_tfl_fixed(left > 0 ? left : 0);
    by[i] = tenon_tfl_fixed(base * stride[i]);
    offset += (first * base + w->before[i]) * stride[i];
    all.dims[i] = tenon_tfl_fixed(sizes[i]);
    is_same &= sizes[i] == n && base == 1 && w->before[i] == 0;
    is_empty |= left <= 0;
  }
  if (is_same) return x;
  tenon_value *whole = tenon_tfl_expand(rw, start, &all);
  if (is_empty) return whole;
  tenon_value *in[] = {whole, tenon_tfl_slice(rw, x, begin, count, ones, t)};
  const tenon_dim from = tenon_tfl_fixed(offset);
  return tenon_rw_op(rw, "core::strided_update", in, 2,
                     TENON_ARGS(tenon_arg_dims("stride", by, t->rank),
                                tenon_arg_dims("offset", &from, 1)));
}

// By n dimensions, and with the initial value.
static tenon_value *hlo_window_reduced(tenon_rewriter *rw, const body *b,
                                       tenon_value *x, const int64_t *dims,
                                       size_t n, tenon_value *start) {
  const tenon_dtype dtype = tenon_rw_type(rw, x)->dtype;
  if (b->is_logical) {
    x = tenon_tfl_cast(rw, x, TENON_BOOL);
    start = tenon_tfl_cast(rw, start, TENON_BOOL);
  }
  tenon_tfl_args args = {0};
  tenon_tfl_arg(&args, tenon_arg_ints("dims", dims, n));
  if (n) x = tenon_rw_op(rw, b->over, &x, 1, args.list);
  return tenon_tfl_cast(rw, tenon_rw_op2(rw, b->two, start, x), dtype);
}

static tenon_status refuse_body(tenon_rewriter *rw) {
  return tenon_rw_fail(
      rw,
      "a function other than 'ADD', 'MUL', 'MINIMUM', 'MAXIMUM', "
      "'LOGICAL_AND', 'LOGICAL_OR' or their STABLEHLO forms is not supported");
}

// `y` is the result's type; the number of windows is known.
static tenon_status hlo_window_lower(tenon_rewriter *rw, const tenon_node *node,
                                     const window *w, const body *b) {
  tenon_value *x = tenon_tfl_stored(rw, tenon_tfl_in(rw, node, 0), NULL);
  tenon_value *start = tenon_tfl_stored(rw, tenon_tfl_in(rw, node, 1), NULL);
  const tenon_type *t = tenon_rw_type(rw, x), *y = rw->api->result(rw, node, 0);
  const tenon_tfl_shape number = {.rank = 0};
  tenon_dim size[TENON_MAX_RANK], by[TENON_MAX_RANK];
  int64_t sizes[TENON_MAX_RANK], stride[TENON_MAX_RANK], dims[TENON_MAX_RANK];
  int rank = t->rank;
  size_t n = 0;
  if (!b) return refuse_body(rw);
  if (!tenon_tfl_is_fixed(t) || !tenon_tfl_is_fixed(y))
    return tenon_rw_fail(rw, "open sizes are not supported");
  start = tenon_tfl_reshape(rw, start, &number, NULL);
  for (int i = 0; i < rank; ++i)
    sizes[i] = padded_size(w, t->dims[i].value, i);
  (void)strides_of(sizes, rank, stride);
  x = spread_out(rw, x, start, w, sizes);
  for (int i = 0; i < rank; ++i) {
    size[i] = y->dims[i];
    by[i] = tenon_tfl_fixed(w->step[i] * stride[i]);
  }
  for (int i = 0; i < t->rank; ++i) {
    if (w->size[i] == 1) continue;
    if (rank == TENON_MAX_RANK)
      return tenon_rw_fail(rw,
                           "windows of more than %d dimensions beside those of "
                           "the tensor are not supported",
                           TENON_MAX_RANK - t->rank);
    dims[n++] = rank;
    size[rank] = tenon_tfl_fixed(w->size[i]);
    by[rank++] = tenon_tfl_fixed(w->spread[i] * stride[i]);
  }
  x = tenon_rw_op(rw, "core::as_strided", &x, 1,
                  TENON_ARGS(tenon_arg_dims("size", size, (size_t)rank),
                             tenon_arg_dims("stride", by, (size_t)rank)));
  x = hlo_window_reduced(rw, b, x, dims, n, start);
  return tenon_rw_replace(rw, node, tenon_tfl_stored(rw, x, y->quant));
}

tenon_status tenon_tfl_stablehlo_window_lower(tenon_rewriter *rw,
                                              const tenon_node *node) {
  const tenon_tfl_stablehlo_window_attrs *a = tenon_rw_attrs(rw, node);
  const window w = hlo_window_of(a, tenon_tfl_type(rw, node, 0)->rank);
  return hlo_window_lower(rw, node, &w, hlo_window_find_body(a->body, 0));
}

tenon_status tenon_tfl_window_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  const tenon_tfl_window_attrs *a = tenon_rw_attrs(rw, node);
  window w;
  if (!constants_of(rw, node, tenon_tfl_type(rw, node, 0)->rank, &w))
    return tenon_rw_fail(rw, "windows that a run computes are not supported");
  return hlo_window_lower(rw, node, &w,
                          hlo_window_find_body(NULL, a->reduce_function));
}

// ---------------------------------------------------------------------------
// STABLEHLO_REDUCE
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_stablehlo_reduce_infer(tenon_infer *c) {
  const tenon_tfl_stablehlo_reduce_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x;
  tenon_tfl_shape y = {.rank = 0};
  TENON_TRY(check_start(c, &x));
  for (int i = 0; i < x->rank; ++i) {
    bool is_kept = true;
    for (size_t k = 0; k < a->dimensions.count; ++k)
      is_kept &= a->dimensions.data[k] != i;
    if (is_kept) y.dims[y.rank++] = x->dims[i];
  }
  for (size_t k = 0; k < a->dimensions.count; ++k)
    if (a->dimensions.data[k] < 0 || a->dimensions.data[k] >= x->rank ||
        y.rank + (int)a->dimensions.count != x->rank)
      return tenon_infer_fail(c, "dimension %lld of %d",
                              (long long)a->dimensions.data[k], x->rank);
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

tenon_status tenon_tfl_stablehlo_reduce_lower(tenon_rewriter *rw,
                                              const tenon_node *node) {
  const tenon_tfl_stablehlo_reduce_attrs *a = tenon_rw_attrs(rw, node);
  const body *b = hlo_window_find_body(a->body, 0);
  const tenon_tfl_shape number = {.rank = 0};
  tenon_value *x = tenon_tfl_in(rw, node, 0),
              *start = tenon_tfl_in(rw, node, 1);
  if (!b) return refuse_body(rw);
  TENON_TRY(tenon_tfl_refuse_scale(rw, tenon_rw_type(rw, x)));
  start = tenon_tfl_reshape(rw, start, &number, NULL);
  return tenon_rw_replace(rw, node,
                          hlo_window_reduced(rw, b, x, a->dimensions.data,
                                             a->dimensions.count, start));
}
