// How: layers that are computed a few rows at a time (--stripe) are the same
// steps over and over, on other pieces of memory. Where calls of the same
// functions (invoke.c) with the same constants repeat, they become a loop: what
// grows by the same number each time is computed, other places are columns of a
// table, each once.
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "emit/idents.h"
#include "emit/step/invoke.h"

enum {
  PERIOD_MOST = 64,
  TIMES_LEAST = 3,
  STEPS_LEAST = 6  // in all
};

typedef struct tenon_emit_loop {
  uint32_t first, period, times;  // steps, which are numbered in their order
  const char *name;               // "kws_loop0"
} tenon_emit_loop;

// --- what repeats -----------------------------------------------------------

// Whether the step is no more than such a call.
static bool repeats_is_alone(const tenon_emission *e, uint32_t step) {
  const tenon_step *s = &e->p->steps[step];
  const tenon_shared_call *call = e->shared[step];
  return call && call->count > 1 && !tenon_emit_step_fails(e, s) &&
         !(e->p->kernels[s->kernel].desc->flags & TENON_KERNEL_ZERO_OUT);
}

// A number for all steps that differ in places alone, from 1 on. False: memory
// ran out.
static bool repeats_number_of(tenon_emission *e, tenon_map *map, uint32_t step,
                              uint64_t *out) {
  const tenon_shared_call *call;
  tenon_buf key;
  *out = 0;
  if (!tenon_emit_open_call(e, step, &call)) return false;
  if (!call) return true;
  const tenon_step *s = &e->p->steps[step];
  const tenon_call_value *values = tenon_emit_call_values(e, s, call->n);
  if (!values) return false;
  tenon_buf_init(&key, e->allocator);
  tenon_buf_format(&key, "%s %s", call->name, s->op);
  for (uint32_t i = 0; i < call->n; ++i)
    if (call->varies[i])
      tenon_buf_format(&key, " %s",
                       values[i].is_place ? values[i].start : values[i].text);
  const char *text =
      key.failed ? NULL : tenon_arena_text(&e->arena, key.data, key.size);
  tenon_buf_deinit(&key);
  uint64_t *at =
      text ? tenon_map_put_text(map, text, map->count + 1, NULL) : NULL;
  if (at) *out = *at;
  return at != NULL;
}

// How often the `period` numbers from `begin` on stand there, without a gap.
static uint32_t repeats_count_times(const uint64_t *keys, uint32_t begin,
                                    uint32_t end, uint32_t period) {
  uint32_t same = 0;
  if (begin + period > end) return 0;
  for (uint32_t i = 0; i < period; ++i)
    if (!keys[begin + i]) return 0;
  while (begin + same + period < end &&
         keys[begin + same] == keys[begin + same + period])
    ++same;
  return same / period + 1;
}

// The loop from `begin` on that saves most; `times` is 0 where there is none.
static tenon_emit_loop repeats_find(const uint64_t *keys, uint32_t begin,
                                    uint32_t end) {
  tenon_emit_loop best = {begin, 0, 0, NULL};
  uint32_t saved = 0;
  for (uint32_t period = 1; period <= PERIOD_MOST; ++period) {
    uint32_t times = repeats_count_times(keys, begin, end, period);
    if (times < TIMES_LEAST || times * period < STEPS_LEAST ||
        (times - 1) * period <= saved)
      continue;
    saved = (times - 1) * period;
    best.period = period;
    best.times = times;
  }
  return best;
}

// Of steps begin .. end, whose numbers are those of their order.
static bool find_loops(tenon_emission *e, const uint64_t *keys, uint32_t begin,
                       uint32_t end, bool marks, bool *any) {
  while (begin < end) {
    tenon_emit_loop loop = repeats_find(keys, begin, end);
    if (loop.times == 0) {
      ++begin;
      continue;
    }
    *any = true;
    tenon_emit_loop *kept =
        marks ? tenon_arena_new(&e->arena, tenon_emit_loop) : NULL;
    if (marks && !kept) return false;
    if (kept) {
      char name[24];
      (void)snprintf(name, sizeof name, "_loop%u", (unsigned)e->n_loops++);
      const char *const names[] = {e->prefix, name, NULL};
      loop.name = tenon_ident_join(&e->arena, names);
      if (!loop.name) return false;
      *kept = loop;
    }
    uint32_t n = loop.period * loop.times;
    for (uint32_t i = 0; marks && i < n; ++i)
      e->loops[begin + i] = kept;
    begin += n;
  }
  return true;
}

static bool in_order(const struct tenon_program *p, const tenon_block *b) {
  for (uint32_t i = 1; i < b->count; ++i)
    if (p->order[b->first + i] != p->order[b->first] + i) return false;
  return b->count > 0;
}

// Forms are looked at first, which takes nothing; then what is in them.
static bool repeats_look_at(tenon_emission *e, const tenon_block *b,
                            uint64_t *keys, tenon_map *map) {
  const struct tenon_program *p = e->p;
  bool any = false, ok = true;
  if (!in_order(p, b)) return true;
  uint32_t begin = p->order[b->first], end = begin + b->count;
  for (uint32_t i = begin; i < end; ++i)
    keys[i] = repeats_is_alone(e, i) ? (uint64_t)(uintptr_t)e->shared[i] : 0;
  if (!find_loops(e, keys, begin, end, false, &any)) return false;
  if (!any) return true;
  for (uint32_t i = begin; ok && i < end; ++i)
    if (keys[i]) ok = repeats_number_of(e, map, i, &keys[i]);
  return ok && find_loops(e, keys, begin, end, true, &any);
}

tenon_status tenon_emit_find_loops(tenon_emission *e) {
  const struct tenon_program *p = e->p;
  tenon_map map;
  bool ok = true;
  e->loops = tenon_arena_array(&e->arena, const tenon_emit_loop *,
                               (size_t)p->n_steps + 1);
  uint64_t *keys =
      tenon_arena_array(&e->arena, uint64_t, (size_t)p->n_steps + 1);
  if (!e->loops || !keys) return tenon_emission_memory(e);
  for (uint32_t i = 0; i < p->n_steps; ++i)
    if (p->steps[i].is_ahead || tenon_program_cold(p, &p->steps[i]))
      return TENON_OK;
  tenon_map_init(&map, e->allocator);
  for (uint32_t i = 0; ok && i < p->n_blocks; ++i)
    ok = repeats_look_at(e, &p->blocks[i], keys, &map);
  tenon_map_deinit(&map);
  return ok ? TENON_OK : tenon_emission_memory(e);
}

// --- the function -----------------------------------------------------------

// The places of one argument, by repetition.
typedef struct column {
  uint64_t *at;
  bool is_even;    // each the same number behind the last
  uint32_t index;  // in the table, where it is not
} column;

typedef struct printer {
  tenon_emission *e;
  const tenon_emit_loop *loop;
  const tenon_call_value **values;  // of the steps
  column *columns;                  // those of the table
  uint32_t n_columns;
} printer;

static bool is_equal(const column *a, const column *b, uint32_t n) {
  return memcmp(a->at, b->at, n * sizeof *a->at) == 0;
}

// Argument `i` of step `k` of the first repetition; `at` is null where memory
// ran out.
static column column_of(printer *p, uint32_t k, uint32_t i) {
  const tenon_emit_loop *l = p->loop;
  column c = {tenon_arena_array(&p->e->arena, uint64_t, l->times), true, 0};
  for (uint32_t t = 0; c.at && t < l->times; ++t) {
    c.at[t] = p->values[t * l->period + k][i].offset;
    c.is_even &= t < 2 || c.at[t] - c.at[t - 1] == c.at[1] - c.at[0];
  }
  if (!c.at || c.is_even) return c;
  while (c.index < p->n_columns &&
         !is_equal(&p->columns[c.index], &c, l->times))
    ++c.index;
  if (c.index == p->n_columns) p->columns[p->n_columns++] = c;
  return c;
}

static void repeats_put_place(tenon_buf *out, const tenon_call_value *v,
                              const column *c) {
  const uint64_t *at = c->at;
  tenon_buf_text(out, v->start);
  if (!c->is_even) {
    tenon_buf_format(out, " + at[%u]", (unsigned)c->index);
    return;
  }
  if (at[0] || at[1])
    tenon_buf_format(out, " + %llu", (unsigned long long)at[0]);
  if (at[1] > at[0])
    tenon_buf_format(out, " + i * %llu", (unsigned long long)(at[1] - at[0]));
  else if (at[1] < at[0])
    tenon_buf_format(out, " - i * %llu", (unsigned long long)(at[0] - at[1]));
}

static bool repeats_put_step(printer *p, tenon_buf *out, uint32_t k) {
  tenon_emission *e = p->e;
  const uint32_t index = p->loop->first + k;
  const tenon_shared_call *call;
  if (!tenon_emit_open_call(e, index, &call) || !call) return false;
  tenon_emit_put(e, out, "    ^_BEFORE(m, $ + $ * i);\n", p->loop->first + k,
                 p->loop->period);
  size_t before = out->size;
  tenon_buf_text(out, "    // ");
  size_t start = out->size;
  tenon_emit_place(e, out, e->p->steps[index].place, "\n    // from ");
  if (out->size == start && !out->failed)
    out->size = before;  // nothing known
  else
    tenon_buf_char(out, '\n');
  tenon_buf_format(out, "    %s(m", call->name);
  for (uint32_t i = 0; i < call->n; ++i) {
    const tenon_call_value *v = &p->values[k][i];
    if (!call->varies[i]) continue;
    tenon_buf_text(out, ", ");
    if (!v->is_place) {
      tenon_buf_text(out, v->text);
      continue;
    }
    column c = column_of(p, k, i);
    if (!c.at) return false;
    repeats_put_place(out, v, &c);
  }
  tenon_emit_put(e, out, ");\n    ^_BEHIND(m, $ + $ * i, $);\n",
                 p->loop->first + k, p->loop->period,
                 tenon_as_c_string(e->p->steps[index].op));
  return true;
}

// The type of an entry.
static const char *repeats_put_table(const printer *p, tenon_buf *out) {
  const tenon_emit_loop *l = p->loop;
  uint64_t most = 0;
  for (uint32_t k = 0; k < p->n_columns; ++k)
    for (uint32_t t = 0; t < l->times; ++t)
      if (p->columns[k].at[t] > most) most = p->columns[k].at[t];
  const char *type = most <= UINT16_MAX ? "uint16_t" : "uint32_t";
  if (p->n_columns == 0) return type;
  tenon_buf_format(out, "static const %s %s_at[%u][%u] = {\n", type, l->name,
                   (unsigned)l->times, (unsigned)p->n_columns);
  for (uint32_t t = 0; t < l->times; ++t) {
    tenon_buf_text(out, "    {");
    for (uint32_t k = 0; k < p->n_columns; ++k)
      tenon_buf_format(out, "%s%llu",
                       k == 0   ? ""
                       : k % 10 ? ", "
                                : ",\n     ",
                       (unsigned long long)p->columns[k].at[t]);
    tenon_buf_text(out, t + 1 < l->times ? "},\n" : "}};\n\n");
  }
  return type;
}

static bool put_loop(printer *p) {
  tenon_emission *e = p->e;
  const tenon_emit_loop *l = p->loop;
  tenon_buf body, *out = &e->steps_text;
  bool ok = true;
  tenon_buf_init(&body, e->allocator);
  for (uint32_t k = 0; ok && k < l->period; ++k)
    ok = repeats_put_step(p, &body, k);
  const char *type = repeats_put_table(p, out);
  tenon_put(out,
            "// Steps $ to $: $, $ times.\n"
            "TENON_STEP void $($ *m) {\n"
            "  int32_t i;\n"
            "  for (i = 0; i < $; ++i) {\n",
            l->first, l->first + l->period * l->times - 1, l->period, l->times,
            l->name, e->prefix, l->times);
  if (p->n_columns)
    tenon_buf_format(out, "    const %s *at = %s_at[i];\n", type, l->name);
  if (body.failed || !ok) out->failed = true;
  if (body.data) tenon_buf_add(out, body.data, body.size);
  tenon_buf_text(out, "  }\n}\n\n");
  tenon_buf_deinit(&body);
  return ok;
}

bool tenon_emit_is_looped(const tenon_emission *e, uint32_t step) {
  return e->loops[step] != NULL;
}

const char *tenon_emit_loop_name(const tenon_emission *e, uint32_t step) {
  const tenon_emit_loop *l = e->loops[step];
  return l && l->first == step ? l->name : NULL;
}

tenon_status tenon_emit_put_loop(tenon_emission *e, uint32_t step) {
  const tenon_emit_loop *l = e->loops[step];
  if (l->first != step) return TENON_OK;
  uint32_t n = l->period * l->times, most = 0;
  printer p = {.e = e, .loop = l};
  p.values = tenon_arena_array(&e->arena, const tenon_call_value *, n);
  for (uint32_t i = 0; p.values && i < n; ++i) {
    const tenon_shared_call *call;
    if (!tenon_emit_open_call(e, step + i, &call) || !call)
      return tenon_emission_memory(e);
    p.values[i] = tenon_emit_call_values(e, &e->p->steps[step + i], call->n);
    if (!p.values[i]) return tenon_emission_memory(e);
    if (i < l->period) most += call->n;
  }
  p.columns = tenon_arena_array(&e->arena, column, (size_t)most + 1);
  return p.values && p.columns && put_loop(&p) ? TENON_OK
                                               : tenon_emission_memory(e);
}
