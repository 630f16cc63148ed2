// How: the function is walked in the order of execution and every node that
// takes a step becomes one. Values become tensors when they are first met,
// constants are found again by content. The tables grow in vectors and are
// copied into the program's arena at the end.
#include <string.h>

#include "bind/pieces_of.h"
#include "core/attr.h"
#include "ir/turned.h"
#include "plan/alias/copies.h"
#include "plan/banks/banks.h"
#include "plan/resolve/resolver.h"

typedef tenon_resolver resolver;

static tenon_status resolve_no_memory(const resolver *r) {
  return tenon_plan_no_memory(r->w->report);
}

// --- constants --------------------------------------------------------------

static bool add_plain(resolver *r, const tenon_value *v, uint32_t *index) {
  size_t size = 0;
  if (!tenon_type_size(&v->type, &size)) return false;
  const tenon_dtype_info *info = tenon_dtype_look(v->type.dtype);
  uint32_t align = info->bits >= 16 ? info->bits / 8u : 1;
  tenon_program_constant c = {.data = tenon_value_constant(v)->data,
                              .size = size,
                              .align = align,
                              .dtype = v->type.dtype,
                              .name = tenon_arena_string(r->arena, v->name)};
  const tenon_banks *b = &r->w->banks;
  uint32_t rule = size ? tenon_banks_rule_of(b, v->name ? v->name : "") : 0;
  uint32_t bank = rule ? b->rules[rule - 1].bank : 0;
  // Where others lie is decided when all are known.
  if (rule && (b->list[bank].is_cold || !b->list[bank].is_rom)) {
    c.bank = bank + 1;
    c.is_cold = b->list[bank].is_cold;
  }
  if (v->type.dtype == TENON_STR) {
    c.data = tenon_resolve_strings(r, c.data, size);
    return c.data && tenon_resolve_constant(r, &c, false, index);
  }
  return tenon_resolve_constant(
      r, &c, !tenon_resolve_can_stay(r, c.data, size, 64), index);
}

// --- tensors ----------------------------------------------------------------

static tenon_status resolve_place(resolver *r, tenon_planned *e,
                                  const tenon_value *v, tenon_slot *slot) {
  if (v->kind == TENON_VALUE_CONSTANT) {
    slot->place = TENON_IN_CONSTANT;
    return add_plain(r, v, &slot->index) ? TENON_OK : resolve_no_memory(r);
  }
  const tenon_class *c = tenon_alias_root(&e->aliases, v);
  slot->offset = e->aliases.offsets[v->id];
  if (c->state != UINT32_MAX) {
    slot->place = TENON_IN_STATE;
    const tenon_state *state = &e->entry->module->states.data[c->state];
    slot->offset += tenon_resolve_state_offset(r, state);
    return TENON_OK;
  }
  if (c->port) {
    slot->place = TENON_IN_CALLER;
    slot->index = e->port_at[c->port - 1];
    return TENON_OK;
  }
  uint32_t span = e->span_of[c - e->aliases.classes];
  if (!span)
    return tenon_fail_bug(r->w->report, "value '%s' has no place", v->name);
  slot->place = TENON_IN_ARENA;
  slot->offset += r->w->spans.data[span - 1].offset;
  return TENON_OK;
}

// `t` has the place.
static tenon_status push_tensor(resolver *r, tenon_planned *e,
                                const tenon_value *v, tenon_program_tensor t,
                                uint32_t *index) {
  TENON_TRY(tenon_resolve_dims(r, e, &v->type, &t));
  t.quant = tenon_quant_copy(r->arena, v->type.quant);
  t.dtype = v->type.dtype;
  t.rank = v->type.rank;
  t.is_number = (v->type.flags & TENON_TYPE_NUMBER) != 0;
  t.name = tenon_arena_string(r->arena, v->name ? v->name : "");
  *index = (uint32_t)r->tensors.count;
  if (!tenon_vec_push(&r->tensors, t) || r->arena->failed)
    return resolve_no_memory(r);
  return TENON_OK;
}

static tenon_status resolve_add_tensor(resolver *r, tenon_planned *e,
                                       const tenon_value *v, uint32_t *index) {
  *index = TENON_NO_INDEX;
  if (!v) return TENON_OK;
  if (e->tensor_of[v->id]) {
    *index = e->tensor_of[v->id] - 1;
    return TENON_OK;
  }
  tenon_program_tensor t = {0};
  TENON_TRY(resolve_place(r, e, v, &t.slot));
  if (t.slot.place == TENON_IN_ARENA) {
    const tenon_class *c = tenon_alias_root(&e->aliases, v);
    t.span = e->span_of[c - e->aliases.classes];
    t.span_offset = e->aliases.offsets[v->id];
  }
  if (v->kind != TENON_VALUE_CONSTANT && e->aliases.strides[v->id]) {
    t.strides = (const int32_t *)tenon_arena_copy(
        r->arena, e->aliases.strides[v->id], v->type.rank * sizeof(int32_t),
        _Alignof(int32_t));
    if (!t.strides) return resolve_no_memory(r);
  }
  TENON_TRY(push_tensor(r, e, v, t, index));
  e->tensor_of[v->id] = *index + 1;
  return TENON_OK;
}

// --- steps ------------------------------------------------------------------

static bool resolve_add_kernel(resolver *r, const tenon_kernel *k,
                               uint32_t *index) {
  for (size_t i = 0; i < r->kernels.count; ++i)
    if (r->kernels.data[i].desc == k->desc) {
      *index = (uint32_t)i;
      return true;
    }
  tenon_program_kernel row = {k->desc, k->source, k->desc->symbol,
                              k->owner->name, k->owner->origin};
  *index = (uint32_t)r->kernels.count;
  return tenon_vec_push(&r->kernels, row);
}

static tenon_status add_attrs(resolver *r, tenon_planned *e,
                              const tenon_node *n, tenon_step *step) {
  step->attrs = TENON_NO_INDEX;
  if (!n->args || !n->args->name) return TENON_OK;
  const tenon_op_desc *desc = n->op->desc;
  tenon_program_attrs a = {0};
  char error[TENON_MESSAGE_SIZE];
  bool is_open = false;
  TENON_TRY(tenon_resolve_attrs(r, e, n, &a, &is_open));
  step->is_open |= is_open;
  // Completing complete attributes copies them.
  if (!is_open && !tenon_attr_complete(r->arena, n->op->schema, n->args,
                                       &a.args, error, sizeof error))
    return resolve_no_memory(r);
  a.fields = desc->fields;
  a.size = desc->attrs_size;
  a.bound = tenon_attr_bind(r->arena, a.fields, a.size, a.args);
  a.type = desc->attrs_type;
  step->attrs = (uint32_t)r->attrs.count;
  return a.bound && tenon_vec_push(&r->attrs, a) ? TENON_OK
                                                 : resolve_no_memory(r);
}

static const uint16_t *copy_group(resolver *r, const uint16_t *group,
                                  size_t n) {
  if (!group) return NULL;
  return (const uint16_t *)tenon_arena_copy(
      r->arena, group, (n + 1) * sizeof *group, _Alignof(uint16_t));
}

// The first `n_in` operands: a kernel may know fewer than there could be.
static tenon_status add_operands(resolver *r, tenon_planned *e,
                                 const tenon_node *n, uint16_t n_in,
                                 uint32_t packs, tenon_step *step) {
  step->in = (uint32_t)r->operands.count;
  step->n_in = n_in;
  for (uint32_t i = 0; i < n_in; ++i) {
    uint32_t index = TENON_NO_INDEX;
    const tenon_value *v = n->in[i].value;
    // The kernel has what it needs of what it packed; the shape stays.
    TENON_TRY(v && i < 32 && (packs >> i & 1)
                  ? push_tensor(r, e, v, (tenon_program_tensor){0}, &index)
                  : resolve_add_tensor(r, e, v, &index));
    if (!tenon_vec_push(&r->operands, index)) return resolve_no_memory(r);
  }
  step->out = (uint32_t)r->operands.count;
  step->n_out = n->n_out;
  for (uint32_t i = 0; i < n->n_out; ++i) {
    uint32_t index = TENON_NO_INDEX;
    TENON_TRY(resolve_add_tensor(r, e, n->out[i], &index));
    if (!tenon_vec_push(&r->operands, index)) return resolve_no_memory(r);
  }
  return TENON_OK;
}

static tenon_status add_packed(resolver *r, const tenon_planned *e,
                               const tenon_kernel *k, const tenon_node *n,
                               const tenon_call *call, tenon_step *step) {
  step->packed = TENON_NO_INDEX;
  size_t size = tenon_plan_pack_size(k, n, call);
  if (size == 0) return TENON_OK;
  bool is_later = false;
  if (!step->is_open &&
      !tenon_resolve_pack_later(r, k, n, call, size, &step->packed, &is_later))
    return resolve_no_memory(r);
  if (is_later) return TENON_OK;
  if (size >= TENON_PACK_LATER) TENON_TRY(tenon_resolve_pack_now(r));
  tenon_fault fault = {NULL, {0, 0}};
  tenon_call quiet = *call;
  quiet.fault = &fault;
  tenon_arena_mark mark = tenon_arena_save(r->w->arena);
  void *data = tenon_arena_zalloc(r->w->arena, size, 64);
  if (!data) return resolve_no_memory(r);
  tenon_status status = k->desc->pack(&quiet, data);
  if (status != TENON_OK)
    return tenon_resolve_pack_failed(r, k, n, status, &fault);
  TENON_TRY(tenon_resolve_pack(r, e, k, n, data, size));
  tenon_program_constant c = {.data = data,
                              .size = size,
                              .align = 64,
                              .is_packed = true,
                              .name = k->desc->symbol,
                              .layout = tenon_kernel_layout(k->desc),
                              .layout_version = k->desc->pack_version};
  bool ok = tenon_resolve_constant(r, &c, true, &step->packed);
  tenon_arena_restore(r->w->arena, mark);
  return ok ? TENON_OK : resolve_no_memory(r);
}

static const tenon_place *copy_place(resolver *r, const tenon_place *from) {
  tenon_place *to = tenon_arena_new(r->arena, tenon_place);
  if (!to) return NULL;
  *to = *from;
  to->file = tenon_arena_string(r->arena, from->file);
  to->where = tenon_arena_string(r->arena, from->where);
  to->origin = tenon_arena_string(r->arena, from->origin);
  return to;
}

static tenon_status add_block(resolver *r, tenon_planned *e,
                              const tenon_graph *g, uint32_t *index);

static tenon_status add_kernel_step(resolver *r, tenon_planned *e,
                                    const tenon_node *n, tenon_step *step) {
  const tenon_kernel *k = e->kernels[n->id];
  step->is_open = tenon_node_is_open(n);
  tenon_call *call = step->is_open ? tenon_resolve_call(r, e, n)
                                   : tenon_bind_call_packed(r->w->arena, n, k);
  if (!call) return resolve_no_memory(r);
  step->count_macs = n->op->desc->macs;
  if (step->count_macs) step->macs = (uint64_t)step->count_macs(call);
  call->user = k->desc->user;
  step->kind = TENON_STEP_KERNEL;
  // The context, which the program keeps alive, has the text.
  if (k->desc->op && strchr(k->desc->op, '*'))
    step->schema = n->op->desc->schema;
  if (!resolve_add_kernel(r, k, &step->kernel)) return resolve_no_memory(r);
  TENON_TRY(add_attrs(r, e, n, step));
  TENON_TRY(add_packed(r, e, k, n, call, step));
  bool drops = step->packed != TENON_NO_INDEX && !r->w->options->is_savable;
  uint32_t packs = drops ? k->desc->packs : 0;
  TENON_TRY(add_operands(r, e, n, tenon_choose_operands(k, n), packs, step));
  if (k->desc->items) step->items = k->desc->items(call);
  tenon_bind_extent(n, k->desc, call, step);
  uint32_t span = e->scratch_of[n->id];
  if (span) {
    step->span = span;
    step->scratch = r->w->spans.data[span - 1].offset;
    step->scratch_size = r->w->spans.data[span - 1].size;
    if (step->scratch_size > r->p->scratch_most)
      r->p->scratch_most = step->scratch_size;
  }
  return TENON_OK;
}

// What of a loop's results comes in, or out of a round, in sizes of its own.
static tenon_status add_grown(resolver *r, tenon_planned *e,
                              const tenon_node *n, const tenon_use *from) {
  for (uint32_t i = 0; i < n->n_out; ++i) {
    uint32_t index = TENON_NO_INDEX;
    if (tenon_loop_grows(n, i))
      TENON_TRY(resolve_add_tensor(r, e, from[i].value, &index));
    if (!tenon_vec_push(&r->operands, index)) return resolve_no_memory(r);
  }
  return TENON_OK;
}

// Its one operand is what the condition leaves; carried values are where they
// are, but for those that change their sizes.
static tenon_status add_loop_step(resolver *r, tenon_planned *e,
                                  const tenon_node *n, tenon_step *step) {
  step->kind = TENON_STEP_WHILE;
  step->in_group = step->out_group = NULL;
  for (int i = 0; i < 2; ++i)
    TENON_TRY(add_block(r, e, n->regions[i], &step->blocks[i]));
  step->in = (uint32_t)r->operands.count;
  step->n_in = 1;
  uint32_t index = TENON_NO_INDEX;
  TENON_TRY(resolve_add_tensor(r, e, n->regions[0]->end->in[0].value, &index));
  if (!tenon_vec_push(&r->operands, index)) return resolve_no_memory(r);
  if (n->n_decided > 0) {
    step->is_open = true;
    if (n->n_out > TENON_MOST_CARRIED)
      return tenon_fail(r->w->report, TENON_UNSUPPORTED, "plan-open-size",
                        tenon_node_place(n),
                        "a loop that changes sizes carries %u values, at most "
                        "%u are supported",
                        (unsigned)n->n_out, TENON_MOST_CARRIED);
    TENON_TRY(add_grown(r, e, n, n->in));
    TENON_TRY(add_grown(r, e, n, n->regions[1]->end->in));
    step->n_in = (uint16_t)(1 + 2 * n->n_out);
  }
  step->out = (uint32_t)r->operands.count;
  step->n_out = n->n_out;
  for (uint32_t i = 0; i < n->n_out; ++i) {
    TENON_TRY(resolve_add_tensor(r, e, n->out[i], &index));
    if (!tenon_vec_push(&r->operands, index)) return resolve_no_memory(r);
  }
  return TENON_OK;
}

static tenon_status resolve_add_step(resolver *r, tenon_planned *e,
                                     const tenon_node *n, uint32_t *index) {
  tenon_step step = {0};
  step.kernel = step.attrs = step.packed = TENON_NO_INDEX;
  step.blocks[0] = step.blocks[1] = TENON_NO_INDEX;
  step.op = tenon_arena_string(r->arena, n->op->name);
  step.place = copy_place(r, tenon_node_place(n));
  step.in_group = copy_group(r, n->in_group, n->op->schema->n_tensors);
  step.out_group = copy_group(r, n->out_group, n->n_out_groups);
  if (tenon_op_is(n->op, "core::cond")) {
    step.kind = TENON_STEP_COND;
    TENON_TRY(add_operands(r, e, n, n->n_in, 0, &step));
    for (int i = 0; i < 2; ++i)
      TENON_TRY(add_block(r, e, n->regions[i], &step.blocks[i]));
  } else if (tenon_op_is(n->op, "core::while")) {
    TENON_TRY(add_loop_step(r, e, n, &step));
  } else {
    TENON_TRY(add_kernel_step(r, e, n, &step));
  }
  *index = (uint32_t)r->steps.count;
  step.time = e->live.begin[n->id];
  step.is_ahead = e->ahead[n->id];
  TENON_TRY(tenon_resolve_decided(r, e, n, *index, &step));
  if (step.span) r->w->records.data[step.span - 1].step = *index;
  if (r->arena->failed || !tenon_vec_push(&r->steps, step))
    return resolve_no_memory(r);
  return TENON_OK;
}

// Inner blocks are complete before the outer one's order is written, so each
// block's steps lie side by side.
static tenon_status add_block(resolver *r, tenon_planned *e,
                              const tenon_graph *g, uint32_t *index) {
  uint32_t count = 0, at = 0;
  for (const tenon_node *n = g->first; n; n = n->next)
    if (tenon_plan_takes_step(e, n)) ++count;
  uint32_t *steps = tenon_arena_array(r->w->arena, uint32_t, count);
  if (!steps) return resolve_no_memory(r);
  for (const tenon_node *n = g->first; n; n = n->next)
    if (tenon_plan_takes_step(e, n))
      TENON_TRY(resolve_add_step(r, e, n, &steps[at++]));
  tenon_block block = {(uint32_t)r->order.count, count};
  for (uint32_t i = 0; i < count; ++i)
    if (!tenon_vec_push(&r->order, steps[i])) return resolve_no_memory(r);
  *index = (uint32_t)r->blocks.count;
  return tenon_vec_push(&r->blocks, block) ? TENON_OK : resolve_no_memory(r);
}

// --- entries and states -----------------------------------------------------

// In the order of the inputs, whatever the order of the results.
static tenon_status add_writes(resolver *r, tenon_planned *e, tenon_io *inputs,
                               tenon_program_write *writes) {
  const tenon_entry_point *point = e->entry->point;
  const tenon_graph *g = point->graph;
  uint32_t n = 0, first = tenon_entry_outputs(point);
  for (uint32_t i = 0; i < g->n_params; ++i)
    for (uint32_t k = 0; k < point->n_writes; ++k) {
      if (point->writes[k] != i) continue;
      inputs[i].flags |= TENON_IO_WRITTEN;
      writes[n].input = i;
      TENON_TRY(resolve_add_tensor(r, e, g->end->in[first + k].value,
                                   &writes[n++].tensor));
    }
  return TENON_OK;
}

static tenon_status add_ports(resolver *r, tenon_planned *e) {
  const tenon_graph *g = e->entry->point->graph;
  e->port_at = tenon_arena_array(r->w->arena, uint32_t, (size_t)e->n_asks + 1);
  if (!e->port_at) return resolve_no_memory(r);
  for (uint32_t i = 0; i < e->n_asks; ++i) {
    bool is_output = i >= g->n_params;
    uint32_t index = is_output ? i - g->n_params : i;
    const tenon_value *v =
        is_output ? g->end->in[index].value : g->params[index];
    const tenon_class *c = v ? tenon_alias_root(&e->aliases, v) : NULL;
    if (!c || c->port != i + 1) continue;
    tenon_program_port port = {(uint32_t)r->entries.count, index, is_output,
                               c->align, (uint64_t)c->bytes.value};
    e->port_at[i] = (uint32_t)r->ports.count;
    if (!tenon_vec_push(&r->ports, port)) return resolve_no_memory(r);
  }
  return TENON_OK;
}

// Copies what the caller sees, once the entry's tensors are there.
static void flag_ports(const resolver *r, tenon_io *inputs, tenon_io *outputs) {
  for (size_t i = 0; i < r->ports.count; ++i) {
    const tenon_program_port *port = &r->ports.data[i];
    if (port->entry != r->entries.count) continue;
    tenon_io *io = port->is_output ? outputs : inputs;
    io[port->index].flags |= TENON_IO_CALLER;
  }
}

static tenon_status add_entry(resolver *r, tenon_planned *e) {
  const tenon_entry_point *point = e->entry->point;
  const tenon_graph *g = point->graph;
  tenon_program_entry entry = {0};
  r->w->report = &g->module->report;
  TENON_TRY(add_ports(r, e));
  entry.name = tenon_arena_string(
      r->arena, e->entry->name ? e->entry->name : point->name);
  entry.n_in = g->n_params;
  entry.n_out = (uint16_t)tenon_entry_outputs(point);
  entry.n_writes = point->n_writes;
  uint32_t *in = tenon_arena_array(r->arena, uint32_t, entry.n_in);
  uint32_t *out = tenon_arena_array(r->arena, uint32_t, entry.n_out);
  tenon_io *inputs = tenon_arena_array(r->arena, tenon_io, entry.n_in);
  tenon_io *outputs = tenon_arena_array(r->arena, tenon_io, entry.n_out);
  tenon_program_write *writes =
      tenon_arena_array(r->arena, tenon_program_write, entry.n_writes);
  if (r->arena->failed) return resolve_no_memory(r);
  for (uint32_t i = 0; i < entry.n_in; ++i) {
    TENON_TRY(resolve_add_tensor(r, e, g->params[i], &in[i]));
    if (!tenon_resolve_io(r, point->inputs[i], in[i], &inputs[i]))
      return resolve_no_memory(r);
  }
  TENON_TRY(add_block(r, e, g, &entry.block));
  for (uint32_t i = 0; i < entry.n_out; ++i) {
    TENON_TRY(resolve_add_tensor(r, e, g->end->in[i].value, &out[i]));
    if (!tenon_resolve_io(r, point->outputs[i], out[i], &outputs[i]))
      return resolve_no_memory(r);
  }
  TENON_TRY(add_writes(r, e, inputs, writes));
  flag_ports(r, inputs, outputs);
  if (e->entry->steps) {
    entry.steps = (const double *)tenon_arena_copy(r->arena, e->entry->steps,
                                                   entry.n_out * sizeof(double),
                                                   _Alignof(double));
    if (r->arena->failed) return resolve_no_memory(r);
  }
  entry.writes = writes;
  entry.in = in;
  entry.out = out;
  entry.inputs = inputs;
  entry.outputs = outputs;
  return tenon_vec_push(&r->entries, entry) ? TENON_OK : resolve_no_memory(r);
}

// --- the tables -------------------------------------------------------------

#define COPY(member, T)                                                     \
  (r->p->member = (const T *)tenon_arena_copy(                              \
       r->arena, r->member.data, r->member.count * sizeof(T), _Alignof(T)), \
   r->p->n_##member = (uint32_t)r->member.count)

// Names and remarks, of each module once.
static tenon_status resolve_add_texts(resolver *r) {
  tenon_buf names, remarks;
  tenon_buf_init(&names, r->w->report_allocator);
  tenon_buf_init(&remarks, r->w->report_allocator);
  for (size_t i = 0; i < r->w->n_entries; ++i) {
    const tenon_module *m = r->w->entries[i].entry->module;
    bool is_first = true;
    for (size_t k = 0; k < i; ++k)
      is_first &= r->w->entries[k].entry->module != m;
    if (!is_first) continue;
    tenon_buf_format(&names, "%s%s", i ? ", " : "", m->name);
    if (m->remarks) tenon_buf_text(&remarks, m->remarks);
  }
  bool ok = !names.failed && !remarks.failed;
  r->p->name = tenon_arena_string(r->arena, names.data ? names.data : "");
  r->p->remarks =
      tenon_arena_string(r->arena, remarks.data ? remarks.data : "");
  tenon_buf_deinit(&names);
  tenon_buf_deinit(&remarks);
  return ok && r->p->name && r->p->remarks ? TENON_OK : resolve_no_memory(r);
}

static tenon_status resolve_finish(resolver *r) {
  COPY(tensors, tenon_program_tensor);
  COPY(constants, tenon_program_constant);
  COPY(attrs, tenon_program_attrs);
  COPY(kernels, tenon_program_kernel);
  COPY(steps, tenon_step);
  COPY(operands, uint32_t);
  COPY(order, uint32_t);
  COPY(blocks, tenon_block);
  COPY(entries, tenon_program_entry);
  COPY(states, tenon_program_state);
  COPY(ports, tenon_program_port);
  COPY(patches, tenon_program_patch);
  COPY(bindings, tenon_program_binding);
  COPY(guards, tenon_program_guard);
  COPY(decided, uint32_t);
  tenon_span_record *spans =
      tenon_arena_array(r->arena, tenon_span_record, r->w->records.count);
  if (!spans || r->arena->failed) return resolve_no_memory(r);
  for (size_t i = 0; i < r->w->records.count; ++i) {
    spans[i] = r->w->records.data[i];
    spans[i].name = tenon_arena_string(r->arena, spans[i].name);
  }
  tenon_program_mark_sources(r->p);
  r->p->spans = spans;
  r->p->n_spans = (uint32_t)r->w->records.count;
  const tenon_target *t = r->w->choice->target;
  r->p->target = tenon_arena_string(r->arena, t->name);
  r->p->target_features =
      tenon_arena_string(r->arena, tenon_target_features(t));
  tenon_target_describe(t, r->p);
  r->p->why =
      tenon_arena_string(r->arena, r->w->why.data ? r->w->why.data : "");
  TENON_TRY(resolve_add_texts(r));
  return r->arena->failed || r->w->why.failed ? resolve_no_memory(r) : TENON_OK;
}

static tenon_status resolve_fill(resolver *r) {
  for (size_t i = 0; i < r->w->n_entries; ++i) {
    const tenon_module *m = r->w->entries[i].entry->module;
    for (size_t s = 0; s < m->states.count; ++s)
      TENON_TRY(tenon_resolve_state(r, r->w->entries[i].entry,
                                    &m->states.data[s], &r->p->state_size));
  }
  TENON_TRY(tenon_resolve_check_shared(r));
  for (size_t i = 0; i < r->w->n_entries; ++i)
    TENON_TRY(add_entry(r, &r->w->entries[i]));
  TENON_TRY(tenon_resolve_pack_now(r));
  TENON_TRY(tenon_resolve_numbers(r));
  return resolve_finish(r);
}

tenon_status tenon_plan_resolve(tenon_planner *w) {
  tenon_allocator a = w->report_allocator;
  resolver r = {0};
  r.w = w;
  r.p = w->program;
  r.arena = &w->program->arena;
  tenon_vec_init(&r.tensors, a);
  tenon_vec_init(&r.constants, a);
  tenon_vec_init(&r.attrs, a);
  tenon_vec_init(&r.kernels, a);
  tenon_vec_init(&r.steps, a);
  tenon_vec_init(&r.operands, a);
  tenon_vec_init(&r.order, a);
  tenon_vec_init(&r.blocks, a);
  tenon_vec_init(&r.entries, a);
  tenon_vec_init(&r.states, a);
  tenon_vec_init(&r.ports, a);
  tenon_vec_init(&r.state_origins, a);
  tenon_vec_init(&r.patches, a);
  tenon_vec_init(&r.bindings, a);
  tenon_vec_init(&r.guards, a);
  tenon_vec_init(&r.decided, a);
  tenon_vec_init(&r.constant_next, a);
  tenon_vec_init(&r.jobs, a);
  tenon_map_init(&r.constant_map, a);
  tenon_map_init(&r.packed_from, a);
  tenon_status status = resolve_fill(&r);
  tenon_vec_deinit(&r.tensors);
  tenon_vec_deinit(&r.constants);
  tenon_vec_deinit(&r.attrs);
  tenon_vec_deinit(&r.kernels);
  tenon_vec_deinit(&r.steps);
  tenon_vec_deinit(&r.operands);
  tenon_vec_deinit(&r.order);
  tenon_vec_deinit(&r.blocks);
  tenon_vec_deinit(&r.entries);
  tenon_vec_deinit(&r.states);
  tenon_vec_deinit(&r.ports);
  tenon_vec_deinit(&r.state_origins);
  tenon_vec_deinit(&r.patches);
  tenon_vec_deinit(&r.bindings);
  tenon_vec_deinit(&r.guards);
  tenon_vec_deinit(&r.decided);
  tenon_vec_deinit(&r.constant_next);
  tenon_vec_deinit(&r.jobs);
  tenon_map_deinit(&r.packed_from);
  tenon_map_deinit(&r.constant_map);
  return status;
}
