// Fourier transforms.
//
// One of several dimensions is one along each, in turn; what is real is
// transformed first along the last that is named, or comes last where the
// result is real.
#include <math.h>
#include <string.h>

#include "ops/aten/complex/complex_fourier.h"

// --- Along a dimension -------------------------------------------------------

tenon_parts tenon_fourier_rows(tenon_rewriter *rw, tenon_parts z, bool inverse,
                               bool half, double scale) {
  tenon_value *in[] = {z.re, z.im}, *out[2] = {NULL, NULL};
  tenon_rw_build(
      rw, "core::fourier", in, 2,
      TENON_ARGS(tenon_arg_bool("inverse", inverse),
                 tenon_arg_bool("half", half), tenon_arg_float("scale", scale)),
      out, 2, NULL);
  return tenon_parts_of(out[0], out[1]);
}

tenon_value *tenon_fourier_real_rows(tenon_rewriter *rw, tenon_parts z,
                                     tenon_dim size, double scale) {
  tenon_value *in[] = {z.re, tenon_parts_imag(rw, z)};
  return tenon_rw_op(rw, "core::fourier_real", in, 2,
                     TENON_ARGS(tenon_arg_dims("size", &size, 1),
                                tenon_arg_float("scale", scale)));
}

static tenon_parts fourier_move(tenon_rewriter *rw, tenon_parts z, int from,
                                int to) {
  z.re = tenon_aten_move(rw, z.re, from, to);
  if (z.im) z.im = tenon_aten_move(rw, z.im, from, to);
  return z;
}

static tenon_parts along(tenon_rewriter *rw, tenon_parts z, int axis,
                         bool inverse, bool half) {
  const int last = tenon_aten_known(rw, z.re)->rank - 1;
  z = fourier_move(rw, z, axis, last);
  return fourier_move(rw, tenon_fourier_rows(rw, z, inverse, half, 1), last,
                      axis);
}

static tenon_value *real_along(tenon_rewriter *rw, tenon_parts z, int axis,
                               tenon_dim size) {
  const int last = tenon_aten_known(rw, z.re)->rank - 1;
  z = fourier_move(rw, z, axis, last);
  return tenon_aten_move(rw, tenon_fourier_real_rows(rw, z, size, 1), last,
                         axis);
}

// Cut, or filled with zeros at the end.
static tenon_value *fitted(tenon_rewriter *rw, tenon_value *x, int axis,
                           tenon_dim size) {
  const tenon_dim now = tenon_aten_size(rw, x, axis);
  int64_t before[TENON_MAX_RANK] = {0}, after[TENON_MAX_RANK] = {0};
  const int rank = tenon_aten_known(rw, x)->rank;
  if (!x || tenon_aten_same(now, size)) return x;
  if (now.symbol || size.symbol) {
    (void)tenon_rw_fail(rw,
                        "a transform of another size than dimension %d "
                        "has, which is open",
                        axis);
    return x;
  }
  if (size.value < now.value)
    return tenon_aten_cut(rw, x, axis, tenon_aten_fixed(0), size, 1);
  after[axis] = size.value - now.value;
  return tenon_rw_op(rw, "core::pad", &x, 1,
                     TENON_ARGS(tenon_arg_ints("before", before, (size_t)rank),
                                tenon_arg_ints("after", after, (size_t)rank)));
}

static tenon_dim fourier_half_of(tenon_rewriter *rw, tenon_dim n) {
  const tenon_dim half =
      rw->api->dim(rw, TENON_DIM_DIV, n, tenon_aten_fixed(2));
  return tenon_aten_plus(rw, half, tenon_aten_fixed(1));
}

// --- Whole transforms --------------------------------------------------------

typedef struct fourier {
  int axes[TENON_MAX_RANK], n_axes;
  tenon_dim sizes[TENON_MAX_RANK];
  double power;  // of the number of elements, which the result is scaled by
  bool inverse, from_real, to_real, half;
} fourier;

// x times the number of elements to the power of f->power.
static tenon_value *fourier_scaled(tenon_rewriter *rw, const fourier *f,
                                   tenon_value *x) {
  const tenon_dim n = tenon_aten_product(rw, f->sizes, f->n_axes);
  if (f->power == 0 || !x) return x;
  if (!n.symbol)
    return tenon_aten_formula(rw, "x #s: x * s", x,
                              pow((double)n.value, f->power));
  tenon_value *size = tenon_aten_size_as(rw, n, TENON_F32);
  return tenon_aten_formula(rw,
                            f->power == -1 ? "x n: x / n"
                            : f->power < 0 ? "x n: x / sqrt(n)"
                                           : "x n: x * sqrt(n)",
                            x, size);
}

static tenon_status fourier_transform(tenon_rewriter *rw, const tenon_node *n,
                                      const fourier *f) {
  tenon_parts z = tenon_parts_in(rw, n, 0);
  const tenon_type *t = tenon_rw_type(rw, tenon_aten_in(rw, n, 0));
  const tenon_type *y = tenon_aten_result(rw, n, 0);
  const int last = f->n_axes - 1;
  if (t && (t->dtype == TENON_F64 || t->dtype == TENON_F16 ||
            y->dtype == TENON_C128))
    return tenon_rw_fail(rw, "transforms of '%s' are not supported",
                         tenon_dtype_name(t->dtype));
  if (f->from_real && z.im) return tenon_rw_fail(rw, "the operand is complex");
  for (int i = 0; i < f->n_axes; ++i) {
    const tenon_dim size = f->to_real && i == last
                               ? fourier_half_of(rw, f->sizes[i])
                               : f->sizes[i];
    z.re = fitted(rw, z.re, f->axes[i], size);
    if (z.im) z.im = fitted(rw, z.im, f->axes[i], size);
  }
  if (f->n_axes > 0 && !f->to_real)
    z = along(rw, z, f->axes[last], f->inverse, f->half);
  for (int i = 0; i < last; ++i)
    z = along(rw, z, f->axes[i], f->inverse, false);
  if (f->to_real)
    return tenon_rw_replace(
        rw, n,
        fourier_scaled(rw, f,
                       real_along(rw, z, f->axes[last], f->sizes[last])));
  z.re = fourier_scaled(rw, f, z.re);
  z.im = fourier_scaled(rw, f, z.im);
  return tenon_parts_give(rw, n, z);
}

// Dimensions and sizes of `dim`, which is an integer or a list, and of `n` or
// `s`.
static tenon_status fourier_axes(tenon_rewriter *rw, const tenon_node *n,
                                 fourier *f) {
  const tenon_type *t = tenon_aten_known(rw, tenon_aten_in(rw, n, 0));
  const bool is_one = rw->api->arg(rw, n, "n") != NULL;
  const char *name = is_one ? "n" : "s";
  const tenon_ints s = is_one ? (tenon_ints){0} : tenon_aten_ints(rw, n, "s");
  const bool has_sizes = tenon_aten_has(rw, n, name);
  tenon_ints dims = {0};
  if (!is_one) dims = tenon_aten_ints(rw, n, "dim");
  const int given = has_sizes ? (int)s.count : t->rank;
  f->n_axes = is_one ? 1 : dims.data ? (int)dims.count : given;
  if (f->n_axes > t->rank || f->n_axes < 1 ||
      (!is_one && has_sizes && (int)s.count != f->n_axes))
    return tenon_rw_fail(rw, "%d dimensions of %d", f->n_axes, t->rank);
  uint32_t seen = 0;
  for (int i = 0; i < f->n_axes; ++i) {
    const int64_t axis = is_one      ? tenon_aten_int(rw, n, "dim")
                         : dims.data ? dims.data[i]
                                     : t->rank - f->n_axes + i;
    TENON_TRY(tenon_aten_axis(rw, axis, t->rank, &f->axes[i]));
    if (seen >> f->axes[i] & 1)
      return tenon_rw_fail(rw, "dimension %d stands twice", f->axes[i]);
    seen |= 1u << f->axes[i];
    f->sizes[i] = t->dims[f->axes[i]];
    const tenon_dim wanted =
        has_sizes ? tenon_aten_dim(rw, n, name, i) : tenon_aten_fixed(-1);
    if (!tenon_aten_is(wanted, -1)) {
      f->sizes[i] = wanted;
    } else if (f->to_real && i == f->n_axes - 1) {
      f->sizes[i] = tenon_aten_times(
          rw, tenon_aten_minus(rw, f->sizes[i], tenon_aten_fixed(1)),
          tenon_aten_fixed(2));
    }
  }
  return TENON_OK;
}

TENON_ATEN_LOWER(transform) {
  const char *what = tenon_aten_user(rw);
  const char *norm = tenon_aten_str(rw, n, "norm");
  fourier f = {0};
  f.to_real = strcmp(what, "real") == 0;
  f.inverse = f.to_real || strcmp(what, "inverse") == 0;
  f.half = f.from_real = strcmp(what, "half") == 0;
  TENON_TRY(fourier_axes(rw, n, &f));
  if (!norm) norm = "backward";
  if (strcmp(norm, "ortho") == 0)
    f.power = -0.5;
  else if (strcmp(norm, "backward") == 0 || strcmp(norm, "forward") == 0)
    f.power = (norm[0] == 'b') == f.inverse ? -1 : 0;
  else
    return tenon_rw_fail(rw, "norm '%s' is not known", norm);
  return fourier_transform(rw, n, &f);
}

// --- What these become -------------------------------------------------------

static tenon_status plain_axes(tenon_rewriter *rw, const tenon_node *n,
                               fourier *f) {
  const tenon_type *t = tenon_aten_known(rw, tenon_aten_in(rw, n, 0));
  const tenon_ints dims = tenon_aten_ints(rw, n, "dim");
  const int64_t how = tenon_aten_int(rw, n, "normalization");
  f->n_axes = (int)dims.count;
  if (f->n_axes > t->rank || f->n_axes < 1)
    return tenon_rw_fail(rw, "%d dimensions of %d", f->n_axes, t->rank);
  for (int i = 0; i < f->n_axes; ++i) {
    TENON_TRY(tenon_aten_axis(rw, dims.data[i], t->rank, &f->axes[i]));
    f->sizes[i] = t->dims[f->axes[i]];
  }
  if (how < 0 || how > 2)
    return tenon_rw_fail(rw, "normalization %lld is not known", (long long)how);
  f->power = how == 0 ? 0 : how == 1 ? -0.5 : -1;
  return TENON_OK;
}

TENON_ATEN_LOWER(transform_c2c) {
  fourier f = {.inverse = !tenon_aten_bool(rw, n, "forward")};
  TENON_TRY(plain_axes(rw, n, &f));
  return fourier_transform(rw, n, &f);
}

TENON_ATEN_LOWER(transform_r2c) {
  fourier f = {.from_real = true, .half = tenon_aten_bool(rw, n, "onesided")};
  TENON_TRY(plain_axes(rw, n, &f));
  return fourier_transform(rw, n, &f);
}

TENON_ATEN_LOWER(transform_c2r) {
  fourier f = {.inverse = true, .to_real = true};
  TENON_TRY(plain_axes(rw, n, &f));
  f.sizes[f.n_axes - 1] = tenon_aten_dim(rw, n, "last_dim_size", 0);
  return fourier_transform(rw, n, &f);
}
