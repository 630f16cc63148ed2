// core_join.c - core::concat and core::pad: results larger than their operands.
#include <inttypes.h>
#include <string.h>

#include "kern/loop/element.h"
#include "kern/op/cast.h"
#include "kern/op/move.h"
#include "ops/core/core_rule.h"
#include "ops/core/element/core_factor.h"

// --- concat ------------------------------------------------------------------

static bool same_scale(const tenon_quant *a, const tenon_quant *b) {
  if (!a || !b) return a == b;
  return a->channels == 1 && b->channels == 1 && a->scale[0] == b->scale[0] &&
         (a->zero ? a->zero[0] : 0) == (b->zero ? b->zero[0] : 0);
}

static tenon_status concat_infer(tenon_infer *c) {
  const tenon_concat_attrs *a = tenon_infer_attrs(c);
  int first = 0, axis, n = c->api->group(c, 0, &first);
  tenon_dim dims[TENON_MAX_RANK];
  if (n < 1) return tenon_infer_fail(c, "'xs' is empty");
  const tenon_type *x = tenon_infer_in(c, first);
  TENON_TRY(tenon_core_check_axis(c, a->axis, x->rank, &axis));
  for (int d = 0; d < x->rank; ++d)
    dims[d] = x->dims[d];
  for (int i = 1; i < n; ++i) {
    const tenon_type *t = tenon_infer_in(c, first + i);
    if (t->dtype != x->dtype || t->rank != x->rank ||
        !same_scale(t->quant, x->quant))
      return tenon_infer_fail(
          c,
          "operand %d has another element type, scale or rank than the first",
          i);
    for (int d = 0; d < x->rank; ++d) {
      if (d == axis)
        dims[d] = c->api->dim(c, TENON_DIM_ADD, dims[d], t->dims[d]);
      else if (!tenon_core_equal(c, dims[d], t->dims[d]))
        return tenon_infer_fail(c,
                                "dimension %d of operand %d is %" PRId64
                                ", of the first %" PRId64,
                                d, i, t->dims[d].value, dims[d].value);
    }
  }
  return tenon_core_result(c, dims, x->rank, x, true);
}

static int64_t concat_items(const tenon_call *c) {
  const tenon_concat_attrs *a = c->attrs;
  const tenon_tensor *y = &c->out[0];
  int axis = (int)(a->axis < 0 ? a->axis + y->rank : a->axis);
  int64_t n = 1;
  if (tenon_count(y) == 0) return 0;
  for (int d = 0; d < axis; ++d)
    n *= y->dims[d];
  return n;
}

CORE_KERNEL_RANGE(concat_ref, concat_items, "T... -> T",
                  .match = tenon_core_whole_bytes);

CORE_OPERATOR(concat, concat_infer, (CORE_K(concat_ref)),
              "(Tensor[] xs, int axis) -> Tensor",
              "Tensors one after the other along an axis.\n"
              "Quantised ones share scale and zero point.",
              CORE_MEMBERS(tenon_concat_attrs, axis));

// --- pad ---------------------------------------------------------------------

static tenon_status join_pad_infer(tenon_infer *c) {
  const tenon_pad_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  TENON_TRY(tenon_core_check_ints(c, "before", a->before, x->rank, 0));
  TENON_TRY(tenon_core_check_ints(c, "after", a->after, x->rank, 0));
  for (int d = 0; d < x->rank; ++d)
    dims[d] = c->api->dim(c, TENON_DIM_ADD, x->dims[d],
                          tenon_core_dim(a->before.data[d] + a->after.data[d]));
  if (x->quant && x->quant->channels > 1)
    return tenon_infer_fail(c, "x has a scale per channel");
  return tenon_core_result(c, dims, x->rank, x, true);
}

// Zero has no bits in any plain type, so only other values need a number.
static bool pad_match(const tenon_call *c) {
  const tenon_pad_attrs *a = c->attrs;
  const tenon_tensor *x = &c->in[0];
  int32_t bits = tenon_element_bits(x->dtype);
  if (bits < 8) return false;
  return tenon_core_is_plain(x->dtype) || (a->value == 0 && !x->quant);
}

static size_t pad_size(const tenon_call *c) {
  return tenon_element_bits(c->out[0].dtype) > 64 ? sizeof(tenon_pad_large)
                                                  : sizeof(tenon_pad_element);
}

static tenon_status pad_pack(const tenon_call *c, void *packed) {
  const tenon_pad_attrs *a = c->attrs;
  const tenon_tensor *y = &c->out[0];
  union {
    uint64_t align;
    uint8_t bytes[8];
  } element = {0};
  double value = a->value;
  memset(packed, 0, pad_size(c));
  if (y->quant) {
    const tenon_opt_float limit = {value, true};
    int32_t least, most;
    tenon_core_limits(y, limit, limit, &least, &most);
    value = least;
  }
  if (tenon_core_is_plain(y->dtype))
    tenon_number_store(element.bytes, y->dtype, 0, tenon_number_of_real(value));
  memcpy(packed, element.bytes, sizeof element.bytes);
  return TENON_OK;
}

CORE_KERNEL_RANGE(pad_ref, tenon_core_last_rows, "T -> T", .match = pad_match,
                  .pack_size = pad_size, .pack = pad_pack);

CORE_OPERATOR(
    pad, join_pad_infer, (CORE_K(pad_ref)),
    "(Tensor x, int[] before, int[] after, *, float value=0.0) -> Tensor",
    "A border of one value around x.\n"
    "The value is a real number, also where x is quantised.",
    CORE_MEMBERS(tenon_pad_attrs, before, after, value));
