// Images of another size: nearest, linear and cubic, and the latter two
// smoothed, where more elements take part the smaller the result is.
//
// Each axis on its own: an element of the result is a weighted sum of one, two,
// four or, smoothed, any number of elements along it. Which and with what
// weights is computed here, as PyTorch does it: in floats of 32 bits for
// elements of up to 32 bits, in doubles for doubles. Where sizes are open,
// nodes compute the same in a run.
#include <math.h>
#include <string.h>

#include "ops/aten/nn/aten_nn.h"

enum { MOST_ENTRIES = 1024, MOST_CHUNKS = 64 };

typedef enum how { NEAREST, EXACT, LINEAR, CUBIC, SMOOTH, SMOOTH_CUBIC } how;

typedef struct axis {
  int64_t from, to;
  double scale;  // elements of x per element of the result
  how kind;
  bool align, is_double;
} axis;

// --- One element -------------------------------------------------------------

static double round_to(const axis *a, double x) {
  return a->is_double ? x : (double)(float)x;
}

static int64_t nn_resize_within(int64_t i, int64_t n) {
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static double near_weight(double x) {
  return ((-0.75 + 2) * x - (-0.75 + 3)) * x * x + 1;
}
static double far_weight(double x) {
  return ((-0.75 * x + 5 * 0.75) * x - 8 * 0.75) * x + 4 * 0.75;
}

// The place in x that element i of the result looks at.
static double nn_resize_place_of(const axis *a, int64_t i) {
  double scale = round_to(a, a->scale);
  if (a->align) return round_to(a, scale * (double)i);
  double at = round_to(a, scale * round_to(a, (double)i + 0.5));
  at = round_to(a, at - 0.5);
  return a->kind == LINEAR && at < 0 ? 0 : at;
}

// How far to both sides elements take part.
static double reach_of(const axis *a) {
  const double scale = round_to(a, a->scale);
  const double own = a->kind == SMOOTH ? 1 : 2;
  return scale >= 1 ? round_to(a, own * scale) : own;
}

static double smooth_weight(const axis *a, double x) {
  x = fabs(x);
  if (a->kind == SMOOTH) return x < 1 ? 1 - x : 0;
  if (x < 1) return ((-0.5 + 2) * x - (-0.5 + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * -0.5 : 0;
}

static int most_taps(const axis *a) {
  if (a->kind >= SMOOTH) return (int)ceil(fmin(reach_of(a), 1e6)) * 2 + 1;
  return a->kind == CUBIC ? 4 : a->kind == LINEAR ? 2 : 1;
}

// Weights add up to one; index -1 is none.
static int smooth_taps_of(const axis *a, int64_t i, int32_t *index,
                          double *weight) {
  const int most = most_taps(a);
  const double scale = round_to(a, a->scale), reach = reach_of(a);
  const double per = scale >= 1 ? round_to(a, 1 / scale) : 1;
  const double center = round_to(a, scale * ((double)i + 0.5));
  const double low = round_to(a, round_to(a, center - reach) + 0.5);
  const double high = round_to(a, round_to(a, center + reach) + 0.5);
  const int64_t begin = low > 0 ? (int64_t)low : 0;
  int64_t count = (high < (double)a->from ? (int64_t)high : a->from) - begin;
  double total = 0;
  count = count < 0 ? 0 : count > most ? most : count;
  for (int k = 0; k < most; ++k) {
    const double at = round_to(a, (double)(k + begin) - center);
    weight[k] =
        k < count ? round_to(a, smooth_weight(a, round_to(a, (at + 0.5) * per)))
                  : 0;
    index[k] = k < count ? (int32_t)(begin + k) : -1;
    total = round_to(a, total + weight[k]);
  }
  if (count == 0) index[0] = (int32_t)nn_resize_within(begin, a->from);
  for (int k = 0; k < count && total != 0; ++k)
    weight[k] = round_to(a, weight[k] / total);
  return most;
}

static int taps_of(const axis *a, int64_t i, int32_t *index, double *weight) {
  if (a->kind >= SMOOTH) return smooth_taps_of(a, i, index, weight);
  if (a->kind == NEAREST || a->kind == EXACT) {
    double at = (double)i + (a->kind == EXACT ? 0.5 : 0);
    at = floor((double)((float)at * (float)a->scale));
    index[0] = (int32_t)nn_resize_within((int64_t)at, a->from);
    weight[0] = 1;
    return 1;
  }
  double at = nn_resize_place_of(a, i), low = floor(at),
         t = round_to(a, at - low);
  if (a->kind == LINEAR) {
    index[0] = (int32_t)nn_resize_within((int64_t)low, a->from);
    index[1] = (int32_t)nn_resize_within((int64_t)low + 1, a->from);
    weight[0] = round_to(a, 1 - t);
    weight[1] = t;
    return 2;
  }
  const double weights[] = {far_weight(t + 1), near_weight(t),
                            near_weight(1 - t), far_weight(2 - t)};
  for (int k = 0; k < 4; ++k) {
    index[k] = (int32_t)nn_resize_within((int64_t)low - 1 + k, a->from);
    weight[k] = round_to(a, weights[k]);
  }
  return 4;
}

// Torch copies where the size stays or doubles, but only in some of its kernels
// and for some numbers of threads: what a factor between says must be the same.
static bool is_settled(const axis *a) {
  const int64_t times = a->to == 2 * a->from ? 2 : 1;
  bool same = true;
  int32_t index[1];
  double weight[1];
  if (a->kind != NEAREST || a->to != times * a->from) return true;
  for (int64_t i = 0; same && i < a->to; ++i) {
    (void)taps_of(a, i, index, weight);
    same = index[0] == i / times;
  }
  return same;
}

// --- One axis ----------------------------------------------------------------

// Elements `first` and on of the tables, as constants [count, taps].
static void literals(tenon_rewriter *rw, const axis *a, int64_t first,
                     int64_t count, tenon_value **index, tenon_value **weight) {
  int32_t at[MOST_ENTRIES];
  double w[MOST_ENTRIES];
  float w32[MOST_ENTRIES];
  const int taps = most_taps(a);
  for (int64_t i = 0; i < count; ++i)
    (void)taps_of(a, first + i, at + i * taps, w + i * taps);
  for (int64_t i = 0; i < count * taps; ++i)
    w32[i] = (float)w[i];
  const tenon_dim dims[] = {tenon_aten_fixed(count), tenon_aten_fixed(taps)};
  tenon_type t = {.dims = dims, .dtype = TENON_S32, .rank = 2};
  *index = rw->api->literal(rw, &t, at);
  t.dtype = a->is_double ? TENON_F64 : TENON_F32;
  *weight =
      rw->api->literal(rw, &t, a->is_double ? (const void *)w : (void *)w32);
}

static tenon_status resample(tenon_rewriter *rw, tenon_value **x, int d,
                             const axis *a) {
  tenon_value *index[MOST_CHUNKS], *weight[MOST_CHUNKS];
  const int64_t chunk = MOST_ENTRIES / most_taps(a);
  int n = 0;
  if (a->to > chunk * MOST_CHUNKS)
    return tenon_rw_fail(rw, "%lld elements along an axis, each of %d",
                         (long long)a->to, most_taps(a));
  for (int64_t first = 0; first < a->to; first += chunk, ++n)
    literals(rw, a, first, a->to - first < chunk ? a->to - first : chunk,
             &index[n], &weight[n]);
  tenon_value *in[] = {*x, tenon_rw_concat(rw, index, n, 0),
                       tenon_rw_concat(rw, weight, n, 0)};
  *x = tenon_rw_op(rw, "core::resample", in, 3,
                   TENON_ARGS(tenon_arg_int("axis", d)));
  return TENON_OK;
}

// --- One axis of open sizes
// ---------------------------------------------------

typedef struct opened {
  tenon_rewriter *rw;
  tenon_dim from, to;
  const axis *a;
  tenon_dtype t;  // of places
  double factor;
} opened;

static tenon_value *nn_resize_size_of(const opened *o, tenon_dim size,
                                      int64_t less) {
  tenon_dim d =
      o->rw->api->dim(o->rw, TENON_DIM_SUB, size, tenon_aten_fixed(less));
  return tenon_aten_size_as(o->rw, d, TENON_F64);
}

// scale_of, rounded to the type of places.
static tenon_value *open_scale(const opened *o) {
  bool is_corner = o->a->align && o->a->kind >= LINEAR;
  if (!is_corner && o->factor > 0)
    return tenon_aten_real(o->rw, o->t, 1 / o->factor);
  tenon_value *from = nn_resize_size_of(o, o->from, is_corner);
  tenon_value *to = nn_resize_size_of(o, o->to, is_corner);
  // Of one element only place 0 is asked for.
  return tenon_aten_cast(
      o->rw,
      tenon_aten_formula(
          o->rw, "from to @corner: from / if(corner, maximum(to, 1), to)", from,
          to, (int)is_corner),
      o->t);
}

// place_of, for all elements; nearest ones before they are made whole.
static tenon_value *open_places(const opened *o) {
  const how kind = o->a->kind;
  bool is_half = kind == EXACT || (kind >= LINEAR && !o->a->align);
  return tenon_aten_formula(
      o->rw,
      "at scale @half @back @low: a = if(half, at + 0.5, at) * scale;"
      "b = if(back, a - 0.5, a); if(low, maximum(b, 0), b)",
      tenon_aten_ramp(o->rw, o->t, o->to), open_scale(o), (int)is_half,
      (int)(is_half && kind >= LINEAR), (int)(kind == LINEAR && !o->a->align));
}

// A column of the tables.
static tenon_value *nn_resize_column(const opened *o, tenon_value *x,
                                     tenon_dtype t) {
  const tenon_dim dims[] = {o->to, tenon_aten_fixed(1)};
  return tenon_aten_reshape(o->rw, tenon_aten_cast(o->rw, x, t), dims, 2);
}

static tenon_value *open_index(const opened *o, tenon_value *low, int more) {
  tenon_value *last =
      tenon_aten_cast(o->rw, nn_resize_size_of(o, o->from, 1), o->t);
  low =
      tenon_aten_formula(o->rw,
                         "low last @more: at = if(more == 0, low, low + more);"
                         "minimum(maximum(at, 0), last)",
                         low, last, more);
  return nn_resize_column(o, low, TENON_S32);
}

// near_weight and far_weight, in doubles.
static tenon_value *cubic_weight(const opened *o, tenon_value *x, bool is_far) {
  return tenon_aten_formula(o->rw,
                            is_far ? "x: ((x * -0.75 + 3.75) * x - 6) * x + 3"
                                   : "x: (x * 1.25 - 2.25) * x * x + 1",
                            x);
}

// taps_of, for all elements; how many there are of each.
static int open_taps(const opened *o, tenon_value **index,
                     tenon_value **weight) {
  const tenon_dtype t = o->a->is_double ? TENON_F64 : TENON_F32;
  tenon_rewriter *rw = o->rw;
  tenon_value *at = open_places(o);
  tenon_value *low = tenon_rw_op1(rw, "core::floor", at);
  if (o->a->kind < LINEAR) {
    index[0] = open_index(o, low, 0);
    const tenon_dim dims[] = {o->to, tenon_aten_fixed(1)};
    weight[0] = tenon_nn_filled(rw, t, dims, 2, 1);
    return 1;
  }
  tenon_value *part = tenon_rw_op2(rw, "core::sub", at, low);
  const bool is_cubic = o->a->kind == CUBIC;
  const int taps = is_cubic ? 4 : 2;
  for (int k = 0; k < taps; ++k)
    index[k] = open_index(o, low, is_cubic ? k - 1 : k);
  tenon_value *x = is_cubic ? tenon_aten_cast(rw, part, TENON_F64) : part;
  tenon_value *rest = tenon_aten_formula(rw, "x: 1 - x", x);
  if (!is_cubic) {
    weight[0] = nn_resize_column(o, rest, t);
    weight[1] = nn_resize_column(o, x, t);
    return taps;
  }
  tenon_value *ends[] = {tenon_aten_formula(rw, "x: x + 1", x),
                         tenon_aten_formula(rw, "x: 2 - x", x)};
  weight[0] = nn_resize_column(o, cubic_weight(o, ends[0], true), t);
  weight[1] = nn_resize_column(o, cubic_weight(o, x, false), t);
  weight[2] = nn_resize_column(o, cubic_weight(o, rest, false), t);
  weight[3] = nn_resize_column(o, cubic_weight(o, ends[1], true), t);
  return taps;
}

// Whether a factor is read in two ways for a size that is possible: only small
// ones stay or double beside a factor that is neither 1 nor 2.
static bool is_always_settled(const opened *o) {
  const double over = o->factor - (o->factor >= 2 ? 2 : 1);
  if (o->a->kind != NEAREST || !(over > 0) || o->factor >= 3) return true;
  if (over < 1e-3) return false;
  axis a = *o->a;
  a.scale = 1 / o->factor;
  int64_t worst = 0;
  for (a.from = 1; (double)a.from <= 1 / over + 1; ++a.from) {
    a.to = (int64_t)((double)a.from * o->factor);
    if (!is_settled(&a)) worst = a.from;
  }
  tenon_dim least = o->rw->api->dim(o->rw, TENON_DIM_MAX, o->from,
                                    tenon_aten_fixed(worst + 1));
  return worst == 0 || tenon_aten_same(least, o->from);
}

static tenon_status resample_open(const opened *o, tenon_value **x, int d,
                                  bool is_image) {
  tenon_value *index[4], *weight[4];
  if (o->a->kind >= SMOOTH)
    return tenon_rw_fail(o->rw, "an open size along dimension %d, smoothed", d);
  if (is_image && !is_always_settled(o))
    return tenon_rw_fail(o->rw,
                         "a factor of %g for an open size along dimension %d, "
                         "which PyTorch reads in two ways",
                         o->factor, d);
  int taps = open_taps(o, index, weight);
  tenon_value *in[] = {*x, tenon_rw_concat(o->rw, index, taps, 1),
                       tenon_rw_concat(o->rw, weight, taps, 1)};
  *x = tenon_rw_op(o->rw, "core::resample", in, 3,
                   TENON_ARGS(tenon_arg_int("axis", d)));
  return TENON_OK;
}

// --- Arguments ---------------------------------------------------------------

// Given factor of axis i of n, or 0. PyTorch has them in a list, or as `scales`
// with a letter.
static double factor_of(tenon_rewriter *rw, const tenon_node *n, int i,
                        int count) {
  static const char *const names[] = {"scales_d", "scales_h", "scales_w"};
  tenon_floats list = tenon_aten_floats(rw, n, "scale_factors");
  if (list.data) return (size_t)i < list.count ? list.data[i] : 0;
  const char *name = count == 1 ? "scales" : names[i + 3 - count];
  return tenon_aten_has(rw, n, name) ? tenon_aten_float(rw, n, name) : 0;
}

static double nn_resize_scale_of(const axis *a, double factor) {
  if (a->align && a->kind >= LINEAR)
    return a->to > 1 ? (double)(a->from - 1) / (double)(a->to - 1) : 0;
  return factor > 0 ? 1 / factor : (double)a->from / (double)a->to;
}

static how nn_resize_how_of(const char *user) {
  static const char names[] = "nelcsd";
  return (how)(strchr(names, *user) - names);
}

// `user`: n nearest, e exact, l linear, c cubic; s linear and d cubic,
// smoothed.
TENON_ATEN_LOWER(upsample) {
  // The result's type says it.
  tenon_aten_without_effect(rw, n, "output_size");
  how kind = nn_resize_how_of(tenon_aten_user(rw));
  const tenon_type *y = tenon_aten_result(rw, n, 0);
  tenon_value *x = tenon_nn_in(rw, n, 0);
  TENON_TRY(kind < LINEAR ? TENON_OK : tenon_nn_need_float(rw, x));
  int rank = tenon_nn_rank(rw, x), count = rank - 2;
  if (!y || y->rank != rank || count < 1 || count > 3)
    return tenon_rw_fail(rw, "%d dimensions", rank);
  if (!tenon_aten_is_float(tenon_nn_type(rw, x)))
    x = tenon_aten_cast(rw, x, TENON_F64);  // exact up to 32 bits
  tenon_dtype given = tenon_nn_type(rw, tenon_aten_in(rw, n, 0));
  if (kind >= SMOOTH && given != TENON_F32 && given != TENON_F64)
    return tenon_rw_fail(rw, "smoothed elements of %s",
                         tenon_dtype_name(given));
  if (given == TENON_S64 || given == TENON_U64 || given == TENON_BOOL)
    return tenon_rw_fail(rw, "not defined for elements of %s",
                         tenon_dtype_name(given));
  for (int i = count - 1; i >= 0; --i) {
    tenon_dim from = tenon_nn_dim(rw, x, 2 + i), to = y->dims[2 + i];
    axis a = {from.value, to.value, 0, kind, false, false};
    a.align = kind >= LINEAR && tenon_aten_bool(rw, n, "align_corners");
    a.is_double = tenon_nn_type(rw, x) == TENON_F64;
    if (from.symbol || to.symbol) {
      bool in_double = a.is_double && kind >= LINEAR;
      const opened o = {rw,
                        from,
                        to,
                        &a,
                        in_double ? TENON_F64 : TENON_F32,
                        factor_of(rw, n, i, count)};
      TENON_TRY(resample_open(&o, &x, 2 + i, count > 1));
      continue;
    }
    a.scale = nn_resize_scale_of(&a, factor_of(rw, n, i, count));
    if (count > 1 && !is_settled(&a))
      return tenon_rw_fail(
          rw,
          "a factor of %g for %lld elements that become %lld, which PyTorch "
          "reads in two ways",
          factor_of(rw, n, i, count), (long long)a.from, (long long)a.to);
    TENON_TRY(resample(rw, &x, 2 + i, &a));
  }
  return tenon_nn_give(rw, n, given ? tenon_aten_cast(rw, x, given) : x);
}
