// ir/rewrite/rewrite_found.c - a size that was a number, and that data decide
// now.
//
// Exporters settle a size that data decide when another operand leaves it no
// choice: the file has a number then, and the operator finds out what it is all
// the same. The run that does compares the two, and behind that the number is
// what the size is.

#include "ir/build.h"
#include "ir/edit.h"
#include "ir/rewrite/rewriting.h"

bool tenon_rewriting_finds(const tenon_rewriting *rw, tenon_dim d) {
  const tenon_symbol *e = tenon_symbols_look(&rw->m->symbols, d.symbol);
  if (!e || e->kind != 0) return false;
  if (e->op == 0) return tenon_rewriting_decider(rw, d.symbol) != NULL;
  return tenon_rewriting_finds(rw, e->a) || tenon_rewriting_finds(rw, e->b);
}

// False when it is reported that the two can never be equal.
static bool found_require(tenon_rewriting *rw, tenon_dim found,
                          tenon_dim number) {
  const tenon_guard g = {.relation = TENON_RELATION_EQ,
                         .a = found,
                         .b = number,
                         .text = tenon_node_name(rw->node)};
  const tenon_symbol *e = tenon_symbols_look(&rw->m->symbols, found.symbol);
  if (number.value < e->min || number.value > e->max) {
    rw->failure = tenon_fail(
        &rw->outer, TENON_BAD_MODEL, "infer-mismatch",
        tenon_node_place(rw->node),
        "'%s': a size that data decide is %lld in the model, and %lld to %lld "
        "by the %s",
        tenon_node_name(rw->node), (long long)number.value, (long long)e->min,
        (long long)e->max, rw->title);
    return false;
  }
  // A leaf is bounded by it, and stays a leaf: a run has to find it out.
  if (e->op == 0)
    (void)tenon_symbols_narrow(
        &rw->m->symbols, found.symbol, INT64_MIN,
        number.value > e->min ? number.value : e->min + 1);
  if (tenon_build_guard_once(rw->m, &g, rw->node->loc)) return true;
  (void)tenon_rewriting_built(rw);
  return false;
}

tenon_value *tenon_rewriting_settled(tenon_rewriting *rw, const tenon_type *was,
                                     tenon_value *v) {
  bool is_settled = false;
  for (int k = 0; k < was->rank; ++k) {
    tenon_dim is = v->type.dims[k];
    if (!tenon_dim_is_fixed(was->dims[k]) || tenon_dim_is_fixed(is)) continue;
    if (!found_require(rw, is, was->dims[k])) return NULL;
    is_settled = true;
  }
  if (!is_settled) return v;
  const tenon_arg args[] = {tenon_arg_dims("shape", was->dims, was->rank),
                            TENON_END_ARGS};
  tenon_value *y = tenon_build_value(
      rw->node->graph, rw->node, "core::reshape", NULL,
      (tenon_node_spec){
          .args = args, .in = &v, .n_in = 1, .loc = rw->node->loc});
  if (y) return y;
  (void)tenon_rewriting_built(rw);
  return NULL;
}

tenon_node *tenon_rewriting_decider(const tenon_rewriting *rw,
                                    uint32_t symbol) {
  tenon_node *n = rw->node->previous;
  while (n && n->id >= rw->first_id) {
    if (tenon_node_decides(n, symbol)) return n;
    n = n->previous;
  }
  return NULL;
}
