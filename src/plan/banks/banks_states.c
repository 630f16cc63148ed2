// How: each state once, in the order of the modules: where a rule says, else in
// the first memory that still has room for it. What several modules share is
// met in the first of them. Offsets are those of the state memory, in which
// each memory has a stretch of its own.
#include <string.h>

#include "base/text.h"
#include "plan/banks/banks.h"

static bool bank_state_is_shared(const tenon_planner *w, const char *name) {
  const char *const *shared = w->options->shared_states;
  for (; shared && *shared; ++shared)
    if (strcmp(*shared, "*") == 0 || strcmp(*shared, name) == 0) return true;
  return false;
}

static const tenon_bank_state *bank_state_find(const tenon_planner *w,
                                               const tenon_banks *b,
                                               const tenon_state *s) {
  for (uint32_t i = 0; i < b->n_states; ++i)
    if (b->states[i].state == s ||
        (bank_state_is_shared(w, s->name) &&
         strcmp(b->states[i].state->name, s->name) == 0))
      return &b->states[i];
  return NULL;
}

// The state as a value of its entry is called, and as the program calls it.
static bool bank_state_is_meant(const tenon_bank_rule *rule,
                                const tenon_plan_entry *e, const char *name,
                                tenon_buf *whole) {
  if (tenon_text_glob(rule->pattern, name)) return true;
  if (!e->prefix) return false;
  tenon_buf_clear(whole);
  tenon_buf_format(whole, "%s.%s", e->prefix, name);
  return !whole->failed && tenon_text_glob(rule->pattern, whole->data);
}

static uint32_t bank_state_rule_of(const tenon_planner *w, const tenon_banks *b,
                                   const tenon_plan_entry *e,
                                   const char *name) {
  tenon_buf whole;
  uint32_t found = 0;
  tenon_buf_init(&whole, w->report_allocator);
  for (uint32_t i = 0; i < b->n_rules && !found; ++i)
    if ((b->rules[i].kinds & TENON_PLACE_STATE) && !b->rules[i].is_fixed &&
        bank_state_is_meant(&b->rules[i], e, name, &whole))
      found = i + 1;
  tenon_buf_deinit(&whole);
  return found;
}

static uint64_t room(const tenon_program_bank *m, uint64_t size) {
  uint64_t align = m->align > 16 ? m->align : 16;
  return (size + align - 1) / align * align;
}

static tenon_status bank_state_put(tenon_planner *w, tenon_banks *b,
                                   const tenon_plan_entry *e,
                                   const tenon_state *s) {
  size_t size = 0;
  tenon_bank_state *row = &b->states[b->n_states];
  if (!tenon_type_size(&s->type, &size)) return TENON_OK;  // refused later
  uint32_t rule = bank_state_rule_of(w, b, e, s->name), first = UINT32_MAX,
           bank;
  for (bank = 0; bank < b->n; ++bank) {
    const tenon_program_bank *m = &b->list[bank];
    if (m->is_rom) continue;
    if (first == UINT32_MAX) first = bank;
    if (tenon_program_room(w->program, m->state + room(m, size)) +
            m->constants <=
        m->capacity)
      break;
  }
  if (rule) bank = b->rules[rule - 1].bank;
  // None has room: the first one says how much is missing.
  if (bank == b->n) bank = first;
  if (b->list[bank].is_rom)
    return tenon_fail(w->report, TENON_BAD_ARGUMENT, "plan-memory-rom", NULL,
                      "state '%s' cannot lie in '%s', which is not written: "
                      "place '%s'",
                      s->name, b->list[bank].name, w->program->rules[rule - 1]);
  if (rule) b->rules[rule - 1].is_used = true;
  *row = (tenon_bank_state){s, bank, b->list[bank].state};
  b->list[bank].state += room(&b->list[bank], size);
  ++b->n_states;
  return TENON_OK;
}

tenon_status tenon_banks_states(tenon_planner *w, tenon_banks *b) {
  size_t n = 0;
  for (size_t i = 0; i < w->n_entries; ++i)
    n += w->entries[i].entry->module->states.count;
  b->states = tenon_arena_array(w->arena, tenon_bank_state, n + 1);
  if (!b->states) return tenon_plan_no_memory(w->report);
  for (size_t i = 0; i < w->n_entries; ++i) {
    const tenon_plan_entry *e = w->entries[i].entry;
    for (size_t k = 0; k < e->module->states.count; ++k)
      if (!bank_state_find(w, b, &e->module->states.data[k]))
        TENON_TRY(bank_state_put(w, b, e, &e->module->states.data[k]));
  }
  uint64_t base = 0;
  for (uint32_t i = 0; i < b->n; ++i) {
    b->list[i].state_base = base;
    b->list[i].state = tenon_program_room(w->program, b->list[i].state);
    base += b->list[i].state;
  }
  for (uint32_t i = 0; i < b->n_states; ++i)
    b->states[i].offset += b->list[b->states[i].bank].state_base;
  return TENON_OK;
}

uint64_t tenon_banks_state_offset(const tenon_planner *w,
                                  const tenon_state *s) {
  const tenon_bank_state *row = bank_state_find(w, &w->banks, s);
  return row ? row->offset : 0;
}
