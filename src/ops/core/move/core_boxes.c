// core_boxes.c - core::non_max_suppression.
#include "kern/loop/order.h"
#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"

#define SIDES 4

static tenon_status non_max_suppression_infer(tenon_infer *c) {
  const tenon_non_max_suppression_attrs *a = tenon_infer_attrs(c);
  tenon_dim dims[TENON_MAX_RANK];
  tenon_shapes s = {.n_names = 0};
  if (a->size.count != 1)
    return tenon_infer_fail(c, "expected one size, found %zu", a->size.count);
  TENON_TRY(tenon_core_sizes(c, "size", a->size, dims));
  tenon_shapes_set(&s, "most", dims[0]);
  return tenon_core_shapes_with(
      c, &s,
      "boxes[n,4], scores[n], overlap[], threshold[], sigma[] -> s32[most], "
      "f32[most], s32[]");
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
