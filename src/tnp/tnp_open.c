// How: tables first, so that all that follows may trust indices. Then each
// entry's blocks are walked as a run does, with what is known of the numbers:
// an input's sizes at first, what a step decides behind it.
#include <stddef.h>
#include <string.h>

#include "tnp/coder.h"

#define MOST_PATCHES 1024  // of one row of attributes
#define MOST_DEPTH 64      // of blocks within blocks
#define MOST_DECIDED 64    // by one step

// ---------------------------------------------------------------------------
// Tables
// ---------------------------------------------------------------------------

static bool tnp_open_is_size(const struct tenon_program *p, tenon_dim d) {
  return d.symbol < p->n_numbers || d.symbol == 0;
}

// Symbols of a table that says what each of them is.
static bool tnp_open_is_kind(const struct tenon_program *p, tenon_dim d,
                             uint32_t kind) {
  return d.symbol == 0 || p->numbers[d.symbol].kind == kind;
}

static const char *check_number(const struct tenon_program *p, uint32_t i) {
  const tenon_program_number *n = &p->numbers[i];
  const char *error = "a size that is none";
  tenon_dim_op op = (tenon_dim_op)n->op;
  if (!tnp_open_is_size(p, n->most) || !tnp_open_is_kind(p, n->most, 0))
    return error;
  if (i == 0) return n->op == 0 ? NULL : error;
  if (n->op == 0 && (n->a.symbol != 0 || n->b.symbol != 0)) return error;
  if (n->op == 0)
    return n->kind == 0 && n->min > n->max ? "a size without a value" : NULL;
  if (n->op > TENON_DIM_ROUND || n->a.symbol >= i || n->b.symbol >= i)
    return error;
  bool takes_float = tenon_dim_op_is_float(op) && op != TENON_DIM_FLOAT;
  uint32_t kind = takes_float ? (uint32_t)TENON_KIND_FLOAT : 0;
  uint32_t makes = tenon_dim_op_makes_float(op) ? TENON_KIND_FLOAT : 0;
  bool is_unary =
      op == TENON_DIM_FLOAT || op == TENON_DIM_FLOOR || op == TENON_DIM_ROUND;
  return n->kind != makes || !tnp_open_is_kind(p, n->a, kind) ||
                 (is_unary ? n->b.symbol != 0
                           : !tnp_open_is_kind(p, n->b, kind))
             ? error
             : NULL;
}

static const char *check_numbers(const struct tenon_program *p) {
  const char *error = NULL;
  for (uint32_t i = 0; i < p->n_numbers && !error; ++i) {
    uint32_t kind = p->numbers[i].kind;
    error = kind != 0 && kind != TENON_KIND_FLOAT && kind != TENON_KIND_BOOL
                ? "a size that is none"
                : check_number(p, i);
  }
  for (uint32_t i = 0; i < p->n_guards && !error; ++i) {
    const tenon_program_guard *g = &p->guards[i];
    if (!tnp_open_is_size(p, g->a) || !tnp_open_is_size(p, g->b) ||
        !tnp_open_is_kind(p, g->a, 0) || !tnp_open_is_kind(p, g->b, 0) ||
        !tenon_relation_name(g->relation))
      error = "a condition of sizes that are none";
  }
  return error;
}

static const char *check_sizes(const struct tenon_program *p,
                               const tenon_program_tensor *t) {
  if (!t->sizes) return NULL;
  if (t->strides) return "open sizes with strides";
  if (t->slot.place != TENON_IN_ARENA && t->slot.place != TENON_IN_NOTHING)
    return "open sizes outside of the arena";
  for (int d = 0; d < t->rank; ++d)
    if (!tnp_open_is_size(p, t->sizes[d]) ||
        !tnp_open_is_kind(p, t->sizes[d], 0) ||
        (t->sizes[d].symbol == 0 && t->sizes[d].value != t->dims[d]))
      return "a tensor of no possible size";
  return NULL;
}

static const char *tnp_open_check_span(const struct tenon_program *p,
                                       uint32_t i) {
  const tenon_span_record *r = &p->spans[i];
  const char *error = "a buffer that does not hold together";
  if (r->align == 0 || r->align > TENON_ARENA_ALIGN ||
      (r->align & (r->align - 1)) || r->first > r->last ||
      r->entry >= p->n_entries || !tnp_open_is_size(p, r->bytes) ||
      !tnp_open_is_kind(p, r->bytes, 0) || r->offset > p->arena_size ||
      r->size > p->arena_size - r->offset || r->offset % r->align ||
      (!p->is_bounded && r->group))
    return error;
  if (!r->is_scratch) return NULL;
  const tenon_step *s = r->step < p->n_steps ? &p->steps[r->step] : NULL;
  return s && s->kind == TENON_STEP_KERNEL && s->span == i + 1 ? NULL : error;
}

// A session places tensors by the buffers that they are in.
static const char *tnp_open_check_placed(const struct tenon_program *p,
                                         const tenon_program_tensor *t) {
  uint64_t low = 0, high = 0;
  const char *error = "a tensor outside of its buffer";
  if (t->slot.place != TENON_IN_ARENA || t->size == 0) {
    if (t->span > p->n_spans) return error;
    if (t->slot.place != TENON_IN_ARENA || !t->sizes) return NULL;
  }
  if (t->span == 0 || t->span > p->n_spans) return error;
  const tenon_span_record *r = &p->spans[t->span - 1];
  if (r->is_scratch || !tenon_tnp_extent(t, &low, &high) ||
      t->span_offset > r->size || high > r->size - t->span_offset ||
      low > t->span_offset || t->slot.offset != r->offset + t->span_offset)
    return error;
  if ((t->sizes || r->bytes.symbol) && t->span_offset != 0) return error;
  // What is not known to be as large for every size lies in none that varies.
  return !p->is_bounded && (t->sizes != NULL) != (r->bytes.symbol != 0) ? error
                                                                        : NULL;
}

static const char *check_tables(const struct tenon_program *p) {
  const char *error = check_numbers(p);
  for (uint32_t i = 0; i < p->n_spans && !error; ++i)
    error = tnp_open_check_span(p, i);
  for (uint32_t i = 0; i < p->n_tensors && !error; ++i) {
    error = check_sizes(p, &p->tensors[i]);
    if (!error) error = tnp_open_check_placed(p, &p->tensors[i]);
  }
  return error;
}

// ---------------------------------------------------------------------------
// Attributes
// ---------------------------------------------------------------------------

static bool tnp_open_is_number(uint32_t kind) {
  switch (kind) {
    case TENON_KIND_BOOL:
    case TENON_KIND_INT:
    case TENON_KIND_FLOAT:
    case TENON_KIND_INTS:
    case TENON_KIND_SCALAR:
    case TENON_KIND_SCALARS:
    case TENON_KIND_OPT_BOOL:
    case TENON_KIND_OPT_INT:
    case TENON_KIND_OPT_FLOAT:
      return true;
    default:
      return false;
  }
}

// The place of a number in what kernels see.
static bool tnp_open_find_patch(const tenon_program_attrs *a,
                                const tenon_tnp_patch *from,
                                tenon_program_patch *to) {
  size_t at = 0;
  while (a->args[at].name && strcmp(a->args[at].name, from->name) != 0)
    ++at;
  const tenon_arg *arg = &a->args[at];
  if (!arg->name || !tnp_open_is_number(arg->kind)) return false;
  to->kind = arg->kind;
  to->offset = (uint32_t)(at * sizeof(tenon_arg) + offsetof(tenon_arg, as));
  for (const tenon_field *f = a->fields; f && f->name; ++f)
    if (strcmp(f->name, from->name) == 0) {
      to->kind = f->kind;
      to->offset = f->offset;
    }
  size_t count = arg->kind == TENON_KIND_INTS      ? arg->as.ints.count
                 : arg->kind == TENON_KIND_SCALARS ? arg->as.scalars.count
                                                   : 1;
  to->element = from->element;
  to->value = from->value;
  to->is_list = to->kind == TENON_KIND_INTS || to->kind == TENON_KIND_SCALARS;
  return tnp_open_is_number(to->kind) && from->element < count;
}

const char *tenon_tnp_patches(struct tenon_program *p,
                              const tenon_tnp_patch *patches) {
  const char *error = "a number of no attribute";
  tenon_program_patch *list = tenon_arena_array(&p->arena, tenon_program_patch,
                                                (size_t)p->n_patches + 1);
  if (!list) return NULL;
  for (uint32_t i = 0; i < p->n_patches; ++i) {
    if (patches[i].attrs >= p->n_attrs ||
        !tnp_open_is_size(p, patches[i].value))
      return error;
    tenon_program_attrs *a =
        (tenon_program_attrs *)(uintptr_t)&p->attrs[patches[i].attrs];
    if (a->n_patches == 0) a->patch = i;
    // Those of a row lie side by side.
    if (a->patch + a->n_patches != i || a->n_patches == MOST_PATCHES ||
        !tnp_open_find_patch(a, &patches[i], &list[i]))
      return error;
    ++a->n_patches;
  }
  p->patches = list;
  return NULL;
}

// ---------------------------------------------------------------------------
// What follows from them
// ---------------------------------------------------------------------------

static bool tnp_open_is_open(const struct tenon_program *p,
                             const tenon_step *s) {
  bool open = s->n_decided > 0 ||
              (s->attrs != TENON_NO_INDEX && p->attrs[s->attrs].n_patches > 0);
  for (uint32_t i = 0; i < (uint32_t)s->n_in + s->n_out && !open; ++i) {
    const tenon_program_tensor *t =
        tenon_tnp_operand(p, i < s->n_in ? s->in + i : s->out + (i - s->n_in));
    open = t && t->sizes;
  }
  return open;
}

static const char *mark_decided(const struct tenon_program *p, uint32_t index) {
  const tenon_step *s = &p->steps[index];
  if (s->n_decided == 0) return NULL;
  if (s->kind != TENON_STEP_KERNEL || s->n_decided > MOST_DECIDED ||
      s->decided > p->n_decided || s->n_decided > p->n_decided - s->decided)
    return "sizes that nothing decides";
  for (uint32_t i = 0; i < s->n_decided; ++i) {
    uint32_t number = p->decided[s->decided + i];
    if (number == 0 || number >= p->n_numbers || p->numbers[number].op != 0 ||
        p->numbers[number].step != TENON_NO_INDEX)
      return "a size that two steps decide";
    ((tenon_program_number *)(uintptr_t)&p->numbers[number])->step = index;
  }
  return NULL;
}

// Whether a run has room for all that the step's kernel measures.
static bool can_measure(const struct tenon_program *p, const tenon_step *s) {
  uint32_t dims = 0;
  if (!(p->kernels[s->kernel].desc->flags & TENON_KERNEL_MEASURES_ALL))
    return true;
  for (uint32_t i = 0; i < s->n_out; ++i) {
    const tenon_program_tensor *t = tenon_tnp_operand(p, s->out + i);
    dims += t ? t->rank : 0;
  }
  return dims <= MOST_DECIDED;
}

static const char *mark_steps(struct tenon_program *p, uint32_t *step) {
  for (uint32_t i = 0; i < p->n_numbers; ++i)
    ((tenon_program_number *)(uintptr_t)&p->numbers[i])->step = TENON_NO_INDEX;
  for (*step = 0; *step < p->n_steps; ++*step) {
    tenon_step *s = (tenon_step *)(uintptr_t)&p->steps[*step];
    uint32_t operands = (uint32_t)s->n_in + s->n_out;
    const char *error = mark_decided(p, *step);
    if (error) return error;
    if (s->kind != TENON_STEP_KERNEL) continue;
    s->is_open = tnp_open_is_open(p, s);
    s->is_measured = s->n_decided > 0 && p->kernels[s->kernel].desc->measure;
    if (s->is_measured && !can_measure(p, s))
      return "too many sizes of one step";
    if (s->is_open && operands > p->most_operands) p->most_operands = operands;
    if (s->scratch_size && (s->span == 0 || s->span > p->n_spans))
      return "scratch without a buffer";
    if (s->span == 0) continue;
    const tenon_span_record *r =
        s->span > p->n_spans ? NULL : &p->spans[s->span - 1];
    if (!r || !r->is_scratch || r->step != *step || r->offset != s->scratch ||
        r->size < s->scratch_size || !p->kernels[s->kernel].desc->scratch)
      return "scratch outside of its buffer";
  }
  *step = TENON_NO_INDEX;
  return NULL;
}

static bool mark_tensors(struct tenon_program *p) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < p->n_tensors; ++i) {
    tenon_program_tensor *t = (tenon_program_tensor *)(uintptr_t)&p->tensors[i];
    if (!t->sizes) continue;
    t->open_dims = (uint32_t)n;
    n += t->rank;
  }
  p->n_open_dims = (uint32_t)n;
  return n <= UINT32_MAX / 8;
}

static const char *tnp_open_bind(struct tenon_program *p) {
  uint64_t n = 0;
  for (uint32_t e = 0; e < p->n_entries; ++e)
    for (uint32_t i = 0; i < p->entries[e].n_in; ++i)
      if (p->tensors[p->entries[e].in[i]].sizes)
        n += p->tensors[p->entries[e].in[i]].rank;
  if (n > UINT32_MAX / 8) return "too many sizes";
  tenon_program_binding *list =
      tenon_arena_array(&p->arena, tenon_program_binding, (size_t)n + 1);
  if (!list) return NULL;
  for (uint32_t e = 0; e < p->n_entries; ++e)
    for (uint32_t i = 0; i < p->entries[e].n_in; ++i) {
      const tenon_program_tensor *t = &p->tensors[p->entries[e].in[i]];
      for (uint32_t d = 0; t->sizes && d < t->rank; ++d)
        if (t->sizes[d].symbol)
          list[p->n_bindings++] = (tenon_program_binding){e, i, d, t->sizes[d]};
    }
  p->bindings = list;
  return NULL;
}

// ---------------------------------------------------------------------------
// A run
// ---------------------------------------------------------------------------

typedef struct walk {
  const struct tenon_program *p;
  const tenon_known *most;  // what numbers may be
  bool *is_known;           // here; n_numbers of them for each depth
  uint32_t *entry_of;       // of steps, plus 1
  uint32_t entry, time, at;
  int depth;
} walk;

static bool tnp_open_has_sizes(const walk *w, const tenon_program_tensor *t) {
  for (int d = 0; t && t->sizes && d < t->rank; ++d)
    if (t->sizes[d].symbol && !w->is_known[t->sizes[d].symbol]) return false;
  return true;
}

// Where a plan holds room for whatever the sizes are, it does.
static bool tnp_open_has_room(const walk *w, const tenon_program_tensor *t) {
  if (!t || !t->sizes || !w->p->is_bounded) return true;
  for (int d = 0; d < t->rank; ++d)
    if (tenon_known_of(w->most, t->sizes[d]).max > t->dims[d]) return false;
  return true;
}

// The packer keeps apart what is there at one time.
static bool tnp_open_is_there(const walk *w, const tenon_program_tensor *t,
                              const tenon_step *s) {
  if (!t || t->slot.place != TENON_IN_ARENA || t->span == 0) return true;
  const tenon_span_record *r = &w->p->spans[t->span - 1];
  // Values go through conditions and loops where they are.
  bool is_now = r->first <= s->time && s->time <= r->last;
  return r->entry == w->entry && (is_now || s->kind != TENON_STEP_KERNEL);
}

static const char *check_operand(const walk *w, const tenon_step *s,
                                 const tenon_program_tensor *t) {
  if (!tnp_open_has_sizes(w, t)) return "a size that nothing has decided yet";
  if (!tnp_open_has_room(w, t)) return "a tensor larger than its place";
  return tnp_open_is_there(w, t, s) ? NULL
                                    : "a buffer that is not there at the time";
}

static const char *check_reads(const walk *w, const tenon_step *s) {
  const struct tenon_program *p = w->p;
  const char *error = NULL;
  for (uint32_t i = 0; i < s->n_in && !error; ++i)
    error = check_operand(w, s, tenon_tnp_operand(p, s->in + i));
  const tenon_program_attrs *a =
      s->attrs == TENON_NO_INDEX ? NULL : &p->attrs[s->attrs];
  for (uint32_t i = 0; a && i < a->n_patches && !error; ++i) {
    uint32_t number = p->patches[a->patch + i].value.symbol;
    if (number && !w->is_known[number])
      error = "an attribute that nothing has decided yet";
  }
  if (s->kind != TENON_STEP_KERNEL || s->span == 0 || error) return error;
  const tenon_span_record *r = &p->spans[s->span - 1];
  return r->entry != w->entry || r->first > s->time || s->time > r->last
             ? "scratch that is not there at the time"
             : NULL;
}

static const char *tnp_open_check_kernel(walk *w, const tenon_step *s) {
  const struct tenon_program *p = w->p;
  const char *error = check_reads(w, s);
  for (uint32_t i = 0; i < s->n_decided; ++i)
    w->is_known[p->decided[s->decided + i]] = true;
  if (s->n_decided) tenon_numbers_follow(p->numbers, p->n_numbers, w->is_known);
  for (uint32_t i = 0; i < s->n_out && !error; ++i)
    error = check_operand(w, s, tenon_tnp_operand(p, s->out + i));
  return error;
}

static const char *walk_block(walk *w, uint32_t block);

static const char *walk_inner(walk *w, const tenon_step *s) {
  const char *error = check_reads(w, s);
  uint32_t n = w->p->n_numbers;
  if (w->depth == MOST_DEPTH) return "blocks that are too deep";
  ++w->depth;
  for (int i = 0; i < 2 && !error; ++i) {
    memcpy(w->is_known + n, w->is_known, n * sizeof *w->is_known);
    w->is_known += n;
    error = walk_block(w, s->blocks[i]);
    w->is_known -= n;
  }
  --w->depth;
  for (uint32_t i = 0; i < s->n_out && !error; ++i)
    error = check_operand(w, s, tenon_tnp_operand(w->p, s->out + i));
  return error;
}

// Blocks that several steps have would make this take for ever: a step is in
// one of them.
static const char *walk_block(walk *w, uint32_t block) {
  const struct tenon_program *p = w->p;
  const tenon_block *b = &p->blocks[block];
  for (uint32_t i = 0; i < b->count; ++i) {
    uint32_t index = p->order[b->first + i];
    const tenon_step *s = &p->steps[index];
    w->at = index;
    if (w->entry_of[index]) return "a step of two blocks";
    w->entry_of[index] = w->entry + 1;
    if (s->time <= w->time) return "steps that are not in the order of time";
    w->time = s->time;
    const char *error = s->kind == TENON_STEP_KERNEL
                            ? tnp_open_check_kernel(w, s)
                            : walk_inner(w, s);
    if (error) return error;
  }
  return NULL;
}

// The time from which a size is known; 0: from the start.
static uint32_t known_from(const uint32_t *from, tenon_dim d) {
  return d.symbol ? from[d.symbol] : 0;
}

// A result has room for whatever its step decides; check.c sees to that.
static bool is_result(const struct tenon_program *p, const tenon_step *s,
                      uint32_t span) {
  for (uint32_t i = 0; i < s->n_out; ++i) {
    const tenon_program_tensor *t = tenon_tnp_operand(p, s->out + i);
    if (t && t->span == span + 1) return true;
  }
  return false;
}

// Buffers whose sizes data decide are placed when these are known, but for
// results of the step itself: no other begins before that.
static const char *tnp_open_check_decided(const struct tenon_program *p,
                                          uint32_t *from) {
  for (uint32_t i = 1; i < p->n_numbers; ++i) {
    const tenon_program_number *n = &p->numbers[i];
    const tenon_step *s = n->step == TENON_NO_INDEX ? NULL : &p->steps[n->step];
    uint32_t a = known_from(from, n->a), b = known_from(from, n->b);
    from[i] = n->op ? (a > b ? a : b)
              : s   ? s->time + (s->is_measured ? 0 : 1)
                    : 0;
  }
  for (uint32_t i = 0; i < p->n_spans; ++i) {
    const tenon_span_record *r = &p->spans[i];
    uint32_t since = known_from(from, r->bytes);
    bool is_own = false;
    if (p->is_bounded || r->first >= since) continue;
    for (uint32_t k = 1; k < p->n_numbers && !is_own; ++k) {
      uint32_t step = p->numbers[k].step;
      is_own = step != TENON_NO_INDEX && p->steps[step].time == r->first &&
               r->first + 1 == since && is_result(p, &p->steps[step], i);
    }
    if (!is_own) return "a buffer in front of the step that decides its size";
  }
  return NULL;
}

static const char *check_ends(const walk *w, const uint32_t *tensors,
                              uint32_t n, bool is_out) {
  for (uint32_t i = 0; i < n; ++i) {
    const tenon_program_tensor *t = &w->p->tensors[tensors[i]];
    if (!tnp_open_has_sizes(w, t))
      return "an output whose size nothing decides";
    if (is_out && t->sizes && t->slot.place == TENON_IN_NOTHING)
      return "an output without its place";
    if (!tnp_open_has_room(w, t)) return "a tensor larger than its place";
    if (t->slot.place == TENON_IN_ARENA && t->span &&
        w->p->spans[t->span - 1].entry != w->entry)
      return "an output of another entry point";
  }
  return NULL;
}

static bool tnp_open_same_sizes(const tenon_program_tensor *a,
                                const tenon_program_tensor *b) {
  if (a->rank != b->rank || a->dtype != b->dtype) return false;
  if (!a->sizes || !b->sizes) return !a->sizes && !b->sizes;
  for (int d = 0; d < a->rank; ++d)
    if (!tenon_dim_equals(a->sizes[d], b->sizes[d])) return false;
  return true;
}

static const char *walk_entry(walk *w) {
  const struct tenon_program *p = w->p;
  const tenon_program_entry *e = &p->entries[w->entry];
  memset(w->is_known, 0, p->n_numbers * sizeof *w->is_known);
  w->time = 0;
  // As a session binds them: solving one may make another solvable.
  for (uint32_t round = 0; round <= p->n_bindings && round < 8; ++round) {
    for (uint32_t i = 0; i < p->n_bindings; ++i)
      if (p->bindings[i].entry == w->entry)
        tenon_numbers_solvable(p->numbers, w->is_known, p->bindings[i].size);
    tenon_numbers_follow(p->numbers, p->n_numbers, w->is_known);
  }
  for (uint32_t i = 1; i < p->n_numbers; ++i)
    if (w->is_known[i] && p->numbers[i].step != TENON_NO_INDEX)
      return "an input of a size that a step decides";
  const char *error = check_ends(w, e->in, e->n_in, false);
  if (!error) error = walk_block(w, e->block);
  if (error) return error;
  w->at = TENON_NO_INDEX;
  error = check_ends(w, e->out, e->n_out, true);
  for (uint32_t i = 0; i < e->n_writes && !error; ++i)
    if (!tnp_open_same_sizes(&p->tensors[e->writes[i].tensor],
                             &p->tensors[e->in[e->writes[i].input]]) ||
        check_ends(w, &e->writes[i].tensor, 1, true))
      error = "an input that is written with another size";
  return error;
}

static const char *walk_all(struct tenon_program *p, uint32_t *step) {
  tenon_arena_mark mark = tenon_arena_save(&p->arena);
  tenon_known *most = tenon_arena_array(&p->arena, tenon_known, p->n_numbers);
  uint32_t *from = tenon_arena_array(&p->arena, uint32_t, p->n_numbers);
  walk w = {.p = p, .most = most, .at = TENON_NO_INDEX};
  w.is_known = tenon_arena_array(&p->arena, bool,
                                 (size_t)p->n_numbers *(MOST_DEPTH + 2));
  w.entry_of = tenon_arena_array(&p->arena, uint32_t, p->n_steps);
  if (!most || !from || !w.is_known || !w.entry_of) return NULL;
  tenon_numbers_clear(p, most);
  const char *error = tenon_numbers_evaluate(p, most)
                          ? "a size that no number is"
                          : tnp_open_check_decided(p, from);
  for (w.entry = 0; w.entry < p->n_entries && !error; ++w.entry)
    error = walk_entry(&w);
  if (error) *step = w.at;
  tenon_arena_restore(&p->arena, mark);
  return error;
}

const char *tenon_tnp_open(struct tenon_program *p, uint32_t *step) {
  if (p->n_numbers == 0) {
    bool is_said = p->n_guards || p->n_decided || p->n_patches;
    for (uint32_t i = 0; i < p->n_tensors; ++i)
      is_said |= p->tensors[i].sizes != NULL;
    for (uint32_t i = 0; i < p->n_steps; ++i)
      is_said |= p->steps[i].n_decided != 0;
    return is_said ? "sizes without numbers" : NULL;
  }
  if (p->n_banks && !p->is_bounded) return "several memories and open sizes";
  const char *error = check_tables(p);
  if (!error && !mark_tensors(p)) error = "too many sizes";
  if (!error) error = mark_steps(p, step);
  if (!error) error = tnp_open_bind(p);
  return error || p->arena.failed ? error : walk_all(p, step);
}
