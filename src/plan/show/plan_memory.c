// How: per memory what it has, what lies in it and what lives at its peak;
// then what an application needs in all. Code is estimated from what a
// Cortex-M4 took for small models, compiled for size: each step's call with its
// tables, and each kernel.
#include "base/put.h"
#include "plan/banks/banks.h"
#include "plan/show/pictures.h"

enum { STEP_CODE = 240, KERNEL_CODE = 350, INSTANCE = 32 };

static bool lies_in(const struct tenon_program *p, const tenon_span_record *s,
                    uint32_t bank) {
  return s->size > 0 &&
         (p->n_banks == 0 || bank == TENON_ALL_BANKS || s->bank == bank);
}

static bool is_at(const tenon_span_record *s, uint32_t time) {
  return s->first <= time && time <= s->last;
}

uint32_t tenon_plan_peak_time(const struct tenon_program *p, uint32_t bank) {
  uint32_t peak = 0;
  uint64_t most = 0;
  for (uint32_t i = 0; i < p->n_spans; ++i) {
    uint32_t t = p->spans[i].first;
    uint64_t live = 0;
    if (!lies_in(p, &p->spans[i], bank)) continue;
    for (uint32_t k = 0; k < p->n_spans; ++k)
      if (lies_in(p, &p->spans[k], bank) && is_at(&p->spans[k], t))
        live += p->spans[k].size;
    if (live > most || (live == most && t < peak)) {
      most = live;
      peak = t;
    }
  }
  return peak;
}

static uint64_t used(const struct tenon_program *p,
                     const tenon_program_bank *m) {
  return tenon_program_room(p, m->arena) + m->state + m->constants;
}

static uint64_t memory_align_up(const struct tenon_program *p, uint64_t size) {
  return (size + p->arena_align - 1) / p->arena_align * p->arena_align;
}

tenon_plan_total tenon_plan_totals(const struct tenon_program *p) {
  tenon_plan_total t = {0};
  if (p->n_banks == 0) t.arena = tenon_program_room(p, p->arena_size);
  for (uint32_t i = 0; i < p->n_banks; ++i) {
    t.arena += tenon_program_room(p, p->banks[i].arena);
    t.state += p->banks[i].state;
    if (!p->banks[i].is_rom) t.resident += p->banks[i].constants;
  }
  if (p->n_banks == 0) t.state = tenon_program_room(p, p->state_size);
  t.instance = INSTANCE + 8 * ((uint64_t)p->n_numbers + p->n_ports);
  t.instance = memory_align_up(p, t.instance);
  for (uint32_t i = 0; i < p->n_constants; ++i)
    if (!p->constants[i].is_cold && !p->constants[i].is_source &&
        !p->constants[i].is_packed)
      t.constants += p->constants[i].size;
  t.constants += tenon_program_packed_size(p);
  t.code =
      STEP_CODE * (uint64_t)p->n_steps + KERNEL_CODE * (uint64_t)p->n_kernels;
  return t;
}

// --- text -------------------------------------------------------------------

// The first 48 bytes of a name, if it is longer.
static void memory_put_name(tenon_buf *out, const char *before,
                            const char *name) {
  char text[49];
  tenon_buf_text(out, before);
  (void)tenon_text_show(text, sizeof text, name);
  tenon_buf_text(out, text);
}

static void print_alive(const struct tenon_program *p, uint32_t bank,
                        uint32_t time, tenon_buf *out) {
  uint32_t listed = 0, more = 0;
  tenon_buf_format(out, "  at its peak, time %u:", time);
  for (uint32_t i = 0; i < p->n_spans; ++i) {
    const tenon_span_record *s = &p->spans[i];
    if (!lies_in(p, s, bank) || !is_at(s, time)) continue;
    if (listed == 16) {
      ++more;
      continue;
    }
    memory_put_name(out, listed++ ? ", " : " ", s->name);
    tenon_put(out, "$ $", s->is_scratch ? " (scratch)" : "", s->size);
  }
  if (more) tenon_buf_format(out, ", and %u more", more);
  tenon_buf_text(out, listed ? "\n" : " nothing\n");
}

static void print_rules(const struct tenon_program *p, uint32_t bank,
                        tenon_buf *out) {
  for (uint32_t r = 0; r < p->n_rules; ++r) {
    uint32_t listed = 0;
    for (uint32_t i = 0; i < p->n_spans; ++i) {
      const tenon_span_record *s = &p->spans[i];
      if (s->rule != r + 1 || s->bank != bank) continue;
      if (listed == 0) tenon_buf_format(out, "  by '%s':", p->rules[r]);
      if (listed < 16) memory_put_name(out, listed ? ", " : " ", s->name);
      ++listed;
    }
    if (listed > 16) tenon_buf_format(out, ", and %u more", listed - 16);
    if (listed) tenon_buf_char(out, '\n');
  }
}

static void memory_print_states(const struct tenon_program *p, uint32_t bank,
                                tenon_buf *out) {
  uint32_t listed = 0;
  for (uint32_t i = 0; i < p->n_states; ++i) {
    uint64_t inner = 0;
    const tenon_program_tensor *t = &p->tensors[p->states[i].tensor];
    if (tenon_program_state_bank_of(p, t->slot.offset, &inner) != bank)
      continue;
    if (listed < 16) {
      memory_put_name(out, listed ? ", " : "  states: ", p->states[i].name);
      tenon_put(out, " $", t->size);
    }
    ++listed;
  }
  if (listed > 16) tenon_buf_format(out, ", and %u more", listed - 16);
  if (listed) tenon_buf_char(out, '\n');
}

static void print_bank(const struct tenon_program *p, uint32_t i,
                       tenon_buf *out) {
  const tenon_program_bank *m = &p->banks[i];
  tenon_put(out, "memory     $: $", m->name, used(p, m));
  if (m->capacity != UINT64_MAX) tenon_put(out, " of $", m->capacity);
  tenon_buf_text(out, " bytes");
  if (m->is_rom) {
    tenon_buf_text(out, m->is_cold ? ", constants that are copied before each "
                                     "step that reads them"
                                   : ", constants");
    tenon_buf_text(out, m->is_prefetch ? ", a step ahead\n" : "\n");
    return;
  }
  tenon_put(out, ", buffers $ (they need no less than $)", m->arena,
            m->arena_bound);
  if (m->state) tenon_put(out, ", state $", m->state);
  if (m->constants)
    tenon_put(out, ", constants $ (copied there at the start)", m->constants);
  tenon_buf_char(out, '\n');
  if (m->arena) print_alive(p, i, m->peak_time, out);
  if (m->state) memory_print_states(p, i, out);
  print_rules(p, i, out);
}

// What is not of the plan, and has to be somewhere all the same.
static void print_ports(const struct tenon_program *p, tenon_buf *out) {
  uint64_t size = 0;
  for (uint32_t i = 0; i < p->n_ports; ++i)
    size += p->ports[i].size;
  if (p->n_ports == 0) return;
  tenon_put(out, "caller     $ bytes:", size);
  for (uint32_t i = 0; i < p->n_ports; ++i) {
    tenon_put(out, "$ $", i ? "," : "",
              p->ports[i].is_output ? "output" : "input");
    memory_put_name(out, " '", tenon_program_port_io(p, &p->ports[i])->name);
    tenon_put(out, "' $", p->ports[i].size);
  }
  tenon_buf_char(out, '\n');
}

void tenon_plan_memories(const struct tenon_program *p, tenon_buf *out) {
  tenon_plan_total t = tenon_plan_totals(p);
  for (uint32_t i = 0; i < p->n_banks; ++i)
    print_bank(p, i, out);
  tenon_put(out, "RAM        $ bytes: arena $, state $, instance $",
            t.arena + t.state + t.instance + t.resident, t.arena, t.state,
            t.instance);
  if (t.resident) tenon_put(out, ", constants $", t.resident);
  tenon_buf_char(out, '\n');
  print_ports(p, out);
  tenon_put(out, "flash      about $ bytes: constants $, code about $\n",
            t.constants + t.code, t.constants, t.code);
}

// --- JSON -------------------------------------------------------------------

static void json_alive(const struct tenon_program *p, uint32_t bank,
                       uint32_t time, tenon_buf *out) {
  bool any = false;
  tenon_buf_text(out, "[");
  for (uint32_t i = 0; i < p->n_spans; ++i) {
    if (!lies_in(p, &p->spans[i], bank) || !is_at(&p->spans[i], time)) continue;
    tenon_buf_format(out, "%s%u", any ? ", " : "", i);
    any = true;
  }
  tenon_buf_text(out, "]");
}

static void json_ports(const struct tenon_program *p, tenon_buf *out) {
  tenon_buf_text(out, "  \"caller\": [");
  for (uint32_t i = 0; i < p->n_ports; ++i) {
    const tenon_program_port *port = &p->ports[i];
    tenon_put_json(
        out, "${'entry': $, $: $, 'name': $, 'bytes': $, 'align': $}",
        tenon_as_plain(i ? ", " : ""), port->entry,
        port->is_output ? "output" : "input", port->index,
        tenon_program_port_io(p, port)->name, port->size, port->align);
  }
  tenon_buf_text(out, "],\n");
}

void tenon_plan_memories_json(const struct tenon_program *p, tenon_buf *out) {
  tenon_plan_total t = tenon_plan_totals(p);
  json_ports(p, out);
  tenon_buf_text(out, "  \"memories\": [");
  for (uint32_t i = 0; i < p->n_banks; ++i) {
    const tenon_program_bank *m = &p->banks[i];
    tenon_put_json(out,
                   "$\n    {'name': $, 'capacity': $, 'rom': $, 'cold': $, "
                   "'prefetch': $, 'align': $, 'used': $, 'base': $, "
                   "'buffers': $, 'bound': $, 'state': $, 'constants': $, "
                   "'peak_time': $, 'alive': ",
                   tenon_as_plain(i ? "," : ""), m->name,
                   m->capacity == UINT64_MAX ? tenon_as_plain("null")
                                             : tenon_as_uint(m->capacity),
                   m->is_rom, m->is_cold, m->is_prefetch,
                   m->align ? m->align : 1u, used(p, m), m->base, m->arena,
                   m->arena_bound, m->state, m->constants, m->peak_time);
    json_alive(p, i, m->peak_time, out);
    tenon_buf_char(out, '}');
  }
  tenon_put_json(out,
                 "],\n"
                 "  'ram': {'total': $, 'arena': $, 'state': $, 'instance': $, "
                 "'constants': $},\n"
                 "  'flash': {'about': $, 'constants': $, 'code_about': $},\n",
                 t.arena + t.state + t.instance + t.resident, t.arena, t.state,
                 t.instance, t.resident, t.constants + t.code, t.constants,
                 t.code);
}
