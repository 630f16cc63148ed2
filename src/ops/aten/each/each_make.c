// Operators that make tensors of numbers: filled, counting, on a diagonal.
//
// A filled tensor is a scalar, expanded. Others are literals where their size
// is a number, and running sums where it is not.
#include <math.h>
#include <string.h>

#include "kern/num/half.h"
#include "ops/aten/each/each_op.h"

enum { MOST_ELEMENTS = 1 << 20 };

// The type that a creation gives: the file's, the argument's, or what PyTorch
// takes without one.
static tenon_dtype made_type(tenon_rewriter *rw, const tenon_node *n,
                             tenon_dtype standard) {
  const tenon_type *result = tenon_aten_result(rw, n, 0);
  tenon_dtype t = tenon_aten_dtype(rw, n, "dtype");
  return t ? t : result ? result->dtype : standard;
}

static tenon_scalar each_number_of(double value) {
  tenon_scalar s = {TENON_KIND_FLOAT, {0}};
  s.as.f = value;
  return s;
}

// What the row fills with: "0", "1", or the name of an argument.
static tenon_scalar filling(tenon_rewriter *rw, const tenon_node *n) {
  const char *what = tenon_aten_user(rw);
  if (strcmp(what, "0") == 0) return each_number_of(0);
  if (strcmp(what, "1") == 0) return each_number_of(1);
  return tenon_aten_kind_of(rw, n, what);
}

static tenon_dtype scalar_type(tenon_scalar s) {
  return s.kind == TENON_KIND_BOOL  ? TENON_BOOL
         : s.kind == TENON_KIND_INT ? TENON_S64
                                    : TENON_F32;
}

static tenon_value *each_scalar_value(tenon_rewriter *rw, const tenon_node *n,
                                      tenon_dtype t, tenon_scalar s) {
  tenon_each e = {rw, n, t, t, t, 'n', false};
  const char *name = tenon_aten_user(rw);
  if (strcmp(name, "0") == 0 || strcmp(name, "1") == 0)
    return tenon_aten_real(rw, t, s.as.f);
  return tenon_each_scalar(&e, name);
}

// With sizes as an argument; new_* take the type of their operand.
TENON_ATEN_LOWER(full) {
  tenon_dim dims[TENON_MAX_RANK];
  tenon_scalar s = filling(rw, n);
  const char *what = tenon_aten_user(rw);
  bool has_sizes = tenon_aten_arg(rw, n, "size")->name != NULL;
  int rank = has_sizes ? tenon_aten_dims(rw, n, "size", dims) : 0;
  tenon_dtype standard = strcmp(what, "0") == 0 || strcmp(what, "1") == 0
                             ? TENON_F32
                             : scalar_type(s);
  if (rank < 0) return tenon_rw_fail(rw, "too many dimensions");
  tenon_aten_without_effect(rw, n, "stride physical_layout");
  if (tenon_aten_in(rw, n, 0)) {
    const tenon_type *like = tenon_rw_type(rw, tenon_aten_in(rw, n, 0));
    if (like) standard = like->dtype;
  }
  tenon_dtype t = made_type(rw, n, standard);
  return tenon_rw_replace(
      rw, n, tenon_aten_expand(rw, each_scalar_value(rw, n, t, s), dims, rank));
}

// Sizes of the operand: full_like, zero_, fill.
TENON_ATEN_LOWER(like) {
  tenon_scalar s = filling(rw, n);
  const tenon_type *like = tenon_rw_type(rw, tenon_aten_in(rw, n, 0));
  if (!like) return tenon_rw_replace(rw, n, tenon_aten_in(rw, n, 0));
  tenon_dtype t = made_type(rw, n, like->dtype);
  return tenon_rw_replace(rw, n,
                          tenon_aten_expand(rw, each_scalar_value(rw, n, t, s),
                                            like->dims, like->rank));
}

// A literal of one dimension, or two, from the numbers that `at` gives.
typedef struct counting {
  double start, step, base;
  int64_t first, by;  // of integers
  bool is_integer, is_power;
  double end;  // counted from, in the second half
  int64_t n;
  tenon_dtype compute;  // of each operation
} counting;

static double rounded(tenon_dtype t, double x) {
  if (t == TENON_F32) return (double)(float)x;
  if (t == TENON_F16)
    return (double)tenon_f32_of_f16(tenon_f16_of_f32((float)x));
  if (t == TENON_BF16)
    return (double)tenon_f32_of_bf16(tenon_bf16_of_f32((float)x));
  return x;
}

static double each_number_at(const counting *c, int64_t i) {
  bool is_back = c->n > 0 && i >= c->n / 2;
  double k = rounded(c->compute, (double)(is_back ? c->n - 1 - i : i));
  double way = rounded(c->compute, c->step * k);
  double x = rounded(c->compute, is_back ? c->end - way : c->start + way);
  return c->is_power ? pow(c->base, x) : x;
}

// Where no int64 is near, what processors make of it, and PyTorch with them.
static int64_t integer_of(double x) {
  return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}

static tenon_value *literal(tenon_rewriter *rw, tenon_dtype t, int64_t n,
                            const counting *c) {
  static const int64_t no_data[1] = {0};
  tenon_dim dim = tenon_aten_fixed(n);
  bool is_integer = c->is_integer || tenon_aten_is_integer(t);
  tenon_type type = {&dim, NULL, is_integer ? TENON_S64 : TENON_F64, 1, 0};
  // In pieces, since a lowering has no memory of its own.
  union {
    int64_t i[512];
    double f[512];
  } piece;
  tenon_value *pieces[64];
  int count = 0;
  if (n == 0)
    return tenon_aten_cast(rw, rw->api->literal(rw, &type, no_data), t);
  for (int64_t at = 0; at < n && count < 64; ++count) {
    int64_t size = n - at < 512 ? n - at : 512;
    for (int64_t k = 0; k < size; ++k) {
      if (c->is_integer)
        piece.i[k] = c->first + c->by * (at + k);
      else if (is_integer)
        piece.i[k] = integer_of(each_number_at(c, at + k));
      else
        piece.f[k] = each_number_at(c, at + k);
    }
    dim = tenon_aten_fixed(size);
    pieces[count] = rw->api->literal(rw, &type, &piece);
    at += size;
  }
  return tenon_aten_cast(rw, tenon_rw_concat(rw, pieces, count, 0), t);
}

tenon_value *tenon_aten_ramp(tenon_rewriter *rw, tenon_dtype t, tenon_dim n) {
  tenon_value *one = tenon_aten_expand(rw, tenon_aten_real(rw, t, 1), &n, 1);
  return tenon_aten_formula(rw, "one: cumsum(one, 0) - 1", one);
}

// The size: the file's, or counted here; -1 where it is a symbol.
static int64_t arange_size(tenon_rewriter *rw, const tenon_node *n,
                           tenon_scalar start, tenon_scalar end,
                           tenon_scalar step, tenon_dim *size) {
  const tenon_type *result = tenon_aten_result(rw, n, 0);
  if (result && result->rank == 1) {
    *size = result->dims[0];
    if (!size->symbol) return size->value;
  }
  bool is_open =
      (start.kind == TENON_KIND_INT && start.as.i == TENON_UNKNOWN) ||
      (end.kind == TENON_KIND_INT && end.as.i == TENON_UNKNOWN) ||
      (step.kind == TENON_KIND_INT && step.as.i == TENON_UNKNOWN);
  if (is_open) return -1;
  double count = (tenon_aten_real_of(end) - tenon_aten_real_of(start)) /
                 tenon_aten_real_of(step);
  count = tenon_aten_user(rw) ? floor(count) + 1 : ceil(count);
  *size = tenon_aten_fixed(count > 0 ? (int64_t)count : 0);
  return size->value;
}

// A size that is a symbol, where the file does not say it: end - start.
static bool open_size(tenon_rewriter *rw, const tenon_node *n,
                      tenon_scalar start, tenon_scalar step, tenon_dim *size) {
  if (size->symbol) return true;
  if (tenon_aten_user(rw)) return false;
  if (step.kind != TENON_KIND_INT || step.as.i != 1) return false;
  *size = tenon_aten_dim(rw, n, "end", 0);
  tenon_dim from = start.as.i == TENON_UNKNOWN
                       ? tenon_aten_dim(rw, n, "start", 0)
                       : tenon_aten_fixed(start.as.i);
  *size = rw->api->dim(rw, TENON_DIM_SUB, *size, from);
  return true;
}

// Of integers, start and step lose their fractions before anything is counted.
static bool each_cut(tenon_scalar *s) {
  if (s->kind != TENON_KIND_FLOAT) return true;
  if (!(fabs(s->as.f) < 9.2e18)) return false;
  s->as.i = (int64_t)s->as.f;
  s->kind = TENON_KIND_INT;
  return true;
}

static tenon_value *times_and_plus(tenon_each *e, tenon_value *y,
                                   tenon_scalar step, tenon_scalar start) {
  const tenon_scalar by[2] = {step, start};
  for (int i = 0; i < 2; ++i) {
    const char *name = i ? "start" : "step";
    if (by[i].kind == TENON_KIND_INT && by[i].as.i == !i) continue;
    bool is_open = by[i].kind == TENON_KIND_INT && by[i].as.i == TENON_UNKNOWN;
    y = tenon_rw_op2(e->rw, i ? "core::add" : "core::mul", y,
                     is_open ? tenon_each_scalar(e, name)
                             : tenon_aten_number(e->rw, e->compute, by[i]));
  }
  return y;
}

// "closed": the end is one of the numbers, which are floats where nothing else
// is said.
TENON_ATEN_LOWER(arange) {
  tenon_scalar start = tenon_aten_scalar(rw, n, "start");
  tenon_scalar end = tenon_aten_scalar(rw, n, "end");
  tenon_scalar step = tenon_aten_scalar(rw, n, "step");
  tenon_dim size = tenon_aten_fixed(0);
  if (start.kind == 0) start.kind = TENON_KIND_INT;
  if (step.kind == 0) {
    step.kind = TENON_KIND_INT;
    step.as.i = 1;
  }
  bool is_integer = start.kind != TENON_KIND_FLOAT &&
                    end.kind != TENON_KIND_FLOAT &&
                    step.kind != TENON_KIND_FLOAT;
  bool counts = is_integer && !tenon_aten_user(rw);
  tenon_dtype t = made_type(rw, n, counts ? TENON_S64 : TENON_F32);
  int64_t count = arange_size(rw, n, start, end, step, &size);
  tenon_dim open = size;
  bool is_open = count < 0 && !open_size(rw, n, start, step, &open);
  if (tenon_aten_is_integer(t)) {
    if (!each_cut(&start) || !each_cut(&step))
      return tenon_rw_fail(rw, "its numbers are no integers of 64 bits");
    is_integer = true;
  }
  counting c = {
      .start = tenon_aten_real_of(start),
      .step = tenon_aten_real_of(step),
      .is_integer = is_integer,
      .first = start.as.i,
      .by = step.as.i,
      .compute = t == TENON_F16 || t == TENON_BF16 ? TENON_F32 : TENON_F64};
  bool has_symbol =
      is_integer && (start.as.i == TENON_UNKNOWN || step.as.i == TENON_UNKNOWN);
  if (count >= 0 && count <= 64 * 512 && !has_symbol)
    return tenon_rw_replace(rw, n, literal(rw, t, count, &c));
  if (is_open) return tenon_rw_fail(rw, "its size depends on symbols");
  tenon_dtype compute = is_integer ? TENON_S64 : TENON_F64;
  tenon_each e = {rw, n, compute, compute, t, 'n', false};
  return tenon_each_end(
      &e, times_and_plus(&e, tenon_aten_ramp(rw, compute, open), step, start));
}

// Integers that the type has: of -3, a byte without a sign has 253, but of 300
// none.
static bool each_fits(tenon_dtype t, tenon_scalar *s) {
  const int64_t given = s->as.i;
  const int bits = t == TENON_U8    ? 8
                   : t == TENON_U16 ? 16
                   : t == TENON_U32 ? 32
                                    : 0;
  *s = tenon_aten_fit(t, *s);
  return s->as.i == given || (bits > 0 && given < 0 && s->as.i > 0 &&
                              s->as.i - given == INT64_C(1) << bits);
}

// From both ends, so that both are exact; logspace takes powers of `base`.
TENON_ATEN_LOWER(linspace) {
  tenon_dtype t = made_type(rw, n, TENON_F32);
  tenon_scalar start = tenon_aten_scalar(rw, n, "start"),
               end = tenon_aten_scalar(rw, n, "end");
  int64_t steps = tenon_aten_int(rw, n, "steps");
  if (steps < 0 || steps > 64 * 512)
    return tenon_rw_fail(rw, "%lld steps are not supported", (long long)steps);
  // A single power is of the start as it is, before that is an integer.
  bool is_power = tenon_aten_user(rw) != NULL;
  bool is_cut = tenon_aten_is_integer(t) && !(is_power && steps == 1);
  if (is_cut && (!each_cut(&start) || !each_cut(&end)))
    return tenon_rw_fail(rw, "its numbers are no integers of 64 bits");
  if (is_cut && (!each_fits(t, &start) || !each_fits(t, &end)))
    return tenon_rw_fail(rw, "its numbers are none of %s", tenon_dtype_name(t));
  counting c = {.start = rounded(t, tenon_aten_real_of(start)),
                .end = rounded(t, tenon_aten_real_of(end)),
                .n = steps,
                .compute = t};
  if (steps > 1)
    c.step = rounded(
        t, rounded(t, c.end - c.start) / rounded(t, (double)(steps - 1)));
  if (steps == 1) c.end = c.start;
  c.is_power = is_power;
  if (c.is_power) c.base = tenon_aten_float(rw, n, "base");
  return tenon_rw_replace(rw, n, literal(rw, t, steps, &c));
}

// The same where start or end is a tensor, by nodes that round as the numbers
// do. `compute` is the type of each operation, `t` of the result.
typedef struct spaced {
  tenon_rewriter *rw;
  tenon_dtype t, compute;
  int64_t steps;
} spaced;

static tenon_value *end_value(const spaced *s, const tenon_node *n,
                              const char *name, int *operand) {
  tenon_scalar number = tenon_aten_scalar(s->rw, n, name);
  tenon_value *v =
      number.kind ? tenon_aten_number(s->rw, s->t, tenon_aten_fit(s->t, number))
                  : tenon_aten_in(s->rw, n, (*operand)++);
  return tenon_aten_cast(s->rw, tenon_aten_cast(s->rw, v, s->t), s->compute);
}

// start + step * i in the first half, end - step * (steps - 1 - i) behind it.
static tenon_value *each_between(const spaced *s, tenon_value *start,
                                 tenon_value *end) {
  tenon_rewriter *rw = s->rw;
  counting forth = {.is_integer = true, .by = 1};
  counting back = {.is_integer = true, .by = -1, .first = s->steps - 1};
  tenon_value *up = literal(rw, s->compute, s->steps, &forth),
              *down = literal(rw, s->compute, s->steps, &back);
  return tenon_aten_formula(
      rw,
      "start end up down #gaps #half: step = (end - start) / gaps;"
      "up < half ? start + step * up : end - step * down",
      start, end, up, down, (double)(s->steps - 1), (double)(s->steps / 2));
}

TENON_ATEN_LOWER(linspace_tensor) {
  tenon_dtype t = made_type(rw, n, TENON_F32);
  spaced s = {rw, t, tenon_aten_is_float(t) ? t : TENON_F64,
              tenon_aten_int(rw, n, "steps")};
  int operand = 0;
  // Indices have to be exact in the type.
  if (s.steps < 0 || s.steps > (t == TENON_BF16 ? 256 : 2048))
    return tenon_rw_fail(rw, "%lld steps are not supported",
                         (long long)s.steps);
  const counting none = {.is_integer = true};
  if (s.steps == 0) return tenon_rw_replace(rw, n, literal(rw, t, 0, &none));
  tenon_value *start = end_value(&s, n, "start", &operand);
  tenon_value *end = end_value(&s, n, "end", &operand);
  const tenon_dim one = tenon_aten_fixed(1);
  tenon_value *y = s.steps == 1 ? tenon_aten_reshape(rw, start, &one, 1)
                                : each_between(&s, start, end);
  if (tenon_aten_user(rw)) {
    tenon_value *base =
        tenon_aten_real(rw, TENON_F64, tenon_aten_float(rw, n, "base"));
    y = tenon_rw_op2(rw, "core::pow", base, tenon_aten_cast(rw, y, TENON_F64));
  }
  return tenon_rw_replace(rw, n, tenon_aten_cast(rw, y, t));
}

// Ones where the row is the column.
TENON_ATEN_LOWER(eye) {
  tenon_dim rows = tenon_aten_dim(rw, n, "n", 0);
  tenon_dim columns =
      tenon_aten_arg(rw, n, "m")->name ? tenon_aten_dim(rw, n, "m", 0) : rows;
  tenon_dtype t = made_type(rw, n, TENON_F32);
  tenon_value *down =
      tenon_aten_unsqueeze(rw, tenon_aten_ramp(rw, TENON_S64, rows), 1);
  tenon_value *along = tenon_aten_ramp(rw, TENON_S64, columns);
  return tenon_rw_replace(
      rw, n, tenon_aten_cast(rw, tenon_rw_op2(rw, "core::eq", down, along), t));
}

// Of matrices the places in which the row is the column; with "wrap", tall ones
// begin again a row below the last column. Of others those in which all indices
// are the same; all sizes are, too.
TENON_ATEN_LOWER(fill_diagonal) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *is_filled = NULL;
  const tenon_type *t = tenon_aten_known(rw, x);
  const int rank = t->rank;
  bool wraps = tenon_aten_bool(rw, n, "wrap") && rank == 2;
  if (rank < 2) return tenon_rw_fail(rw, "less than two dimensions");
  tenon_value *at[TENON_MAX_RANK];
  for (int d = 0; d < rank; ++d) {
    tenon_dim dims[TENON_MAX_RANK];
    for (int k = 0; k < rank; ++k)
      dims[k] = k == d ? t->dims[d] : tenon_aten_fixed(1);
    at[d] = tenon_aten_ramp(rw, TENON_S64, t->dims[d]);
    if (wraps && d == 0) {
      tenon_dim period =
          rw->api->dim(rw, TENON_DIM_ADD, t->dims[1], tenon_aten_fixed(1));
      at[0] = tenon_rw_op2(rw, "core::remainder", at[0],
                           tenon_aten_size_as(rw, period, TENON_S64));
    }
    at[d] = tenon_aten_reshape(rw, at[d], dims, rank);
    if (d == 0) continue;
    tenon_value *same = tenon_rw_op2(rw, "core::eq", at[0], at[d]);
    is_filled = is_filled
                    ? tenon_rw_op2(rw, "core::bitwise_and", is_filled, same)
                    : same;
  }
  tenon_scalar s = tenon_aten_scalar(rw, n, "fill_value");
  tenon_value *number =
      tenon_aten_number(rw, t->dtype, tenon_aten_fit(t->dtype, s));
  return tenon_rw_replace(rw, n, tenon_rw_where(rw, is_filled, number, x));
}

// --- Windows -----------------------------------------------------------------

// Of 0, 1 ... n - 1 where the whole window has `whole` steps; kaiser's is
// i0(beta sqrt(1 - x^2)) / i0(beta), x from -1 to 1.
static tenon_value *each_window_of(tenon_rewriter *rw, const tenon_node *n,
                                   tenon_dtype t, tenon_value *x,
                                   double whole) {
  const char *kind = tenon_aten_user(rw);
  const double wave = 2 * 3.141592653589793 / whole;
  const bool has_alpha = tenon_aten_has(rw, n, "alpha"),
             has_beta = tenon_aten_has(rw, n, "beta");
  const double alpha = has_alpha ? tenon_aten_float(rw, n, "alpha") : 0.54,
               beta = has_beta ? tenon_aten_float(rw, n, "beta") : 0.46;
  if (strcmp(kind, "bartlett") == 0)
    return tenon_aten_formula(
        rw, "x #step: y = x * step; minimum(y, y * -1 + 2)", x, 2 / whole);
  if (strcmp(kind, "kaiser") == 0)
    return tenon_aten_formula(rw,
                              "x #step beta: y = square(x * step + -1) * -1;"
                              "i0(sqrt(maximum(y + 1, 0)) * beta) / i0(beta)",
                              x, 2 / whole,
                              tenon_aten_real(rw, t, has_beta ? beta : 12));
  if (strcmp(kind, "blackman") == 0)
    return tenon_aten_formula(
        rw, "x #wave: y = x * wave; cos(y * 2) * 0.08 + cos(y) * -0.5 + 0.42",
        x, wave);
  const bool is_hamming = strcmp(kind, "hamming") == 0;
  return tenon_aten_formula(rw, "x #wave #a #b: cos(x * wave) * b + a", x, wave,
                            is_hamming ? alpha : 0.5,
                            is_hamming ? -beta : -0.5);
}

TENON_ATEN_LOWER(window) {
  int64_t size = tenon_aten_int(rw, n, "window_length");
  bool is_periodic = !tenon_aten_arg(rw, n, "periodic")->name ||
                     tenon_aten_bool(rw, n, "periodic");
  tenon_dtype t = made_type(rw, n, TENON_F32);
  tenon_dtype compute = t == TENON_F64 ? TENON_F64 : TENON_F32;
  if (size < 0) return tenon_rw_fail(rw, "the size of a window is open");
  tenon_value *x = tenon_aten_ramp(rw, compute, tenon_aten_fixed(size));
  if (size <= 1) tenon_aten_without_effect(rw, n, "alpha beta");
  if (size == 1)
    x = tenon_aten_formula(rw, "x: x + 1", x);
  else if (size > 1)
    x = each_window_of(rw, n, compute, x,
                       (double)(is_periodic ? size : size - 1));
  return tenon_rw_replace(rw, n, tenon_aten_cast(rw, x, t));
}
