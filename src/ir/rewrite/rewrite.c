// ir/rewrite/rewrite.c - one lowering at work on one node.
//
// What cannot be made becomes a failed value, and the first failure decides the
// outcome (rewrite_report.c).
//
// New nodes stand right before the node and have larger ids than it had when we
// began, so what was built is found again by walking back from it.
#include "ir/rewrite/rewrite.h"

#include <stdio.h>
#include <string.h>

#include "ir/build.h"
#include "ir/edit.h"
#include "ir/infer/infer.h"
#include "ir/rewrite/rewriting.h"
#include "ir/scalar.h"
#include "ir/turned.h"

static tenon_value *fail_value(tenon_rewriting *rw, tenon_status status) {
  (void)tenon_rewriting_fail(rw, status);
  return &rw->failed;
}

// ---------------------------------------------------------------------------
// Asking: of no node, which `producer` gives where there is none, there is
// nothing to say.
// ---------------------------------------------------------------------------

static tenon_value *rw_operand(tenon_rewriter *base, const tenon_node *n,
                               int i) {
  if (!n) return NULL;
  tenon_rewriting_ask_operand((tenon_rewriting *)base, n, i);
  return i >= 0 && i < n->n_in ? tenon_node_in(n, (uint32_t)i) : NULL;
}

static int rw_group(tenon_rewriter *base, const tenon_node *n, int arg,
                    int *first) {
  (void)base;
  if (!n && first) *first = 0;
  return n ? tenon_node_group(n, arg, first) : 0;
}

// A failed value has a type as well, so that nobody needs to check.
static const tenon_type *rw_type(tenon_rewriter *base, const tenon_value *v) {
  (void)base;
  return v ? &v->type : NULL;
}

static const tenon_type *rw_result(tenon_rewriter *base, const tenon_node *n,
                                   int i) {
  tenon_rewriting *rw = (tenon_rewriting *)base;
  if (!n || i < 0 || i >= n->n_out) return NULL;
  if (n->out[i]->type.dtype != 0) return &n->out[i]->type;
  if (n != rw->node || !rw->probe || !rw->probe->declared) return NULL;
  return rw->probe->declared[i];
}

static const tenon_tensor *rw_constant(tenon_rewriter *base,
                                       const tenon_value *v) {
  (void)base;
  return tenon_value_known(v);
}

static const void *rw_attrs(tenon_rewriter *base, const tenon_node *n) {
  if (!n) return NULL;
  tenon_rewriting_ask_all((tenon_rewriting *)base, n);
  return n->attrs;
}

static tenon_dim rw_size(tenon_rewriter *base, const tenon_node *n,
                         const char *attr, int i) {
  tenon_dim none = {TENON_UNKNOWN, 0};
  if (!n) return none;
  (void)tenon_rewriting_ask((tenon_rewriting *)base, n, attr);
  return tenon_node_size(n, attr, i);
}

static const tenon_place *rw_place(tenon_rewriter *base, const tenon_node *n) {
  (void)base;
  return n ? tenon_node_place(n) : NULL;
}

static const void *rw_user(tenon_rewriter *base) {
  return ((tenon_rewriting *)base)->user;
}

static const tenon_node *rw_producer(tenon_rewriter *base,
                                     const tenon_value *v) {
  tenon_rewriting *rw = (tenon_rewriting *)base;
  if (!v || v->has_failed || v->kind != TENON_VALUE_RESULT) return NULL;
  if (v->node->graph != rw->node->graph) return NULL;
  bool is_new = v->node->id < rw->first_id && rw->n_seen < TENON_REWRITE_SEEN;
  for (uint32_t i = 0; i < rw->n_seen; ++i)
    is_new &= rw->seen[i] != v->node;
  if (is_new) rw->seen[rw->n_seen++] = v->node;
  return v->node;
}

static int rw_uses(tenon_rewriter *base, const tenon_value *v) {
  (void)base;
  return v ? (int)v->n_uses : 0;
}

static const char *rw_op(tenon_rewriter *base, const tenon_node *n) {
  (void)base;
  return n ? tenon_node_name(n) : "";
}

static const tenon_arg *rw_args(tenon_rewriter *base, const tenon_node *n) {
  static const tenon_arg none[] = {TENON_END_ARGS};
  if (!n) return none;
  tenon_rewriting_ask_all((tenon_rewriting *)base, n);
  return n->args ? n->args : none;
}

static const tenon_arg *rw_arg(tenon_rewriter *base, const tenon_node *n,
                               const char *name) {
  return n ? tenon_rewriting_ask((tenon_rewriting *)base, n, name) : NULL;
}

static uint32_t rw_flags(tenon_rewriter *base, const tenon_node *n) {
  (void)base;
  return n && n->op && n->op->desc ? n->op->desc->flags : 0;
}

// ---------------------------------------------------------------------------
// Building values
// ---------------------------------------------------------------------------

static tenon_dim rw_dim(tenon_rewriter *base, tenon_dim_op op, tenon_dim a,
                        tenon_dim b) {
  tenon_rewriting *rw = (tenon_rewriting *)base;
  tenon_dim none = {TENON_UNKNOWN, 0};
  if ((op == TENON_DIM_DIV || op == TENON_DIM_MOD) && tenon_dim_is_fixed(b) &&
      b.value == 0) {
    (void)tenon_rewriting_blame(rw, "divides a size by zero");
    return none;
  }
  return tenon_symbols_apply(&rw->m->symbols, op, a, b);
}

static bool is_decided_here(const void *self, uint32_t symbol) {
  const tenon_rewriting *rw = self;
  if (tenon_node_decides(rw->node, symbol)) return true;
  for (const tenon_node *n = rw->open ? rw->open->graph->first : NULL; n;
       n = n->next)
    if (tenon_node_decides(n, symbol)) return true;
  return false;
}

static tenon_dim rw_most(tenon_rewriter *base, tenon_dim d) {
  tenon_rewriting *rw = (tenon_rewriting *)base;
  return tenon_symbols_most(&rw->m->symbols, d, is_decided_here, rw);
}

static bool rw_element(tenon_rewriter *base, const tenon_value *v, int i,
                       tenon_dim *out) {
  (void)base;
  return v && !v->has_failed && tenon_value_element(v, i, out);
}

static tenon_value *rw_literal(tenon_rewriter *base, const tenon_type *type,
                               const void *data) {
  tenon_rewriting *rw = (tenon_rewriting *)base;
  if (rw->failure != TENON_OK) return &rw->failed;
  if (!type)
    return fail_value(rw,
                      tenon_rewriting_blame(rw, "a literal without a type"));
  tenon_value *v =
      tenon_build_constant(rw->m, "", type, data, false, rw->node->loc);
  return v ? v : fail_value(rw, tenon_rewriting_built(rw));
}

static tenon_value *rw_rows(tenon_rewriter *base, tenon_value *v, int64_t begin,
                            int64_t count) {
  tenon_rewriting *rw = (tenon_rewriting *)base;
  if (rw->failure != TENON_OK) return &rw->failed;
  const tenon_type *t = v ? &v->type : NULL;
  if (!v || v->kind != TENON_VALUE_CONSTANT || tenon_value_is_apart(v) ||
      t->rank < 1 || t->quant || tenon_dtype_look(t->dtype)->bits % 8 != 0 ||
      begin < 0 || count < 0 || begin > t->dims[0].value - count)
    return NULL;
  tenon_value *rows = tenon_build_rows(rw->m, v, begin, count, rw->node->loc);
  return rows ? rows : fail_value(rw, tenon_rewriting_built(rw));
}

static const float *rw_largest(tenon_rewriter *base, const tenon_value *v) {
  tenon_rewriting *rw = (tenon_rewriting *)base;
  if (rw->failure != TENON_OK || !v || v->kind != TENON_VALUE_CONSTANT ||
      tenon_value_is_apart(v) || v->type.quant || v->type.rank < 1 ||
      v->type.dtype != TENON_F32)
    return NULL;
  const float *most = tenon_value_largest(rw->m, v);
  if (!most) (void)tenon_rewriting_fail(rw, tenon_rewriting_built(rw));
  return most;
}

static uint64_t rw_constant_bytes(tenon_rewriter *base) {
  const tenon_module *m = ((tenon_rewriting *)base)->m;
  uint64_t bytes = 0;
  for (size_t i = 0; i < m->constants.count; ++i) {
    const tenon_value *v = m->constants.data[i];
    size_t size = 0;
    if (v->n_uses && tenon_type_size(&v->type, &size)) bytes += size;
  }
  return bytes;
}

static tenon_value *rw_scalar(tenon_rewriter *base, tenon_dtype dtype,
                              double value) {
  tenon_rewriting *rw = (tenon_rewriting *)base;
  unsigned char data[16];
  tenon_type type = {NULL, NULL, dtype, 0, 0};
  if (rw->failure != TENON_OK) return &rw->failed;
  if (!tenon_scalar_store(dtype, value, data))
    return fail_value(
        rw, tenon_rewriting_blame(rw, "%g is no scalar of type '%s'", value,
                                  tenon_dtype_name(dtype)));
  return rw_literal(base, &type, data);
}

static tenon_node *build_node(tenon_rewriting *rw, const tenon_build *b) {
  tenon_node_spec spec;
  memset(&spec, 0, sizeof spec);
  spec.op = tenon_registry_find_op(rw->m->cx, b->op);
  if (!spec.op) {
    const char *nearest = tenon_registry_nearest_op(rw->m->cx, b->op);
    (void)tenon_rewriting_blame(rw, "unknown operator '%s'%s%s%s", b->op,
                                TENON_DID_YOU_MEAN(nearest));
    return NULL;
  }
  spec.args = b->args;
  spec.in = b->in;
  spec.n_in = b->n_in;
  spec.in_group = b->in_group;
  spec.n_out = b->n_out;
  spec.out_group = b->out_group;
  spec.types = b->types;
  spec.loc = rw->node->loc;
  spec.n_regions = b->n_regions;
  spec.regions = tenon_rewriting_regions(rw, b);
  if (!spec.regions) return NULL;
  tenon_node *n = tenon_build_node(tenon_rewriting_graph(rw),
                                   rw->open ? NULL : rw->node, &spec);
  if (!n || !b->types) return n;
  // With all types given the builder asks no rule; here they are a claim.
  return tenon_infer_node(n, b->types, false) == TENON_OK ? n : NULL;
}

static tenon_value *rw_build(tenon_rewriter *base, const tenon_build *in) {
  tenon_rewriting *rw = (tenon_rewriting *)base;
  tenon_build b;
  bool is_admitted = tenon_admit(&b, sizeof b, in);
  tenon_node *n = NULL;
  if (!is_admitted)
    (void)tenon_rewriting_blame(
        rw, "a tenon_build that this library does not know");
  if (is_admitted && (!b.op || (b.n_in > 0 && !b.in))) {
    (void)tenon_rewriting_blame(
        rw, "a tenon_build that has no operator, or operands without a list");
    is_admitted = false;
  }
  for (uint32_t i = 0; is_admitted && i < b.n_in; ++i) {
    if (b.in[i] && b.in[i]->has_failed) is_admitted = false;
  }
  if (is_admitted && rw->failure == TENON_OK) {
    n = build_node(rw, &b);
    if (!n) (void)tenon_rewriting_built(rw);
  }
  for (uint32_t i = 0; in->out && i < in->n_out; ++i)
    in->out[i] = n ? n->out[i] : &rw->failed;
  if (!n) return &rw->failed;
  return n->n_out > 0 ? n->out[0] : NULL;
}

static tenon_dim rw_number(tenon_rewriter *base, tenon_value *v) {
  tenon_rewriting *rw = (tenon_rewriting *)base;
  tenon_dim d = {TENON_UNKNOWN, 0};
  uint64_t count = 0;
  if (!v || v->has_failed || rw->failure != TENON_OK) return d;
  if (!tenon_type_count(&v->type, &count) || count != 1) {
    (void)tenon_rewriting_blame(rw, "needs a number, found a list");
    return d;
  }
  if (tenon_value_element(v, 0, &d)) return d;
  const tenon_build b = {
      .struct_size = sizeof b, .n_in = 1, .op = "core::item", .in = &v};
  tenon_node *n = build_node(rw, &b);
  if (!n || n->n_decided != 1) {
    (void)tenon_rewriting_built(rw);
    return d;
  }
  // The k-th of them is the k-th that the shape rule left to the data.
  const tenon_op_desc *desc = rw->node->op->desc;
  if (rw->probe || !desc->infer || rw->n_numbers >= rw->node->n_decided)
    return (tenon_dim){0, n->decided[0]};
  n->decided = &rw->node->decided[rw->n_numbers++];
  return (tenon_dim){0, n->decided[0]};
}

// ---------------------------------------------------------------------------
// Running one
// ---------------------------------------------------------------------------

static const tenon_rewriter_api rewriter_api = {
    sizeof(tenon_rewriter_api),
    rw_operand,
    rw_group,
    rw_type,
    rw_result,
    rw_constant,
    rw_attrs,
    rw_size,
    rw_place,
    rw_user,
    rw_dim,
    rw_literal,
    rw_scalar,
    rw_build,
    tenon_rewriting_begin,
    tenon_rewriting_end,
    tenon_rewriting_copy,
    tenon_rewriting_replace,
    tenon_rewriting_refuse,
    rw_producer,
    rw_uses,
    rw_op,
    rw_args,
    tenon_rewriting_region,
    rw_arg,
    rw_most,
    rw_flags,
    tenon_rewriting_state,
    rw_element,
    rw_number,
    rw_rows,
    rw_largest,
    rw_constant_bytes,
    tenon_rewriting_room,
};

// Sizes of a failed value: a lowering counts axes from the end as well, and has
// no need to check.
static const tenon_dim no_sizes[2 * TENON_MAX_RANK] = {
    {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0},
    {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}};

static void rewrite_start(tenon_rewriting *rw, tenon_node *n,
                          tenon_lower_fn *lower, const void *user,
                          const tenon_owner *owner, const char *name) {
  memset(rw, 0, sizeof *rw);
  rw->base.api = &rewriter_api;
  rw->node = n;
  rw->m = n->graph->module;
  rw->user = user;
  const tenon_op_desc *desc = n->op->desc;
  rw->is_held = desc && (desc->flags & TENON_OP_ASKED) && desc->lower == lower;
  rw->is_typing = desc && !desc->infer && owner && owner == n->op->owner;
  rw->first_id = rw->m->n_nodes;
  rw->n_constants = rw->m->constants.count;
  rw->outer = rw->m->report;
  rw->m->report.sink.self = rw;
  rw->m->report.sink.report = tenon_rewriting_report;
  rw->failed.has_failed = true;
  rw->failed.name = "";
  rw->failed.type.dtype = TENON_F32;
  rw->failed.type.dims = no_sizes + TENON_MAX_RANK;
  rw->failed_region.has_failed = true;
  const char *from = owner ? owner->name : "?";
  if (name && strcmp(name, tenon_node_name(n)) != 0) {
    snprintf(rw->title, sizeof rw->title, "lowering '%s' of plugin '%s'", name,
             from);
  } else {
    snprintf(rw->title, sizeof rw->title, "lowering of plugin '%s'", from);
  }
}

// Takes out what was built; constants made here are the last ones.
static void rewrite_undo(tenon_rewriting *rw) {
  tenon_rewriting_clear(rw);
  tenon_node *n = rw->node->previous;
  while (n && n->id >= rw->first_id) {
    tenon_node *previous = n->previous;
    tenon_node_erase(n);
    n = previous;
  }
  rw->m->constants.count = rw->n_constants;
}

// Whether to keep what was built, and what to return.
static tenon_status rewrite_finish(tenon_rewriting *rw, tenon_status status) {
  if (rw->failure == TENON_OK && rw->m->arena.failed)
    rw->failure = tenon_fail_memory(&rw->m->report, "lowering");
  if (rw->failure == TENON_OK && status != TENON_OK)
    (void)tenon_rewriting_blame(rw, "'%s': failed without saying why",
                                tenon_node_name(rw->node));
  rw->m->report = rw->outer;
  if (rw->is_replaced && !rw->probe) tenon_rewriting_keep_states(rw);
  if (rw->failure == TENON_OK && rw->is_replaced && !rw->probe) {
    tenon_rewriting_clear(rw);
    tenon_rewriting_fuse(rw);
    tenon_node_erase(rw->node);
    return TENON_OK;
  }
  // After a failure behind `replace` the uses are gone from the node; what they
  // use now has to stay, and the module is of no more use than for printing.
  if (!rw->is_replaced || rw->probe) rewrite_undo(rw);
  return rw->is_refused ? TENON_OK : rw->failure;
}

// A Scalar that is a complex number reads as none at all to a lowering.
static tenon_status call_lowering(tenon_rewriting *rw, tenon_node *n,
                                  tenon_lower_fn *lower) {
  if (tenon_node_has_complex(n))
    return tenon_rw_fail(&rw->base, "complex numbers are not supported");
  return lower(&rw->base, n);
}

tenon_status tenon_rewrite_node(tenon_node *n, tenon_lower_fn *lower,
                                const void *user, const tenon_owner *owner,
                                const char *name,
                                tenon_rewrite_outcome *outcome) {
  return tenon_rewrite_node_if(n, lower, user, owner, name, NULL, NULL, NULL,
                               outcome);
}

tenon_status tenon_rewrite_node_if(tenon_node *n, tenon_lower_fn *lower,
                                   const void *user, const tenon_owner *owner,
                                   const char *name, tenon_admits_fn *admits,
                                   void *self, char *held,
                                   tenon_rewrite_outcome *outcome) {
  tenon_rewriting rw;
  *outcome = TENON_REWRITE_DECLINED;
  rewrite_start(&rw, n, lower, user, owner, name);
  rw.held = held;
  rw.admits = admits;
  rw.admits_self = self;
  tenon_status status = rewrite_finish(&rw, call_lowering(&rw, n, lower));
  if (rw.is_refused)
    *outcome = TENON_REWRITE_REFUSED;
  else if (status == TENON_OK && rw.is_replaced)
    *outcome = TENON_REWRITE_REPLACED;
  return status;
}

tenon_status tenon_rewrite_probe(tenon_node *n, tenon_lower_fn *lower,
                                 const void *user, const tenon_owner *owner,
                                 tenon_probe *probe) {
  tenon_rewriting rw;
  rewrite_start(&rw, n, lower, user, owner, NULL);
  rw.probe = probe;
  rw.held = probe->held;
  tenon_status status = rewrite_finish(&rw, call_lowering(&rw, n, lower));
  probe->found = status == TENON_OK && rw.is_replaced;
  return status;
}
