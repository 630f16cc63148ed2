// core_skip_gram.c - core::skip_gram: groups of the words of a text, and their
// bytes, which data decide how many there are.
#include "kern/op/skip_gram.h"

#include "ops/core/core_rule.h"

tenon_run_fn tenon_k_skip_gram_ref_measure;

static tenon_status skip_gram_infer(tenon_infer *c) {
  const tenon_skip_gram_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  const tenon_dim unknown = {TENON_UNKNOWN, 0};
  if (x->dtype != TENON_STR) return tenon_infer_fail(c, "x is no text");
  for (int i = 0; i < x->rank; ++i)
    if (!tenon_core_some(c, x->dims[i]))
      return tenon_infer_fail(c, "x has no element");
  if (a->n < 1 || a->n > TENON_SKIP_GRAM_MOST)
    return tenon_infer_fail(c, "groups of %lld words, expected 1 to %d",
                            (long long)a->n, TENON_SKIP_GRAM_MOST);
  const tenon_dim groups = c->api->decided(c, unknown);
  const tenon_dim bytes = c->api->decided(c, unknown);
  TENON_TRY(tenon_core_out(c, 0, TENON_STR, &groups, 1));
  return tenon_core_out(c, 1, TENON_U8, &bytes, 1);
}

CORE_KERNEL_FAILING_RUN(skip_gram_ref, "str -> str, u8",
                        .measure = tenon_k_skip_gram_ref_measure);

CORE_OPERATOR(
    skip_gram, skip_gram_infer, (CORE_K(skip_gram_ref)),
    "(Tensor x, *, int n, int skip=0, bool shorter=False) -> (Tensor grams, "
    "Tensor bytes)",
    "Groups of n words of a text, joined by spaces, as TensorFlow Lite's.\n"
    "At most `skip` words are left out between two; with `shorter` also groups "
    "of fewer words. Of x the first element is read. bytes: what the groups "
    "point to.",
    CORE_MEMBERS(tenon_skip_gram_attrs, n, skip, shorter));
