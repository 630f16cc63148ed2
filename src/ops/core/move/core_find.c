// core_find.c - core::find: the order of keys that are known is packed, so that
// a run looks each element up in a few steps.
#include "kern/op/find.h"

#include "ops/core/core_rule.h"

static tenon_status find_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *keys = tenon_infer_in(c, 1);
  if (keys->rank != 1 || x->dtype != keys->dtype || x->quant || keys->quant)
    return tenon_infer_fail(c,
                            "the keys are no list of elements like those "
                            "that are looked up");
  return tenon_core_out(c, 0, TENON_S64, x->dims, x->rank);
}

static bool find_match(const tenon_call *c) {
  const tenon_dtype t = c->in[0].dtype;
  return t == TENON_STR || t == TENON_S64 || t == TENON_S32;
}

static size_t find_size(const tenon_call *c) {
  return c->in[1].data ? (size_t)c->in[1].dims[0] * sizeof(int32_t) : 0;
}

// Numbers of keys, by the keys and then by the numbers: a total order.
static bool stands_before(const tenon_tensor *keys, int32_t a, int32_t b) {
  const int order = tenon_find_order(keys, a, keys, b);
  return order ? order < 0 : a < b;
}

static void core_find_sift(const tenon_tensor *keys, int32_t *heap, size_t at,
                           size_t n) {
  for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
    if (child + 1 < n && stands_before(keys, heap[child], heap[child + 1]))
      ++child;
    if (!stands_before(keys, heap[at], heap[child])) return;
    const int32_t low = heap[at];
    heap[at] = heap[child];
    heap[child] = low;
    at = child;
  }
}

// Sorted on a heap: in place, and never slow.
static tenon_status find_pack(const tenon_call *c, void *packed) {
  const tenon_tensor *keys = &c->in[1];
  const size_t n = (size_t)keys->dims[0];
  int32_t *order = (int32_t *)packed;
  for (size_t i = 0; i < n; ++i)
    order[i] = (int32_t)i;
  for (size_t i = n / 2; i-- > 0;)
    core_find_sift(keys, order, i, n);
  for (size_t last = n; last-- > 1;) {
    const int32_t most = order[0];
    order[0] = order[last];
    order[last] = most;
    core_find_sift(keys, order, 0, last);
  }
  return TENON_OK;
}

CORE_KERNEL_RANGE(find_ref, tenon_core_items, "T, T -> s64",
                  .match = find_match, .pack_size = find_size,
                  .pack = find_pack, .pack_version = 1);

CORE_OPERATOR(find, find_infer, (CORE_K(find_ref)),
              "(Tensor x, Tensor keys) -> Tensor",
              "Where in a list of keys each element is.\n"
              "The first of several; -1 where it is none of them. Of s32, s64 "
              "and strings.");
