// How: memory by memory. All that wants the present one is packed; while that
// exceeds the capacity, one more buffer that lives at the peak goes on to the
// next. What was sent on is then tried again, the most read first. A class in
// parts (plan/alias/parts.h) moves as a whole.
#include "plan/banks/banks.h"

#include "base/text.h"

// --- rules ------------------------------------------------------------------

static void banks_apply(tenon_planner *w, const tenon_banks *b, size_t span,
                        uint32_t kinds, const char *name) {
  tenon_span_record *r = &w->records.data[span];
  for (uint32_t i = 0; i < b->n_rules; ++i) {
    const tenon_bank_rule *rule = &b->rules[i];
    if (!(rule->kinds & kinds) || !tenon_text_glob(rule->pattern, name))
      continue;
    if (r->rule && r->rule <= i + 1) return;
    r->rule = i + 1;
    r->bank = rule->bank;
    w->spans.data[span].is_fixed = rule->is_fixed;
    w->spans.data[span].offset = rule->offset;
    return;
  }
}

static void match_class(tenon_planner *w, tenon_planned *e, tenon_banks *b,
                        uint32_t root) {
  size_t span = (size_t)e->span_of[root] - 1;
  tenon_span_record *r = &w->records.data[span];
  for (uint32_t i = root; i != TENON_NO_VALUE; i = e->aliases.next[i]) {
    const tenon_value *v = e->values[i];
    if (!v) continue;
    b->reads[span] += v->n_uses + 1;
    uint32_t kinds = TENON_PLACE_VALUE;
    if (v->kind == TENON_VALUE_PARAM && !v->graph->parent) {
      kinds |= TENON_PLACE_INPUT;
      r->is_input = true;
    }
    for (const tenon_use *u = v->uses; u; u = u->next)
      if (u->node == e->entry->point->graph->end) {
        kinds |= TENON_PLACE_OUTPUT;
        r->is_output = true;
      }
    banks_apply(w, b, span, kinds, v->name ? v->name : "");
  }
}

// Scratch has the names of what its step makes, too.
typedef struct scratch_walk {
  tenon_planner *w;
  tenon_planned *e;
  const tenon_banks *b;
} scratch_walk;

static tenon_status visit_scratch(void *self, tenon_node *n) {
  const scratch_walk *s = (const scratch_walk *)self;
  uint32_t span = s->e->scratch_of[n->id];
  for (uint32_t i = 0; span && i < n->n_out; ++i)
    banks_apply(s->w, s->b, span - 1, TENON_PLACE_STEP,
                n->out[i]->name ? n->out[i]->name : "");
  return TENON_OK;
}

static tenon_status match_steps(tenon_planner *w, const tenon_banks *b) {
  for (size_t i = 0; i < w->n_entries; ++i) {
    scratch_walk s = {w, &w->entries[i], b};
    TENON_TRY(tenon_graph_visit(w->entries[i].entry->point->graph,
                                visit_scratch, &s));
  }
  return TENON_OK;
}

tenon_status tenon_banks_match(tenon_planner *w, tenon_banks *b) {
  b->reads = tenon_arena_array(w->arena, uint32_t, w->spans.count + 1);
  if (!b->reads) return tenon_plan_no_memory(w->report);
  for (size_t i = 0; i < w->n_entries; ++i) {
    tenon_planned *e = &w->entries[i];
    for (uint32_t root = 0; root < e->aliases.n; ++root)
      if (e->span_of[root]) match_class(w, e, b, root);
  }
  TENON_TRY(match_steps(w, b));
  for (size_t i = 0; i < w->spans.count; ++i) {
    tenon_span_record *r = &w->records.data[i];
    if (r->is_scratch) {
      b->reads[i] = 2;
      banks_apply(w, b, i, TENON_PLACE_SCRATCH, r->name);
    }
    if (r->rule && b->list[r->bank].is_rom)
      return tenon_fail(w->report, TENON_BAD_ARGUMENT, "plan-memory-rom",
                        b->rules[r->rule - 1].place,
                        "'%s' cannot lie in '%s', which is not written: place "
                        "'%s'",
                        r->name, b->list[r->bank].name,
                        w->program->rules[r->rule - 1]);
  }
  return TENON_OK;
}

// --- placing ----------------------------------------------------------------

typedef struct placing {
  tenon_planner *w;
  tenon_banks *b;
  uint32_t *at;  // of spans: the memory that each is tried in now
  tenon_span *spans;
  uint32_t *index;  // of those: in the planner's
  size_t n;
  tenon_packing packing;
} placing;

static bool is_head(const placing *p, size_t i) {
  uint32_t group = p->w->spans.data[i].group;
  return group == 0 || i == 0 || p->w->spans.data[i - 1].group != group;
}

// A class in parts goes where its first part goes.
static void banks_send(placing *p, size_t head, uint32_t bank) {
  uint32_t group = p->w->spans.data[head].group;
  p->at[head] = bank;
  for (size_t i = head + 1;
       group && i < p->w->spans.count && p->w->spans.data[i].group == group;
       ++i)
    p->at[i] = bank;
}

// Of a class in parts the first one has the place.
static uint64_t banks_align_of(const placing *p, size_t i, uint32_t bank) {
  uint64_t align = p->w->spans.data[i].align, least = p->b->list[bank].align;
  return is_head(p, i) && align < least ? least : align;
}

static bool banks_pack(placing *p, uint32_t bank) {
  tenon_allocator allocator = p->w->report_allocator;
  const tenon_plan_options *o = p->w->options;
  tenon_pack_options options = {.struct_size = sizeof options,
                                .flags = o->is_quick ? TENON_PACK_QUICK : 0u,
                                .effort = o->effort};
  p->n = 0;
  for (size_t i = 0; i < p->w->spans.count; ++i)
    if (p->at[i] == bank) {
      p->index[p->n] = (uint32_t)i;
      p->spans[p->n] = p->w->spans.data[i];
      p->spans[p->n++].align = banks_align_of(p, i, bank);
    }
  return tenon_pack_with(&options, p->spans, p->n, &allocator, &p->packing);
}

static uint64_t live_at(const placing *p, uint32_t time) {
  uint64_t live = 0;
  for (size_t i = 0; i < p->n; ++i)
    if (p->spans[i].first <= time && time <= p->spans[i].last)
      live += p->spans[i].size;
  return live;
}

static uint32_t find_peak(const placing *p) {
  uint64_t most = 0;
  uint32_t peak = 0;
  for (size_t i = 0; i < p->n; ++i) {
    uint64_t live = live_at(p, p->spans[i].first);
    if (live < most || (live == most && p->spans[i].first >= peak && most))
      continue;
    most = live;
    peak = p->spans[i].first;
  }
  return peak;
}

// Touched so often per step of its life.
static double worth(const placing *p, size_t head) {
  const tenon_span *s = &p->w->spans.data[head];
  return (double)p->b->reads[head] / ((double)(s->last - s->first) + 1);
}

// What goes on: alive at the peak, read least, the largest of those.
static bool find_victim(const placing *p, uint32_t bank, uint32_t peak,
                        size_t *victim) {
  bool found = false;
  for (size_t i = 0, head = 0; i < p->w->spans.count; ++i) {
    const tenon_span *s = &p->w->spans.data[i];
    if (is_head(p, i)) head = i;
    if (p->at[i] != bank || s->first > peak || s->last < peak || s->size == 0 ||
        p->w->records.data[head].rule)
      continue;
    const tenon_span *best = found ? &p->w->spans.data[*victim] : NULL;
    if (best &&
        (worth(p, head) > worth(p, *victim) ||
         (!(worth(p, head) < worth(p, *victim)) && s->size <= best->size)))
      continue;
    *victim = head;
    found = true;
  }
  return found;
}

static uint32_t next_bank(const tenon_banks *b, uint32_t bank) {
  for (++bank; bank < b->n && b->list[bank].is_rom;)
    ++bank;
  return bank;
}

static uint64_t room_of(const placing *p, uint32_t bank) {
  return tenon_program_room(p->w->program, p->packing.size) +
         p->b->list[bank].state + p->b->list[bank].constants;
}

// --- what does not fit ------------------------------------------------------

enum { MOST_LISTED = 8 };

static void banks_list_one(const placing *p, size_t i, size_t *listed,
                           tenon_buf *out) {
  const tenon_span_record *r = &p->w->records.data[p->index[i]];
  if ((*listed)++ < MOST_LISTED)
    tenon_buf_format(out, "%s%.40s%s %llu", *listed > 1 ? ", " : "", r->name,
                     r->is_scratch ? " (scratch)" : "",
                     (unsigned long long)p->spans[i].size);
}

static void end_list(size_t listed, tenon_buf *out) {
  if (listed == 0) tenon_buf_text(out, "nothing");
  if (listed > MOST_LISTED)
    tenon_buf_format(out, ", and %zu more", listed - MOST_LISTED);
}

static bool is_alive(const placing *p, size_t i, uint32_t time) {
  return p->spans[i].first <= time && p->spans[i].last >= time &&
         p->spans[i].size > 0;
}

static void list_alive(const placing *p, uint32_t peak, tenon_buf *out) {
  size_t listed = 0;
  for (size_t i = 0; i < p->n; ++i)
    if (is_alive(p, i, peak)) banks_list_one(p, i, &listed, out);
  end_list(listed, out);
}

// Of what is alive there, the largest first, for as long as there is room.
static void list_fitting(const placing *p, uint32_t peak, uint64_t room,
                         tenon_buf *out) {
  size_t listed = 0;
  bool *is_seen = tenon_arena_array(p->w->arena, bool, p->n + 1);
  while (is_seen) {
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < p->n; ++i)
      if (is_alive(p, i, peak) && !is_seen[i] && p->spans[i].size <= room &&
          (best == SIZE_MAX || p->spans[i].size > p->spans[best].size))
        best = i;
    if (best == SIZE_MAX) break;
    is_seen[best] = true;
    room -= p->spans[best].size;
    banks_list_one(p, best, &listed, out);
  }
  end_list(listed, out);
}

static tenon_status banks_fail_space(const placing *p, uint32_t bank,
                                     uint64_t room) {
  const tenon_program_bank *m = &p->b->list[bank];
  uint32_t peak = find_peak(p);
  uint64_t fixed = m->state + m->constants + p->w->program->arena_align;
  uint64_t left = m->capacity > fixed ? m->capacity - fixed : 0;
  tenon_buf alive, fitting, enough;
  tenon_buf_init(&alive, p->w->report_allocator);
  tenon_buf_init(&fitting, p->w->report_allocator);
  tenon_buf_init(&enough, p->w->report_allocator);
  list_alive(p, peak, &alive);
  tenon_buf_format(&fitting, "room for buffers is %llu bytes; of these fit: ",
                   (unsigned long long)left);
  list_fitting(p, peak, left, &fitting);
  tenon_buf_format(&enough, "enough would be '%s=%llu'", m->name,
                   (unsigned long long)room);
  tenon_diag notes[] = {
      {sizeof(tenon_diag), TENON_NOTE, "plan-memory", enough.data, NULL, NULL},
      {sizeof(tenon_diag), TENON_NOTE, "plan-memory", fitting.data, NULL,
       &notes[0]}};
  bool ok = !alive.failed && !fitting.failed && !enough.failed;
  tenon_status status =
      ok ? tenon_fail_notes(
               p->w->report, TENON_NO_SPACE, "plan-memory", NULL, &notes[1],
               "memory '%s' of %llu bytes is too small by %llu: it would hold "
               "%llu of buffers, %llu of state and %llu of constants; alive at "
               "its peak: %s",
               m->name, (unsigned long long)m->capacity,
               (unsigned long long)(room - m->capacity),
               (unsigned long long)p->packing.size,
               (unsigned long long)m->state, (unsigned long long)m->constants,
               alive.data)
         : tenon_plan_no_memory((p->w)->report);
  tenon_buf_deinit(&alive);
  tenon_buf_deinit(&fitting);
  tenon_buf_deinit(&enough);
  return status;
}

// --- placing, memory by memory
// -------------------------------------------------

// Tries to bring back what was sent on, most read first.
enum { MOST_RETURNS = 32, MOST_RETURN_SPANS = 4000 };

static bool bring_back(placing *p, uint32_t bank, const bool *was_sent) {
  uint32_t next = next_bank(p->b, bank);
  bool *is_tried = tenon_arena_array(p->w->arena, bool, p->w->spans.count + 1);
  if (!is_tried) return false;
  for (int k = 0; k < MOST_RETURNS && p->n <= MOST_RETURN_SPANS; ++k) {
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < p->w->spans.count; ++i)
      if (was_sent[i] && !is_tried[i] &&
          (best == SIZE_MAX || worth(p, i) > worth(p, best)))
        best = i;
    if (best == SIZE_MAX) break;
    is_tried[best] = true;
    banks_send(p, best, bank);
    if (!banks_pack(p, bank)) return false;
    if (room_of(p, bank) > p->b->list[bank].capacity) banks_send(p, best, next);
  }
  return banks_pack(p, bank);
}

static tenon_status banks_fill(placing *p, uint32_t bank) {
  tenon_program_bank *m = &p->b->list[bank];
  uint32_t next = next_bank(p->b, bank);
  bool *was_sent = tenon_arena_array(p->w->arena, bool, p->w->spans.count + 1);
  bool any = false;
  if (!was_sent || !banks_pack(p, bank))
    return tenon_plan_no_memory((p->w)->report);
  while (room_of(p, bank) > m->capacity) {
    size_t victim = 0;
    if (next >= p->b->n || !find_victim(p, bank, find_peak(p), &victim))
      return banks_fail_space(p, bank, room_of(p, bank));
    was_sent[victim] = any = true;
    banks_send(p, victim, next);
    if (!banks_pack(p, bank)) return tenon_plan_no_memory((p->w)->report);
  }
  if (any && !bring_back(p, bank, was_sent))
    return tenon_plan_no_memory((p->w)->report);
  m->arena = p->packing.size;
  m->arena_bound = p->packing.bound;
  m->peak_time = find_peak(p);
  for (size_t i = 0; i < p->n; ++i) {
    // With the alignment, so that the checker asks for it.
    p->w->spans.data[p->index[i]].offset = m->base + p->spans[i].offset;
    p->w->spans.data[p->index[i]].align = p->spans[i].align;
    p->w->records.data[p->index[i]].align = (uint32_t)p->spans[i].align;
    p->w->records.data[p->index[i]].bank = bank;
  }
  return TENON_OK;
}

tenon_status tenon_banks_place(tenon_planner *w, tenon_banks *b) {
  size_t n = w->spans.count + 1;
  placing p = {.w = w, .b = b};
  p.at = tenon_arena_array(w->arena, uint32_t, n);
  p.index = tenon_arena_array(w->arena, uint32_t, n);
  p.spans = tenon_arena_array(w->arena, tenon_span, n);
  if (w->arena->failed) return tenon_plan_no_memory(w->report);
  uint32_t first = b->list[0].is_rom ? next_bank(b, 0) : 0;
  TENON_TRY(tenon_banks_resident(w, b));
  TENON_TRY(tenon_banks_states(w, b));
  for (size_t i = 0; i < w->spans.count; ++i)
    if (is_head(&p, i))
      banks_send(&p, i,
                 w->records.data[i].rule ? w->records.data[i].bank : first);
  uint64_t base = 0;
  for (uint32_t bank = first; bank < b->n; bank = next_bank(b, bank)) {
    b->list[bank].base = base;
    TENON_TRY(banks_fill(&p, bank));
    if (b->list[bank].arena)
      w->program->arena_size = base + b->list[bank].arena;
    base += tenon_program_room(w->program, b->list[bank].arena);
  }
  for (uint32_t i = 0; i < b->n_rules; ++i) {
    bool is_used =
        b->rules[i].is_used || b->rules[i].kinds == TENON_PLACE_CONSTANT;
    for (size_t k = 0; k < w->spans.count; ++k)
      is_used |= w->records.data[k].rule == i + 1;
    if (!is_used)
      tenon_warn(w->report, "plan-place-unused", b->rules[i].place,
                 "nothing is placed by '%s'", w->program->rules[i]);
  }
  // A fixed place counts from the start of its memory, which is known now.
  for (size_t i = 0; i < w->spans.count; ++i)
    w->spans.data[i].is_fixed = false;
  return TENON_OK;
}
