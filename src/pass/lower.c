// How: an operator keeps its name while a kernel of the target covers it; all
// others are replaced by their lowerings until only covered ones remain, or
// ones that nothing covers, which tenon_pass_check_covered (covered.c) reports
// together.
//
// Option `all=NAME`: lowers this operator even where a kernel covers it, which
// is how conformance tests compare the two.
#include <string.h>

#include "pass/rewrites.h"
#include "reg/ordered.h"

typedef struct lowering_run {
  const tenon_choice *choice;
  tenon_arena scratch;
  tenon_buf said;
  bool failed;
  char all[256];
} lowering_run;

// Complex numbers that are lowered are refused in the end, unless what they are
// lowered to is taken: then who reports has why the whole was not.
static void note_passed(lowering_run *w, const tenon_node *n) {
  tenon_findings *f = w->choice->findings;
  tenon_buf_clear(&w->said);
  tenon_choose_said(n, &w->scratch, &w->said);
  if (!f || (w->said.size == 0 && !w->said.failed)) return;
  w->failed |= w->said.failed || !tenon_findings_pass(f, n, w->said.data);
}

static bool pass_lower_is_covered(void *self, const tenon_node *n) {
  lowering_run *w = (lowering_run *)self;
  if (w->all[0] && strcmp(w->all, tenon_node_name(n)) == 0) return false;
  if (!n->op->desc) return true;  // nobody knows it: nothing to try
  if (tenon_choose_covers_early(w->choice, n, &w->scratch) ||
      // Told (covered.c), not done without.
      tenon_choose_must_tell(w->choice, n, &w->scratch))
    return true;
  if (!tenon_node_is_complex(n)) return false;
  // What it would be lowered to has no kernels for complex numbers.
  if (tenon_choose_covers(w->choice, n, &w->scratch)) return true;
  note_passed(w, n);
  return false;
}

// Where the user named a kernel for tensors in another order.
static bool is_not_forced(void *self, const tenon_node *n) {
  lowering_run *w = (lowering_run *)self;
  return !n->op->desc || !tenon_choose_forces_order(w->choice, n);
}

// An operator beside another (reg/ordered.h) is there for a kernel that fits.
static bool admits(void *self, const tenon_node *old, const tenon_node *fresh) {
  lowering_run *w = (lowering_run *)self;
  (void)old;
  return !fresh->op->plain ||
         tenon_choose_covers(w->choice, fresh, &w->scratch);
}

// Kernels for tensors in another order: before lowerings where the user named
// one, behind them where nothing else serves.
static tenon_status order(tenon_module *m, lowering_run *w,
                          bool (*skip)(void *self, const tenon_node *n)) {
  if (!tenon_ordered_any(m->cx)) return TENON_OK;
  return tenon_rewrites_apply(m, TENON_ORDERED_PASS, w->choice, skip, admits,
                              w);
}

// Regions of covered nodes are walked by the driver all the same.
tenon_status tenon_pass_lower(tenon_module *m, const tenon_pass_run *run) {
  lowering_run w;
  w.choice = run->choice;
  w.all[0] = 0;
  (void)tenon_pass_option(run, "all", w.all, sizeof w.all);
  w.failed = false;
  tenon_arena_init(&w.scratch, m->cx->allocator);
  tenon_buf_init(&w.said, m->cx->allocator);
  tenon_status status =
      tenon_composites_resolve(m, run->choice, pass_lower_is_covered, &w);
  if (status == TENON_OK) status = order(m, &w, is_not_forced);
  if (status == TENON_OK)
    status = tenon_rewrites_apply(m, "lower", run->choice,
                                  pass_lower_is_covered, admits, &w);
  if (status == TENON_OK) status = order(m, &w, pass_lower_is_covered);
  tenon_arena_deinit(&w.scratch);
  tenon_buf_deinit(&w.said);
  if (status == TENON_OK && w.failed)
    return tenon_fail_memory(&m->report, "listing what kernels say");
  return status;
}
