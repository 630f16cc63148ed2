// How: leaves are bound in rounds, since one input's size may make another's
// solvable. Then ranges and guards are looked at, before anything has moved.
// Where the program was planned for upper bounds, that is all; where it was
// not, spans are placed anew when any number exceeds or undercuts what they
// were placed for (exec/grow.c).
#include "exec/run_sizes.h"

#include <string.h>

#include "base/size.h"

#define MAX_DECIDED 64
#define AT(base, at, T) ((T *)(void *)((base) + (at)))

// --- memory -----------------------------------------------------------------

size_t tenon_sizes_lay_out(const tenon_program *p, size_t at,
                           unsigned char *base, tenon_session *s) {
  if (p->n_numbers == 0) return at;
  const size_t sizes[] = {
      p->n_numbers * sizeof(tenon_known),      p->n_numbers * sizeof(int64_t),
      p->n_open_dims * sizeof(int32_t),        p->n_attrs * sizeof(void *),
      p->n_spans * sizeof(tenon_span),         tenon_pack_work(p->n_spans),
      p->most_operands * sizeof(tenon_tensor), MAX_DECIDED * sizeof(int64_t)};
  size_t offsets[8];
  for (int i = 0; i < 8; ++i) {
    offsets[i] = at;
    at += tenon_size_up(sizes[i], 16);
  }
  if (s) {
    s->sizes.known = AT(base, offsets[0], tenon_known);
    s->sizes.packed_for = AT(base, offsets[1], int64_t);
    s->sizes.dims = AT(base, offsets[2], int32_t);
    s->sizes.attrs = AT(base, offsets[3], void *);
    s->sizes.spans = AT(base, offsets[4], tenon_span);
    s->sizes.work = base + offsets[5];
    s->sizes.blank = AT(base, offsets[6], tenon_tensor);
    s->sizes.found = AT(base, offsets[7], int64_t);
  }
  for (uint32_t i = 0; i < p->n_attrs; ++i) {
    const tenon_program_attrs *a = &p->attrs[i];
    if (s) s->sizes.attrs[i] = a->n_patches ? base + at : NULL;
    if (a->n_patches) at += tenon_attrs_room(p, a);
  }
  return at;
}

void tenon_sizes_init(tenon_session *s) {
  const tenon_program *p = s->program;
  if (p->n_numbers == 0) return;
  tenon_numbers_clear(p, s->sizes.known);
  memset(s->sizes.dims, 0, p->n_open_dims * sizeof *s->sizes.dims);
  for (uint32_t i = 0; i < p->n_spans; ++i) {
    const tenon_span_record *r = &p->spans[i];
    s->sizes.spans[i] = (tenon_span){.size = r->size,
                                     .align = r->align,
                                     .first = r->first,
                                     .last = r->last,
                                     .offset = r->offset};
  }
  for (uint32_t i = 0; i < p->n_attrs; ++i) {
    if (s->sizes.attrs[i]) tenon_attrs_copy(p, &p->attrs[i], s->sizes.attrs[i]);
  }
}

// --- failures ---------------------------------------------------------------

static const char *input_name(const tenon_session *s,
                              const tenon_program_binding *b) {
  return s->program->entries[b->entry].inputs[b->input].name;
}

// "; stated by net.pt2" behind a message, where that is known.
static const char *sizes_before(const char *said_by) {
  return said_by ? "; stated by " : "";
}

static const char *author(const char *said_by) {
  return said_by ? said_by : "";
}

static tenon_status fail_range(const tenon_session *s,
                               const tenon_program_binding *b, uint32_t leaf,
                               int64_t found) {
  const tenon_program_number *n = &s->program->numbers[leaf];
  const tenon_program_number *whole = &s->program->numbers[b->size.symbol];
  if (leaf == 0 || whole->op != 0)
    return tenon_fail(
        &s->report, TENON_BAD_INPUT, "run-size", NULL,
        "input '%s': dimension %u is '%s', which cannot be %lld%s%s",
        input_name(s, b), b->dimension, whole->name, (long long)found,
        sizes_before(n->said_by), author(n->said_by));
  if (n->max == INT64_MAX)
    return tenon_fail(&s->report, TENON_BAD_INPUT, "run-size", NULL,
                      "input '%s': dimension %u ('%s') is at least %lld, "
                      "found %lld%s%s",
                      input_name(s, b), b->dimension, n->name,
                      (long long)n->min, (long long)found,
                      sizes_before(n->said_by), author(n->said_by));
  return tenon_fail(&s->report, TENON_BAD_INPUT, "run-size", NULL,
                    "input '%s': dimension %u ('%s') is %lld to %lld, found "
                    "%lld%s%s",
                    input_name(s, b), b->dimension, n->name, (long long)n->min,
                    (long long)n->max, (long long)found,
                    sizes_before(n->said_by), author(n->said_by));
}

// Another input, or dimension, has said what the size is.
static tenon_status fail_differs(const tenon_session *s,
                                 const tenon_program_binding *b,
                                 const tenon_tensor *in, int64_t expected) {
  const tenon_program *p = s->program;
  const tenon_program_number *n = &p->numbers[b->size.symbol];
  for (const tenon_program_binding *other = p->bindings; other < b; ++other)
    if (other->entry == b->entry && other->size.symbol == b->size.symbol)
      return tenon_fail(
          &s->report, TENON_BAD_INPUT, "run-size", NULL,
          "'%s' is %d in dimension %u of input '%s' and %d in dimension %u of "
          "input '%s'",
          n->name, (int)in[other->input].dims[other->dimension],
          other->dimension, input_name(s, other),
          (int)in[b->input].dims[b->dimension], b->dimension, input_name(s, b));
  return tenon_fail(&s->report, TENON_BAD_INPUT, "run-size", NULL,
                    "input '%s': dimension %u ('%s') is %lld by the other "
                    "sizes, found %d",
                    input_name(s, b), b->dimension, n->name,
                    (long long)expected, (int)in[b->input].dims[b->dimension]);
}

static tenon_status sizes_evaluate(tenon_session *s) {
  uint32_t failed = tenon_numbers_evaluate(s->program, s->sizes.known);
  if (failed)
    return tenon_fail(&s->report, TENON_BAD_INPUT, "run-size", NULL,
                      "these sizes make '%s' overflow or divide by zero",
                      s->program->numbers[failed].name);
  const tenon_program_guard *g =
      tenon_numbers_check(s->program, s->sizes.known);
  if (!g) return TENON_OK;
  return tenon_fail(&s->report, TENON_BAD_INPUT, "run-guard", NULL,
                    "these sizes break a condition of the model: %s; found "
                    "%lld and %lld%s%s",
                    g->text,
                    (long long)tenon_known_of(s->sizes.known, g->a).min,
                    (long long)tenon_known_of(s->sizes.known, g->b).min,
                    sizes_before(g->said_by), author(g->said_by));
}

// --- binding ----------------------------------------------------------------

static tenon_status sizes_bind(tenon_session *s, uint32_t entry,
                               const tenon_tensor *in) {
  const tenon_program *p = s->program;
  bool has_changed = false;
  tenon_numbers_clear(p, s->sizes.known);
  do {
    // Without open inputs, too: what data decide has bounds that follow.
    TENON_TRY(sizes_evaluate(s));
    has_changed = false;
    for (uint32_t i = 0; i < p->n_bindings; ++i) {
      const tenon_program_binding *b = &p->bindings[i];
      uint32_t leaf = 0;
      if (b->entry != entry) continue;
      int64_t found = in[b->input].dims[b->dimension];
      tenon_solution solved =
          tenon_numbers_solve(p, s->sizes.known, b->size, found, &leaf);
      if (solved == TENON_SOLVED_BY_NONE) return fail_range(s, b, leaf, found);
      has_changed |= solved == TENON_SOLVED;
    }
  } while (has_changed);
  for (uint32_t i = 0; i < p->n_bindings; ++i) {
    const tenon_program_binding *b = &p->bindings[i];
    if (b->entry != entry) continue;
    tenon_known k = tenon_known_of(s->sizes.known, b->size);
    if (!k.is_exact || k.min != in[b->input].dims[b->dimension])
      return fail_differs(s, b, in, k.min);
  }
  return TENON_OK;
}

// An output with memory: as large as the sizes say, or as they may become.
static tenon_status check_output(const tenon_session *s, const tenon_io *io,
                                 const tenon_program_tensor *t,
                                 const tenon_tensor *out) {
  int64_t most = 1, room = 1;
  bool is_decided = false;
  for (int i = 0; i < t->rank; ++i) {
    tenon_known k = tenon_known_of(s->sizes.known, t->sizes[i]);
    is_decided |= !k.is_exact;
    room *= out->dims[i];
    if (most != INT64_MAX) most = k.max == INT64_MAX ? k.max : most * k.max;
    if (!k.is_exact || k.min == out->dims[i]) continue;
    return tenon_fail(&s->report, TENON_BAD_INPUT, "run-output", NULL,
                      "output '%s': dimension %d is %lld, found memory for %d",
                      io->name, i, (long long)k.min, (int)out->dims[i]);
  }
  if (!is_decided) return TENON_OK;
  if (out->strides || (most != INT64_MAX && room < most))
    return tenon_fail(&s->report, TENON_BAD_INPUT, "run-output", NULL,
                      "output '%s': data decide its size, at most %lld "
                      "elements; found memory for %lld%s",
                      io->name, (long long)most, (long long)room,
                      out->strides ? ", with strides" : "");
  return TENON_OK;
}

tenon_status tenon_sizes_begin(tenon_session *s, uint32_t entry,
                               const tenon_tensor *in,
                               const tenon_tensor *out) {
  const tenon_program *p = s->program;
  const tenon_program_entry *e = &p->entries[entry];
  TENON_TRY(sizes_bind(s, entry, in));
  for (uint32_t i = 0; i < e->n_out; ++i) {
    const tenon_program_tensor *t = &p->tensors[e->out[i]];
    if (out[i].data && t->sizes)
      TENON_TRY(check_output(s, &e->outputs[i], t, &out[i]));
  }
  if (!p->is_bounded) TENON_TRY(tenon_grow_place(s, entry, 0));
  for (uint32_t i = 0; i < e->n_in; ++i)
    TENON_TRY(tenon_sizes_tensor(s, &p->tensors[e->in[i]]));
  return TENON_OK;
}

// --- a step -----------------------------------------------------------------

static tenon_status fill_tensors(tenon_session *s, uint32_t first, uint32_t n) {
  const tenon_program *p = s->program;
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t index = p->operands[first + i];
    if (index != TENON_NO_INDEX)
      TENON_TRY(tenon_sizes_tensor(s, &p->tensors[index]));
  }
  return TENON_OK;
}

// Null: it is absent.
static const tenon_program_tensor *sizes_result_of(
    const struct tenon_program *p, const tenon_step *step, uint32_t i) {
  uint32_t index = p->operands[step->out + i];
  return index == TENON_NO_INDEX ? NULL : &p->tensors[index];
}

// Its memory would be that of another.
static tenon_status sizes_check_placed(const tenon_session *s,
                                       const tenon_step *step) {
  const tenon_program *p = s->program;
  for (uint32_t i = 0; i < step->n_out; ++i) {
    const tenon_program_tensor *t = sizes_result_of(p, step, i);
    for (int d = 0; t && t->sizes && d < t->rank; ++d) {
      tenon_known k = tenon_known_of(s->sizes.known, t->sizes[d]);
      if (k.max == INT64_MAX && !k.is_exact)
        return tenon_fail_bug(&s->report,
                              "'%s' runs before dimension %d of '%s' is known",
                              step->op, d, t->name);
    }
  }
  return TENON_OK;
}

// Of a kernel that knows its sizes by their places only: what is decided
// follows from the dimensions, as it does from those of inputs.
static tenon_status solve_results(tenon_session *s, const tenon_step *step) {
  const tenon_program *p = s->program;
  const int64_t *found = s->sizes.found;
  for (uint32_t i = 0; i < step->n_out; ++i) {
    const tenon_program_tensor *t = sizes_result_of(p, step, i);
    for (int d = 0; t && d < t->rank; ++d, ++found) {
      uint32_t leaf = 0;
      if (!t->sizes || *found < 0) continue;
      TENON_TRY(sizes_evaluate(s));
      (void)tenon_numbers_solve(p, s->sizes.known, t->sizes[d], *found, &leaf);
    }
  }
  return sizes_evaluate(s);
}

static tenon_status sizes_check_results(tenon_session *s,
                                        const tenon_step *step) {
  const tenon_program *p = s->program;
  const int64_t *found = s->sizes.found;
  for (uint32_t i = 0; i < step->n_out; ++i) {
    const tenon_program_tensor *t = sizes_result_of(p, step, i);
    for (int d = 0; t && d < t->rank; ++d, ++found) {
      tenon_known k = {t->dims[d], t->dims[d], true};
      if (t->sizes) k = tenon_known_of(s->sizes.known, t->sizes[d]);
      if (k.is_exact && k.min == *found) continue;
      return tenon_fail(
          &s->report, TENON_BAD_INPUT, "run-decided", step->place,
          "'%s', kernel '%s': dimension %d of '%s' is %lld, but it is "
          "%lld to %lld",
          step->op, p->kernels[step->kernel].symbol, d, t->name,
          (long long)*found, (long long)k.min, (long long)k.max);
    }
  }
  return TENON_OK;
}

static tenon_status place_found(tenon_session *s, const tenon_step *step) {
  if (!s->sizes.has_unplaced) return TENON_OK;
  return tenon_grow_place(s, (uint32_t)s->entry,
                          step->is_measured ? step->time : step->time + 1);
}

static tenon_status sizes_take_all(tenon_session *s, const tenon_step *step) {
  TENON_TRY(solve_results(s, step));
  TENON_TRY(sizes_check_results(s, step));
  return place_found(s, step);
}

// A number that the caller's data are, and not one that a kernel makes up.
static bool is_datum(const tenon_step *step) {
  return step->is_measured || strcmp(step->op, "core::item") == 0;
}

// Takes what a kernel has written to `sizes`.
static tenon_status sizes_take(tenon_session *s, const tenon_step *step) {
  const tenon_program *p = s->program;
  for (uint32_t i = 0; i < step->n_decided; ++i) {
    uint32_t number = p->decided[step->decided + i];
    int64_t found = s->sizes.found[i];
    tenon_known *k = &s->sizes.known[number];
    // One may bound the next.
    TENON_TRY(sizes_evaluate(s));
    if (p->numbers[number].kind == 0 && (found < k->min || found > k->max))
      return tenon_fail(
          &s->report, is_datum(step) ? TENON_BAD_INPUT : TENON_BAD_PLUGIN,
          "run-decided", step->place,
          "'%s', kernel '%s': it says that '%s' is %lld, but it "
          "is %lld to %lld",
          step->op, p->kernels[step->kernel].symbol, p->numbers[number].name,
          (long long)found, (long long)k->min, (long long)k->max);
    *k = (tenon_known){found, found, true};
  }
  TENON_TRY(sizes_evaluate(s));
  return place_found(s, step);
}

static tenon_status sizes_measure(tenon_session *s, const tenon_step *step,
                                  uint32_t index) {
  tenon_fault fault = {NULL, {0, 0}};
  tenon_call call = s->calls[index];
  call.fault = &fault;
  const tenon_kernel_desc *desc = s->program->kernels[step->kernel].desc;
  tenon_status status = desc->measure(&call);
  if (status != TENON_OK) return tenon_session_explain(s, step, status, &fault);
  bool is_all = desc->flags & TENON_KERNEL_MEASURES_ALL;
  return is_all && step->n_out > 0 ? sizes_take_all(s, step)
                                   : sizes_take(s, step);
}

// What an earlier round of a loop found, this step and those behind it find out
// anew: until then it is as open as at first, and so are places.
static tenon_status sizes_forget(tenon_session *s, const tenon_step *step) {
  const tenon_program *p = s->program;
  bool was_known = false;
  for (uint32_t i = 0; i < step->n_decided; ++i)
    was_known |= s->sizes.known[p->decided[step->decided + i]].is_exact;
  return was_known ? tenon_sizes_renew(s, step, NULL) : TENON_OK;
}

tenon_status tenon_sizes_renew(tenon_session *s, const tenon_step *step,
                               const int64_t *found) {
  const tenon_program *p = s->program;
  for (uint32_t i = 1; i < p->n_numbers; ++i) {
    const tenon_program_number *n = &p->numbers[i];
    if (n->step != TENON_NO_INDEX && p->steps[n->step].time >= step->time)
      s->sizes.known[i] = (tenon_known){n->min, n->max, false};
  }
  for (uint32_t i = 0; found && i < step->n_decided; ++i)
    s->sizes.known[p->decided[step->decided + i]] =
        (tenon_known){found[i], found[i], true};
  TENON_TRY(sizes_evaluate(s));
  return p->is_bounded ? TENON_OK
                       : tenon_grow_place(s, (uint32_t)s->entry, step->time);
}

tenon_status tenon_sizes_step(tenon_session *s, uint32_t index,
                              int64_t *items) {
  const tenon_step *step = &s->program->steps[index];
  TENON_TRY(sizes_forget(s, step));
  TENON_TRY(fill_tensors(s, step->in, step->n_in));
  TENON_TRY(fill_tensors(s, step->out, step->n_out));
  tenon_sizes_attrs(s, step);
  if (step->kind != TENON_STEP_KERNEL) return TENON_OK;
  s->calls[index].sizes = s->sizes.found;
  if (step->is_measured) {
    TENON_TRY(sizes_measure(s, step, index));
    TENON_TRY(fill_tensors(s, step->out, step->n_out));
  }
  TENON_TRY(sizes_check_placed(s, step));
  const tenon_kernel_desc *desc = s->program->kernels[step->kernel].desc;
  if (!desc->items) return TENON_OK;
  tenon_call blank = tenon_sizes_blank(s, step);
  *items = desc->items(&blank);
  return TENON_OK;
}

tenon_status tenon_sizes_found(tenon_session *s, uint32_t index) {
  const tenon_step *step = &s->program->steps[index];
  if (step->n_decided == 0) return TENON_OK;
  if (!step->is_measured) TENON_TRY(sizes_take(s, step));
  return fill_tensors(s, step->out, step->n_out);
}
