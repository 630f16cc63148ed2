// How: each step becomes a node of a module of its own again, with its operands
// as parameters or constants; the operator's rule then says what its results
// are, and the kernel is chosen as compiling would choose it. What it would ask
// for (items, scratch, a packed block's size) must be what the file gives.
#include <stdio.h>
#include <string.h>

#include "base/heap.h"
#include "bind/call.h"
#include "bind/choose.h"
#include "bind/pieces_of.h"
#include "core/template.h"
#include "ir/build.h"
#include "ir/infer.h"
#include "tnp/symbols.h"

typedef struct checker {
  struct tenon_program *p;
  tenon_context *cx;
  tenon_arena arena;
  tenon_target target;
  tenon_tnp_symbols symbols;  // with open sizes
} checker;

static tenon_status tnp_check_bad(const checker *k, const tenon_step *s,
                                  const char *what) {
  return tenon_fail(&k->cx->report, TENON_BAD_MODEL, "tnp-file", s->place,
                    "'%s': %s", s->op, what);
}

static const tenon_type *tnp_check_type_of(checker *k,
                                           const tenon_program_tensor *t) {
  tenon_type *type = tenon_arena_new(&k->arena, tenon_type);
  tenon_dim *dims =
      tenon_arena_array(&k->arena, tenon_dim, (size_t)t->rank + 1);
  if (!type || !dims) return NULL;
  for (int i = 0; i < t->rank; ++i)
    dims[i] = t->sizes ? tenon_tnp_dim(&k->symbols, t->sizes[i])
                       : tenon_dim_fixed(t->dims[i]);
  type->dims = dims;
  type->quant = t->quant;
  type->dtype = t->dtype;
  type->rank = t->rank;
  if (t->is_number) type->flags = TENON_TYPE_NUMBER;
  return type;
}

static tenon_value *make_value(checker *k, tenon_graph *g,
                               const tenon_program_tensor *t) {
  static const tenon_loc nowhere = {0};
  const tenon_type *type = tnp_check_type_of(k, t);
  if (!type) return NULL;
  if (t->slot.place == TENON_IN_CONSTANT && !t->strides) {
    const char *data = k->p->constants[t->slot.index].data;
    return tenon_build_constant(g->module, "", type, data + t->slot.offset,
                                true, nowhere);
  }
  return tenon_build_param(g, "", type, nowhere);
}

static tenon_node *tnp_check_make_node(checker *k, const tenon_step *s,
                                       tenon_module *m) {
  const tenon_op *op = tenon_registry_find_op(k->cx, s->op);
  tenon_graph *g = tenon_build_function(m, "step", (tenon_loc){0});
  tenon_value **in = tenon_arena_array(&k->arena, tenon_value *, s->n_in + 1u);
  const tenon_type **types =
      tenon_arena_array(&k->arena, const tenon_type *, s->n_out + 1u);
  if (!op || !op->desc) {
    (void)tnp_check_bad(k, s, "unknown operator");
    return NULL;
  }
  if (!g || !in || !types) return NULL;
  for (uint32_t i = 0; i < s->n_in; ++i) {
    const tenon_program_tensor *t = tenon_tnp_operand(k->p, s->in + i);
    if (!t) continue;
    if (t->slot.place == TENON_IN_NOTHING && (t->size > 0 || t->sizes))
      return NULL;
    in[i] = make_value(k, g, t);
    if (!in[i]) return NULL;
  }
  for (uint32_t i = 0; i < s->n_out; ++i) {
    types[i] = tnp_check_type_of(k, tenon_tnp_operand(k->p, s->out + i));
    if (!types[i]) return NULL;
  }
  tenon_node_spec spec = {
      .op = op,
      .args = s->attrs == TENON_NO_INDEX
                  ? NULL
                  : tenon_tnp_args(&k->symbols, &k->arena, s),
      .decided = s->n_decided == 0
                     ? NULL
                     : tenon_tnp_decided(&k->symbols, &k->arena, s),
      .n_decided = s->n_decided,
      .in = in,
      .n_in = s->n_in,
      .in_group = s->in_group,
      .n_out = s->n_out,
      .out_group = s->out_group,
      .types = types,
      .is_functional = true};
  if ((s->attrs != TENON_NO_INDEX && !spec.args) ||
      (s->n_decided > 0 && !spec.decided))
    return NULL;
  if (s->in_group) spec.n_in_groups = op->schema->n_tensors;
  if (s->out_group)
    spec.n_out_groups = (uint16_t)tenon_schema_results(op->schema);
  tenon_node *n = tenon_build_node(g, NULL, &spec);
  if (!n || tenon_infer_node(n, types, false) != TENON_OK) return NULL;
  return n;
}

// The results of a rule, where it was silent the declared ones, are what the
// program has places for.
static bool has_types(const checker *k, const tenon_step *s,
                      const tenon_node *n) {
  for (uint32_t i = 0; i < s->n_out; ++i) {
    const tenon_program_tensor *t = tenon_tnp_operand(k->p, s->out + i);
    const tenon_type *type = &n->out[i]->type;
    if (type->dtype != t->dtype || type->rank != t->rank) return false;
    for (int d = 0; d < t->rank; ++d) {
      tenon_dim dim = t->sizes ? tenon_tnp_dim(&k->symbols, t->sizes[d])
                               : tenon_dim_fixed(t->dims[d]);
      if (!tenon_dim_equals(type->dims[d], dim)) return false;
    }
  }
  return true;
}

// Whether all operands that a kernel packs are constants.
static bool tnp_check_has_constants(const tenon_node *n, uint32_t packs) {
  for (uint32_t i = 0; i < n->n_in && i < 32; ++i)
    if ((packs >> i & 1) && n->in[i].value &&
        n->in[i].value->kind != TENON_VALUE_CONSTANT)
      return false;
  return true;
}

static const char *check_demands(const checker *k, const tenon_step *s,
                                 const tenon_node *n,
                                 const tenon_kernel_desc *desc,
                                 const tenon_call *call) {
  int64_t items = desc->items ? desc->items(call) : 0;
  // Of an open step a session asks for both.
  if (items != s->items && !s->is_open) return "another number of items";
  size_t scratch =
      desc->scratch ? desc->scratch(call, desc->items ? items : 1) : 0;
  if (scratch > s->scratch_size && (!s->is_open || k->p->is_bounded))
    return "less scratch than the kernel needs";
  if (s->is_open && !k->p->is_bounded && desc->scratch && s->span == 0)
    return "scratch without a buffer";
  // A kernel that packs reads its block: it is there when it can be made.
  size_t packed = desc->pack_size && tnp_check_has_constants(n, desc->packs)
                      ? desc->pack_size(call)
                      : 0;
  if ((packed > 0) != (s->packed != TENON_NO_INDEX) ||
      (packed > 0 && packed != k->p->constants[s->packed].size))
    return "a packed block of another size";
  return NULL;
}

// Alignment of places in the arena beyond that of an element.
static bool tnp_check_is_aligned(const checker *k, const tenon_step *s,
                                 const tenon_kernel_desc *desc) {
  uint32_t align = desc->align ? desc->align : 1;
  const bool is_moved = k->p->n_numbers > 0;  // by a session
  if (s->scratch_size && s->scratch % align) return false;
  if (is_moved && s->span &&
      (k->p->spans[s->span - 1].align % align ||
       k->p->spans[s->span - 1].align % 16))
    return false;
  for (uint32_t i = 0; i < (uint32_t)s->n_in + s->n_out; ++i) {
    const tenon_program_tensor *t =
        tenon_tnp_operand(k->p, i < s->n_in ? s->in + i : s->out + i - s->n_in);
    if (!t || t->slot.place == TENON_IN_NOTHING) continue;
    if (t->slot.offset % align) return false;
    if (is_moved && t->span && t->slot.place == TENON_IN_ARENA) {
      uint32_t unit = tenon_dtype_look(t->dtype)->bits / 8u;
      uint32_t own = k->p->spans[t->span - 1].align;
      if (own % align || (unit > 1 && own % unit)) return false;
    }
    if (t->slot.place == TENON_IN_CALLER &&
        k->p->ports[t->slot.index].align % align)
      return false;
  }
  return true;
}

// The block is made of this machine's constants, by this machine's kernel.
static tenon_status tnp_check_pack(checker *k, const tenon_step *s,
                                   const tenon_kernel_desc *desc,
                                   const tenon_node *n,
                                   const tenon_call *call) {
  tenon_program_constant *c =
      (tenon_program_constant *)(uintptr_t)&k->p->constants[s->packed];
  tenon_fault fault = {NULL, {0, 0}};
  tenon_call quiet = *call;
  void *data = tenon_arena_zalloc(
      &k->p->arena, (size_t)c->size + TENON_ARENA_TAIL, TENON_ARENA_ALIGN);
  if (!data) return tenon_fail_memory(&k->cx->report, "checking a program");
  quiet.fault = &fault;
  if (desc->pack(&quiet, data) != TENON_OK)
    return tnp_check_bad(k, s,
                         fault.text ? fault.text : "its kernel could not pack");
  // Steps with equal blocks share one.
  if (c->data && memcmp(c->data, data, (size_t)c->size) != 0)
    return tnp_check_bad(k, s,
                         "a packed block of two steps, which pack differently");
  c->data = data;
  if (!s->is_open) return TENON_OK;
  switch (tenon_bind_packs(&k->arena, desc, n, k->symbols.trial,
                           k->symbols.can_try, data, (size_t)c->size)) {
    case TENON_PACKS_ALIKE:
      return TENON_OK;
    case TENON_PACKS_NO_MEMORY:
      return tenon_fail_memory(&k->cx->report, "checking a program");
    default:
      return tnp_check_bad(
          k, s, "its kernel packs what depends on sizes that are open");
  }
}

// Operators may share a kernel, and each has its descriptor then.
static bool is_kernel(const tenon_kernel *k, const tenon_program_kernel *row) {
  return k && strcmp(k->owner->name, row->owner) == 0 &&
         k->desc->run == row->desc->run &&
         k->desc->run_range == row->desc->run_range &&
         k->desc->user == row->desc->user;
}

static tenon_status tnp_check_node(checker *k, const tenon_step *s,
                                   tenon_node *n) {
  const tenon_program_kernel *row = &k->p->kernels[s->kernel];
  char forced[512];
  const char *list[2] = {forced, NULL};
  tenon_choice choice = {.target = &k->target, .forced = list};
  snprintf(forced, sizeof forced, "%s=%s", n->op->name, row->symbol);
  const char *error = NULL;
  if (!has_types(k, s, n)) return tnp_check_bad(k, s, "results of other types");
  if (k->symbols.m) error = tenon_tnp_symbols_check(&k->symbols, s, n);
  if (error) return tnp_check_bad(k, s, error);
  const tenon_kernel *chosen = tenon_choose(&choice, n, &k->arena, NULL);
  if (!is_kernel(chosen, row))
    return tnp_check_bad(k, s, "its kernel does not fit it on this machine");
  if (s->n_in != tenon_choose_operands(chosen, n))
    return tnp_check_bad(k, s, "another number of operands");
  tenon_call *call = s->is_open
                         ? tenon_bind_call_at(&k->arena, n, k->symbols.values)
                         : tenon_bind_call(&k->arena, n);
  if (!call)
    return k->arena.failed || !s->is_open
               ? tenon_fail_memory(&k->cx->report, "checking a program")
               : tnp_check_bad(k, s, "sizes that no tensor has");
  call->user = row->desc->user;
  error = check_demands(k, s, n, row->desc, call);
  tenon_bind_extent(n, row->desc, call, (tenon_step *)(uintptr_t)s);
  if (!error && !tnp_check_is_aligned(k, s, row->desc))
    error = "places at odd addresses";
  if (!error && row->desc->overlap &&
      !tenon_tnp_is_behind(k->p, s, row->desc->overlap(call)))
    error = "its result over an operand that it has yet to read";
  if (error) return tnp_check_bad(k, s, error);
  // The context, which the program keeps alive, has the text.
  if (row->desc->op && strchr(row->desc->op, '*'))
    ((tenon_step *)(uintptr_t)s)->schema = n->op->desc->schema;
  return s->packed == TENON_NO_INDEX ? TENON_OK
                                     : tnp_check_pack(k, s, row->desc, n, call);
}

static tenon_status check_step(checker *k, const tenon_step *s) {
  tenon_module *m = NULL;
  if (s->kind != TENON_STEP_KERNEL) return TENON_OK;
  if (!tenon_tnp_is_apart(k->p, s))
    return tnp_check_bad(
        k, s, "what it writes lies over what it reads or its scratch");
  if (!k->symbols.m) TENON_TRY(tenon_module_create(k->cx, k->p->name, &m));
  tenon_node *n = tnp_check_make_node(k, s, m ? m : k->symbols.m);
  tenon_status status =
      n ? tnp_check_node(k, s, n)
        : tnp_check_bad(k, s, "the operator does not take these operands");
  if (m) tenon_module_release(m);
  return status;
}

tenon_status tenon_tnp_check_steps(tenon_context *cx, struct tenon_program *p,
                                   const tenon_tnp_patch *patches) {
  checker k = {.p = p, .cx = cx, .symbols = {.p = p, .patches = patches}};
  tenon_arena arena;  // of what all steps share
  tenon_arena_init(&arena, cx->allocator);
  tenon_status status = tenon_target_find(cx, p->target, &k.target);
  if (status == TENON_OK) tenon_target_describe(&k.target, p);
  if (status == TENON_OK && p->arena.failed)
    status = tenon_fail_memory(&k.cx->report, "checking a program");
  if (status == TENON_OK)
    status = tenon_tnp_symbols_init(cx, &arena, &k.symbols);
  for (uint32_t i = 0; status == TENON_OK && i < p->n_steps; ++i) {
    tenon_arena_init(&k.arena, cx->allocator);
    status = check_step(&k, &p->steps[i]);
    tenon_arena_deinit(&k.arena);
  }
  tenon_tnp_symbols_deinit(&k.symbols);
  tenon_arena_deinit(&arena);
  return status;
}
