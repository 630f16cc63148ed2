// How: each step becomes a node of a module of its own again, with its operands
// as parameters or constants; the operator's rule then says what its results
// are, and the kernel is chosen as compiling would choose it. What it would ask
// for (items, scratch, a packed block's size) must be what the file gives.
#include <stdio.h>
#include <string.h>

#include "bind/call.h"
#include "bind/choose.h"
#include "bind/pieces_of.h"
#include "core/template.h"
#include "ir/build.h"
#include "ir/infer/infer.h"
#include "tnp/symbols.h"

typedef struct checker {
  struct tenon_program *p;
  tenon_context *cx;
  tenon_arena arena;
  tenon_target target;
  tenon_tnp_symbols symbols;  // with open sizes
  uint8_t *blocks;            // of each constant of the file: BLOCK_*
  uint32_t n_blocks;
} checker;

// How far a packed constant has come.
enum {
  BLOCK_AS_FILED,  // nobody has looked at what the file has, if it has it
  BLOCK_TAKEN,     // a step uses that
  BLOCK_MADE       // packed here
};

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
  tenon_value *v = tenon_build_param(g, "", type, nowhere);
  if (v) v->strides = t->strides;
  return v;
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
    const tenon_program_tensor *t = tenon_tnp_operand(k->p, s->out + i);
    types[i] = t->strides ? NULL : tnp_check_type_of(k, t);
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

static int64_t items_of(const tenon_kernel_desc *desc, const tenon_call *call) {
  return desc->items ? desc->items(call) : 0;
}

// What a kernel that packs needs, 0: it reads its operands. It is there when it
// can be made.
static size_t tnp_check_pack_size(const tenon_node *n,
                                  const tenon_kernel_desc *desc,
                                  const tenon_call *call) {
  return desc->pack_size && tnp_check_has_constants(n, desc->packs)
             ? desc->pack_size(call)
             : 0;
}

static const char *check_scratch(const checker *k, const tenon_step *s,
                                 const tenon_kernel_desc *desc,
                                 const tenon_call *call) {
  size_t scratch =
      desc->scratch ? desc->scratch(call, desc->items ? desc->items(call) : 1)
                    : 0;
  if (scratch > s->scratch_size && (!s->is_open || k->p->is_bounded))
    return "less scratch than the kernel needs";
  if (s->is_open && !k->p->is_bounded && desc->scratch && s->span == 0)
    return "scratch without a buffer";
  return NULL;
}

static const char *check_demands(const checker *k, const tenon_step *s,
                                 const tenon_node *n,
                                 const tenon_kernel_desc *desc,
                                 const tenon_call *call) {
  // Of an open step a session asks for both.
  if (items_of(desc, call) != s->items && !s->is_open)
    return "another number of items";
  const char *error = check_scratch(k, s, desc, call);
  if (error) return error;
  size_t packed = tnp_check_pack_size(n, desc, call);
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

// Whether the file has the block as this kernel would have packed it.
static bool takes_block(const checker *k, const tenon_step *s,
                        const tenon_kernel_desc *desc, const tenon_call *call) {
  const tenon_program_constant *c = &k->p->constants[s->packed];
  return s->packed < k->n_blocks && k->blocks[s->packed] != BLOCK_MADE &&
         c->data && desc->pack_check &&
         c->layout_version == desc->pack_version &&
         strcmp(c->layout, tenon_kernel_layout(desc)) == 0 &&
         desc->pack_check(call, c->data);
}

// Sources that nobody reads in a run are looked at before they are packed.
static tenon_status check_packed_sources(checker *k, const tenon_step *s,
                                         const tenon_kernel_desc *desc) {
  uint32_t which[32], n = 0, at = 0;
  for (uint32_t i = 0; i < s->n_in && i < 32; ++i) {
    const tenon_program_tensor *t = tenon_tnp_operand(k->p, s->in + i);
    if (t && (desc->packs >> i & 1) && t->slot.place == TENON_IN_CONSTANT)
      which[n++] = t->slot.index;
  }
  const char *error = tenon_tnp_check_contents(k->p, which, n, &at);
  if (error)
    return tnp_check_bad(k, s, "what it packs is not what was written");
  return k->p->arena.failed
             ? tenon_fail_memory(&k->cx->report, "checking a program")
             : TENON_OK;
}

// The block is made of this machine's constants, by this machine's kernel.
static tenon_status make_block(checker *k, const tenon_step *s,
                               const tenon_kernel_desc *desc,
                               const tenon_call *call) {
  tenon_program_constant *c =
      (tenon_program_constant *)(uintptr_t)&k->p->constants[s->packed];
  tenon_fault fault = {NULL, {0, 0}};
  tenon_call quiet = *call;
  TENON_TRY(check_packed_sources(k, s, desc));
  void *data = tenon_arena_zalloc(
      &k->p->arena, (size_t)c->size + TENON_ARENA_TAIL, TENON_ARENA_ALIGN);
  if (!data) return tenon_fail_memory(&k->cx->report, "checking a program");
  quiet.fault = &fault;
  if (desc->pack(&quiet, data) != TENON_OK)
    return tnp_check_bad(k, s,
                         fault.text ? fault.text : "its kernel could not pack");
  // Steps with equal blocks share one.
  const bool is_shared =
      s->packed >= k->n_blocks || k->blocks[s->packed] != BLOCK_AS_FILED;
  if (c->data && is_shared && memcmp(c->data, data, (size_t)c->size) != 0)
    return tnp_check_bad(k, s,
                         "a packed block of two steps, which pack differently");
  c->data = data;
  c->layout = tenon_kernel_layout(desc);
  c->layout_version = desc->pack_version;
  if (s->packed < k->n_blocks) k->blocks[s->packed] = BLOCK_MADE;
  return TENON_OK;
}

static tenon_status tnp_check_pack(checker *k, const tenon_step *s,
                                   const tenon_kernel_desc *desc,
                                   const tenon_node *n,
                                   const tenon_call *call) {
  const tenon_program_constant *c = &k->p->constants[s->packed];
  const void *made = NULL;  // to compare with
  if (takes_block(k, s, desc, call)) {
    k->blocks[s->packed] = BLOCK_TAKEN;
  } else {
    TENON_TRY(make_block(k, s, desc, call));
    made = c->data;
  }
  if (!s->is_open) return TENON_OK;
  switch (tenon_bind_packs(&k->arena, desc, n, k->symbols.trial,
                           k->symbols.can_try, made, (size_t)c->size)) {
    case TENON_PACKS_ALIKE:
      return TENON_OK;
    case TENON_PACKS_NO_MEMORY:
      return tenon_fail_memory(&k->cx->report, "checking a program");
    default:
      return tnp_check_bad(
          k, s, "its kernel packs what depends on sizes that are open");
  }
}

// --- Kernels of this machine -------------------------------------------------

// A row for the kernel, the one that is there where it is.
static bool add_kernel_row(checker *k, const tenon_kernel *kernel,
                           uint32_t *index) {
  struct tenon_program *p = k->p;
  for (*index = 0; *index < p->n_kernels; ++*index)
    if (p->kernels[*index].desc == kernel->desc) return true;
  tenon_program_kernel *list = tenon_arena_array(
      &p->arena, tenon_program_kernel, (size_t)p->n_kernels + 1);
  if (!list) return false;
  memcpy(list, p->kernels, p->n_kernels * sizeof *list);
  list[p->n_kernels] =
      (tenon_program_kernel){kernel->desc, kernel->source, kernel->desc->symbol,
                             kernel->owner->name, kernel->owner->origin};
  p->kernels = list;
  ++p->n_kernels;
  return true;
}

// A block of the step's own, which is yet to be packed.
static bool add_block_row(checker *k, const tenon_kernel *kernel, size_t size,
                          uint32_t *index) {
  struct tenon_program *p = k->p;
  tenon_program_constant *list = tenon_arena_array(
      &p->arena, tenon_program_constant, (size_t)p->n_constants + 1);
  if (!list) return false;
  memcpy(list, p->constants, p->n_constants * sizeof *list);
  list[p->n_constants] =
      (tenon_program_constant){.size = size,
                               .align = TENON_ARENA_ALIGN,
                               .is_packed = true,
                               .name = kernel->desc->symbol,
                               .layout = tenon_kernel_layout(kernel->desc),
                               .layout_version = kernel->desc->pack_version};
  p->constants = list;
  *index = p->n_constants++;
  return true;
}

// Gives the step another kernel where that has room for all it needs. False:
// it has not, or memory ran out; the step is as it was.
static bool take_kernel(checker *k, tenon_step *s, const tenon_node *n,
                        const tenon_kernel *kernel) {
  const tenon_kernel_desc *desc = kernel->desc;
  tenon_step changed = *s;
  tenon_call *call = s->is_open
                         ? tenon_bind_call_at(&k->arena, n, k->symbols.values)
                         : tenon_bind_call(&k->arena, n);
  if (!call || s->n_in != tenon_choose_operands(kernel, n) ||
      (!desc->run && !desc->run_range) || desc->measure ||
      k->p->kernels[s->kernel].desc->measure)
    return false;
  call->user = desc->user;
  if (!add_kernel_row(k, kernel, &changed.kernel)) return false;
  changed.items = items_of(desc, call);
  if (check_scratch(k, &changed, desc, call) ||
      !tnp_check_is_aligned(k, &changed, desc) ||
      !tenon_tnp_is_apart(k->p, &changed) ||
      (desc->overlap &&
       !tenon_tnp_is_behind(k->p, &changed, desc->overlap(call))))
    return false;
  const size_t packed = tnp_check_pack_size(n, desc, call);
  const tenon_program_constant *c =
      s->packed == TENON_NO_INDEX ? NULL : &k->p->constants[s->packed];
  if (packed == 0) changed.packed = TENON_NO_INDEX;
  const bool is_alike = c && c->size == packed && c->layout &&
                        strcmp(c->layout, tenon_kernel_layout(desc)) == 0;
  if (packed > 0 && !is_alike &&
      !add_block_row(k, kernel, packed, &changed.packed))
    return false;
  *s = changed;
  return true;
}

// The best kernel of this machine for a step whose own needs what the machine
// lacks. All of an operator give the same numbers.
static const tenon_kernel *choose_other(checker *k, tenon_step *s,
                                        const tenon_node *n) {
  const char *list[2] = {NULL, NULL};
  tenon_choice choice = {.target = &k->target, .forced = list};
  for (uint32_t i = 0; i < n->op->n_kernels; ++i) {
    char forced[512];
    snprintf(forced, sizeof forced, "%s=%s", n->op->name,
             n->op->kernels[i]->desc->symbol);
    list[0] = forced;
    const tenon_kernel *kernel = tenon_choose(&choice, n, &k->arena, NULL);
    if (kernel && take_kernel(k, s, n, kernel)) return kernel;
  }
  return NULL;
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
  const bool is_able = tenon_target_has(&k->target, row->desc->needs);
  char forced[512];
  const char *list[2] = {forced, NULL};
  tenon_choice choice = {.target = &k->target, .forced = list};
  snprintf(forced, sizeof forced, "%s=%s", n->op->name, row->symbol);
  const char *error = NULL;
  if (!has_types(k, s, n)) return tnp_check_bad(k, s, "results of other types");
  if (k->symbols.m) error = tenon_tnp_symbols_check(&k->symbols, s, n);
  if (error) return tnp_check_bad(k, s, error);
  const tenon_kernel *chosen =
      is_able ? tenon_choose(&choice, n, &k->arena, NULL)
              : choose_other(k, (tenon_step *)(uintptr_t)s, n);
  row = &k->p->kernels[s->kernel];
  if (k->p->arena.failed)
    return tenon_fail_memory(&k->cx->report, "checking a program");
  if (!is_kernel(chosen, row))
    return tnp_check_bad(k, s,
                         is_able ? "its kernel does not fit it on this machine"
                                 : "this machine lacks what its kernel needs, "
                                   "and no other has room for it");
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
                                   const tenon_tnp_rows *rows) {
  checker k = {.p = p,
               .cx = cx,
               .symbols = {.p = p, .patches = rows->patches},
               .n_blocks = p->n_constants};
  tenon_arena arena;  // of what all steps share
  tenon_arena_init(&arena, cx->allocator);
  k.blocks = tenon_arena_array(&arena, uint8_t, p->n_constants + 1u);
  if (!k.blocks) {
    tenon_arena_deinit(&arena);
    return tenon_fail_memory(&cx->report, "checking a program");
  }
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
