// How: relations are kept as the file gives them. What two numbers say is known
// now; sizes come with a run (program/symbol.c).
#include "ir/build.h"

// Where a run goes on only if an expression is a number, it is that number in
// the graph, too: torch broadcasts a size that is 1 for such inputs only. What
// a rule requires stays what the rule says.
static void guard_settle(tenon_module *m, const tenon_guard *g) {
  if (g->relation != TENON_RELATION_EQ || g->is_derived) return;
  if (tenon_dim_is_fixed(g->b))
    tenon_symbols_settle(&m->symbols, g->a, g->b.value);
  else if (tenon_dim_is_fixed(g->a))
    tenon_symbols_settle(&m->symbols, g->b, g->a.value);
}

bool tenon_build_guard(tenon_module *m, const tenon_guard *guard,
                       tenon_loc loc) {
  tenon_guard copy = *guard;
  bool is_number = tenon_dim_is_fixed(guard->a) && tenon_dim_is_fixed(guard->b);
  if (is_number &&
      tenon_relation_holds(guard->relation, guard->a.value, guard->b.value))
    return true;
  if (is_number) {
    (void)tenon_fail(&m->report, TENON_BAD_MODEL, "ir-guard",
                     tenon_locs_place(&m->locs, loc),
                     "a condition on sizes never holds: %s(%lld, %lld)%s%s",
                     tenon_relation_name(guard->relation),
                     (long long)guard->a.value, (long long)guard->b.value,
                     guard->text && *guard->text ? ", " : "",
                     guard->text ? guard->text : "");
    return false;
  }
  copy.text = tenon_arena_string(&m->arena, guard->text ? guard->text : "");
  copy.loc = loc;
  if (copy.text && tenon_vec_push(&m->guards, copy)) {
    guard_settle(m, guard);
    return true;
  }
  (void)tenon_fail_memory(&m->report, "building a module");
  return false;
}

static bool same_guard(const tenon_guard *a, const tenon_guard *b) {
  return a->relation == b->relation && tenon_dim_equals(a->a, b->a) &&
         tenon_dim_equals(a->b, b->b);
}

bool tenon_build_guard_once(tenon_module *m, const tenon_guard *guard,
                            tenon_loc loc) {
  for (size_t k = 0; k < m->guards.count; ++k)
    if (same_guard(&m->guards.data[k], guard)) return true;
  return tenon_build_guard(m, guard, loc);
}
