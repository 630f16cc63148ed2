// How: the rewrites themselves are lowerings that name one of these two passes;
// the operator sets bring them (ops/core/rewrite/core_rewrites.c, core_fuse.c),
// and plugins may. What a kernel of the target computed before must still be
// computed by one afterwards; what `fuse` builds must be in any case.
#include "pass/rewrites.h"

typedef struct covering {
  const tenon_choice *choice;
  tenon_arena scratch;
} covering;

static bool canonical_is_covered(void *self, const tenon_node *old,
                                 const tenon_node *fresh) {
  covering *c = (covering *)self;
  (void)old;
  return tenon_choose_covers(c->choice, fresh, &c->scratch);
}

// Before `lower` ran, an operator may stand for another that nothing covers.
static bool stays_covered(void *self, const tenon_node *old,
                          const tenon_node *fresh) {
  covering *c = (covering *)self;
  return canonical_is_covered(self, old, fresh) ||
         !tenon_choose_covers(c->choice, old, &c->scratch);
}

// That of the node's own kernel; -1: there is none.
static int32_t kernel_priority(covering *c, const tenon_node *n) {
  const tenon_kernel *k = tenon_choose(c->choice, n, &c->scratch, NULL);
  return k ? k->desc->priority : -1;
}

static tenon_dtype fuse_reads(const tenon_node *n) {
  return n->n_in > 0 && n->in[0].value ? n->in[0].value->type.dtype : 0;
}

// Where what is merged makes the node in front one of another element type, it
// does not get a lesser kernel for it.
static bool fuse_is_covered(void *self, const tenon_node *old,
                            const tenon_node *fresh) {
  covering *c = (covering *)self;
  if (!canonical_is_covered(self, old, fresh)) return false;
  const tenon_value *x = old->n_in > 0 ? old->in[0].value : NULL;
  return !x || x->kind != TENON_VALUE_RESULT || x->node->op != fresh->op ||
         fuse_reads(x->node) == fuse_reads(fresh) ||
         kernel_priority(c, fresh) >= kernel_priority(c, x->node);
}

static tenon_status canonical_apply(tenon_module *m, const char *pass,
                                    tenon_admits_fn *admits,
                                    const tenon_choice *choice) {
  covering c;
  c.choice = choice;
  tenon_arena_init(&c.scratch, m->cx->allocator);
  tenon_status status = tenon_rewrites_apply(m, pass, choice, NULL, admits, &c);
  tenon_arena_deinit(&c.scratch);
  return status;
}

// A rewrite may leave a node of constants (a mask the other way round): where
// such are folded, it is, too.
tenon_status tenon_pass_canonicalise(tenon_module *m,
                                     const tenon_pass_run *run) {
  const bool is_folded = tenon_pass_is_folded(m);
  TENON_TRY(canonical_apply(m, "canonicalise", stays_covered, run->choice));
  return is_folded ? tenon_pass_fold(m, run) : TENON_OK;
}

// What is dead goes first: its uses would look as if a value were wanted twice.
tenon_status tenon_pass_fuse(tenon_module *m, const tenon_pass_run *run) {
  TENON_TRY(tenon_pass_dce(m, run));
  const bool is_folded = tenon_pass_is_folded(m);
  TENON_TRY(canonical_apply(m, "fuse", fuse_is_covered, run->choice));
  return is_folded ? tenon_pass_fold(m, run) : TENON_OK;
}

// Weights are sums of constants, which a run would compute where none is
// folded.
tenon_status tenon_pass_branches(tenon_module *m, const tenon_pass_run *run) {
  if (!tenon_pass_is_folded(m)) return TENON_OK;
  TENON_TRY(tenon_pass_dce(m, run));
  TENON_TRY(canonical_apply(m, "branches", canonical_is_covered, run->choice));
  return tenon_pass_fold(m, run);
}

tenon_status tenon_pass_winograd(tenon_module *m, const tenon_pass_run *run) {
  return canonical_apply(m, "winograd", canonical_is_covered, run->choice);
}

tenon_status tenon_pass_strassen(tenon_module *m, const tenon_pass_run *run) {
  return canonical_apply(m, "strassen", canonical_is_covered, run->choice);
}

tenon_status tenon_pass_gates(tenon_module *m, const tenon_pass_run *run) {
  return canonical_apply(m, "gates", canonical_is_covered, run->choice);
}
