// ir/rewrite/rewrite_states.c - states that a lowering wants the program to
// keep.
//
// They are noted while it builds and made when it has replaced its node, so
// that one that is tried and declines, or only says types, leaves none behind.
#include <string.h>

#include "ir/build.h"
#include "ir/rewrite/rewriting.h"

static const tenon_type *rewrite_state_known(const tenon_rewriting *rw,
                                             const char *name) {
  for (const tenon_wanted_state *s = rw->states; s; s = s->next)
    if (strcmp(s->name, name) == 0) return &s->type;
  int at = tenon_module_find_state(rw->m, name);
  return at < 0 ? NULL : &rw->m->states.data[at].type;
}

static tenon_status rewrite_state_no_memory(tenon_rewriting *rw) {
  return tenon_rewriting_fail(
      rw, tenon_fail_memory(&rw->m->report, "noting a state"));
}

tenon_status tenon_rewriting_state(tenon_rewriter *base, const char *name,
                                   const tenon_type *type) {
  tenon_rewriting *rw = (tenon_rewriting *)base;
  if (rw->failure != TENON_OK) return rw->failure;
  if (!name || !name[0] || !type)
    return tenon_rewriting_blame(rw, "a state without a name or a type");
  const tenon_type *there = rewrite_state_known(rw, name);
  if (there && tenon_type_equals(there, type)) return TENON_OK;
  if (there)
    return tenon_rewriting_fail(
        rw, tenon_fail(&rw->m->report, TENON_UNSUPPORTED, "lower-state",
                       tenon_node_place(rw->node),
                       "the program has a state '%s' of another type", name));
  tenon_arena *arena = &rw->m->arena;
  tenon_wanted_state *s = tenon_arena_array(arena, tenon_wanted_state, 1);
  if (!s) return rewrite_state_no_memory(rw);
  s->name = tenon_arena_string(arena, name);
  s->type = tenon_type_copy(arena, type);
  s->next = rw->states;
  rw->states = s;
  return arena->failed ? rewrite_state_no_memory(rw) : TENON_OK;
}

void tenon_rewriting_keep_states(tenon_rewriting *rw) {
  for (const tenon_wanted_state *s = rw->states; s; s = s->next) {
    const tenon_state state = {
        .name = s->name, .type = s->type, .loc = rw->node->loc};
    if (rw->failure == TENON_OK && !tenon_build_state(rw->m, &state))
      (void)tenon_rewriting_built(rw);
  }
}
