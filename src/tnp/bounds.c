// How: table by table. Blocks may only hold steps whose own blocks come before,
// so that they cannot hold each other; that is how the planner makes them.
#include "core/dtype.h"
#include "tnp/coder.h"

static const char *bounds_check_quant(const tenon_program_tensor *t) {
  const tenon_quant *q = t->quant;
  if (!q) return NULL;
  bool reads_axis = q->channels != 1 || q->block;
  if (q->block < 0 || q->axis < 0 || (reads_axis && q->axis >= t->rank))
    return "a quantisation without its axis";
  int64_t channels = !reads_axis ? 1 : t->dims[q->axis];
  if (q->block) {
    int32_t last = t->rank ? t->dims[t->rank - 1] : 0;
    if (t->rank == 0 || last % q->block != 0)
      return "a quantisation in blocks that do not fit";
    channels = (q->axis == t->rank - 1 ? 1 : channels) * (last / q->block);
  }
  return channels == q->channels ? NULL : "a quantisation of other channels";
}

static const char *bounds_check_tensor(const struct tenon_program *p,
                                       const tenon_program_tensor *t) {
  uint64_t low = 0, high = 0, room = 0, align = TENON_ARENA_ALIGN;
  const tenon_dtype_info *info = tenon_dtype_look(t->dtype);
  if (!tenon_tnp_extent(t, &low, &high)) return "a tensor of no possible size";
  const char *error = bounds_check_quant(t);
  if (error) return error;
  if (t->slot.place == TENON_IN_NOTHING) return NULL;
  if (t->slot.place == TENON_IN_CONSTANT) {
    if (t->slot.index >= p->n_constants ||
        p->constants[t->slot.index].is_packed)
      return "a constant that is not there";
    room = p->constants[t->slot.index].size;
  } else if (t->slot.place == TENON_IN_ARENA) {
    room = p->arena_size;
  } else if (t->slot.place == TENON_IN_STATE) {
    room = p->state_size;
  } else if (t->slot.place == TENON_IN_CALLER) {
    if (t->slot.index >= p->n_ports) return "a port that is not there";
    room = p->ports[t->slot.index].size;
    align = p->ports[t->slot.index].align;
  } else {
    return "a memory that is not there";
  }
  if (t->slot.offset < low || t->slot.offset > room ||
      high > room - t->slot.offset)
    return "a tensor outside of its memory";
  uint64_t unit = info->bits >= 8 ? info->bits / 8u : 1;
  return t->slot.offset % unit || align % unit ? "a tensor at an odd place"
                                               : NULL;
}

// The boolean of a condition or a loop, which the executor reads itself.
static bool has_flag(const struct tenon_program *p, const tenon_step *s) {
  const tenon_program_tensor *t = s->n_in ? tenon_tnp_operand(p, s->in) : NULL;
  return t && t->dtype == TENON_BOOL && t->size >= 1 &&
         t->slot.place != TENON_IN_NOTHING;
}

static const char *check_control(const struct tenon_program *p,
                                 const tenon_step *s) {
  if (s->kind == TENON_STEP_KERNEL) {
    if (s->kernel >= p->n_kernels) return "a kernel that is not there";
    return s->blocks[0] == TENON_NO_INDEX && s->blocks[1] == TENON_NO_INDEX
               ? NULL
               : "a kernel with blocks";
  }
  if (s->kind != TENON_STEP_COND && s->kind != TENON_STEP_WHILE)
    return "a step of unknown kind";
  if (s->kernel != TENON_NO_INDEX) return "a kernel of a condition or loop";
  // What changes its size is in no file (tnp/save.c).
  if (s->kind == TENON_STEP_WHILE && s->n_in != 1)
    return "a loop of other operands";
  return has_flag(p, s) ? NULL : "a condition without its boolean";
}

static bool is_written(const struct tenon_program *p,
                       const tenon_program_tensor *t) {
  return t->slot.place == TENON_IN_ARENA || t->slot.place == TENON_IN_STATE ||
         (t->slot.place == TENON_IN_CALLER &&
          p->ports[t->slot.index].is_output);
}

static const char *bounds_check_operands(const struct tenon_program *p,
                                         const tenon_step *s) {
  uint64_t in = (uint64_t)s->in + s->n_in, out = (uint64_t)s->out + s->n_out;
  if (in > p->n_operands || out > p->n_operands)
    return "operands that are not there";
  for (uint32_t i = 0; i < s->n_out; ++i) {
    const tenon_program_tensor *t = tenon_tnp_operand(p, s->out + i);
    if (!t) return "a result that is not there";
    if (t->size > 0 && !is_written(p, t) && s->kind == TENON_STEP_KERNEL)
      return "a result that cannot be written";
  }
  return NULL;
}

static const char *bounds_check_step(const struct tenon_program *p,
                                     const tenon_step *s) {
  const char *error = bounds_check_operands(p, s);
  if (!error) error = check_control(p, s);
  if (error) return error;
  if (s->attrs != TENON_NO_INDEX && s->attrs >= p->n_attrs)
    return "attributes that are not there";
  if (s->packed != TENON_NO_INDEX &&
      (s->packed >= p->n_constants || !p->constants[s->packed].is_packed))
    return "a packed block that is not there";
  if (s->scratch > p->arena_size ||
      s->scratch_size > p->arena_size - s->scratch ||
      s->scratch_size > p->scratch_most || s->scratch % 16)
    return "scratch outside of the arena";
  if (s->items < 0) return "fewer than no items";
  return NULL;
}

// Every step, also one that no block has: all of them are bound and packed.
static const char *bounds_check_steps(const struct tenon_program *p,
                                      uint32_t *step) {
  for (*step = 0; *step < p->n_steps; ++*step) {
    const char *error = bounds_check_step(p, &p->steps[*step]);
    if (error) return error;
  }
  *step = TENON_NO_INDEX;
  return NULL;
}

// A block's conditions and loops have blocks that come before it.
static const char *check_nesting(const tenon_step *s, uint32_t here) {
  if (s->kind == TENON_STEP_KERNEL) return NULL;
  for (int i = 0; i < 2; ++i)
    if (s->blocks[i] >= here) return "a block that may hold itself";
  return NULL;
}

static const char *bounds_check_blocks(const struct tenon_program *p,
                                       uint32_t *step) {
  for (uint32_t b = 0; b < p->n_blocks; ++b) {
    const tenon_block *k = &p->blocks[b];
    if (k->first > p->n_order || k->count > p->n_order - k->first)
      return "a block of steps that are not there";
    for (uint32_t i = 0; i < k->count; ++i) {
      *step = p->order[k->first + i];
      if (*step >= p->n_steps) return "a step that is not there";
      const char *error = check_nesting(&p->steps[*step], b);
      if (error) return error;
    }
  }
  *step = TENON_NO_INDEX;
  return NULL;
}

static const char *bounds_check_entry(const struct tenon_program *p,
                                      const tenon_program_entry *e) {
  if (e->block >= p->n_blocks) return "an entry point without steps";
  for (uint32_t i = 0; i < e->n_in; ++i) {
    const tenon_program_tensor *t =
        e->in[i] < p->n_tensors ? &p->tensors[e->in[i]] : NULL;
    if (!t || t->strides ||
        (t->size > 0 && t->slot.place != TENON_IN_ARENA &&
         t->slot.place != TENON_IN_CALLER && t->slot.place != TENON_IN_NOTHING))
      return "an input without its place";
  }
  for (uint32_t i = 0; i < e->n_out; ++i) {
    const tenon_program_tensor *t =
        e->out[i] < p->n_tensors ? &p->tensors[e->out[i]] : NULL;
    if (!t || t->strides || (t->size > 0 && t->slot.place == TENON_IN_NOTHING))
      return "an output without its place";
  }
  for (uint32_t i = 0; i < e->n_writes; ++i) {
    const tenon_program_write *w = &e->writes[i];
    if (w->input >= e->n_in || w->tensor >= p->n_tensors ||
        p->tensors[w->tensor].size != p->tensors[e->in[w->input]].size ||
        p->tensors[w->tensor].strides ||
        p->tensors[w->tensor].slot.place == TENON_IN_NOTHING)
      return "an input that is written by nothing";
  }
  return NULL;
}

static const char *bounds_check_state(const struct tenon_program *p,
                                      const tenon_program_state *s) {
  if (s->tensor >= p->n_tensors) return "a state without its place";
  const tenon_program_tensor *t = &p->tensors[s->tensor];
  if (t->strides || (t->size > 0 && t->slot.place != TENON_IN_STATE))
    return "a state without its place";
  if (s->initial != TENON_NO_INDEX &&
      (s->initial >= p->n_constants || p->constants[s->initial].is_packed ||
       p->constants[s->initial].size < t->size))
    return "a state without its first value";
  return NULL;
}

const char *tenon_tnp_bounds(const struct tenon_program *p, uint32_t *step) {
  const char *error = NULL;
  *step = TENON_NO_INDEX;
  if (p->arena_size > SIZE_MAX / 4 || p->state_size > SIZE_MAX / 4 ||
      p->scratch_most > p->arena_size)
    return "memories that are too large";
  for (uint32_t i = 0; i < p->n_tensors; ++i)
    if (!error) error = bounds_check_tensor(p, &p->tensors[i]);
  for (uint32_t i = 0; i < p->n_operands && !error; ++i)
    if (p->operands[i] != TENON_NO_INDEX && p->operands[i] >= p->n_tensors)
      return "a tensor that is not there";
  if (!error) error = bounds_check_steps(p, step);
  if (!error) error = bounds_check_blocks(p, step);
  for (uint32_t i = 0; i < p->n_entries; ++i)
    if (!error) error = bounds_check_entry(p, &p->entries[i]);
  for (uint32_t i = 0; i < p->n_states; ++i)
    if (!error) error = bounds_check_state(p, &p->states[i]);
  if (!error) error = tenon_tnp_banks(p);
  if (error) return error;
  return p->n_entries ? NULL : "no entry point";
}
