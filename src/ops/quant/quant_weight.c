// quant_weight.c - products whose matrix is dequantised from constant integers:
// the integers stay, and a kernel makes floats of them in its inner loop.
//
// Nodes are lowered in order, so when a product is met, what makes its matrix
// is core operators already: (q - zero) * scale with views around, whether a
// set of quantising operators wrote it or a decomposition. Each operation of it
// is one of core::weight_only_linear, which scales sums of blocks in place of
// weights: fewer roundings, and other last bits.
#include "ops/quant/quant_weight.h"

#include <string.h>

#include "kern/op/move.h"
#include "ops/aten/index/index_op.h"
#include "ops/quant/fold/quant_links.h"
#include "ops/quant/quant_constant.h"
#include "ops/quant/quant_dynamic.h"
#include "ops/quant/quant_op.h"

#define MAX_OUTPUTS 16384  // with one scale, whose copies lie on the stack

typedef tenon_quant_scaled scaled;

static tenon_value *above(tenon_rewriter *rw, tenon_value *v, const char *op) {
  const tenon_node *p = v ? rw->api->producer(rw, v) : NULL;
  return tenon_quant_is_op(rw, p, op) ? rw->api->operand(rw, p, 0) : NULL;
}

// v, or what it views in the same order.
static tenon_value *unshaped(tenon_rewriter *rw, tenon_value *v) {
  for (tenon_value *x = v; x; x = above(rw, v, "core::reshape"))
    v = x;
  return v;
}

// What a transposed matrix was; null: v is none.
static tenon_value *weight_turned(tenon_rewriter *rw, tenon_value *v) {
  tenon_value *x = above(rw, v, "core::permute");
  if (!x || tenon_aten_known(rw, v)->rank != 2) return NULL;
  const tenon_ints dims = ((const tenon_permute_attrs *)rw->api->attrs(
                               rw, rw->api->producer(rw, v)))
                              ->dims;
  const int64_t first = dims.data[0] < 0 ? dims.data[0] + 2 : dims.data[0];
  return first == 1 ? x : NULL;
}

// Constant integers of 8 bits, as many as the matrix has, for each output.
static bool take_integers(tenon_rewriter *rw, tenon_value *v, scaled *s) {
  const tenon_type *t = tenon_aten_known(rw, v);
  s->q = v;
  if (!v || !rw->api->constant(rw, v) ||
      (t->dtype != TENON_S8 && t->dtype != TENON_U8) || t->rank < 2 ||
      !tenon_aten_is(t->dims[0], s->n))
    return false;
  return tenon_aten_is(tenon_aten_product(rw, t->dims + 1, t->rank - 1), s->k);
}

static bool is_matrix(tenon_rewriter *rw, tenon_value *v) {
  return tenon_aten_known(rw, v)->rank == 2;
}

// --- By blocks ---------------------------------------------------------------

// A constant, whatever its shape and type were.
static bool weight_is_constant(tenon_rewriter *rw, tenon_value *v) {
  for (tenon_value *x = v; x;) {
    v = x;
    x = above(rw, v, "core::reshape");
    if (!x) x = above(rw, v, "core::cast");
  }
  return v && rw->api->constant(rw, v);
}

// Brings a value for each block of the last dimension of `x` into [n, blocks],
// as f32.
static tenon_value *weight_of_blocks(tenon_rewriter *rw, tenon_value *x,
                                     tenon_value *v, scaled *s) {
  const tenon_type *t = tenon_aten_known(rw, x), *tv = tenon_aten_known(rw, v);
  if (!weight_is_constant(rw, v) || tv->dtype != s->dtype ||
      tv->rank != t->rank || t->rank < 1 ||
      !tenon_aten_is(tv->dims[t->rank - 1], 1))
    return NULL;
  for (int i = 0; i < t->rank - 1; ++i)
    if (!tenon_aten_same(t->dims[i], tv->dims[i])) return NULL;
  const tenon_dim block = t->dims[t->rank - 1];
  if (block.symbol || block.value < 2 || s->k % block.value) return NULL;
  const int64_t blocks = s->k / block.value;
  if (s->blocks && s->blocks != blocks) return NULL;
  s->blocks = blocks;
  const tenon_dim dims[] = {tenon_aten_fixed(s->n), tenon_aten_fixed(blocks)};
  return tenon_aten_reshape(rw, tenon_aten_cast(rw, v, TENON_F32), dims, 2);
}

// Constant integers that floats hold, with whatever is taken from 8 bits.
static bool weight_is_small(tenon_rewriter *rw, tenon_value *v) {
  const tenon_tensor *t = tenon_quant_constant(rw, v);
  return t && t->dtype != TENON_F32 && t->dtype != TENON_F64 &&
         tenon_quant_is_within(t, -(1 << 22), 1 << 22);
}

// The zero point of a difference, as floats: of integers, the difference is
// the same.
static tenon_value *weight_zero_of(tenon_rewriter *rw, tenon_value *x,
                                   tenon_value *z, scaled *s) {
  const tenon_dtype t = tenon_aten_known(rw, z)->dtype;
  if (t == TENON_S32 || t == TENON_S64) {
    if (!weight_is_small(rw, z)) return NULL;
    z = tenon_aten_cast(rw, z, s->dtype);
  }
  return weight_of_blocks(rw, x, z, s);
}

// (q - zero) * scale, where either may be missing; `is_turned`: v is [k, n].
static bool find_blocks(tenon_rewriter *rw, tenon_value *v, bool is_turned,
                        scaled *s) {
  v = unshaped(rw, v);
  tenon_value *wide = above(rw, v, "core::cast");
  if (wide && tenon_aten_known(rw, wide)->dtype == TENON_F32) {
    s->dtype = TENON_F32;  // and of 16 bits afterwards
    v = unshaped(rw, wide);
  }
  const tenon_node *p = rw->api->producer(rw, v);
  if (tenon_quant_is_op(rw, p, "core::mul")) {
    tenon_value *x = rw->api->operand(rw, p, 0);
    s->scale = weight_of_blocks(rw, x, rw->api->operand(rw, p, 1), s);
    if (!s->scale) return false;
    v = unshaped(rw, x);
    tenon_value *integers = above(rw, v, "core::cast");
    if (above(rw, integers, "core::sub")) v = integers;
    p = rw->api->producer(rw, v);
  }
  if (tenon_quant_is_op(rw, p, "core::sub")) {
    tenon_value *x = rw->api->operand(rw, p, 0);
    s->zero = weight_zero_of(rw, x, rw->api->operand(rw, p, 1), s);
    if (!s->zero) return false;
    v = x;
  }
  v = unshaped(rw, above(rw, v, "core::cast"));
  if (v && is_turned && !s->blocks) {
    v = unshaped(rw, weight_turned(rw, v));
    is_turned = false;
  }
  // Of symmetric quantisers all are zero, and as many as there are scales.
  const tenon_tensor *zero = s->zero ? tenon_quant_constant(rw, s->zero) : NULL;
  if (zero && tenon_quant_is_within(zero, 0, 0)) s->zero = NULL;
  return v && !is_turned && is_matrix(rw, v) && take_integers(rw, v, s);
}

bool tenon_quant_find_blocks(tenon_rewriter *rw, tenon_value *v, scaled *s) {
  return find_blocks(rw, v, false, s);
}

// --- By channel --------------------------------------------------------------

// The scales of n outputs, which may be one for all.
tenon_value *tenon_quant_column(tenon_rewriter *rw, const tenon_quant *quant,
                                int64_t n) {
  float each[MAX_OUTPUTS];
  const tenon_dim dims[] = {tenon_aten_fixed(n), tenon_aten_fixed(1)};
  const tenon_type t = {.dims = dims, .dtype = TENON_F32, .rank = 2};
  if (n > MAX_OUTPUTS && quant->channels == 1) return NULL;
  for (int64_t i = 0; i < n && quant->channels == 1; ++i)
    each[i] = quant->scale[0];
  return rw->api->literal(rw, &t, quant->channels == 1 ? each : quant->scale);
}

// A number for each output and block.
static tenon_value *everywhere(tenon_rewriter *rw, const scaled *s,
                               double value) {
  const tenon_dim dims[] = {tenon_aten_fixed(s->n),
                            tenon_aten_fixed(s->blocks)};
  return tenon_aten_expand(rw, tenon_aten_real(rw, TENON_F32, value), dims, 2);
}

// Zero points of channels are none here: what has some is dequantised operation
// by operation.
bool tenon_quant_find_channels(tenon_rewriter *rw, tenon_value *v,
                               tenon_quant_scaled *s) {
  tenon_value *q = above(rw, v, "core::dequantize");
  const tenon_type *t = q ? tenon_rw_type(rw, q) : NULL;
  const tenon_quant *quant = t ? t->quant : NULL;
  const bool is_whole = quant && quant->channels == 1 && s->n <= MAX_OUTPUTS;
  if (!quant || quant->block ||
      !(is_whole || (quant->axis == 0 && quant->channels == s->n)) ||
      !take_integers(rw, above(rw, q, "core::reinterpret"), s))
    return false;
  const int32_t zero = quant->zero ? quant->zero[0] : 0;
  for (int i = 0; i < quant->channels && quant->zero; ++i)
    if (quant->zero[i] != zero) return false;
  s->blocks = 1;
  s->scale = tenon_quant_column(rw, quant, s->n);
  if (zero) s->zero = everywhere(rw, s, zero);
  return true;
}

// --- Bytes without a sign ----------------------------------------------------

// The same numbers of s8: those that 4 bits hold around 8, those below 128 as
// they are, and others less 128, with zero points less as much.
static void make_signed(tenon_rewriter *rw, scaled *s) {
  const tenon_tensor *q = rw->api->constant(rw, s->q);
  if (q->dtype == TENON_S8) return;
  const double less = tenon_quant_is_within(q, 0, 15)    ? 8
                      : tenon_quant_is_within(q, 0, 127) ? 0
                                                         : 128;
  if (s->blocks == 0) s->blocks = 1;
  if (less != 0) {
    tenon_value *by = tenon_aten_real(rw, TENON_F32, less);
    s->zero = s->zero ? tenon_rw_op2(rw, "core::sub", s->zero, by)
                      : everywhere(rw, s, -less);
    s->q = tenon_rw_op2(rw, "core::sub", tenon_aten_cast(rw, s->q, TENON_S16),
                        tenon_aten_real(rw, TENON_S16, less));
  }
  s->q = tenon_aten_cast(rw, s->q, TENON_S8);
}

// --- The lowerings -----------------------------------------------------------

// What a row of the table at the end asks for: nothing, integers all through,
// or floats of 16 bits.
static bool weight_is_asked(tenon_rewriter *rw, const char *what) {
  const char *user = (const char *)rw->api->user(rw);
  return user && strcmp(user, what) == 0;
}

static bool weight_is_of(tenon_rewriter *rw, tenon_value *v, tenon_dtype dtype,
                         int least_rank) {
  const tenon_type *t = v ? tenon_rw_type(rw, v) : NULL;
  return t && t->dtype == dtype && t->rank >= least_rank;
}

// x times the matrix w, which is [k, n] or, not `is_turned`, [n, k].
static tenon_status weight_product(tenon_rewriter *rw, const tenon_node *n,
                                   tenon_value *x, tenon_value *w,
                                   bool is_turned, tenon_value *bias) {
  const tenon_type *result = tenon_aten_result(rw, n, 0);
  const tenon_dtype dtype = result ? result->dtype : 0;
  scaled s = {.dtype = dtype};
  if (!weight_is_of(rw, x, dtype, 1) || !weight_is_of(rw, w, dtype, 2) ||
      (bias && !weight_is_of(rw, bias, dtype, 1)) ||
      (weight_is_asked(rw, "wide") ? dtype != TENON_F16 && dtype != TENON_BF16
                                   : dtype != TENON_F32))
    return TENON_OK;
  const tenon_type *t = tenon_rw_type(rw, w);
  if (t->rank != 2 || t->dims[0].symbol || t->dims[1].symbol) return TENON_OK;
  s.n = t->dims[is_turned].value;
  s.k = t->dims[!is_turned].value;
  for (tenon_value *v = weight_turned(rw, w); v; v = weight_turned(rw, w)) {
    w = v;
    is_turned = !is_turned;
  }
  if (s.n == 0 || s.k == 0) return TENON_OK;
  if ((is_turned || !tenon_quant_find_channels(rw, w, &s)) &&
      !find_blocks(rw, w, is_turned, &s))
    return TENON_OK;
  if (bias && !(tenon_aten_known(rw, bias)->rank == 1 &&
                tenon_aten_is(tenon_aten_known(rw, bias)->dims[0], s.n)))
    return TENON_OK;
  if (weight_is_asked(rw, "dynamic")) {
    tenon_value *folded = tenon_quant_dynamic_linear(rw, x, &s, bias);
    return folded ? tenon_rw_replace(rw, n, folded) : TENON_OK;
  }
  make_signed(rw, &s);
  x = tenon_aten_cast(rw, x, TENON_F32);
  bias = bias ? tenon_aten_cast(rw, bias, TENON_F32) : NULL;
  tenon_value *in[] = {x, s.q, s.scale, s.zero, bias};
  x = tenon_rw_op(rw, "core::weight_only_linear", in, 5, NULL);
  return tenon_rw_replace(rw, n, tenon_aten_cast(rw, x, dtype));
}

static tenon_status linear(tenon_rewriter *rw, const tenon_node *n) {
  return weight_product(rw, n, tenon_aten_in(rw, n, 0), tenon_aten_in(rw, n, 1),
                        false, tenon_aten_in(rw, n, 2));
}

static tenon_status mm(tenon_rewriter *rw, const tenon_node *n) {
  return weight_product(rw, n, tenon_aten_in(rw, n, 0), tenon_aten_in(rw, n, 1),
                        true, NULL);
}

static tenon_status matmul(tenon_rewriter *rw, const tenon_node *n) {
  return mm(rw, n);
}

static bool weight_is_one(tenon_scalar s) {
  return s.kind == TENON_KIND_FLOAT ? s.as.f == 1 : s.kind && s.as.i == 1;
}

static tenon_status addmm(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *bias = tenon_aten_in(rw, n, 0);
  if (!bias || !weight_is_one(tenon_aten_scalar(rw, n, "alpha")) ||
      !weight_is_one(tenon_aten_scalar(rw, n, "beta")))
    return TENON_OK;
  return weight_product(rw, n, tenon_aten_in(rw, n, 1), tenon_aten_in(rw, n, 2),
                        true, bias);
}

#define TENON_QUANT_WEIGHT_BUILDS \
  "core::weight_only_linear core::reshape core::cast core::sub core::expand"
#define PRODUCT(ident, its_flags, rank, its_name, its_op, its_to, function, \
                its_user)                                                   \
  const tenon_lowering_desc ident = {                                       \
      .struct_size = sizeof(tenon_lowering_desc),                           \
      .flags = its_flags,                                                   \
      .priority = rank,                                                     \
      .name = its_name,                                                     \
      .op = its_op,                                                         \
      .to = its_to,                                                         \
      .lower = function,                                                    \
      .user = its_user}
#define PRODUCTS(function)                                                \
  PRODUCT(tenon_quant_weight_##function, 0, 10,                           \
          "quant weights alone in " #function, "aten::" #function,        \
          TENON_QUANT_WEIGHT_BUILDS, function, NULL);                     \
  PRODUCT(tenon_quant_rows_##function, TENON_LOWERING_INEXACT, 20,        \
          "quant " #function " to integers", "aten::" #function,          \
          TENON_QUANT_DYNAMIC_BUILDS, function, "dynamic");               \
  PRODUCT(tenon_quant_wide_##function, TENON_LOWERING_INEXACT, 10,        \
          "quant 16-bit weights alone in " #function, "aten::" #function, \
          TENON_QUANT_WEIGHT_BUILDS, function, "wide")
PRODUCTS(linear);
PRODUCTS(mm);
PRODUCTS(matmul);
PRODUCTS(addmm);
