// exec/carried.c - what a loop carries in sizes that change.
//
// How: the body leaves such a value beside the one that it took. Behind a round
// its sizes become those of the loop; where they are others than before, all
// that belongs to the loop is placed anew for them, the value that came in
// among it. So what the body left is set aside meanwhile, in memory of `grow`;
// where sizes are bounded, and where none has changed, places stay and it is
// copied at once. The planner lets the body leave nothing in the memory of what
// it took.
#include <string.h>

#include "base/size.h"
#include "exec/run_sizes.h"

#define MAX_CARRIED_SIZES 64

// One round's.
typedef struct carrying {
  tenon_session *s;
  const tenon_step *step;
  bool is_first;
  int64_t found[MAX_CARRIED_SIZES];  // of the step's numbers
  bool is_found[MAX_CARRIED_SIZES];
  bool has_changed;
} carrying;

// Where value i comes from; null: it stays where it is.
static const tenon_program_tensor *carried_from(const carrying *c, uint32_t i) {
  const struct tenon_program *p = c->s->program;
  uint32_t at = c->step->in + 1 + (c->is_first ? 0 : c->step->n_out) + i;
  return p->operands[at] == TENON_NO_INDEX ? NULL
                                           : &p->tensors[p->operands[at]];
}

static const tenon_program_tensor *carried_to(const carrying *c, uint32_t i) {
  const struct tenon_program *p = c->s->program;
  return &p->tensors[p->operands[c->step->out + i]];
}

static const int32_t *carried_dims(const carrying *c,
                                   const tenon_program_tensor *t) {
  return t->sizes ? c->s->sizes.dims + t->open_dims : t->dims;
}

static tenon_status carried_fail(const carrying *c, uint32_t i, int d,
                                 int64_t found, const char *why) {
  return tenon_fail(&c->s->report, TENON_BAD_INPUT, "run-decided",
                    c->step->place,
                    "a loop carries '%s' with %lld as dimension %d, %s",
                    carried_to(c, i)->name, (long long)found, d, why);
}

// The numbers of the step that dimensions are.
static tenon_status find_sizes(carrying *c, uint32_t i) {
  const struct tenon_program *p = c->s->program;
  const tenon_program_tensor *from = carried_from(c, i), *to = carried_to(c, i);
  if (!from) return TENON_OK;
  TENON_TRY(tenon_sizes_tensor(c->s, from));
  for (int d = 0; to->sizes && d < to->rank; ++d)
    for (uint32_t k = 0; k < c->step->n_decided; ++k) {
      const uint32_t number = p->decided[c->step->decided + k];
      const tenon_known before = c->s->sizes.known[number];
      const int64_t found = carried_dims(c, from)[d];
      if (to->sizes[d].symbol != number) continue;
      if (found < p->numbers[number].min || found > p->numbers[number].max)
        return carried_fail(c, i, d, found, "which is beyond its bound");
      if (c->is_found[k] && c->found[k] != found)
        return carried_fail(c, i, d, found, "and another value with another");
      c->is_found[k] = true;
      c->found[k] = found;
      c->has_changed |= !before.is_exact || before.min != found;
    }
  return TENON_OK;
}

// Dims of what comes are as they were: numbers may say something new of them.
static tenon_status check_sizes_of(const carrying *c, uint32_t i) {
  const tenon_program_tensor *from = carried_from(c, i), *to = carried_to(c, i);
  if (!from) return TENON_OK;
  TENON_TRY(tenon_sizes_tensor(c->s, to));
  for (int d = 0; d < to->rank; ++d)
    if (carried_dims(c, from)[d] != carried_dims(c, to)[d])
      return carried_fail(c, i, d, carried_dims(c, from)[d],
                          "where it has another size");
  return TENON_OK;
}

static void carried_copy(const carrying *c, uint32_t i, const void *from,
                         size_t size) {
  if (size) memmove(tenon_session_data(c->s, carried_to(c, i)), from, size);
}

static tenon_status carry_over(carrying *c) {
  TENON_TRY(c->has_changed ? tenon_sizes_renew(c->s, c->step, c->found)
                           : TENON_OK);
  for (uint32_t i = 0; i < c->step->n_out; ++i)
    TENON_TRY(check_sizes_of(c, i));
  return TENON_OK;
}

// Bytes of all that comes; false: more than there are.
static bool carried_bytes(const carrying *c, size_t *all) {
  *all = 0;
  for (uint32_t i = 0; i < c->step->n_out; ++i) {
    const tenon_program_tensor *from = carried_from(c, i);
    const uint64_t size = from ? tenon_session_size(c->s, from) : 0;
    if (size > SIZE_MAX || !tenon_size_add(*all, (size_t)size, all))
      return false;
  }
  return true;
}

// In turn from where they are, or from `aside`, one behind the other.
static void carried_place(const carrying *c, const char *aside) {
  for (uint32_t i = 0; i < c->step->n_out; ++i) {
    const tenon_program_tensor *from = carried_from(c, i);
    const size_t size = from ? (size_t)tenon_session_size(c->s, from) : 0;
    if (!from) continue;
    carried_copy(c, i, aside ? aside : tenon_session_data(c->s, from), size);
    if (aside) aside += size;
  }
}

static void set_aside(const carrying *c, char *to) {
  for (uint32_t i = 0; i < c->step->n_out; ++i) {
    const tenon_program_tensor *from = carried_from(c, i);
    const size_t size = from ? (size_t)tenon_session_size(c->s, from) : 0;
    if (size) memcpy(to, tenon_session_data(c->s, from), size);
    to += size;
  }
}

static tenon_status carry_aside(carrying *c) {
  tenon_session *s = c->s;
  size_t size = 0;
  if (!s->grow)
    return tenon_fail(&s->report, TENON_NO_SPACE, "run-space", c->step->place,
                      "sizes change in a loop; give the session `grow`, or "
                      "bound them");
  char *aside =
      carried_bytes(c, &size) ? (char *)tenon_grow_take(s, size) : NULL;
  if (!aside) return tenon_fail_memory(&s->report, "carrying what grows");
  set_aside(c, aside);
  tenon_status status = carry_over(c);
  if (status == TENON_OK) carried_place(c, aside);
  tenon_grow_give(s, aside, size);
  return status;
}

tenon_status tenon_carried_take(tenon_session *s, const tenon_step *step,
                                bool is_first) {
  carrying c = {.s = s, .step = step, .is_first = is_first};
  if (step->n_decided > MAX_CARRIED_SIZES)
    return tenon_fail_bug(&s->report, "a loop decides %u sizes",
                          (unsigned)step->n_decided);
  for (uint32_t i = 0; i < step->n_out; ++i)
    TENON_TRY(find_sizes(&c, i));
  // What comes in at first lies in nothing that is placed anew.
  if (c.has_changed && !is_first && !s->program->is_bounded)
    return carry_aside(&c);
  TENON_TRY(carry_over(&c));
  carried_place(&c, NULL);
  return TENON_OK;
}
