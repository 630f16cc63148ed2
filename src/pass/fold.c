// How: nodes in order; one whose operands are all constants is computed by the
// descriptor's `fold`, else by the reference kernel, packed and run as a
// session would. Folding that would blow the model up (more than twice the
// elements that there were, of many bytes) is left alone. A conversion is not:
// numbers of 8 bits that become floats in every run would take that room in
// memory, and kernels that pack their weights want to have them. Nor is, for
// processors with a cache of megabytes, what costly functions are computed of:
// powers that fade with the distance, angles of positions.
#include <string.h>

#include "bind/call.h"
#include "exec/crew.h"
#include "ir/build.h"
#include "ir/edit.h"
#include "ir/turned.h"
#include "pass/evaluate.h"
#include "pass/pass.h"

// Bytes that a result may have beyond twice those of the operands: weights of a
// transposed convolution get a border, without which kernels cannot pack them.
#define GROWTH_LIMIT (UINT64_C(64) * 1024)

// Bytes of what costly functions of constants alone may be.
#define FUNCTION_LIMIT (UINT64_C(4) * 1024 * 1024)

static bool fold_is_costly(const tenon_node *n) {
  return (n->op->desc->flags & TENON_OP_COSTLY) != 0;
}

// Whether `v`, which is made of constants, is all that a costly function has
// beside constants, or what it is made of element by element, at most `depth`
// nodes behind it.
static bool fold_feeds_function(const tenon_value *v, int depth) {
  for (const tenon_use *u = v->uses; u; u = u->next) {
    const tenon_node *n = u->node;
    bool is_known = n->op && n->op->desc && n->n_regions == 0 &&
                    (n->op->desc->flags & TENON_OP_ELEMENTWISE) != 0;
    for (uint32_t i = 0; is_known && i < n->n_in; ++i) {
      const tenon_value *in = n->in[i].value;
      is_known = !in || in == v || in->kind == TENON_VALUE_CONSTANT;
    }
    if (is_known &&
        (fold_is_costly(n) || (depth > 0 && n->n_out == 1 &&
                               fold_feeds_function(n->out[0], depth - 1))))
      return true;
  }
  return false;
}

// Processors with vectors of floats have a second-level cache.
static bool fold_is_for_cache(const tenon_pass_run *run) {
  const tenon_choice *choice = run->choice;
  return choice && !choice->reference_only &&
         (tenon_target_has(choice->target, "sse2") ||
          tenon_target_has(choice->target, "neon"));
}

static bool fold_is_candidate(const tenon_node *n, bool is_for_cache) {
  if (!n->op->desc || !tenon_op_is_pure(n->op) || n->n_regions > 0 ||
      n->n_out == 0 || n->n_in == 0 || n->is_functional || n->n_decided > 0)
    return false;
  // What a run finds out is not known here, whatever the operands.
  for (const tenon_arg *a = n->args; a && a->name; ++a)
    if (a->kind == TENON_KIND_DIMS) return false;
  uint64_t in = 0, out = 0, most = 0, made = 0;
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tenon_value *v = n->in[i].value;
    size_t size = 0;
    if (!v) continue;
    if (v->kind != TENON_VALUE_CONSTANT || tenon_value_is_apart(v) ||
        !tenon_type_size(&v->type, &size))
      return false;
    in += size;
    uint64_t count = 0;
    (void)tenon_type_count(&v->type, &count);
    if (count > most) most = count;
  }
  for (uint32_t i = 0; i < n->n_out; ++i) {
    size_t size = 0;
    uint64_t count = 0;
    if (!tenon_type_size(&n->out[i]->type, &size)) return false;
    (void)tenon_type_count(&n->out[i]->type, &count);
    out += size;
    made += count;
  }
  if (in > 0 && (out <= 2 * in + GROWTH_LIMIT || made <= most)) return true;
  return in > 0 && is_for_cache && out <= FUNCTION_LIMIT && n->n_out == 1 &&
         (n->op->desc->flags & TENON_OP_ELEMENTWISE) != 0 &&
         (fold_is_costly(n) || fold_feeds_function(n->out[0], 2));
}

// Room for a result, of zeros. The first touch of a large one is most of the
// work of folding it, so all processors take part.
typedef struct fold_room {
  char *data;
  size_t size;
} fold_room;
#define FOLD_PART ((size_t)4 << 20)

static void fold_clear_part(void *arg, int64_t i) {
  const fold_room *r = (const fold_room *)arg;
  const size_t at = (size_t)i * FOLD_PART;
  memset(r->data + at, 0, r->size - at < FOLD_PART ? r->size - at : FOLD_PART);
}

static void *fold_make_room(tenon_module *m, size_t size) {
  fold_room r = {(char *)tenon_arena_alloc(&m->arena, size, 64), size};
  if (!r.data) return NULL;
  tenon_crew_run(&m->cx->allocator, size,
                 (int64_t)((size + FOLD_PART - 1) / FOLD_PART), fold_clear_part,
                 &r);
  return r.data;
}

// Weights that are turned round stay as they lie, for kernels that pack them
// so.
#define FOLD_TURNED ((uint64_t)64 << 10)  // elements

static bool fold_can_turn(tenon_evaluator *f, const tenon_node *n,
                          tenon_turned *out) {
  const tenon_value *x = n->in[0].value;
  const tenon_type *t = &n->out[0]->type;
  tenon_view view = {0};
  uint64_t count = 0;
  if (!n->op->desc->view || n->n_in != 1 || n->n_out != 1 ||
      t->dtype != TENON_F32 || t->quant || t->rank != 2 ||
      !tenon_type_count(t, &count) || count < FOLD_TURNED)
    return false;
  tenon_call *call = tenon_bind_call_of(&f->scratch, n, UINT32_MAX);
  if (!call || !n->op->desc->view(call, &view)) return false;
  const float *from = (const float *)call->in[0].data;
  if (!from || x->type.dtype != TENON_F32) return false;
  out->data = from + view.offset;
  memcpy(out->strides, view.strides, sizeof out->strides);
  // What is read in order can be written as well.
  return view.strides[1] != 1;
}

static tenon_status fold_turn(tenon_node *n, const tenon_turned *turned) {
  tenon_module *m = n->graph->module;
  tenon_value *v =
      tenon_build_turned(m, n->out[0]->name, &n->out[0]->type, turned, n->loc);
  if (!v) return tenon_fail_memory(&m->report, "folding");
  tenon_value_replace(n->out[0], v);
  tenon_node_erase(n);
  return TENON_OK;
}

static tenon_status fold_node(tenon_evaluator *f, tenon_node *n) {
  tenon_module *m = n->graph->module;
  tenon_turned turned = {0};
  if (fold_can_turn(f, n, &turned)) return fold_turn(n, &turned);
  tenon_call *call = tenon_bind_call(&f->scratch, n);
  tenon_fault fault = {NULL, {0, 0}};
  if (!call) return tenon_fail_memory(&m->report, "folding");
  call->fault = &fault;
  for (uint32_t i = 0; i < n->n_out; ++i) {
    size_t size = 0;
    (void)tenon_type_size(&n->out[i]->type, &size);
    // The call's tensors are this function's own.
    tenon_tensor *t = (tenon_tensor *)(uintptr_t)&call->out[i];
    t->data = fold_make_room(m, size + 64);
    if (!t->data) return tenon_fail_memory(&m->report, "folding");
  }
  tenon_evaluation result = tenon_evaluate(f, n, call);
  if (result == TENON_EVALUATION_NO_MEMORY)
    return tenon_fail_memory(&m->report, "folding");
  if (result == TENON_NOT_EVALUATED) return TENON_OK;
  for (uint32_t i = 0; i < n->n_out; ++i) {
    tenon_value *v = tenon_build_constant(m, n->out[i]->name, &n->out[i]->type,
                                          call->out[i].data, true, n->loc);
    if (!v) return tenon_fail_memory(&m->report, "folding");
    tenon_value_replace(n->out[i], v);
  }
  tenon_node_erase(n);
  return TENON_OK;
}

// No result has an element: there is nothing to compute, and what it is made of
// may be needed by nobody.
static bool fold_is_empty(const tenon_node *n) {
  if (!tenon_op_is_droppable(n->op) || n->n_regions > 0 || n->n_out == 0 ||
      n->is_functional || n->n_decided > 0)
    return false;
  for (uint32_t i = 0; i < n->n_out; ++i) {
    uint64_t count = 1;
    if (!tenon_type_count(&n->out[i]->type, &count) || count > 0) return false;
  }
  return true;
}

static tenon_status fold_empty(tenon_node *n) {
  tenon_module *m = n->graph->module;
  for (uint32_t i = 0; i < n->n_out; ++i) {
    tenon_value *v = tenon_build_constant(m, n->out[i]->name, &n->out[i]->type,
                                          NULL, true, n->loc);
    if (!v) return tenon_fail_memory(&m->report, "folding");
    tenon_value_replace(n->out[i], v);
  }
  tenon_node_erase(n);
  return TENON_OK;
}

static tenon_status fold_walk(tenon_evaluator *f, tenon_graph *g,
                              bool is_for_cache) {
  for (tenon_node *n = g->first; n;) {
    tenon_node *next = n->next;
    for (uint32_t r = 0; r < n->n_regions; ++r)
      TENON_TRY(fold_walk(f, n->regions[r], is_for_cache));
    if (fold_is_empty(n)) {
      TENON_TRY(fold_empty(n));
    } else if (fold_is_candidate(n, is_for_cache)) {
      tenon_arena_mark mark = tenon_arena_save(&f->scratch);
      tenon_status status = fold_node(f, n);
      tenon_arena_restore(&f->scratch, mark);
      TENON_TRY(status);
    }
    n = next;
  }
  return TENON_OK;
}

static bool has_candidate(const tenon_graph *g) {
  for (const tenon_node *n = g->first; n; n = n->next) {
    for (uint32_t r = 0; r < n->n_regions; ++r)
      if (has_candidate(n->regions[r])) return true;
    if (fold_is_candidate(n, false)) return true;
  }
  return false;
}

bool tenon_pass_is_folded(const tenon_module *m) {
  for (size_t i = 0; i < m->functions.count; ++i)
    if (has_candidate(m->functions.data[i])) return false;
  return true;
}

tenon_status tenon_pass_fold(tenon_module *m, const tenon_pass_run *run) {
  tenon_evaluator f;
  TENON_TRY(tenon_evaluator_init(&f, m));
  tenon_status status = TENON_OK;
  for (size_t i = 0; status == TENON_OK && i < m->functions.count; ++i)
    status = fold_walk(&f, m->functions.data[i], fold_is_for_cache(run));
  tenon_evaluator_deinit(&f);
  return status;
}
