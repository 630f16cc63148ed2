// How: one walk over the blocks prints the steps in order; the picture of the
// arena in text is one row per slice of the address space and one column per
// step.

#include "base/put.h"
#include "core/type.h"
#include "plan/plan.h"
#include "plan/show/pictures.h"

// Elements, by dimension.
static void print_strides(const tenon_program_tensor *t, tenon_buf *out) {
  for (int i = 0; i < t->rank; ++i)
    tenon_buf_format(out, "%s%d", i ? "," : "", (int)t->strides[i]);
}

static void plan_print_place(const struct tenon_program *p,
                             const tenon_program_tensor *t, tenon_buf *out) {
  static const char *const places[] = {"-", "const", "arena", "state",
                                       "caller"};
  uint64_t offset = t->slot.offset;
  const char *place = places[t->slot.place];
  if (t->slot.place == TENON_IN_ARENA && p->n_banks > 0)
    place = p->banks[tenon_program_bank_of(p, offset, &offset)].name;
  if (t->slot.place == TENON_IN_STATE && p->n_banks > 0)
    place = p->banks[tenon_program_state_bank_of(p, offset, &offset)].name;
  const tenon_program_constant *c =
      t->slot.place == TENON_IN_CONSTANT ? &p->constants[t->slot.index] : NULL;
  bool is_resident = c && tenon_program_is_resident(p, c) && !c->is_source;
  if (c && (c->is_cold || is_resident)) {
    tenon_put(out, "@$$+$", p->banks[c->bank - 1].name,
              is_resident ? ".constants" : "", c->image_offset);
    return;
  }
  if (t->slot.place == TENON_IN_CALLER) {
    const tenon_io *io = tenon_program_port_io(p, &p->ports[t->slot.index]);
    char name[49];
    (void)tenon_text_show(name, sizeof name, io->name);
    tenon_put(out, "@caller.$+$", name, offset);
    return;
  }
  bool is_state = t->slot.place == TENON_IN_STATE && p->n_banks > 0;
  tenon_buf_format(out, "@%s%s", place, is_state ? ".state" : "");
  if (t->slot.place == TENON_IN_CONSTANT)
    tenon_buf_format(out, "%u", t->slot.index);
  else if (t->slot.place != TENON_IN_NOTHING)
    tenon_put(out, "+$", offset);
}

static void print_tensor(const struct tenon_program *p, uint32_t index,
                         tenon_buf *out) {
  if (index == TENON_NO_INDEX) {
    tenon_buf_text(out, "none");
    return;
  }
  const tenon_program_tensor *t = &p->tensors[index];
  tenon_buf_format(out, "%s%s", tenon_dtype_name(t->dtype),
                   tenon_quant_suffix(t->quant));
  tenon_program_print_shape(p, t, out);
  plan_print_place(p, t, out);
  if (!t->strides) return;
  tenon_buf_text(out, " by ");
  print_strides(t, out);
}

static void print_step(const struct tenon_program *p, uint32_t index, int depth,
                       tenon_buf *out);

static void print_block(const struct tenon_program *p, uint32_t block,
                        int depth, tenon_buf *out) {
  const tenon_block *b = &p->blocks[block];
  for (uint32_t i = 0; i < b->count; ++i)
    print_step(p, p->order[b->first + i], depth, out);
}

// The first step that has this packed constant; TENON_NO_INDEX: none.
static uint32_t plan_print_find_packed(const struct tenon_program *p,
                                       uint32_t constant) {
  for (uint32_t i = 0; i < p->n_steps; ++i)
    if (p->steps[i].packed == constant) return i;
  return TENON_NO_INDEX;
}

// What the step adds to the constants: nothing where it has all of a block
// with a step before.
static uint64_t packed_size_of(const struct tenon_program *p, uint32_t index) {
  const uint32_t constant = p->steps[index].packed;
  return constant == TENON_NO_INDEX ||
                 plan_print_find_packed(p, constant) != index
             ? 0
             : tenon_program_constant_size(p, constant);
}

static void print_packed(const struct tenon_program *p, uint32_t index,
                         tenon_buf *out) {
  const uint32_t constant = p->steps[index].packed;
  if (constant == TENON_NO_INDEX) return;
  const uint32_t first = plan_print_find_packed(p, constant),
                 rest = tenon_program_rest_of(p, constant);
  if (first != index) {
    tenon_buf_format(out, "  packed with step %u", first);
    return;
  }
  tenon_put(out, "  packed $", packed_size_of(p, index));
  if (rest != constant)
    tenon_buf_format(out, ", the rest with step %u",
                     plan_print_find_packed(p, rest));
}

static void print_step(const struct tenon_program *p, uint32_t index, int depth,
                       tenon_buf *out) {
  const tenon_step *s = &p->steps[index];
  tenon_buf_format(
      out, "%*s%4u  %-22s %-28s ", depth * 2, "", index, s->op,
      s->kernel == TENON_NO_INDEX ? "-" : p->kernels[s->kernel].symbol);
  for (uint32_t i = 0; i < s->n_in; ++i) {
    if (i) tenon_buf_text(out, ", ");
    print_tensor(p, p->operands[s->in + i], out);
  }
  tenon_buf_text(out, " -> ");
  for (uint32_t i = 0; i < s->n_out; ++i) {
    if (i) tenon_buf_text(out, ", ");
    print_tensor(p, p->operands[s->out + i], out);
  }
  if (s->scratch_size) {
    uint64_t inner = s->scratch;
    uint32_t bank = tenon_program_bank_of(p, s->scratch, &inner);
    tenon_put(out, "  scratch $@$$$", s->scratch_size,
              p->n_banks ? p->banks[bank].name : "", p->n_banks ? "+" : "",
              inner);
  }
  print_packed(p, index, out);
  if (s->joined > 1 && tenon_plan_shows_groups(p))
    tenon_buf_format(out, "  with the %u behind", s->joined - 1);
  if (s->place->where) tenon_buf_format(out, "  # %s", s->place->where);
  tenon_buf_char(out, '\n');
  if (s->kind != TENON_STEP_COND && s->kind != TENON_STEP_WHILE) return;
  bool is_loop = s->kind == TENON_STEP_WHILE;
  tenon_buf_format(out, "%*s      %s:\n", depth * 2, "",
                   is_loop ? "while" : "then");
  print_block(p, s->blocks[0], depth + 2, out);
  tenon_buf_format(out, "%*s      %s:\n", depth * 2, "",
                   is_loop ? "do" : "else");
  print_block(p, s->blocks[1], depth + 2, out);
}

static void plan_print_put_entry(const struct tenon_program *p, uint32_t i,
                                 tenon_buf *out) {
  tenon_put(out, "of $ ", tenon_as_shown(p->entries[i].name));
}

// What a loop carries in other sizes from round to round.
static void print_grown(const struct tenon_program *p, tenon_buf *out) {
  for (uint32_t i = 0; i < p->n_steps; ++i) {
    const tenon_step *s = &p->steps[i];
    for (uint32_t k = 0; s->kind == TENON_STEP_WHILE && k < s->n_out; ++k) {
      if (s->n_in <= 1 || p->operands[s->in + 1 + k] == TENON_NO_INDEX)
        continue;
      const tenon_program_tensor *t = &p->tensors[p->operands[s->out + k]];
      tenon_put(out, "grows      $, $", tenon_as_shown(t->name),
                tenon_dtype_name(t->dtype));
      tenon_program_print_shape(p, t, out);
      tenon_buf_format(out, ", from round to round of step %u; %s\n", i,
                       p->is_bounded ? "the arena is for its bound"
                                     : "a session takes more memory by need");
    }
  }
}

// Steps that a session computes piece by piece.
static void print_groups(const struct tenon_program *p, tenon_buf *out) {
  uint32_t groups = 0, steps = 0;
  for (uint32_t i = 0; i < p->n_steps; ++i)
    if (p->steps[i].joined > 1) {
      ++groups;
      steps += p->steps[i].joined;
    }
  if (groups && tenon_plan_shows_groups(p))
    tenon_buf_format(out,
                     "groups     %u of %u steps, in %u group%s that a session "
                     "computes piece by piece\n",
                     steps, p->n_steps, groups, groups == 1 ? "" : "s");
}

static void print_ordering(const struct tenon_program *p, uint32_t i,
                           tenon_buf *out) {
  const tenon_program_ordering *o = &p->orderings[i];
  tenon_buf_text(out, "order      ");
  if (p->n_entries > 1) plan_print_put_entry(p, i, out);
  if (o->kept && o->given == 0) {
    tenon_put(out, "as in the model: $\n", o->kept);
    return;
  }
  if (o->peak < o->given)
    tenon_put(out, "needs $ bytes, the model's own $", o->peak, o->given);
  else
    tenon_put(out, "as in the model, needs $ bytes", o->peak);
  if (o->bound == 0)
    tenon_buf_text(out, "; not known whether another needs less\n");
  else if (o->peak <= o->bound)
    tenon_buf_text(out, "; no order needs less\n");
  else
    tenon_put(out, "; no order needs less than $, $ less$$\n", o->bound,
              o->peak - o->bound, o->kept ? "; not searched: " : "", o->kept);
}

static void print_overlap(const struct tenon_program *p, tenon_buf *out) {
  for (uint32_t i = 0; i < p->n_entries; ++i) {
    const tenon_program_ordering *o = &p->orderings[i];
    if (o->n_over == 0) continue;
    tenon_buf_text(out, "overlap    ");
    if (p->n_entries > 1) plan_print_put_entry(p, i, out);
    tenon_put(out, "$ step$ over what is still read; without, $ bytes",
              o->n_over, o->n_over == 1 ? " writes" : "s write", o->plain);
    if (o->n_orders > 1) tenon_put(out, "; all $ orders tried", o->n_orders);
    if (o->over_bound > 0)
      tenon_put(out, "; no choice of them$ needs less than $",
                o->n_orders > 0 ? " and of an order" : "", o->over_bound);
    tenon_put(out, "$\n", o->n_orders == 0 ? "; few orders tried with it" : "");
  }
}

static void plan_print_put_line(tenon_buf *out, const char *what,
                                const char *name) {
  tenon_put(out, "$$\n", what, tenon_as_shown(name));
}

static void plan_print_text(const struct tenon_program *p, uint32_t flags,
                            tenon_buf *out) {
  tenon_program_stats s = {0};
  tenon_program_measure(p, &s);
  tenon_buf_format(out, "target     %s%s%s\n", p->target,
                   p->target_features[0] ? ": " : "", p->target_features);
  for (uint32_t i = 0; i < p->n_entries; ++i) {
    plan_print_put_line(out, "entry      ", p->entries[i].name);
    for (uint32_t k = 0; k < p->entries[i].n_writes; ++k)
      plan_print_put_line(
          out, "  writes   ",
          p->entries[i].inputs[p->entries[i].writes[k].input].name);
    print_block(p, p->entries[i].block, 0, out);
  }
  tenon_put(out, "steps      $ with $ different kernels, $ MACs\n", s.steps,
            s.kernels, s.macs);
  print_groups(p, out);
  print_grown(p, out);
  for (uint32_t i = 0; i < p->n_entries; ++i)
    print_ordering(p, i, out);
  print_overlap(p, out);
  tenon_put(out, "arena      $ bytes; no packing needs less than $$\n", s.arena,
            s.arena_bound, s.arena == s.arena_bound ? " (reached)" : "");
  if (s.arena > s.arena_bound && p->n_banks == 0)
    tenon_put(out,
              "           $ bytes above that; a longer search "
              "(--plan-effort) might find less\n",
              s.arena - s.arena_bound);
  tenon_put(out, "state      $ bytes\nconstants  $ bytes, $ of them packed\n",
            s.state, s.constants, s.packed);
  tenon_plan_memories(p, out);
  tenon_put(out, "$\n", p->remarks ? p->remarks : "");
  tenon_plan_picture(p, out);
  if (flags & TENON_PLAN_WHY)
    tenon_put(out, "\nkernels, and those passed over:\n$", p->why);
}

// --- JSON -------------------------------------------------------------------

static void json_tensor(const struct tenon_program *p, uint32_t index,
                        tenon_buf *out) {
  static const char *const places[] = {"none", "constant", "arena", "state",
                                       "caller"};
  if (index == TENON_NO_INDEX) {
    tenon_buf_text(out, "null");
    return;
  }
  const tenon_program_tensor *t = &p->tensors[index];
  tenon_put_json(out, "{'name': $, 'dtype': $, 'shape': [", t->name,
                 tenon_dtype_name(t->dtype));
  for (int i = 0; i < t->rank; ++i)
    tenon_buf_format(out, "%s%d", i ? ", " : "", (int)t->dims[i]);
  tenon_put_json(out, "], 'memory': $, 'offset': $, 'bytes': $",
                 places[t->slot.place], t->slot.offset, t->size);
  if (t->slot.place == TENON_IN_CALLER) {
    tenon_put_json(out, ", 'io': $",
                   tenon_program_port_io(p, &p->ports[t->slot.index])->name);
  }
  if (t->strides) {
    tenon_buf_text(out, ", \"strides\": [");
    print_strides(t, out);
    tenon_buf_char(out, ']');
  }
  tenon_buf_char(out, '}');
}

static void json_list(const struct tenon_program *p, uint32_t first,
                      uint32_t count, tenon_buf *out) {
  tenon_buf_char(out, '[');
  for (uint32_t i = 0; i < count; ++i) {
    if (i) tenon_buf_text(out, ", ");
    json_tensor(p, p->operands[first + i], out);
  }
  tenon_buf_char(out, ']');
}

static void json_steps(const struct tenon_program *p, tenon_buf *out) {
  tenon_buf_text(out, "  \"steps\": [");
  for (uint32_t i = 0; i < p->n_steps; ++i) {
    const tenon_step *s = &p->steps[i];
    tenon_put_json(
        out,
        "$\n    {'index': $, 'time': $, 'op': $, 'kernel': $, 'place': $, "
        "'joined': $, 'macs': $, 'scratch': $, 'packed': $, 'in': ",
        tenon_as_plain(i ? "," : ""), i, s->time, s->op,
        s->kernel == TENON_NO_INDEX ? NULL : p->kernels[s->kernel].symbol,
        s->place->where ? s->place->where : "", s->joined, s->macs,
        s->scratch_size, packed_size_of(p, i));
    json_list(p, s->in, s->n_in, out);
    tenon_buf_text(out, ", \"out\": ");
    json_list(p, s->out, s->n_out, out);
    tenon_buf_char(out, '}');
  }
  tenon_buf_text(out, "\n  ],\n");
}

static void json_orderings(const struct tenon_program *p, tenon_buf *out) {
  tenon_buf_text(out, "  \"orders\": [");
  for (uint32_t i = 0; i < p->n_entries; ++i) {
    const tenon_program_ordering *o = &p->orderings[i];
    bool is_known = o->given > 0 || !o->kept;
    tenon_put_json(out, "${'entry': $", tenon_as_plain(i ? ", " : ""),
                   p->entries[i].name);
    if (is_known)
      tenon_put_json(out, ", 'model': $, 'planned': $", o->given, o->peak);
    if (o->bound > 0) tenon_put_json(out, ", 'bound': $", o->bound);
    tenon_put_json(out, ", 'optimal': $",
                   (bool)(is_known && o->bound > 0 && o->peak <= o->bound));
    if (o->n_over > 0)
      tenon_put_json(out, ", 'overlapped': $, 'without': $, 'orders_tried': $",
                     o->n_over, o->plain, o->n_orders);
    if (o->n_over > 0 && o->over_bound > 0)
      tenon_put_json(out, ", 'overlapped_bound': $", o->over_bound);
    tenon_put_json(out, ", 'kept': $}", o->kept);
  }
  tenon_buf_text(out, "],\n");
}

static void plan_print_json(const struct tenon_program *p, uint32_t flags,
                            tenon_buf *out) {
  tenon_program_stats s = {0};
  tenon_program_measure(p, &s);
  tenon_put_json(out,
                 "{\n"
                 "  'version': 1,\n"
                 "  'target': $,\n"
                 "  'arena': $,\n"
                 "  'arena_bound': $,\n"
                 "  'arena_optimal': $,\n"
                 "  'state': $,\n"
                 "  'constants': $,\n"
                 "  'packed': $,\n"
                 "  'macs': $,\n",
                 p->target, s.arena, s.arena_bound, (bool)(s.arena_is_optimal),
                 s.state, s.constants, s.packed, s.macs);
  json_orderings(p, out);
  tenon_plan_memories_json(p, out);
  json_steps(p, out);
  tenon_buf_text(out, "  \"buffers\": [");
  for (uint32_t i = 0; i < p->n_spans; ++i) {
    const tenon_span_record *b = &p->spans[i];
    tenon_put_json(out,
                   "$\n    {'name': $, 'first': $, 'last': $, 'offset': $, "
                   "'bytes': $, 'scratch': $",
                   tenon_as_plain(i ? "," : ""), b->name, b->first, b->last,
                   b->offset, b->size, b->is_scratch);
    if (p->n_banks) {
      tenon_put_json(out, ", 'memory': $", p->banks[b->bank].name);
    }
    tenon_buf_char(out, '}');
  }
  tenon_put_json(out,
                 "\n"
                 "  ],\n"
                 "  'remarks': $",
                 p->remarks ? p->remarks : "");
  if (flags & TENON_PLAN_WHY) {
    tenon_put_json(out, ",\n  'why': $", p->why);
  }
  tenon_buf_text(out, "\n}\n");
}

tenon_status tenon_plan_print(const struct tenon_program *p, uint32_t format,
                              uint32_t flags, tenon_write_fn *write,
                              void *self) {
  tenon_buf out;
  if (format != TENON_FORMAT_TEXT && format != TENON_FORMAT_JSON &&
      format != TENON_FORMAT_SVG && format != TENON_FORMAT_HTML &&
      format != TENON_FORMAT_CSV)
    return tenon_fail(&p->report, TENON_BAD_ARGUMENT, "plan-format", NULL,
                      "a plan is printed as text, JSON, SVG, HTML or CSV");
  tenon_buf_init(&out, p->arena.allocator);
  if (format == TENON_FORMAT_TEXT)
    plan_print_text(p, flags, &out);
  else if (format == TENON_FORMAT_JSON)
    plan_print_json(p, flags, &out);
  else if (format == TENON_FORMAT_HTML)
    tenon_plan_html(p, &out);
  else if (format == TENON_FORMAT_CSV)
    tenon_plan_csv(p, &out);
  else
    tenon_plan_svg(p, &out);
  tenon_status status = out.failed
                            ? tenon_fail_memory(&p->report, "printing the plan")
                            : write(self, NULL, out.data, out.size);
  tenon_buf_deinit(&out);
  return status;
}

tenon_status tenon_program_print(const tenon_program *p, uint32_t format,
                                 uint32_t flags, tenon_write_fn *write,
                                 void *self) {
  return tenon_plan_print(p, format, flags, write, self);
}
