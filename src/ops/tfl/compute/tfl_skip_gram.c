// SKIP_GRAM: the strings, and beside them the bytes that they point to.
#include "ops/tfl/tfl_op.h"

tenon_status tenon_tfl_skip_gram_infer(tenon_infer *c) {
  static const tenon_type whole = {.dtype = TENON_STR};
  const tenon_tfl_skip_gram_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->dtype != TENON_STR)
    return tenon_infer_fail(c, "'x' is %s, expected strings",
                            tenon_dtype_name(x->dtype));
  for (int i = 0; i < x->rank; ++i)
    if (tenon_tfl_is(x->dims[i], 0))
      return tenon_infer_fail(c, "'x' has no element");
  if (a->ngram_size < 1 || a->ngram_size > 64)
    return tenon_infer_fail(c, "ngram_size is %lld, expected 1 to 64",
                            (long long)a->ngram_size);
  const tenon_tfl_shape y = {
      {c->api->decided(c, tenon_tfl_fixed(TENON_UNKNOWN))}, 1};
  return tenon_tfl_result(c, 0, &y, TENON_STR, &whole);
}

tenon_status tenon_tfl_skip_gram_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  const tenon_tfl_skip_gram_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0), *out[2] = {NULL};
  tenon_rw_build(rw, "core::skip_gram", &x, 1,
                 TENON_ARGS(tenon_arg_int("n", a->ngram_size),
                            tenon_arg_int("skip", a->max_skip_size),
                            tenon_arg_bool("shorter", a->include_all_ngrams)),
                 out, 2, NULL);
  return tenon_rw_replace(rw, node, out[0]);
}
