// How: a constant is worth as many multiplications as are done with each of its
// bytes. What kernels packed lies in one block of the emitted program, and so
// in one memory. What lies in a cold one has been decided
// (plan/banks/banks_cold.c) and gets its place in the image of that memory;
// nothing else goes there. So has what lies in a memory that is written
// (plan/banks/banks_resident.c).
#include "base/text.h"
#include "plan/banks/banks.h"

typedef struct placing {
  tenon_planner *w;
  tenon_banks *b;
  tenon_program_constant *list;
  double *worth;
  uint32_t n;
} placing;

static void count_worth(placing *p) {
  const struct tenon_program *program = p->w->program;
  for (uint32_t i = 0; i < program->n_steps; ++i) {
    const tenon_step *s = &program->steps[i];
    for (uint32_t k = 0; k <= s->n_in; ++k) {
      uint32_t c = s->packed;
      if (k < s->n_in) {
        uint32_t t = program->operands[s->in + k];
        c = t != TENON_NO_INDEX &&
                    program->tensors[t].slot.place == TENON_IN_CONSTANT
                ? program->tensors[t].slot.index
                : TENON_NO_INDEX;
      }
      if (c != TENON_NO_INDEX && p->list[c].size)
        p->worth[c] += (double)(s->macs + 1) / (double)p->list[c].size;
    }
  }
}

static uint32_t rule_of(const placing *p, uint32_t i) {
  for (uint32_t k = 0; k < p->b->n_rules; ++k) {
    tenon_bank_rule *rule = &p->b->rules[k];
    if (rule->kinds != TENON_PLACE_CONSTANT || p->b->list[rule->bank].is_cold ||
        !p->b->list[rule->bank].is_rom ||
        !tenon_text_glob(rule->pattern, p->list[i].name ? p->list[i].name : ""))
      continue;
    rule->is_used = true;
    return k + 1;
  }
  return 0;
}

// What is packed is refused as a whole, under no name of the model's.
static tenon_status fail_room(const placing *p, uint32_t i, uint64_t size,
                              uint64_t most) {
  const tenon_program_constant *c = &p->list[i];
  return tenon_fail(
      p->w->report, TENON_NO_SPACE, "plan-memory", NULL,
      "%s%.80s%s of %llu bytes does not fit: the memory with "
      "most room for it has %llu left, %llu too few",
      c->is_packed ? "what kernels packed of constants," : "constant '",
      c->is_packed || !c->name ? "" : c->name, c->is_packed ? "" : "'",
      (unsigned long long)size, (unsigned long long)most,
      (unsigned long long)(size - most));
}

static tenon_status bank_constant_put(placing *p, uint32_t i, uint64_t size,
                                      uint32_t rule) {
  uint64_t most = 0;
  for (uint32_t bank = 0; bank < p->b->n; ++bank) {
    tenon_program_bank *m = &p->b->list[bank];
    if (rule ? p->b->rules[rule - 1].bank != bank : !m->is_rom || m->is_cold)
      continue;
    uint64_t align = m->align > 1 ? m->align : 1;
    uint64_t left = m->capacity - m->constants;
    uint64_t room = (size + align - 1) / align * align;
    if (left >= room) {
      m->constants += room;
      p->list[i].bank = bank + 1;
      return TENON_OK;
    }
    if (left > most) most = left;
  }
  return fail_room(p, i, size, most);
}

static tenon_status put_cold(placing *p) {
  for (uint32_t i = 0; i < p->n; ++i) {
    if (!p->list[i].is_cold) continue;
    tenon_program_bank *m = &p->b->list[p->list[i].bank - 1];
    // One behind the other, where whatever copies them need not look at bytes.
    uint64_t align = m->align > 16 ? m->align : 16;
    uint64_t room = (p->list[i].size + align - 1) / align * align;
    p->list[i].image_offset = m->constants;
    if (m->capacity - m->constants < room)
      return fail_room(p, i, room, m->capacity - m->constants);
    m->constants += room;
  }
  return TENON_OK;
}

// What is copied has to lie somewhere before: with what no macro of a further
// memory is for (emit/data/memories.c).
static tenon_status put_origin(placing *p, uint32_t i) {
  for (uint32_t bank = 0; bank < p->b->n; ++bank) {
    tenon_program_bank *m = &p->b->list[bank];
    if (!m->is_rom || m->is_cold) continue;
    if (m->capacity - m->constants < p->list[i].size)
      return fail_room(p, i, p->list[i].size, m->capacity - m->constants);
    m->constants += p->list[i].size;
    return TENON_OK;
  }
  return TENON_OK;
}

// Where they lie in the part of a memory that is theirs, in their order.
static tenon_status put_resident(placing *p) {
  for (uint32_t bank = 0; bank < p->b->n; ++bank) {
    tenon_program_bank *m = &p->b->list[bank];
    uint64_t counted = m->constants;
    if (m->is_rom) continue;
    m->constants = 0;
    for (uint32_t i = 0; i < p->n; ++i) {
      tenon_program_constant *c = &p->list[i];
      if (c->bank != bank + 1) continue;
      if (c->is_source) c->bank = 0;
      if (c->is_source) continue;
      TENON_TRY(put_origin(p, i));
      c->image_offset = m->constants;
      m->constants += tenon_bank_resident_room(m, c->size);
      uint32_t rule = tenon_banks_rule_of(p->b, c->name ? c->name : "");
      if (rule) p->b->rules[rule - 1].is_used = true;
    }
    if (m->constants > counted)
      return tenon_fail_bug(p->w->report,
                            "constants of memory '%s' have been counted wrong",
                            m->name);
  }
  return TENON_OK;
}

// All that is packed as one, then the rules, then the rest by worth.
static tenon_status put_all(placing *p) {
  uint32_t first = UINT32_MAX;
  bool *is_put = tenon_arena_array(p->w->arena, bool, p->n + 1);
  if (!is_put) return tenon_plan_no_memory(p->w->report);
  for (uint32_t i = 0; i < p->n; ++i) {
    is_put[i] = p->list[i].is_cold || p->list[i].is_source ||
                tenon_program_is_resident(p->w->program, &p->list[i]);
    if (!p->list[i].is_packed) continue;
    if (first == UINT32_MAX) first = i;
    is_put[i] = true;
  }
  if (first != UINT32_MAX)
    TENON_TRY(bank_constant_put(p, first,
                                tenon_program_packed_size(p->w->program), 0));
  for (uint32_t i = 0; i < p->n; ++i)
    if (p->list[i].is_packed) p->list[i].bank = p->list[first].bank;
  for (uint32_t i = 0; i < p->n; ++i) {
    uint32_t rule = is_put[i] ? 0 : rule_of(p, i);
    if (!rule) continue;
    is_put[i] = true;
    TENON_TRY(bank_constant_put(p, i, p->list[i].size, rule));
  }
  for (;;) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < p->n; ++i)
      if (!is_put[i] && (best == UINT32_MAX || p->worth[i] > p->worth[best]))
        best = i;
    if (best == UINT32_MAX) return TENON_OK;
    is_put[best] = true;
    TENON_TRY(bank_constant_put(p, best, p->list[best].size, 0));
  }
}

static tenon_status warn_unused(const placing *p) {
  for (uint32_t k = 0; k < p->b->n_rules; ++k)
    if (p->b->rules[k].kinds == TENON_PLACE_CONSTANT && !p->b->rules[k].is_used)
      tenon_warn(p->w->report, "plan-place-unused", p->b->rules[k].place,
                 "nothing is placed by '%s'", p->w->program->rules[k]);
  return TENON_OK;
}

tenon_status tenon_banks_constants(tenon_planner *w, tenon_banks *b) {
  struct tenon_program *program = w->program;
  bool has_rom = false, has_cold = false;
  for (uint32_t i = 0; i < b->n; ++i) {
    has_rom |= b->list[i].is_rom && !b->list[i].is_cold;
    has_cold |= b->list[i].is_cold;
  }
  placing p = {.w = w, .b = b, .n = program->n_constants};
  if (b->n_rules == 0 && !has_rom && !has_cold) return TENON_OK;
  p.list = (tenon_program_constant *)tenon_arena_copy(
      &program->arena, program->constants, p.n * sizeof *p.list,
      _Alignof(tenon_program_constant));
  p.worth = tenon_arena_array(w->arena, double, p.n + 1);
  if (!p.list || !p.worth) return tenon_plan_no_memory(w->report);
  program->constants = p.list;
  TENON_TRY(put_cold(&p));
  TENON_TRY(put_resident(&p));
  if (has_rom) {
    count_worth(&p);
    TENON_TRY(put_all(&p));
  }
  return warn_unused(&p);
}
