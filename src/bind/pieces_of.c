// How: a kernel with ranges says it, or its items are elements; one without is
// called on a part of its operands, if its operator is element-wise and the
// kernel has nothing that was made for the whole.
#include "bind/pieces_of.h"

#include "program/joined.h"

static int64_t pieces(int64_t count, int64_t size) {
  return (count + size - 1) / size;
}

static bool has_one_scale(const tenon_tensor *t) {
  return !t->quant || (t->quant->channels == 1 && t->quant->block == 0);
}

// A part of a tensor has the rank of the whole; all its elements are
// neighbours.
static bool can_part(const tenon_kernel_desc *k, const tenon_call *call) {
  const tenon_tensor *y = &call->out[0];
  size_t count = tenon_count(y);
  if (!k->run || k->match || k->scratch || k->pack_size || k->order ||
      call->n_in > TENON_JOINED_PARTS || y->rank == 0 || !has_one_scale(y))
    return false;
  for (uint32_t i = 0; i < call->n_in; ++i) {
    const tenon_tensor *x = &call->in[i];
    if (!x->dtype) continue;
    if (!has_one_scale(x) || (tenon_count(x) != 1 &&
                              (tenon_count(x) != count || x->rank != y->rank)))
      return false;
  }
  return true;
}

void tenon_bind_extent(const tenon_node *n, const tenon_kernel_desc *kernel,
                       const tenon_call *call, tenon_step *step) {
  const tenon_op_desc *op = n->op->desc;
  step->is_elementwise =
      op && (op->flags & TENON_OP_ELEMENTWISE) && call->n_out == 1;
  step->unit = step->extent = step->reads = 0;
  if (step->is_open || call->n_out != 1 || kernel->turns) return;
  const int64_t count = (int64_t)tenon_count(&call->out[0]);
  if (count == 0) return;
  if (kernel->items && kernel->extent) {
    int64_t unit = 0, extent = kernel->extent(call, &unit);
    if (unit < 1 || extent < 1 ||
        pieces(step->items, unit) != pieces(count, extent))
      return;
    step->unit = unit;
    step->extent = extent;
    const int64_t reads = kernel->reads && call->n_in > 0 && call->in[0].dtype
                              ? kernel->reads(call)
                              : 0;
    if (reads > 0 && count % extent == 0 &&
        (int64_t)tenon_count(&call->in[0]) / reads == count / extent &&
        (int64_t)tenon_count(&call->in[0]) % reads == 0)
      step->reads = reads;
  } else if (step->is_elementwise &&
             (kernel->run_range ? step->items == count
                                : can_part(kernel, call))) {
    step->unit = step->extent = 1;
  }
}
