// core_boxes.c - core::non_max_suppression.
#include "kern/loop/order.h"
#include "ops/core/core_rule.h"

#define SIDES 4

static tenon_status non_max_suppression_infer(tenon_infer *c) {
  const tenon_non_max_suppression_attrs *a = tenon_infer_attrs(c);
  const tenon_type *boxes = tenon_infer_in(c, 0), *s = tenon_infer_in(c, 1);
  tenon_dim dims[TENON_MAX_RANK];
  if (boxes->rank != 2)
    return tenon_infer_fail(c, "boxes has rank %d, expected 2", boxes->rank);
  const long long n = (long long)boxes->dims[0].value;
  if (boxes->dims[1].symbol || boxes->dims[1].value != SIDES)
    return tenon_infer_fail(c, "boxes must be '[%lld,%d]'", n, SIDES);
  if (s->rank != 1 || !tenon_core_equal(c, boxes->dims[0], s->dims[0]))
    return tenon_infer_fail(c, "scores must be '[%lld]'", n);
  for (int i = 2; i < 5; ++i)
    if (tenon_infer_in(c, i)->rank != 0)
      return tenon_infer_fail(c, "operand %d has rank %d, expected 0", i,
                              tenon_infer_in(c, i)->rank);
  if (a->size.count != 1)
    return tenon_infer_fail(c, "expected one size, found %zu", a->size.count);
  TENON_TRY(tenon_core_sizes(c, "size", a->size, dims));
  TENON_TRY(tenon_core_out(c, 0, TENON_S32, dims, 1));
  TENON_TRY(tenon_core_out(c, 1, TENON_F32, dims, 1));
  return tenon_core_out(c, 2, TENON_S32, NULL, 0);
}

// A score and two integers for each box.
static size_t non_max_suppression_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return (size_t)c->in[1].dims[0] * 3 * sizeof(int32_t);
}

CORE_KERNEL_RUN(non_max_suppression_ref,
                "f32, f32, f32, f32, f32 -> s32, f32, s32",
                .match = tenon_core_plain,
                .scratch = non_max_suppression_scratch);

CORE_OPERATOR(non_max_suppression, non_max_suppression_infer,
              (CORE_K(non_max_suppression_ref)),
              "(Tensor boxes, Tensor scores, Tensor overlap,"
              " Tensor threshold, Tensor sigma, *, SymInt[] size) -> (Tensor "
              "indices, Tensor kept, Tensor count)",
              "The boxes [y, x, y, x] with the best scores above a threshold, "
              "without those whose intersection by union with a better one is "
              "`overlap` or more.\n"
              "With a positive sigma scores sink by exp(-0.5 / sigma * "
              "overlap^2) of each better one. Behind `count` there are zeros. "
              "Of equal scores that of LiteRT comes first.",
              CORE_MEMBERS(tenon_non_max_suppression_attrs, size));
