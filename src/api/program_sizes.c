// How: what is said gives numbers to leaves of the program's list, as the sizes
// of an input would; then the input's own sizes are looked up.
#include "base/label.h"
#include "core/report.h"
#include "program/numbers.h"
#include "program/program.h"
#include "read/shapes.h"
#include "tenon/tenon.h"

typedef struct asking {
  const tenon_program *p;
  const tenon_program_entry *entry;
  tenon_known *known;
} asking;

#define sized_fail(q, status, ...)                                     \
  tenon_fail(&(q)->p->report, status, "read-shape",                    \
             &(const tenon_place){(q)->p->name, "inputs", NULL, 0, 0}, \
             __VA_ARGS__)

static tenon_status sized_solve(asking *q, tenon_dim d, int64_t size,
                                const char *text) {
  uint32_t leaf = 0;
  const tenon_known *is = &q->known[d.symbol];
  if (is->is_exact && is->min != size)
    return sized_fail(q, TENON_BAD_INPUT, "'%s': '%s' is %lld already", text,
                      q->p->numbers[d.symbol].name, (long long)is->min);
  tenon_solution found = tenon_numbers_solve(q->p, q->known, d, size, &leaf);
  const tenon_program_number *n = &q->p->numbers[leaf];
  if (found == TENON_SOLVED_BY_NONE && leaf == 0)
    return sized_fail(q, TENON_BAD_INPUT, "'%s': no size makes it %lld", text,
                      (long long)size);
  if (found == TENON_SOLVED_BY_NONE)
    return sized_fail(q, TENON_BAD_INPUT, "'%s': '%s' is %lld to %lld", text,
                      n->name, (long long)n->min, (long long)n->max);
  if (found == TENON_SOLVED && n->step != TENON_NO_INDEX)
    return sized_fail(q, TENON_BAD_INPUT, "'%s': '%s' is found out in a run",
                      text, n->name);
  return TENON_OK;
}

static tenon_status sized_solve_input(asking *q, const tenon_program_tensor *t,
                                      const tenon_shape_request *r) {
  if (r->n != t->rank)
    return sized_fail(q, TENON_BAD_INPUT,
                      "'%s': the input has %d dimensions, not %d", r->text,
                      (int)t->rank, r->n);
  for (int d = 0; t->sizes && d < t->rank; ++d)
    if (t->sizes[d].symbol)
      TENON_TRY(sized_solve(q, t->sizes[d], r->sizes[d], r->text));
  return TENON_OK;
}

static tenon_status sized_take(asking *q, const char *text) {
  tenon_shape_request r;
  TENON_TRY(tenon_shape_request_parse(&q->p->report, q->p->name, text, &r));
  if (r.is_bound)
    return sized_fail(q, TENON_BAD_ARGUMENT,
                      "'%s': the program has been compiled with its bounds",
                      text);
  for (uint32_t i = 0; i < q->entry->n_in; ++i)
    if (tenon_text_is(r.name, q->entry->inputs[i].name))
      return sized_solve_input(q, &q->p->tensors[q->entry->in[i]], &r);
  for (uint32_t i = 1; r.n == 1 && i < q->p->n_numbers; ++i) {
    const tenon_program_number *n = &q->p->numbers[i];
    if (n->op == 0 && n->name && tenon_text_is(r.name, n->name))
      return sized_solve(q, (tenon_dim){0, i}, r.sizes[0], text);
  }
  tenon_labels inputs = {.size = 0}, sizes = {.size = 0};
  for (uint32_t i = 0; i < q->entry->n_in; ++i)
    tenon_labels_add(&inputs, q->entry->inputs[i].name);
  for (uint32_t i = 1; i < q->p->n_numbers; ++i)
    if (q->p->numbers[i].op == 0)
      tenon_labels_add(&sizes, q->p->numbers[i].name);
  return sized_fail(
      q, TENON_BAD_ARGUMENT,
      "'%s': there is no input or open size of that name; inputs are "
      "%s, open sizes %s",
      text, tenon_labels_text(&inputs), tenon_labels_text(&sizes));
}

// What was said of a dimension holds, whatever it is made of.
static tenon_status sized_check(asking *q, const char *text) {
  tenon_shape_request r;
  TENON_TRY(tenon_shape_request_parse(&q->p->report, q->p->name, text, &r));
  for (uint32_t i = 0; i < q->entry->n_in; ++i) {
    const tenon_program_tensor *t = &q->p->tensors[q->entry->in[i]];
    if (!tenon_text_is(r.name, q->entry->inputs[i].name)) continue;
    for (int d = 0; d < t->rank; ++d) {
      tenon_dim size = t->sizes ? t->sizes[d] : tenon_dim_fixed(t->dims[d]);
      tenon_known is = tenon_known_of(q->known, size);
      if (is.is_exact && is.min != r.sizes[d])
        return sized_fail(q, TENON_BAD_INPUT,
                          "'%s': dimension %d of the input is %lld, not %lld",
                          text, d, (long long)is.min, (long long)r.sizes[d]);
    }
  }
  return TENON_OK;
}

// As of a model: sizes that are expressions follow, and what was said stays.
static tenon_status take_batch(asking *q, int64_t batch) {
  bool found = false;
  for (uint32_t i = 0; i < q->entry->n_in; ++i) {
    const tenon_program_tensor *t = &q->p->tensors[q->entry->in[i]];
    uint32_t leaf = t->rank > 0 && t->sizes ? t->sizes[0].symbol : 0;
    if (leaf == 0 || q->p->numbers[leaf].op != 0) continue;
    found = true;
    if (!q->known[leaf].is_exact)
      TENON_TRY(sized_solve(q, t->sizes[0], batch, "batch"));
  }
  return found ? TENON_OK
               : sized_fail(
                     q, TENON_BAD_INPUT,
                     "a batch is asked for, but no input has an open first "
                     "dimension");
}

static tenon_status sized_take_all(asking *q, const char *const *shapes,
                                   int64_t batch) {
  for (size_t i = 0; shapes && shapes[i]; ++i)
    TENON_TRY(sized_take(q, shapes[i]));
  if (batch > 0) TENON_TRY(take_batch(q, batch));
  uint32_t number = tenon_numbers_evaluate(q->p, q->known);
  if (number)
    return sized_fail(q, TENON_BAD_INPUT, "'%s' overflows or divides by zero",
                      q->p->numbers[number].name);
  for (size_t i = 0; shapes && shapes[i]; ++i)
    TENON_TRY(sized_check(q, shapes[i]));
  return TENON_OK;
}

tenon_status tenon_program_shape(const tenon_program *p, int entry, int input,
                                 const char *const *shapes, int64_t batch,
                                 int64_t *dims) {
  tenon_arena scratch;
  if (!p || entry < 0 || (uint32_t)entry >= p->n_entries || input < 0 ||
      input >= p->entries[entry].n_in || !dims || batch < 0)
    return TENON_BAD_ARGUMENT;
  tenon_arena_init(&scratch, p->arena.allocator);
  asking q = {p, &p->entries[entry],
              tenon_arena_array(&scratch, tenon_known, p->n_numbers + 1u)};
  tenon_status status = TENON_NO_MEMORY;
  if (q.known) {
    q.known[0] = (tenon_known){0, 0, true};
    tenon_numbers_clear(p, q.known);
    status = sized_take_all(&q, shapes, batch);
  }
  const tenon_program_tensor *t = &p->tensors[q.entry->in[input]];
  for (int d = 0; status == TENON_OK && d < t->rank; ++d) {
    tenon_dim size = t->sizes ? t->sizes[d] : tenon_dim_fixed(t->dims[d]);
    tenon_known is = tenon_known_of(q.known, size);
    dims[d] = is.is_exact ? is.min : -1;
  }
  tenon_arena_deinit(&scratch);
  return status;
}
