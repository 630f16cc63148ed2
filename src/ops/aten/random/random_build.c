// Draws: the state of the generator is read, and written back behind it.
#include "kern/num/generator.h"
#include "ops/aten/index/index_op.h"
#include "ops/aten/random/random_op.h"

tenon_status tenon_draw_begin(tenon_draw *d, tenon_rewriter *rw,
                              const tenon_node *n, tenon_dtype standard) {
  memset(d, 0, sizeof *d);
  d->rw = rw;
  d->n = n;
  const tenon_type *result = tenon_aten_result(rw, n, 0);
  const tenon_type *like =
      standard ? NULL : tenon_aten_known(rw, tenon_aten_in(rw, n, 0));
  d->type = tenon_aten_dtype(rw, n, "dtype");
  if (!d->type)
    d->type = result ? result->dtype : like ? like->dtype : standard;
  if (tenon_aten_arg(rw, n, "size")->name) {
    d->rank = tenon_aten_dims(rw, n, "size", d->dims);
    if (d->rank < 0)
      return tenon_rw_fail(rw, "more than %d dimensions", TENON_MAX_RANK);
    return TENON_OK;
  }
  if (!like) like = tenon_aten_known(rw, tenon_aten_in(rw, n, 0));
  d->rank = like->rank;
  for (int i = 0; i < like->rank; ++i)
    d->dims[i] = like->dims[i];
  return TENON_OK;
}

static tenon_value *random_build_draw(const tenon_draw *d, const char *op,
                                      const tenon_arg *args) {
  static const tenon_dim words = {TENON_GENERATOR_WORDS, 0};
  static const tenon_type type = {
      .dims = &words, .dtype = TENON_U32, .rank = 1};
  tenon_rewriter *rw = d->rw;
  tenon_aten_args named = {0};
  tenon_value *out[2];
  tenon_aten_add(&named, tenon_arg_str("state", TENON_ATEN_GENERATOR));
  (void)rw->api->state(rw, TENON_ATEN_GENERATOR, &type);
  tenon_value *before =
      tenon_aten_make(rw, "core::state_read", NULL, 0, named.list, &type);
  tenon_aten_make_all(rw, op, &before, 1, args, out, 2);
  tenon_aten_make_all(rw, "core::state_write", &out[1], 1, named.list, NULL, 0);
  return out[0];
}

static void random_build_add_sizes(const tenon_draw *d, tenon_aten_args *args) {
  tenon_aten_add(args, tenon_arg_dims("size", d->dims, (size_t)d->rank));
}

// A float type, or what fails.
static void add_floats(const tenon_draw *d, tenon_dtype t,
                       tenon_aten_args *args) {
  random_build_add_sizes(d, args);
  tenon_aten_add(args, tenon_arg_dtype("dtype", t));
  if (!tenon_aten_is_float(t))
    (void)tenon_rw_fail(d->rw, "it draws floats, as %s", tenon_dtype_name(t));
}

tenon_value *tenon_draw_even(const tenon_draw *d, tenon_dtype t, double low,
                             double high) {
  tenon_aten_args args = {0};
  add_floats(d, t, &args);
  tenon_aten_add(&args, tenon_arg_float("low", low));
  tenon_aten_add(&args, tenon_arg_float("high", high));
  return random_build_draw(d, "core::random_uniform", args.list);
}

tenon_value *tenon_draw_normal(const tenon_draw *d, tenon_dtype t, double mean,
                               double std, bool single) {
  tenon_aten_args args = {0};
  add_floats(d, t, &args);
  tenon_aten_add(&args, tenon_arg_float("mean", mean));
  tenon_aten_add(&args, tenon_arg_float("std", std));
  tenon_aten_add(&args, tenon_arg_bool("single", single));
  return random_build_draw(d, "core::random_normal", args.list);
}

tenon_value *tenon_draw_integers(const tenon_draw *d, tenon_dim low,
                                 tenon_dim high, int64_t wide) {
  tenon_aten_args args = {0};
  random_build_add_sizes(d, &args);
  tenon_aten_add(&args, tenon_arg_dims("low", &low, 1));
  tenon_aten_add(&args, tenon_arg_dims("high", &high, 1));
  if (wide != TENON_UNKNOWN)
    tenon_aten_add(&args, tenon_arg_bool("wide", wide != 0));
  return random_build_draw(d, "core::random_integers", args.list);
}

tenon_value *tenon_draw_permutation(const tenon_draw *d, tenon_dim n) {
  return random_build_draw(d, "core::random_permutation",
                           TENON_ARGS(tenon_arg_dims("n", &n, 1)));
}

tenon_value *tenon_draw_truth(const tenon_draw *d, double p) {
  return tenon_rw_op2(d->rw, "core::lt", tenon_draw_even(d, TENON_F64, 0, 1),
                      tenon_aten_real(d->rw, TENON_F64, p));
}

tenon_status tenon_draw_check_share(tenon_rewriter *rw, double p) {
  if (p >= 0 && p <= 1) return TENON_OK;
  return tenon_rw_fail(rw, "%g is no probability", p);
}

tenon_value *tenon_draw_by_number(tenon_rewriter *rw, const char *op,
                                  tenon_value *x, double a) {
  const tenon_scalar s = {TENON_KIND_FLOAT, {.f = a}};
  return tenon_rw_op(rw, op, &x, 1, TENON_ARGS(tenon_arg_scalar("other", s)));
}

tenon_value *tenon_draw_dropped(tenon_rewriter *rw, tenon_value *x, double p) {
  return tenon_rw_op(
      rw, "aten::dropout", &x, 1,
      TENON_ARGS(tenon_arg_float("p", p), tenon_arg_bool("train", true)));
}
