// torchao's affine operators. A block is a box of a tensor that has a scale of
// its own: dimensions are split into (blocks, block), and scales stand for all
// of a block.
#include <string.h>

#include "ops/aten/index/index_op.h"
#include "ops/quant/quant_op.h"

// Shapes of x with its dimensions split, and of a scale beside it; `dims` are
// those that a block spans.
typedef struct blocks {
  tenon_dim split[TENON_MAX_RANK], scales[TENON_MAX_RANK];
  tenon_dim counts[TENON_MAX_RANK];  // of blocks, by dimension of x
  int64_t dims[TENON_MAX_RANK];
  int rank, n_dims;
} blocks;

static void add_dim(blocks *b, tenon_dim size, bool is_spanned) {
  b->scales[b->rank] = is_spanned ? tenon_aten_fixed(1) : size;
  if (is_spanned) b->dims[b->n_dims++] = b->rank;
  b->split[b->rank++] = size;
}

static tenon_status torchao_split(tenon_rewriter *rw, const tenon_node *n,
                                  const tenon_type *t, blocks *b) {
  tenon_ints size = tenon_aten_ints(rw, n, "block_size");
  memset(b, 0, sizeof *b);
  if (size.count != t->rank)
    return tenon_rw_fail(rw, "a block of %zu dimensions in %d", size.count,
                         (int)t->rank);
  for (int i = 0; i < t->rank; ++i) {
    tenon_dim d = t->dims[i];
    tenon_dim block = tenon_aten_dim(rw, n, "block_size", i);
    if (b->rank + 2 > TENON_MAX_RANK)
      return tenon_rw_fail(rw, "too many dimensions to split");
    if (tenon_aten_same(d, block) || tenon_aten_is(block, 1)) {
      b->counts[i] = tenon_aten_is(block, 1) ? d : tenon_aten_fixed(1);
      add_dim(b, d, !tenon_aten_is(block, 1));
    } else {
      if (block.symbol || block.value < 1 ||
          (!d.symbol && d.value % block.value))
        return tenon_rw_fail(rw, "dimension %d does not fall into blocks", i);
      b->counts[i] = rw->api->dim(rw, TENON_DIM_DIV, d, block);
      add_dim(b, b->counts[i], false);
      add_dim(b, block, true);
    }
  }
  return TENON_OK;
}

static double number_or(tenon_scalar s, double none) {
  return !s.kind ? none : s.kind == TENON_KIND_FLOAT ? s.as.f : (double)s.as.i;
}

// Floats of 16 or 32 bits, as PyTorch wants them.
static tenon_status torchao_check_floats(tenon_rewriter *rw, tenon_dtype t,
                                         const char *what) {
  return t == TENON_F32 || t == TENON_F16 || t == TENON_BF16
             ? TENON_OK
             : tenon_rw_fail(rw, "%s is %s, not f32, f16 or bf16", what,
                             tenon_dtype_name(t));
}

tenon_status tenon_quant_limits(tenon_rewriter *rw, const tenon_node *n,
                                tenon_dtype t, double *least, double *most) {
  static const struct {
    tenon_dtype dtype;
    double least, most;
  } rows[] = {
      {TENON_S8, -128, 127},         {TENON_U8, 0, 255},
      {TENON_S16, -32768, 32767},    {TENON_S32, -2147483648.0, 2147483647.0},
      {TENON_F8E4M3FN, -448, 448},   {TENON_F8E5M2, -57344, 57344},
      {TENON_F8E4M3FNUZ, -240, 240}, {TENON_F8E5M2FNUZ, -57344, 57344}};
  const tenon_scalar lo = tenon_aten_scalar(rw, n, "quant_min");
  const tenon_scalar hi = tenon_aten_scalar(rw, n, "quant_max");
  size_t i = 0;
  while (i < sizeof rows / sizeof *rows && rows[i].dtype != t)
    ++i;
  if (i == sizeof rows / sizeof *rows)
    return tenon_rw_fail(rw, "'%s' is nothing to quantise to",
                         tenon_dtype_name(t));
  *least = number_or(lo, rows[i].least);
  *most = number_or(hi, rows[i].most);
  return *least >= rows[i].least && *most <= rows[i].most
             ? TENON_OK
             : tenon_rw_fail(rw, "quant_min %g and quant_max %g, not of '%s'",
                             *least, *most, tenon_dtype_name(t));
}

tenon_status tenon_quant_quantize_affine_lower(tenon_rewriter *rw,
                                               const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *zero = tenon_aten_in(rw, n, 2);
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dtype dtype = tenon_aten_dtype(rw, n, "output_dtype");
  double least = 0, most = 0;
  blocks b;
  if (!t) return tenon_rw_replace(rw, n, x);
  TENON_TRY(torchao_check_floats(rw, t->dtype, "the operand"));
  TENON_TRY(torchao_split(rw, n, t, &b));
  TENON_TRY(tenon_quant_limits(rw, n, dtype, &least, &most));
  x = tenon_aten_reshape(rw, x, b.split, b.rank);
  tenon_value *scale =
      tenon_aten_reshape(rw, tenon_aten_in(rw, n, 1), b.scales, b.rank);
  if (zero) zero = tenon_aten_reshape(rw, zero, b.scales, b.rank);
  scale = tenon_quant_of_number(rw, "core::div", 1, scale);
  x = tenon_quant_store(rw, x, scale, zero, false, least, most, dtype);
  return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, x, t->dims, t->rank));
}

tenon_status tenon_quant_dequantize_affine_lower(tenon_rewriter *rw,
                                                 const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *zero = tenon_aten_in(rw, n, 2);
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dtype out = tenon_aten_dtype(rw, n, "output_dtype");
  const tenon_dtype said = tenon_aten_dtype(rw, n, "input_dtype");
  double least = 0, most = 0;  // the numbers lie within them
  blocks b;
  if (!t) return tenon_rw_replace(rw, n, x);
  if (said != t->dtype)
    return tenon_rw_fail(rw, "the operand is %s, input_dtype says %s",
                         tenon_dtype_name(t->dtype), tenon_dtype_name(said));
  TENON_TRY(torchao_check_floats(rw, out, "output_dtype"));
  TENON_TRY(tenon_quant_limits(rw, n, said, &least, &most));
  TENON_TRY(torchao_split(rw, n, t, &b));
  x = tenon_aten_reshape(rw, x, b.split, b.rank);
  tenon_value *y = tenon_aten_cast(rw, x, out);
  if (zero) {
    zero = tenon_aten_reshape(rw, zero, b.scales, b.rank);
    y = tenon_rw_op2(rw, "core::sub", y, tenon_aten_cast(rw, zero, out));
  }
  y = tenon_quant_pair(
      rw, "core::mul", y,
      tenon_aten_reshape(rw, tenon_aten_in(rw, n, 1), b.scales, b.rank));
  y = tenon_aten_cast(rw, tenon_aten_reshape(rw, y, t->dims, t->rank), out);
  return tenon_rw_replace(rw, n, y);
}

// What a scale is at least: the smallest normal number of the type.
static double least_scale(tenon_dtype t) {
  return t == TENON_F64   ? 2.2250738585072014e-308
         : t == TENON_F16 ? 6.103515625e-05
                          : 1.1754943508222875e-38;
}

static tenon_value *torchao_scale_of(tenon_rewriter *rw, const char *mapping,
                                     tenon_value *low, tenon_value *high,
                                     double least, double most) {
  if (strcmp(mapping, "SYMMETRIC") == 0) {
    low = tenon_rw_op1(rw, "core::neg", low);
    high = tenon_rw_op2(rw, "core::maximum", low, high);
    return tenon_quant_number(rw, "core::div", high, (most - least) / 2);
  }
  if (strcmp(mapping, "SYMMETRIC_NO_CLIPPING_ERR") == 0) {
    low = tenon_quant_number(rw, "core::div", low, least);
    high = tenon_quant_number(rw, "core::div", high, most);
    return tenon_rw_where(rw, tenon_rw_op2(rw, "core::gt", low, high), low,
                          high);
  }
  low = tenon_rw_op2(rw, "core::sub", high, low);
  return tenon_quant_number(rw, "core::div", low, most - least);
}

// The middle of the range, for each scale.
static tenon_value *middle_like(tenon_rewriter *rw, tenon_value *scale,
                                double least, double most) {
  const tenon_type *t = scale ? tenon_rw_type(rw, scale) : NULL;
  if (!t) return scale;
  tenon_value *middle =
      tenon_aten_real(rw, t->dtype, (double)(int64_t)((most + least + 1) / 2));
  return tenon_aten_expand(rw, middle, t->dims, t->rank);
}

tenon_status tenon_quant_choose_affine_lower(tenon_rewriter *rw,
                                             const tenon_node *n) {
  const char *mapping = tenon_aten_str(rw, n, "mapping_type");
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_type *t = x ? tenon_rw_type(rw, x) : NULL;
  bool keepdim = tenon_aten_bool(rw, n, "keepdim");
  double least = 0, most = 0;
  blocks b;
  if (!x || !mapping) return tenon_rw_fail(rw, "without a tensor");
  if (!t) return tenon_rw_fail(rw, "the operand has no type");
  if (strcmp(mapping, "SYMMETRIC") != 0 && strcmp(mapping, "ASYMMETRIC") != 0 &&
      strcmp(mapping, "SYMMETRIC_NO_CLIPPING_ERR") != 0)
    return tenon_rw_fail(rw, "mapping_type '%s' is not known", mapping);
  TENON_TRY(torchao_split(rw, n, t, &b));
  TENON_TRY(tenon_quant_limits(rw, n, tenon_aten_dtype(rw, n, "target_dtype"),
                               &least, &most));
  tenon_dtype scale_type = tenon_aten_dtype(rw, n, "scale_dtype");
  tenon_dtype zero_type = tenon_aten_dtype(rw, n, "zero_point_dtype");
  double eps = tenon_aten_has(rw, n, "eps") ? tenon_aten_float(rw, n, "eps")
                                            : least_scale(t->dtype);
  x = tenon_aten_reshape(rw, x, b.split, b.rank);
  if (b.n_dims == 0)  // as PyTorch takes an empty list
    for (int i = 0; i < b.rank; ++i)
      b.dims[b.n_dims++] = i;
  tenon_value *low =
      tenon_quant_extreme(rw, "core::amin", x, b.dims, b.n_dims, keepdim);
  tenon_value *high =
      tenon_quant_extreme(rw, "core::amax", x, b.dims, b.n_dims, keepdim);
  low = tenon_quant_number(rw, "core::minimum", low, 0);
  high = tenon_quant_number(rw, "core::maximum", high, 0);
  tenon_value *scale = torchao_scale_of(rw, mapping, low, high, least, most),
              *zero;
  scale = tenon_quant_number(rw, "core::maximum", scale, eps);
  if (strcmp(mapping, "ASYMMETRIC") == 0) {
    zero = tenon_rw_op1(rw, "core::round",
                        tenon_rw_op2(rw, "core::div", low, scale));
    zero = tenon_quant_of_number(rw, "core::sub", least, zero);
    zero = tenon_quant_number(rw, "core::maximum", zero, least);
    zero = tenon_quant_number(rw, "core::minimum", zero, most);
    if (!zero_type) zero_type = TENON_S32;
  } else {
    zero = middle_like(rw, scale, least, most);
  }
  tenon_value *both[2] = {
      tenon_aten_cast(rw, scale, scale_type ? scale_type : t->dtype),
      zero_type ? tenon_aten_cast(rw, zero, zero_type) : zero};
  for (int i = 0; keepdim && i < 2; ++i)
    both[i] = tenon_aten_reshape(rw, both[i], b.counts, t->rank);
  return rw->api->replace(rw, n, both, 2);
}

// --- To 8-bit floats ---------------------------------------------------------

// The largest number of a type; 0: it is none of these.
static double torchao_most_of(tenon_dtype t) {
  return t == TENON_F8E4M3FN                          ? 448
         : t == TENON_F8E4M3FNUZ                      ? 240
         : t == TENON_F8E5M2 || t == TENON_F8E5M2FNUZ ? 57344
                                                      : 0;
}

static tenon_status find_most(tenon_rewriter *rw, tenon_dtype t, double *out) {
  *out = torchao_most_of(t);
  return *out > 0 ? TENON_OK
                  : tenon_rw_fail(rw, "'%s' is no 8-bit float with a sign",
                                  tenon_dtype_name(t));
}

tenon_status tenon_quant_choose_float8_lower(tenon_rewriter *rw,
                                             const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_aten_args args = {0};
  double most = 0;
  blocks b;
  if (!t) return tenon_rw_replace(rw, n, x);
  TENON_TRY(torchao_split(rw, n, t, &b));
  TENON_TRY(find_most(rw, tenon_aten_dtype(rw, n, "float8_dtype"), &most));
  if (tenon_aten_dtype(rw, n, "scale_dtype") != TENON_F32)
    return tenon_rw_fail(rw, "scales that are powers of two");
  x = tenon_rw_op1(rw, "core::abs", tenon_aten_reshape(rw, x, b.split, b.rank));
  if (b.n_dims == 0)  // as PyTorch takes an empty list
    for (int i = 0; i < b.rank; ++i)
      b.dims[b.n_dims++] = i;
  x = tenon_quant_extreme(rw, "core::amax", x, b.dims, b.n_dims, true);
  if (tenon_aten_has(rw, n, "hp_value_lb"))
    tenon_aten_add(
        &args, tenon_arg_float("lo", tenon_aten_float(rw, n, "hp_value_lb")));
  if (tenon_aten_has(rw, n, "hp_value_ub"))
    tenon_aten_add(
        &args, tenon_arg_float("hi", tenon_aten_float(rw, n, "hp_value_ub")));
  if (args.n) x = tenon_rw_op(rw, "core::clamp", &x, 1, args.list);
  x = tenon_quant_number(rw, "core::div", x, most);
  x = tenon_aten_reshape(rw, x, b.counts, t->rank);
  return tenon_rw_replace(rw, n, tenon_aten_cast(rw, x, TENON_F32));
}

// Brings x and its scale into shapes that broadcast: a scale may stand for a
// block along each dimension.
static tenon_status beside_scale(tenon_rewriter *rw, tenon_value **x,
                                 tenon_value **scale) {
  const tenon_type *t = tenon_aten_known(rw, *x),
                   *ts = tenon_aten_known(rw, *scale);
  const tenon_dim count = tenon_aten_product(rw, ts->dims, ts->rank);
  bool fits = true;
  for (int i = 0; i < t->rank && i < ts->rank; ++i)
    fits = fits && (tenon_aten_same(t->dims[i], ts->dims[i]) ||
                    tenon_aten_is(ts->dims[i], 1));
  // PyTorch broadcasts those that agree from the front on, or are one.
  if (tenon_aten_is(count, 1) || (fits && t->rank == ts->rank))
    return ts->rank <= t->rank
               ? TENON_OK
               : tenon_rw_fail(rw, "a scale of %d dimensions", (int)ts->rank);
  tenon_dim wide[TENON_MAX_RANK], narrow[TENON_MAX_RANK];
  int rank = 0;
  if (t->rank != ts->rank)
    return tenon_rw_fail(rw, "a scale of %d dimensions beside %d",
                         (int)ts->rank, (int)t->rank);
  for (int i = 0; i < t->rank; ++i) {
    const tenon_dim d = t->dims[i], s = ts->dims[i];
    if (rank + 2 > TENON_MAX_RANK)
      return tenon_rw_fail(rw, "too many dimensions to split");
    if (!tenon_aten_same(d, s) &&
        (d.symbol || s.symbol || s.value < 1 || d.value % s.value))
      return tenon_rw_fail(rw, "dimension %d does not fall into blocks", i);
    wide[rank] = narrow[rank] = s;
    ++rank;
    if (tenon_aten_same(d, s)) continue;
    wide[rank] = tenon_aten_fixed(d.value / s.value);
    narrow[rank++] = tenon_aten_fixed(1);
  }
  *x = tenon_aten_reshape(rw, *x, wide, rank);
  *scale = tenon_aten_reshape(rw, *scale, narrow, rank);
  return TENON_OK;
}

tenon_status tenon_quant_quantize_float8_lower(tenon_rewriter *rw,
                                               const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *scale = tenon_aten_in(rw, n, 1);
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_dtype to = tenon_aten_dtype(rw, n, "float8_dtype");
  double most = 0;
  if (!t) return tenon_rw_replace(rw, n, x);
  TENON_TRY(find_most(rw, to, &most));
  x = tenon_aten_cast(rw, x, TENON_F32);
  TENON_TRY(beside_scale(rw, &x, &scale));
  x = tenon_quant_pair(rw, "core::div", x, scale);
  x = tenon_rw_op(
      rw, "core::clamp", &x, 1,
      TENON_ARGS(tenon_arg_float("lo", -most), tenon_arg_float("hi", most)));
  x = tenon_aten_reshape(rw, x, t->dims, t->rank);
  return tenon_rw_replace(rw, n, tenon_aten_cast(rw, x, to));
}

tenon_status tenon_quant_dequantize_float8_lower(tenon_rewriter *rw,
                                                 const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *scale = tenon_aten_in(rw, n, 1);
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!t) return tenon_rw_replace(rw, n, x);
  x = tenon_aten_cast(rw, x, TENON_F32);
  TENON_TRY(beside_scale(rw, &x, &scale));
  x = tenon_quant_pair(rw, "core::mul", x, scale);
  x = tenon_aten_reshape(rw, x, t->dims, t->rank);
  return tenon_rw_replace(
      rw, n, tenon_aten_cast(rw, x, tenon_aten_dtype(rw, n, "output_dtype")));
}
