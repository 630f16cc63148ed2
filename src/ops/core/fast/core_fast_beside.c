// core_fast_beside.c - descriptors of kernels in plain C that take lines or
// rows beside each other together: of any machine (kern/tile/), and of those
// whose instruction set gives the same text wider registers.
#include "ops/core/fast/core_fast_host.h"
#include "ops/core/fast/core_fast_tile.h"

#include "kern/loop/element.h"
#include "kern/loop/order.h"
#include "kern/op/move.h"
#include "ops/core/fast/core_fast_like.h"

// Better than the reference, and less than what an instruction set brings.
#define PRIORITY 5

// --- Running sums ------------------------------------------------------------

// Fewer lines beside each other are faster one by one.
enum { LINES = 8 };

static int64_t running_items(const tenon_call *c) {
  return tenon_lines_count(&c->in[0],
                           ((const tenon_cumulate_attrs *)c->attrs)->axis);
}

// Of an open size there may be many.
static bool running_match(const tenon_call *c) {
  const tenon_tensor *x = &c->in[0];
  int64_t axis = ((const tenon_cumulate_attrs *)c->attrs)->axis, lines = 1;
  if (!tenon_core_plain(c)) return false;
  if (axis < 0) axis += x->rank;
  for (int64_t d = axis + 1; d < x->rank; ++d) {
    if (x->dims[d] < 0) return true;
    lines *= x->dims[d];
  }
  return lines >= LINES;
}

#define RUNNING \
  .types = "T -> T", .match = running_match, .in_place = TENON_IN_PLACE(0, 0)
#define RUNNING_TILE(name, its_op)                                    \
  CORE_KERNEL(name) = {CORE_RANGE(name, running_items), .op = its_op, \
                       .priority = PRIORITY, RUNNING}
RUNNING_TILE(cumsum_tile, "core::cumsum");
RUNNING_TILE(cumprod_tile, "core::cumprod");
#define RUNNING_ON(name, its_op, isa)                                  \
  CORE_KERNEL(name##_##isa) = {CORE_FAST(name##_##isa, running_items), \
                               .op = its_op, CORE_FAST_ON(isa), RUNNING}
#define RUNNING_ISA(isa)                   \
  RUNNING_ON(cumsum, "core::cumsum", isa); \
  RUNNING_ON(cumprod, "core::cumprod", isa)
// Others have the registers that kern/tile/ is compiled for.
RUNNING_ISA(avx2);
RUNNING_ISA(avx512);

// --- Borders -----------------------------------------------------------------

// Longer rows are faster one by one.
enum { FEW = 8 };

LIKE_REFERENCE(pad)
static bool pad_rows_match(const tenon_call *c) {
  return c->in[0].rank > 0 && pad_match(c);
}
static bool pad_few_match(const tenon_call *c) {
  const tenon_pad_attrs *a = c->attrs;
  const tenon_tensor *x = &c->in[0];
  const int last = x->rank - 1;
  return last > 0 && pad_match(c) && x->dims[last] > 0 &&
         x->dims[last] <= FEW && a->before.data[last] + a->after.data[last] > 0;
}
#define PAD(name, first, its_match)                               \
  CORE_KERNEL_RANGE(name, pad_items, "T -> T", .op = "core::pad", \
                    .match = its_match, .priority = first,        \
                    .pack_size = pad_size, .pack = pad_pack)
PAD(pad_tile, PRIORITY, pad_rows_match);
PAD(pad_few_tile, PRIORITY + 1, pad_few_match);

// --- Repeated dimensions -----------------------------------------------------

CORE_KERNEL_RANGE(expand_tile, tenon_core_items, "T -> T", .op = "core::expand",
                  .match = tenon_core_whole_bytes, .priority = PRIORITY);

// --- Elements side by side ---------------------------------------------------

extern CORE_KERNEL(concat_ref);
static int64_t concat_few_items(const tenon_call *c) {
  return tenon_k_concat_ref_desc.items(c);
}
// Tensors of one element of four bytes along the axis and behind it.
static bool concat_few_match(const tenon_call *c) {
  const tenon_tensor *y = &c->out[0];
  int64_t axis = ((const tenon_concat_attrs *)c->attrs)->axis;
  if (!tenon_core_whole_bytes(c) || tenon_element_size(y) != 4) return false;
  if (axis < 0) axis += y->rank;
  for (int64_t d = axis + 1; d < y->rank; ++d)
    if (y->dims[d] != 1) return false;
  for (int i = 0; i < c->n_in; ++i)
    if (c->in[i].dims[axis] != 1) return false;
  return true;
}
CORE_KERNEL_RANGE(concat_few_tile, concat_few_items, "T... -> T",
                  .op = "core::concat", .match = concat_few_match,
                  .priority = PRIORITY);
