// ir/rewrite/rewrite_replace.c - comparing what was built with what it
// replaces.
//
// Number, element types, shapes and quantisation must be the same, but that a
// size which was open may be a number or another expression now. Symbols of
// sizes that data decide go over to the node that decides them now. Then every
// use of the old results becomes one of the new.
#include "base/buf.h"
#include "ir/edit.h"
#include "ir/rewrite/rewriting.h"
#include "ir/written.h"

// Of types that nobody but the model has stated: one of the two is wrong.
static tenon_status replace_mismatch(tenon_rewriting *rw, uint32_t i,
                                     const char *was, const char *is) {
  rw->failure = tenon_fail(
      &rw->outer, TENON_BAD_MODEL, "infer-mismatch", tenon_node_place(rw->node),
      "'%s': result %u is %s in the model, %s by the lowering of '%s'; "
      "correct the one that is wrong",
      tenon_node_name(rw->node), (unsigned)i, was, is,
      rw->node->op->owner->name);
  return rw->failure;
}

static tenon_status replace_other_type(tenon_rewriting *rw, uint32_t i,
                                       const tenon_value *v) {
  tenon_buf was, is;
  // Lowerings of real numbers take them for something else.
  if (tenon_node_is_complex(rw->node))
    return tenon_rw_fail(&rw->base, "complex numbers are not supported");
  tenon_buf_init(&was, rw->m->arena.allocator);
  tenon_buf_init(&is, rw->m->arena.allocator);
  tenon_type_print(&rw->node->out[i]->type, &rw->m->symbols, &was);
  tenon_type_print(&v->type, &rw->m->symbols, &is);
  const char *was_text = was.data ? was.data : "?";
  const char *is_text = is.data ? is.data : "?";
  tenon_status status =
      rw->is_typing
          ? replace_mismatch(rw, i, was_text, is_text)
          : tenon_rewriting_blame(
                rw, "result %u of '%s' is %s, its replacement %s", (unsigned)i,
                tenon_node_name(rw->node), was_text, is_text);
  tenon_buf_deinit(&was);
  tenon_buf_deinit(&is);
  return status;
}

// Where a size was open, a number or another expression may stand for it: not
// every equality can be proved. What was a number stays that number, or a run
// finds out whether it is.
static bool replace_fits(const tenon_rewriting *rw, const tenon_type *was,
                         const tenon_type *is) {
  if (was->dtype != is->dtype || was->rank != is->rank ||
      !tenon_quant_equals(was->quant, is->quant))
    return false;
  for (int k = 0; k < was->rank; ++k) {
    if (tenon_dim_is_fixed(was->dims[k]) &&
        !tenon_dim_equals(was->dims[k], is->dims[k]) &&
        !tenon_rewriting_finds(rw, is->dims[k]))
      return false;
  }
  return true;
}

static tenon_status check_replacement(tenon_rewriting *rw,
                                      tenon_value *const *values, int n) {
  if (n != rw->node->n_out)
    return tenon_rewriting_blame(
        rw, "'%s' has %d results, found %d to replace them",
        tenon_node_name(rw->node), rw->node->n_out, n);
  if (rw->open) return tenon_rewriting_blame(rw, "a region has not ended");
  if (!rw->probe && tenon_written_in_place(rw->node))
    return tenon_rewriting_blame(
        rw,
        "it writes an operand in place, and values that replace it do not; the "
        "pass has to run after 'functional'");
  for (int i = 0; i < n; ++i) {
    if (!values || !values[i])
      return tenon_rewriting_blame(
          rw, "result %d is replaced by an absent value", i);
    if (values[i]->has_failed ||
        !tenon_value_is_visible(values[i], rw->node->graph) ||
        (values[i]->kind == TENON_VALUE_RESULT && values[i]->node == rw->node))
      return tenon_rewriting_blame(
          rw, "result %d is replaced by a value from elsewhere", i);
    const tenon_type *was = rw->base.api->result(&rw->base, rw->node, i);
    if (rw->probe || !was) continue;
    if (!replace_fits(rw, was, &values[i]->type))
      return replace_other_type(rw, (uint32_t)i, values[i]);
  }
  return TENON_OK;
}

// A size in which one symbol stands for another, inside expressions too.
static tenon_dim exchanged_dim(tenon_rewriting *rw, tenon_dim d, uint32_t was,
                               uint32_t is) {
  const tenon_symbol *e = tenon_symbols_look(&rw->m->symbols, d.symbol);
  if (d.symbol == is) d.symbol = was;
  if (!e || e->op == 0) return d;
  uint32_t op = e->op;
  tenon_dim a = e->a, b = e->b;
  tenon_dim new_a = exchanged_dim(rw, a, was, is);
  tenon_dim new_b = exchanged_dim(rw, b, was, is);
  if (tenon_dim_equals(a, new_a) && tenon_dim_equals(b, new_b)) return d;
  return tenon_symbols_apply(&rw->m->symbols, (tenon_dim_op)op, new_a, new_b);
}

// The same of a list; null where nothing changes.
static tenon_dim *exchanged_dims(tenon_rewriting *rw, const tenon_dim *dims,
                                 size_t n, uint32_t was, uint32_t is) {
  tenon_dim *copy = NULL;
  for (size_t k = 0; k < n; ++k) {
    tenon_dim d = exchanged_dim(rw, dims[k], was, is);
    // What has become a number would not be in the struct that kernels see.
    if (tenon_dim_equals(d, dims[k]) || tenon_dim_is_fixed(d)) continue;
    if (!copy)
      copy = tenon_arena_copy(&rw->m->arena, dims, n * sizeof *dims,
                              _Alignof(tenon_dim));
    if (!copy) return NULL;  // latched
    copy[k] = d;
  }
  return copy;
}

static tenon_type exchanged(tenon_rewriting *rw, const tenon_type *t,
                            uint32_t was, uint32_t is) {
  tenon_type copy = *t;
  tenon_dim *dims = exchanged_dims(rw, t->dims, t->rank, was, is);
  if (dims) copy.dims = dims;
  return copy;
}

// Attributes that are sizes.
static void exchange_args(tenon_rewriting *rw, tenon_node *n, uint32_t was,
                          uint32_t is) {
  size_t count = 0;
  while (n->args && n->args[count].name)
    ++count;
  for (size_t i = 0; i < count; ++i) {
    const tenon_arg *a = &n->args[i];
    if (a->kind != TENON_KIND_DIMS) continue;
    tenon_dim *dims =
        exchanged_dims(rw, a->as.dims.data, a->as.dims.count, was, is);
    if (!dims) continue;
    tenon_arg *args =
        tenon_arena_copy(&rw->m->arena, n->args, (count + 1) * sizeof *args,
                         _Alignof(tenon_arg));
    if (!args) return;  // latched
    args[i].as.dims.data = dims;
    n->args = args;
  }
}

// A size that data decide keeps its symbol when another node decides it now, so
// that whoever uses the results need not be told.
static void keep_symbol(tenon_rewriting *rw, tenon_node *by, uint32_t was,
                        uint32_t is) {
  uint32_t *decided =
      tenon_arena_copy(&rw->m->arena, by->decided,
                       by->n_decided * sizeof *decided, _Alignof(uint32_t));
  if (!decided) return;  // latched
  for (uint32_t i = 0; i < by->n_decided; ++i) {
    if (decided[i] == is) decided[i] = was;
  }
  by->decided = decided;
  // The file may have bounded it by less than whoever decides it knows.
  tenon_symbol *old = &rw->m->symbols.data[was];
  const tenon_symbol *found = &rw->m->symbols.data[is];
  if (found->max < old->max) old->max = found->max;
  tenon_node *n = rw->node->previous;
  for (; n && n->id >= rw->first_id; n = n->previous) {
    for (uint32_t i = 0; i < n->n_out; ++i)
      n->out[i]->type = exchanged(rw, &n->out[i]->type, was, is);
    exchange_args(rw, n, was, is);
  }
}

static void replace_keep_symbols(tenon_rewriting *rw, const tenon_value *old,
                                 const tenon_value *v) {
  for (int k = 0; k < v->type.rank; ++k) {
    uint32_t was = old->type.dims[k].symbol, is = v->type.dims[k].symbol;
    if (was == is || !tenon_node_decides(rw->node, was)) continue;
    tenon_node *by = tenon_rewriting_decider(rw, is);
    if (by) keep_symbol(rw, by, was, is);
  }
}

// A node without results decides numbers: whoever does now keeps their symbols.
static void keep_numbers(tenon_rewriting *rw) {
  uint32_t count = rw->node->n_decided;
  tenon_node *by = rw->node->previous;
  while (by && by->id >= rw->first_id && by->n_decided != count)
    by = by->previous;
  if (!by || by->id < rw->first_id) return;
  for (uint32_t i = 0; i < count; ++i)
    if (by->decided[i] != rw->node->decided[i])
      keep_symbol(rw, by, rw->node->decided[i], by->decided[i]);
}

// What a probe has found: types, and which of their sizes data decide.
static void note_result(tenon_rewriting *rw, uint32_t i, const tenon_value *v) {
  tenon_probe *p = rw->probe;
  p->types[i] = v->type;
  for (int k = 0; k < v->type.rank; ++k) {
    uint32_t symbol = v->type.dims[k].symbol;
    bool is_new =
        tenon_rewriting_decider(rw, symbol) && p->n_decided < p->capacity;
    for (uint32_t j = 0; j < p->n_decided; ++j)
      is_new &= p->decided[j] != symbol;
    if (is_new) p->decided[p->n_decided++] = symbol;
  }
}

// Whoever drives this may want to see what was built first.
static bool is_admitted(const tenon_rewriting *rw) {
  const tenon_node *n = rw->node->previous;
  while (rw->admits && n && n->id >= rw->first_id) {
    if (!rw->admits(rw->admits_self, rw->node, n)) return false;
    n = n->previous;
  }
  return true;
}

tenon_status tenon_rewriting_replace(tenon_rewriter *base,
                                     const tenon_node *node,
                                     tenon_value *const *values, int n) {
  tenon_rewriting *rw = (tenon_rewriting *)base;
  if (rw->failure != TENON_OK) return rw->failure;
  if (node != rw->node || rw->is_replaced)
    return tenon_rewriting_blame(
        rw, "replaces a node that is not the one it was given");
  TENON_TRY(tenon_rewriting_check_asked(rw));
  TENON_TRY(check_replacement(rw, values, n));
  if (!is_admitted(rw)) return TENON_OK;
  rw->is_replaced = true;
  for (int i = 0; i < n; ++i) {
    tenon_value *old = rw->node->out[i], *v = values[i];
    if (rw->probe) {
      note_result(rw, (uint32_t)i, v);
      continue;
    }
    replace_keep_symbols(rw, old, v);
    v = tenon_rewriting_settled(rw, &old->type, v);
    if (!v) return rw->failure;
    if (!v->name[0]) v->name = old->name;
    if (!v->elements) {
      v->elements = old->elements;
      v->n_elements = old->n_elements;
      v->known = old->known;
    }
    tenon_value_replace(old, v);
  }
  if (n == 0 && !rw->probe) keep_numbers(rw);
  return TENON_OK;
}

// Whether a node that the lowering looked at is used by nothing but others of
// them; `dead` are those known to be so.
static bool is_swallowed(const tenon_node *n, const tenon_node *const *dead,
                         uint32_t n_dead) {
  for (uint32_t i = 0; i < n->n_out; ++i) {
    for (const tenon_use *use = n->out[i]->uses; use; use = use->next) {
      bool is_dead = false;
      for (uint32_t k = 0; k < n_dead; ++k)
        is_dead |= use->node == dead[k];
      if (!is_dead) return false;
    }
  }
  return true;
}

// An operator beside another (reg/ordered.h) is this one and no more: what the
// lowering looked at only moves what it reads.
static bool is_beside(const tenon_rewriting *rw) {
  const tenon_node *n = rw->node->previous;
  for (; n && n->id >= rw->first_id; n = n->previous)
    if (n->op->plain) return true;
  return false;
}

void tenon_rewriting_fuse(tenon_rewriting *rw) {
  const tenon_node *dead[TENON_REWRITE_SEEN + 1] = {rw->node};
  tenon_loc parts[TENON_REWRITE_SEEN + 1];
  uint32_t n = 1;
  for (uint32_t i = 0; i < rw->n_seen; ++i) {
    if (is_swallowed(rw->seen[i], dead, n)) dead[n++] = rw->seen[i];
  }
  if (n == 1 || is_beside(rw)) return;
  for (uint32_t i = 0; i < n; ++i)  // the last that was looked at stands first
    parts[i] = dead[n - 1 - i]->loc;
  tenon_loc loc = tenon_locs_fuse(&rw->m->locs, parts, n);
  tenon_node *fresh = rw->node->previous;
  for (; fresh && fresh->id >= rw->first_id; fresh = fresh->previous) {
    fresh->loc = loc;
    for (uint32_t i = 0; i < fresh->n_out; ++i)
      fresh->out[i]->loc = loc;
  }
}
