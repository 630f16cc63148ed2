// tnp/tnp_strings.c - strings in a program file.
//
// An element of strings is an address, so no step may read one that is no
// string of this very run. How: the memory that strings have belongs to them
// alone, for as long as their entry point runs, and a session empties it before
// a run (tenon_strings_empty). The planner of a program that is to be saved
// gives them such memory (plan/spans.c); who wrote the file may have another
// one.
#include <stdlib.h>
#include <string.h>

#include "tnp/coder.h"

// [low, high) of one memory.
typedef struct stretch {
  uint32_t place, port;
  uint64_t low, high;
  bool is_strings;
} stretch;

typedef struct stretches {
  const struct tenon_program *p;
  stretch *list;
  size_t n;
} stretches;

static void note_stretch(stretches *s, stretch one) {
  if (one.low < one.high) s->list[s->n++] = one;
}

static void note_tensor(stretches *s, uint32_t index) {
  uint64_t low = 0, high = 0;
  if (index == TENON_NO_INDEX) return;
  const tenon_program_tensor *t = &s->p->tensors[index];
  if (t->slot.place == TENON_IN_NOTHING || t->slot.place == TENON_IN_CONSTANT ||
      !tenon_tnp_extent(t, &low, &high))
    return;
  note_stretch(s,
               (stretch){t->slot.place,
                         t->slot.place == TENON_IN_CALLER ? t->slot.index : 0,
                         t->slot.offset - low, t->slot.offset + high,
                         t->dtype == TENON_STR});
}

static int compare_stretches(const void *a, const void *b) {
  const stretch *x = (const stretch *)a, *y = (const stretch *)b;
  if (x->place != y->place) return x->place < y->place ? -1 : 1;
  if (x->port != y->port) return x->port < y->port ? -1 : 1;
  return x->low < y->low ? -1 : x->low > y->low;
}

// Whether no byte is of a string and of something else.
static bool are_apart(stretches *s) {
  uint64_t end[2] = {0, 0};
  qsort(s->list, s->n, sizeof *s->list, compare_stretches);
  for (size_t i = 0; i < s->n; ++i) {
    const stretch *one = &s->list[i];
    if (i == 0 || one->place != one[-1].place || one->port != one[-1].port)
      end[0] = end[1] = 0;
    if (one->low < end[!one->is_strings]) return false;
    if (one->high > end[one->is_strings]) end[one->is_strings] = one->high;
  }
  return true;
}

// Of the blocks that an entry point comes to; inner ones stand before.
static void mark_block(const struct tenon_program *p, uint32_t block,
                       bool *is_run) {
  is_run[block] = true;
  for (uint32_t b = block + 1; b-- > 0;) {
    const tenon_block *k = &p->blocks[b];
    for (uint32_t i = 0; is_run[b] && i < k->count; ++i) {
      const tenon_step *step = &p->steps[p->order[k->first + i]];
      for (int r = 0; step->kind != TENON_STEP_KERNEL && r < 2; ++r)
        is_run[step->blocks[r]] = true;
    }
  }
}

static void note_block(stretches *s, const tenon_block *b) {
  const struct tenon_program *p = s->p;
  for (uint32_t i = 0; i < b->count; ++i) {
    const tenon_step *step = &p->steps[p->order[b->first + i]];
    for (uint32_t k = 0; k < step->n_in; ++k)
      note_tensor(s, p->operands[step->in + k]);
    for (uint32_t k = 0; k < step->n_out; ++k)
      note_tensor(s, p->operands[step->out + k]);
    note_stretch(s, (stretch){TENON_IN_ARENA, 0, step->scratch,
                              step->scratch + step->scratch_size, false});
  }
}

static bool entry_is_apart(stretches *s, const tenon_program_entry *e,
                           bool *is_run) {
  const struct tenon_program *p = s->p;
  s->n = 0;
  memset(is_run, 0, p->n_blocks * sizeof *is_run);
  mark_block(p, e->block, is_run);
  for (uint32_t i = 0; i < p->n_states; ++i)
    note_tensor(s, p->states[i].tensor);
  for (uint32_t i = 0; i < e->n_in; ++i)
    note_tensor(s, e->in[i]);
  for (uint32_t i = 0; i < e->n_out; ++i)
    note_tensor(s, e->out[i]);
  for (uint32_t i = 0; i < e->n_writes; ++i)
    note_tensor(s, e->writes[i].tensor);
  for (uint32_t b = 0; b <= e->block; ++b)
    if (is_run[b]) note_block(s, &p->blocks[b]);
  return are_apart(s);
}

// A state's memory is there between runs of all entry points.
static bool states_are_apart(stretches *s) {
  s->n = 0;
  for (uint32_t i = 0; i < s->p->n_tensors; ++i)
    if (s->p->tensors[i].slot.place == TENON_IN_STATE) note_tensor(s, i);
  return are_apart(s);
}

// --- places that a session chooses -------------------------------------------

// Of each number whether data decide it.
static bool *find_decided(const struct tenon_program *p, tenon_arena *arena) {
  bool *is_decided = tenon_arena_array(arena, bool, (size_t)p->n_numbers + 1);
  for (uint32_t i = 1; is_decided && i < p->n_numbers; ++i) {
    const tenon_program_number *n = &p->numbers[i];
    is_decided[i] = n->op == 0
                        ? n->step != TENON_NO_INDEX
                        : is_decided[n->a.symbol] || is_decided[n->b.symbol];
  }
  return is_decided;
}

static bool spans_are_apart(const struct tenon_program *p, tenon_arena *arena,
                            const bool *is_decided) {
  uint8_t *holds = tenon_arena_array(arena, uint8_t, (size_t)p->n_spans + 1);
  if (!holds) return true;
  for (uint32_t i = 0; i < p->n_tensors; ++i)
    holds[p->tensors[i].span] |= p->tensors[i].dtype == TENON_STR ? 1 : 2;
  for (uint32_t i = 0; i < p->n_spans; ++i) {
    const tenon_span_record *r = &p->spans[i];
    if (!(holds[i + 1] & 1)) continue;
    if (holds[i + 1] != 1 || r->is_scratch || is_decided[r->bytes.symbol])
      return false;
    for (uint32_t k = 0; k < p->n_spans; ++k)
      if (p->spans[k].entry == r->entry &&
          (p->spans[k].first < r->first || p->spans[k].last > r->last))
        return false;
  }
  return true;
}

// --- constants ---------------------------------------------------------------

static bool constants_are_alike(const struct tenon_program *p) {
  for (uint32_t i = 0; i < p->n_tensors; ++i) {
    const tenon_program_tensor *t = &p->tensors[i];
    if (t->slot.place == TENON_IN_CONSTANT && t->size > 0 &&
        (t->dtype == TENON_STR) !=
            (p->constants[t->slot.index].dtype == TENON_STR))
      return false;
  }
  for (uint32_t i = 0; i < p->n_states; ++i) {
    const tenon_program_state *s = &p->states[i];
    if (s->initial != TENON_NO_INDEX &&
        (p->tensors[s->tensor].dtype == TENON_STR) !=
            (p->constants[s->initial].dtype == TENON_STR))
      return false;
  }
  for (uint32_t i = 0; i < p->n_constants; ++i)
    if (p->constants[i].dtype == TENON_STR && p->constants[i].is_packed)
      return false;
  return true;
}

bool tenon_tnp_has_strings(const struct tenon_program *p) {
  for (uint32_t i = 0; i < p->n_tensors; ++i)
    if (p->tensors[i].dtype == TENON_STR) return true;
  for (uint32_t i = 0; i < p->n_constants; ++i)
    if (p->constants[i].dtype == TENON_STR) return true;
  return false;
}

const char *tenon_tnp_strings(const struct tenon_program *p,
                              tenon_arena *arena) {
  if (!tenon_tnp_has_strings(p)) return NULL;
  if (p->n_banks > 0) return "strings in several memories";
  if (!constants_are_alike(p)) return "strings that are none";
  const size_t most = (size_t)p->n_tensors + 2 * (size_t)p->n_operands +
                      (size_t)p->n_order + (size_t)p->n_states;
  size_t n_io = 0;
  for (uint32_t i = 0; i < p->n_entries; ++i)
    n_io += (size_t)p->entries[i].n_in + p->entries[i].n_out +
            p->entries[i].n_writes;
  // A step may stand in several blocks.
  size_t n_used = 0;
  for (uint32_t i = 0; i < p->n_order; ++i)
    n_used +=
        (size_t)p->steps[p->order[i]].n_in + p->steps[p->order[i]].n_out + 1;
  stretches s = {p, tenon_arena_array(arena, stretch, most + n_io + n_used), 0};
  bool *is_run = tenon_arena_array(arena, bool, p->n_blocks + 1u);
  bool *is_decided = find_decided(p, arena);
  if (!s.list || !is_run || !is_decided) return NULL;
  if (p->n_numbers > 0 && !p->is_bounded &&
      !spans_are_apart(p, arena, is_decided))
    return "strings of sizes that data decide, or among other values";
  bool is_right = states_are_apart(&s);
  for (uint32_t i = 0; i < p->n_entries && is_right; ++i)
    is_right = entry_is_apart(&s, &p->entries[i], is_run);
  return is_right ? NULL : "strings in memory that other values have, too";
}
