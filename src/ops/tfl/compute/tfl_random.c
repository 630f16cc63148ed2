// RANDOM_UNIFORM, RANDOM_STANDARD_NORMAL and MULTINOMIAL.
//
// How: with a seed, each node has a Philox generator of its own, whose key is
// the first seed and the upper half of whose counter the second. The lower half
// is a state of the program, which begins at 0, so a session that begins draws
// what a LiteRT interpreter draws behind allocate_tensors. Without a seed,
// where LiteRT asks the system for one, the numbers are those of the generator
// that operators of PyTorch draw from: of `--seed`, and the same each time.
#include <float.h>
#include <stdio.h>

#include "ops/tfl/tfl_op.h"

#define COMMON_GENERATOR "default_generator"
enum { COMMON_WORDS = 628, NAME_SIZE = 128 };

// Numbers of a node, from its seeds, or from the common generator.
typedef struct draws {
  tenon_rewriter *rw;
  int64_t seed, seed2;
  char name[NAME_SIZE];  // of the state
  tenon_value *before;   // what it holds
} draws;

static tenon_value *draws_read(const draws *d, const tenon_type *type) {
  tenon_tfl_args args = {0};
  tenon_tfl_arg(&args, tenon_arg_str("state", d->name));
  (void)d->rw->api->state(d->rw, d->name, type);
  return tenon_tfl_make(d->rw, "core::state_read", NULL, 0, args.list, type);
}

static void draws_write(const draws *d, tenon_value *after) {
  tenon_rw_build(d->rw, "core::state_write", &after, 1,
                 TENON_ARGS(tenon_arg_str("state", d->name)), NULL, 0, NULL);
}

static bool has_seed(const draws *d) {
  return d->seed != 0 || d->seed2 != 0;
}

static void draws_begin(draws *d, tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_random_attrs *a = tenon_rw_attrs(rw, node);
  const char *where = rw->api->place(rw, node)->where;
  const tenon_dim size = tenon_tfl_fixed(1);
  const tenon_type count = {.dims = &size, .dtype = TENON_U64, .rank = 1};
  d->rw = rw;
  // LiteRT keeps 32 bits of each, with their sign.
  d->seed = (int32_t)(uint32_t)a->seed;
  d->seed2 = (int32_t)(uint32_t)a->seed2;
  d->before = NULL;
  if (!has_seed(d)) {
    (void)snprintf(d->name, sizeof d->name, "%s", COMMON_GENERATOR);
    return;
  }
  (void)snprintf(d->name, sizeof d->name, "draws of %s",
                 where ? where : "a model");
  d->before = draws_read(d, &count);
}

// Two results of an operator on one operand.
static void random_build(tenon_rewriter *rw, const char *op, tenon_value *in,
                         const tenon_arg *args, tenon_value **out) {
  tenon_rw_build(rw, op, &in, 1, args, out, 2, NULL);
}

// Words of the node's own generator; `after`: its state behind them.
static tenon_value *draws_words(const draws *d, const tenon_tfl_shape *size,
                                tenon_value **after) {
  tenon_rewriter *rw = d->rw;
  const tenon_dim one = tenon_tfl_fixed(1);
  const tenon_type word = {.dims = &one, .dtype = TENON_U64, .rank = 1};
  tenon_value *parts[] = {rw->api->literal(rw, &word, &d->seed), d->before,
                          rw->api->literal(rw, &word, &d->seed2)};
  tenon_value *out[2] = {NULL};
  random_build(
      rw, "core::random_bits", tenon_rw_concat(rw, parts, 3, 0),
      TENON_ARGS(tenon_arg_dims("size", size->dims, (size_t)size->rank),
                 tenon_arg_dtype("dtype", TENON_U32)),
      out);
  *after = tenon_tfl_slice(rw, out[1], &one, &one, NULL, NULL);
  return out[0];
}

// Numbers of the common generator, f32 or f64, or of a normal distribution.
static tenon_value *draws_common(const draws *d, const char *op,
                                 const tenon_tfl_shape *size, tenon_dtype t) {
  const tenon_dim words = tenon_tfl_fixed(COMMON_WORDS);
  const tenon_type type = {.dims = &words, .dtype = TENON_U32, .rank = 1};
  tenon_value *out[2] = {NULL};
  random_build(
      d->rw, op, draws_read(d, &type),
      TENON_ARGS(tenon_arg_dims("size", size->dims, (size_t)size->rank),
                 tenon_arg_dtype("dtype", t)),
      out);
  draws_write(d, out[1]);
  return out[0];
}

// Column k of [n, 2].
static tenon_value *random_column(tenon_rewriter *rw, tenon_value *x, int k) {
  return tenon_tfl_part(rw, x, 1, tenon_tfl_fixed(k), tenon_tfl_fixed(1), 1);
}

// The lower 23 bits of words as a float from 0 to 1, without 1.
static tenon_value *as_unit(tenon_rewriter *rw, tenon_value *words) {
  return tenon_aten_formula(rw, "words: f32(words & 8388607) * 0x1p-23", words);
}

// The same of 52 bits of two words [n, 2], as f64[n, 1].
static tenon_value *as_wide_unit(tenon_rewriter *rw, tenon_value *words) {
  tenon_value *high = random_column(rw, words, 0);
  return tenon_aten_formula(
      rw, "high low: f64(high & 1048575) * 0x1p-20 + f64(low) * 0x1p-52", high,
      random_column(rw, words, 1));
}

// ---------------------------------------------------------------------------
// RANDOM_UNIFORM, RANDOM_STANDARD_NORMAL
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_random_infer(tenon_infer *c) {
  static const tenon_type real = {.dtype = TENON_F32};
  tenon_tfl_shape y;
  TENON_TRY(tenon_tfl_shapes(c, NULL, "shape s32[_]"));
  TENON_TRY(tenon_tfl_sizes(c, 0, "shape", &y));
  return tenon_tfl_result(c, 0, &y, TENON_F32, &real);
}

static tenon_tfl_shape random_size(tenon_rewriter *rw, const tenon_node *node) {
  tenon_tfl_shape y;
  y.rank = tenon_tfl_sizes_in(rw, tenon_tfl_in(rw, node, 0), y.dims);
  return y;
}

tenon_status tenon_tfl_random_uniform_lower(tenon_rewriter *rw,
                                            const tenon_node *node) {
  const tenon_tfl_shape size = random_size(rw, node);
  tenon_value *after, *y;
  draws d;
  draws_begin(&d, rw, node);
  if (!has_seed(&d))
    return tenon_rw_replace(
        rw, node, draws_common(&d, "core::random_uniform", &size, TENON_F32));
  y = as_unit(rw, draws_words(&d, &size, &after));
  draws_write(&d, after);
  return tenon_rw_replace(rw, node, y);
}

// Box and Muller's: of two words two numbers.
tenon_status tenon_tfl_random_normal_lower(tenon_rewriter *rw,
                                           const tenon_node *node) {
  const tenon_tfl_shape size = random_size(rw, node);
  tenon_value *after, *words, *parts[2];
  tenon_tfl_shape pairs = {{tenon_tfl_fixed(1), tenon_tfl_fixed(2)}, 2}, line;
  draws d;
  draws_begin(&d, rw, node);
  if (!has_seed(&d))
    return tenon_rw_replace(
        rw, node, draws_common(&d, "core::random_normal", &size, TENON_F32));
  line = (tenon_tfl_shape){{tenon_tfl_fixed(1)}, 1};
  for (int i = 0; i < size.rank; ++i)
    line.dims[0] = rw->api->dim(rw, TENON_DIM_MUL, line.dims[0], size.dims[i]);
  pairs.dims[0] =
      rw->api->dim(rw, TENON_DIM_ADD, line.dims[0], tenon_tfl_fixed(1));
  pairs.dims[0] =
      rw->api->dim(rw, TENON_DIM_DIV, pairs.dims[0], tenon_tfl_fixed(2));
  const tenon_tfl_shape all = {
      {rw->api->dim(rw, TENON_DIM_MUL, pairs.dims[0], tenon_tfl_fixed(2))}, 1};
  words = draws_words(&d, &pairs, &after);
  draws_write(&d, after);
  tenon_value *unit = as_unit(rw, random_column(rw, words, 0));
  parts[1] = tenon_aten_formula(
      rw,
      "u v #least &sine: radius = sqrt(log(maximum(u, least)) * -2); "
      "angle = f32(f64(v) * (2 * pi)); sine = sin(angle) * radius; "
      "cos(angle) * radius",
      unit, as_unit(rw, random_column(rw, words, 1)), (double)1.0e-7f,
      &parts[0]);
  words = tenon_tfl_reshape(rw, tenon_rw_concat(rw, parts, 2, 1), &all, NULL);
  words = tenon_tfl_slice(rw, words, NULL, line.dims, NULL, NULL);
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, words, &size, NULL));
}

// ---------------------------------------------------------------------------
// MULTINOMIAL
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_multinomial_infer(tenon_infer *c) {
  const tenon_type *x, *y = tenon_tfl_declared(c, 0);
  const tenon_type whole = {.dtype = y ? y->dtype : TENON_S64};
  tenon_dim count = tenon_tfl_fixed(TENON_UNKNOWN);
  TENON_TRY(tenon_tfl_operand(c, 0, "logits", 2, &x));
  TENON_TRY(tenon_tfl_one_size(c, 1, "count", count, &count));
  if (!tenon_tfl_is_float(x))
    return tenon_infer_fail(c, "'logits' is %s, expected f32",
                            tenon_dtype_name(x->dtype));
  if (whole.dtype != TENON_S32 && whole.dtype != TENON_S64)
    return tenon_infer_fail(c, "the result is %s, expected s32 or s64",
                            tenon_dtype_name(whole.dtype));
  if (tenon_tfl_is(x->dims[1], 0) || (!count.symbol && count.value < 0))
    return tenon_infer_fail(c, "%lld draws of %lld classes",
                            (long long)count.value,
                            (long long)x->dims[1].value);
  const tenon_tfl_shape shape = {{x->dims[0], count}, 2};
  return tenon_tfl_result(c, 0, &shape, whole.dtype, &whole);
}

// Running sums of what a class is worth, f64: 0 of what is not finite.
static tenon_value *worth_up_to(tenon_rewriter *rw, tenon_value *logits) {
  return tenon_aten_formula(
      rw,
      "x #least: finite = abs(x) < inf; most = amax(finite ? x : least, 2, 1); "
      "cumsum(finite ? exp(f64(x) - f64(most)) : 0, 1)",
      logits, -(double)FLT_MAX);
}

// LiteRT leaves out more than it draws: for each row the draws, brought to a
// multiple of 4, times 512 blocks of four words.
static tenon_value *multinomial_after(const draws *d, tenon_dim rows,
                                      tenon_dim n) {
  tenon_rewriter *rw = d->rw;
  const tenon_tfl_shape one = {{tenon_tfl_fixed(1)}, 1};
  n = rw->api->dim(rw, TENON_DIM_ADD, n, tenon_tfl_fixed(3));
  n = rw->api->dim(rw, TENON_DIM_DIV, n, tenon_tfl_fixed(4));
  n = rw->api->dim(rw, TENON_DIM_MUL, n, tenon_tfl_fixed(4 * 512));
  n = rw->api->dim(rw, TENON_DIM_MUL, n, rows);
  tenon_value *left_out =
      tenon_tfl_cast(rw, tenon_tfl_size(rw, n, TENON_S64), TENON_U64);
  return tenon_rw_op2(rw, "core::add", d->before,
                      tenon_tfl_reshape(rw, left_out, &one, NULL));
}

tenon_status tenon_tfl_multinomial_lower(tenon_rewriter *rw,
                                         const tenon_node *node) {
  tenon_value *logits = tenon_tfl_in(rw, node, 0), *after, *at;
  const tenon_type *t = tenon_rw_type(rw, logits);
  const tenon_dim rows = t->dims[0],
                  n = tenon_tfl_number_in(rw, tenon_tfl_in(rw, node, 1), 0);
  const tenon_tfl_shape y = {{rows, n}, 2};
  tenon_tfl_shape words = {
      {rw->api->dim(rw, TENON_DIM_MUL, rows, n), tenon_tfl_fixed(2)}, 2};
  const tenon_dim one = tenon_tfl_fixed(1),
                  last = rw->api->dim(rw, TENON_DIM_SUB, t->dims[1], one);
  draws d;
  draws_begin(&d, rw, node);
  if (has_seed(&d)) {
    at = as_wide_unit(rw, draws_words(&d, &words, &after));
    at = tenon_tfl_reshape(rw, at, &y, NULL);
    draws_write(&d, multinomial_after(&d, rows, n));
  } else {
    at = draws_common(&d, "core::random_uniform", &y, TENON_F64);
  }
  tenon_value *sums = worth_up_to(rw, logits);
  tenon_value *whole = tenon_tfl_part(rw, sums, 1, last, one, 1);
  tenon_value *in[] = {sums, tenon_rw_op2(rw, "core::mul", at, whole)};
  at = tenon_rw_op(rw, "core::searchsorted", in, 2,
                   TENON_ARGS(tenon_arg_bool("right", true)));
  return tenon_rw_replace(
      rw, node, tenon_tfl_cast(rw, at, rw->api->result(rw, node, 0)->dtype));
}
