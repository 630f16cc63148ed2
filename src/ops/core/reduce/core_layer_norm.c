// core_layer_norm.c - core::layer_norm, and how pass `fuse` finds it in its
// parts.
#include "kern/op/layer_norm.h"

#include <inttypes.h>
#include <string.h>

#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"
#include "ops/core/fast/core_fast_host.h"
#include "ops/core/rewrite/core_rewrite.h"

CORE_SHAPES(layer_norm_infer, "x[...,n], weight?[n], bias?[n] -> x[...,n]")

// --- Kernels -----------------------------------------------------------------

// An item is a row.
static int64_t layer_norm_extent(const tenon_call *c, int64_t *items) {
  *items = 1;
  return c->out[0].dims[c->out[0].rank - 1];
}
static int64_t layer_norm_reads(const tenon_call *c) {
  return c->in[0].dims[c->in[0].rank - 1];
}

static size_t row_of_floats(const tenon_call *c, int64_t items) {
  (void)items;
  return (size_t)layer_norm_reads(c) * sizeof(float);
}
// tenon_layer_norm_some of them; of longer rows not less.
static size_t rows_of_floats(const tenon_call *c, int64_t items) {
  const int64_t n = layer_norm_reads(c);
  const int64_t most = n > TENON_LAYER_NORM_NEAR ? n : TENON_LAYER_NORM_NEAR;
  return (size_t)(items * n < most ? items * n : most) * sizeof(float);
}

#define LAYER_NORM(start, its_types)                           \
  start, .types = its_types, .in_place = TENON_IN_PLACE(0, 0), \
         .extent = layer_norm_extent, .reads = layer_norm_reads
#define TYPES(type) type ", f32?, f32? -> " type

CORE_KERNEL(layer_norm_f32_ref) = {
    LAYER_NORM(CORE_RANGE(layer_norm_f32_ref, tenon_core_last_rows),
               TYPES("f32"))};
#define LAYER_NORM_HALF(name, its_types, places)                     \
  CORE_KERNEL(name) = {                                              \
      LAYER_NORM(CORE_RANGE(name, tenon_core_last_rows), its_types), \
      .scratch = row_of_floats};
TENON_KERNELS_layer_norm(LAYER_NORM_HALF)
#undef LAYER_NORM_HALF

    CORE_OPERATOR(
        layer_norm, layer_norm_infer,
        (CORE_K(layer_norm_f32_ref), CORE_EACH(layer_norm) NULL),
        "(Tensor x, Tensor? weight=None, Tensor? bias=None, *, float eps=0.0, "
        "bool "
        "rms=False) -> Tensor",
        "Rows of the last dimension less their mean, times one over the root "
        "of "
        "eps more than the mean of their squares, times `weight`, and `bias`.\n"
        "With `rms` nothing is taken off. The bits are those of mean, sub, "
        "mul, "
        "mean, add, rsqrt, mul, mul and add, without their results. Those of "
        "16-bit "
        "floats are those of floats, rounded once.",
        CORE_MEMBERS(tenon_layer_norm_attrs, eps, rms));

#define FAST_LAYER_NORM_OF(name, type, isa, room)                     \
  CORE_KERNEL(name) = {                                               \
      LAYER_NORM(CORE_FAST(name, tenon_core_last_rows), TYPES(type)), \
      .op = "core::layer_norm", CORE_FAST_ON(isa), .scratch = room}
#define FAST_LAYER_NORM(isa)                                            \
  FAST_LAYER_NORM_OF(layer_norm_f32_##isa, "f32", isa, NULL);           \
  FAST_LAYER_NORM_OF(layer_norm_f16_##isa, "f16", isa, rows_of_floats); \
  FAST_LAYER_NORM_OF(layer_norm_bf16_##isa, "bf16", isa, rows_of_floats)
FAST_WIDTHS(FAST_LAYER_NORM);

// --- Its parts ---------------------------------------------------------------

// The node of this operator that makes x, which has so many uses (0: any), of
// floats without limits; else null.
static const tenon_node *layer_norm_part(tenon_rewriter *rw, tenon_value *x,
                                         const char *op, int uses) {
  const tenon_node *p = x ? rw->api->producer(rw, x) : NULL;
  tenon_core_args args;
  tenon_core_range range;
  if (!p || !tenon_core_is_plain_f32(tenon_rw_type(rw, x)) ||
      (uses && rw->api->uses(rw, x) != uses) ||
      strcmp(rw->api->op(rw, p), op) != 0 ||
      !tenon_core_take_args(rw, p, &args) ||
      (tenon_core_get_limits(&args, &range) && (range.lo.has || range.hi.has)))
    return NULL;
  return p;
}

// What a mean of rows, each kept as one number, is of; null: it is another
// thing.
static tenon_value *layer_norm_mean_of(tenon_rewriter *rw, tenon_value *x,
                                       int uses) {
  const tenon_node *p = layer_norm_part(rw, x, "core::mean", uses);
  if (!p) return NULL;
  tenon_value *from = tenon_rw_operand(rw, p, 0);
  const tenon_reduce_attrs *a = tenon_rw_attrs(rw, p);
  const int rank = tenon_rw_type(rw, from)->rank;
  return a->keepdim && a->dims.count == 1 &&
                 (a->dims.data[0] == -1 || a->dims.data[0] == rank - 1)
             ? from
             : NULL;
}

// The operand of which x is the square.
static tenon_value *layer_norm_square_of(tenon_rewriter *rw, tenon_value *x) {
  const tenon_node *p = layer_norm_part(rw, x, "core::mul", 1);
  if (p)
    return tenon_rw_operand(rw, p, 0) == tenon_rw_operand(rw, p, 1)
               ? tenon_rw_operand(rw, p, 0)
               : NULL;
  p = layer_norm_part(rw, x, "core::square", 1);
  return p ? tenon_rw_operand(rw, p, 0) : NULL;
}

// That two casts to floats have one operand.
static bool layer_norm_is_cast_twice(tenon_rewriter *rw, tenon_value *x,
                                     tenon_value *y) {
  const tenon_node *p = layer_norm_part(rw, x, "core::cast", 0);
  const tenon_node *q = layer_norm_part(rw, y, "core::cast", 0);
  return p && q && tenon_rw_operand(rw, p, 0) == tenon_rw_operand(rw, q, 0);
}

// That x and y are one value, or one difference or cast that exporters write
// twice.
static bool layer_norm_is_same(tenon_rewriter *rw, tenon_value *x,
                               tenon_value *y) {
  if (x == y || layer_norm_is_cast_twice(rw, x, y)) return true;
  const tenon_node *p = layer_norm_part(rw, x, "core::sub", 1);
  const tenon_node *q = layer_norm_part(rw, y, "core::sub", 2);
  return p && q && tenon_rw_operand(rw, p, 0) == tenon_rw_operand(rw, q, 0) &&
         tenon_rw_operand(rw, p, 1) == tenon_rw_operand(rw, q, 1);
}

// What `root` is found of, if that is x: one over the root of `eps` more than
// the mean square of its rows; else null.
static tenon_value *layer_norm_root_of(tenon_rewriter *rw, tenon_value *root,
                                       tenon_value *x, double *eps) {
  const tenon_node *p = layer_norm_part(rw, root, "core::rsqrt", 1);
  p = p ? layer_norm_part(rw, tenon_rw_operand(rw, p, 0), "core::add", 1)
        : NULL;
  if (!p) return NULL;
  tenon_value *number = tenon_rw_operand(rw, p, 1);
  const tenon_tensor *c = rw->api->constant(rw, number);
  if (!c || !tenon_core_is_plain_f32(tenon_rw_type(rw, number)) ||
      tenon_count(c) != 1)
    return NULL;
  *eps = (double)*(const float *)c->data;
  tenon_value *square = layer_norm_mean_of(rw, tenon_rw_operand(rw, p, 0), 1);
  tenon_value *of = square ? layer_norm_square_of(rw, square) : NULL;
  return *eps >= 0 && of && layer_norm_is_same(rw, x, of) ? of : NULL;
}

// mul: of rows and what is found of them, or of the same rows once more.
static tenon_status layer_norm_build(tenon_rewriter *rw, const tenon_node *n,
                                     tenon_value *x, tenon_value *of,
                                     double eps) {
  const bool is_twice = x != of && !layer_norm_is_cast_twice(rw, x, of);
  const tenon_node *p = layer_norm_part(rw, x, "core::sub", is_twice ? 1 : 3);
  tenon_value *from = p ? tenon_rw_operand(rw, p, 0) : NULL;
  bool is_centred =
      p &&
      layer_norm_mean_of(rw, tenon_rw_operand(rw, p, 1), is_twice ? 2 : 1) ==
          from &&
      tenon_core_same_type(tenon_rw_type(rw, from), tenon_rw_type(rw, x));
  tenon_value *in[] = {is_centred ? from : x, NULL, NULL};
  if ((is_twice && !is_centred) ||
      !tenon_core_same_type(tenon_rw_type(rw, x), rw->api->result(rw, n, 0)))
    return TENON_OK;
  return tenon_core_rewrite_as(rw, n, "core::layer_norm", in, 3,
                               TENON_ARGS(tenon_arg_float("eps", eps),
                                          tenon_arg_bool("rms", !is_centred)));
}

// A number for each element of a row.
static bool layer_norm_is_list(tenon_rewriter *rw, tenon_value *w,
                               tenon_value *x) {
  const tenon_type *t = tenon_rw_type(rw, w), *rows = tenon_rw_type(rw, x);
  return tenon_core_is_plain_f32(t) && t->rank == 1 && !t->dims[0].symbol &&
         !rows->dims[rows->rank - 1].symbol &&
         t->dims[0].value == rows->dims[rows->rank - 1].value;
}

// mul or add: with what is multiplied or added behind.
static tenon_status layer_norm_take(tenon_rewriter *rw, const tenon_node *n,
                                    int i, int to) {
  tenon_value *x = tenon_rw_operand(rw, n, i);
  tenon_value *more = tenon_rw_operand(rw, n, 1 - i);
  const tenon_node *p = layer_norm_part(rw, x, "core::layer_norm", 1);
  tenon_core_args args;
  if (!p || !layer_norm_is_list(rw, more, x) || tenon_rw_operand(rw, p, to) ||
      tenon_rw_operand(rw, p, 2) || !tenon_core_take_args(rw, p, &args) ||
      !tenon_core_same_type(tenon_rw_type(rw, x), rw->api->result(rw, n, 0)))
    return TENON_OK;
  tenon_value *in[] = {tenon_rw_operand(rw, p, 0), tenon_rw_operand(rw, p, 1),
                       NULL};
  in[to] = more;
  return tenon_core_rewrite_as(rw, n, "core::layer_norm", in, 3, args.list);
}

static bool layer_norm_has_limits(tenon_rewriter *rw, const tenon_node *n) {
  tenon_core_args args;
  tenon_core_range range;
  return !tenon_core_take_args(rw, n, &args) ||
         !tenon_core_get_limits(&args, &range) || range.lo.has || range.hi.has;
}

CORE_LOWER(layer_norm_mul) {
  if (!tenon_core_is_plain_f32(rw->api->result(rw, n, 0)) ||
      layer_norm_has_limits(rw, n))
    return TENON_OK;
  for (int i = 0; i < 2; ++i) {
    tenon_value *x = tenon_rw_operand(rw, n, i);
    double eps;
    if (layer_norm_part(rw, x, "core::layer_norm", 1))
      return layer_norm_take(rw, n, i, 1);
    tenon_value *of =
        layer_norm_root_of(rw, tenon_rw_operand(rw, n, 1 - i), x, &eps);
    if (of) return layer_norm_build(rw, n, x, of, eps);
  }
  return TENON_OK;
}

CORE_LOWER(layer_norm_add) {
  if (!tenon_core_is_plain_f32(rw->api->result(rw, n, 0)) ||
      layer_norm_has_limits(rw, n))
    return TENON_OK;
  for (int i = 0; i < 2; ++i)
    if (layer_norm_part(rw, tenon_rw_operand(rw, n, i), "core::layer_norm", 1))
      return layer_norm_take(rw, n, i, 2);
  return TENON_OK;
}
