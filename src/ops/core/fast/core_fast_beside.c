// core_fast_beside.c - descriptors of kernels in plain C that take lines beside
// each other together: of any machine (kern/tile/), and of those whose
// instruction set gives the same text wider registers.
#include "ops/core/fast/core_fast_host.h"
#include "ops/core/fast/core_fast_tile.h"

#include "kern/loop/order.h"

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
