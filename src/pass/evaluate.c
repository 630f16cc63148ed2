// How: scratch and packed form on the side, then what a session would do.
#include "pass/evaluate.h"

#include <stdatomic.h>

#include "exec/crew.h"

#define LEAST_SPLIT (UINT64_C(1) << 21)  // elements
#define PARTS 64

static tenon_evaluation outcome_of(tenon_status status) {
  return status == TENON_OK ? TENON_EVALUATED : TENON_NOT_EVALUATED;
}

// Parts of a large result, each with as many items.
typedef struct evaluate_parts {
  const tenon_kernel_desc *desc;
  const tenon_call *call;
  int64_t items, each;
  atomic_int status;
} evaluate_parts;

static void evaluate_part(void *arg, int64_t i) {
  evaluate_parts *p = (evaluate_parts *)arg;
  const int64_t begin = i * p->each;
  const int64_t end = p->items - begin < p->each ? p->items : begin + p->each;
  const tenon_status status = p->desc->run_range(p->call, begin, end);
  if (status != TENON_OK) atomic_store(&p->status, (int)status);
}

// Weights that are turned round, above all: on all processors. What is stored
// for an item does not depend on its range.
static tenon_status evaluate_range(const tenon_evaluator *e,
                                   const tenon_kernel_desc *d,
                                   const tenon_call *call, int64_t items) {
  const int64_t grain = d->grain ? d->grain : 1;
  const uint64_t bytes = call->n_out == 1 ? tenon_count(&call->out[0]) : 0;
  if (call->scratch || call->fault || bytes < LEAST_SPLIT ||
      (d->turns && d->turns(call) > 1))
    return d->run_range(call, 0, items);
  evaluate_parts p = {.desc = d, .call = call, .items = items};
  p.each = ((items + PARTS - 1) / PARTS + grain - 1) / grain * grain;
  if (p.each < 1) p.each = 1;
  tenon_crew_run(&e->scratch.allocator, bytes * 4,
                 (items + p.each - 1) / p.each, evaluate_part, &p);
  return (tenon_status)atomic_load(&p.status);
}

static tenon_evaluation evaluate_run_kernel(tenon_evaluator *e,
                                            const tenon_kernel_desc *d,
                                            tenon_call *call) {
  int64_t items = d->items ? d->items(call) : 1;
  size_t scratch = d->scratch ? d->scratch(call, items) : 0;
  size_t packed = d->pack_size ? d->pack_size(call) : 0;
  if (scratch) call->scratch = tenon_arena_alloc(&e->scratch, scratch + 64, 64);
  if (packed) {
    void *data = tenon_arena_zalloc(&e->scratch, packed + 64, 64);
    call->packed = data;
    if (!data) return TENON_EVALUATION_NO_MEMORY;
    if (d->pack(call, data) != TENON_OK) return TENON_NOT_EVALUATED;
  }
  if (scratch && !call->scratch) return TENON_EVALUATION_NO_MEMORY;
  return outcome_of(d->run_range ? evaluate_range(e, d, call, items)
                                 : d->run(call));
}

// Large weights that are turned round, or cut: an operator that could be a view
// of its operand computes nothing, so every kernel of it stores the same bytes.
static bool evaluate_moves(const tenon_node *n, const tenon_call *call) {
  return n->op->desc->view && n->n_out == 1 &&
         tenon_count(&call->out[0]) >= LEAST_SPLIT;
}

tenon_evaluation tenon_evaluate(tenon_evaluator *e, const tenon_node *n,
                                tenon_call *call) {
  if (n->op->desc->fold) return outcome_of(n->op->desc->fold(call));
  const tenon_kernel *k = tenon_choose(
      evaluate_moves(n, call) ? &e->quick : &e->choice, n, &e->scratch, NULL);
  if (!k || (!k->desc->run && !k->desc->run_range)) return TENON_NOT_EVALUATED;
  call->user = k->desc->user;
  return evaluate_run_kernel(e, k->desc, call);
}

tenon_status tenon_evaluator_init(tenon_evaluator *e, const tenon_module *m) {
  *e = (tenon_evaluator){0};
  TENON_TRY(tenon_target_find(m->cx, "c", &e->target));
  e->choice.target = &e->target;
  e->choice.reference_only = true;
  TENON_TRY(tenon_target_find(m->cx, NULL, &e->machine));
  e->quick.target = &e->machine;
  tenon_arena_init(&e->scratch, m->cx->allocator);
  return TENON_OK;
}

void tenon_evaluator_deinit(tenon_evaluator *e) {
  tenon_arena_deinit(&e->scratch);
}
