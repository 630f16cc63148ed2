// How: a kernel's own `<symbol>_items` is called where its text has one. Of the
// others `items` is asked here, for every set of sizes that the bounds allow,
// or for some thousands where there are more; what is a product of neighbouring
// dimensions of one operand or result in all of them is printed as that, and so
// is that of all dimensions but one. Many kernels have nothing to do where a
// tensor has no elements, so the same is looked for with that exception. A
// kernel that counts otherwise must bring the function.
#include <string.h>

#include "emit/idents.h"
#include "emit/step/open.h"

#define MOST_SAMPLES 4096
#define MOST_LEAVES 16
// Where nothing bounds a leaf, as an index that data decide: sizes of both
// signs.
#define LEAST_FREE (-100)
#define MOST_FREE 300

// A product of dims [begin, end) of a tensor, without `skip`; -1: with all.
typedef struct product {
  uint32_t tensor;  // index of the program
  int begin, end, skip;
} product;

// What could be the answer: one of the products, or always the same.
typedef struct guess {
  product *products;
  size_t n_products;
  bool is_constant;
  int64_t constant;
  uint32_t n_answers;
} guess;

typedef struct asking {
  tenon_emission *e;
  const tenon_step *step;
  const tenon_kernel_desc *desc;
  tenon_known *known;
  bool *marks;  // of the numbers
  uint32_t leaves[MOST_LEAVES];
  int64_t least[MOST_LEAVES], most[MOST_LEAVES];
  uint32_t n_leaves;
  bool is_cut;            // a leaf may have values that are not tried
  bool solves;            // leaves follow from others by conditions
  uint64_t combinations;  // of the leaves; UINT64_MAX: many
  int32_t *dims;          // TENON_MAX_RANK per tensor of the step
  int32_t *first;         // those that were tried first
  bool *varies;           // whether others came
  tenon_tensor *tensors;
  void *attrs;
  guess always, if_any;  // for all sizes; where `whole` has elements
  product *wholes;       // tensors that have none just where the answer is 0
  size_t n_wholes;
} asking;

// --- leaves -----------------------------------------------------------------

static void find_range(asking *a, uint32_t i) {
  const struct tenon_program *p = a->e->p;
  const tenon_program_number *n = &p->numbers[a->leaves[i]];
  tenon_numbers_clear(p, a->known);
  (void)tenon_numbers_evaluate(p, a->known);
  a->least[i] = n->kind ? 0 : n->min;
  a->most[i] = n->kind ? 1 : a->known[a->leaves[i]].max;
  a->is_cut |= a->least[i] == INT64_MIN || a->most[i] == INT64_MAX ||
               n->kind == TENON_KIND_FLOAT;
  if (a->least[i] == INT64_MIN)
    a->least[i] = a->most[i] < MOST_FREE ? a->most[i] - MOST_FREE : LEAST_FREE;
  if (a->most[i] == INT64_MAX)
    a->most[i] = (a->least[i] > 0 ? a->least[i] : 0) + MOST_FREE;
}

static bool find_leaves(asking *a) {
  const struct tenon_program *p = a->e->p;
  const tenon_step *step = a->step;
  for (uint32_t i = 0; i < (uint32_t)step->n_in + step->n_out; ++i) {
    uint32_t at = i < step->n_in ? step->in + i : step->out + i - step->n_in;
    if (p->operands[at] == TENON_NO_INDEX) continue;
    const tenon_program_tensor *t = &p->tensors[p->operands[at]];
    for (int d = 0; t->sizes && d < t->rank; ++d)
      a->marks[t->sizes[d].symbol] = true;
  }
  if (step->attrs != TENON_NO_INDEX) {
    const tenon_program_attrs *attrs = &p->attrs[step->attrs];
    for (uint32_t i = 0; i < attrs->n_patches; ++i)
      a->marks[p->patches[attrs->patch + i].value.symbol] = true;
  }
  tenon_numbers_spread(p, a->marks);
  for (uint32_t i = 1; i < p->n_numbers; ++i) {
    if (!a->marks[i] || p->numbers[i].op != 0) continue;
    if (a->n_leaves == MOST_LEAVES) return false;
    a->leaves[a->n_leaves++] = i;
  }
  a->combinations = 1;
  for (uint32_t i = 0; i < a->n_leaves; ++i) {
    find_range(a, i);
    uint64_t n = (uint64_t)(a->most[i] - a->least[i]) + 1;
    if (n == 0 || a->combinations > MOST_SAMPLES || n > MOST_SAMPLES)
      a->combinations = UINT64_MAX;
    else
      a->combinations *= n;
  }
  return true;
}

// --- one set of sizes -------------------------------------------------------

// What must be equal to something that is chosen is no choice any more.
static void open_items_solve(asking *a) {
  const struct tenon_program *p = a->e->p;
  if (tenon_numbers_evaluate(p, a->known)) return;
  for (uint32_t i = 0; i < p->n_guards; ++i) {
    const tenon_program_guard *g = &p->guards[i];
    tenon_known left = tenon_known_of(a->known, g->a);
    tenon_known right = tenon_known_of(a->known, g->b);
    uint32_t leaf = 0;
    if (g->relation != TENON_RELATION_EQ || left.is_exact == right.is_exact)
      continue;
    if (left.is_exact)
      (void)tenon_numbers_solve(p, a->known, g->b, left.min, &leaf);
    else
      (void)tenon_numbers_solve(p, a->known, g->a, right.min, &leaf);
    if (leaf && tenon_numbers_evaluate(p, a->known)) return;
  }
}

static void open_items_choose(asking *a, uint64_t sample, uint32_t *seed) {
  const struct tenon_program *p = a->e->p;
  int64_t chosen[MOST_LEAVES];
  for (uint32_t i = 0; i < a->n_leaves; ++i) {
    uint64_t n = (uint64_t)(a->most[i] - a->least[i]) + 1;
    *seed = *seed * 1664525u + 1013904223u;
    uint64_t pick = *seed >> 4;
    if (a->combinations <= MOST_SAMPLES) {
      pick = sample;
      sample /= n;
    } else if (sample < 2) {
      pick = sample ? n - 1 : 0;
    } else if (*seed >> 28 == 0) {
      pick = n - 1;  // corners more often
    }
    chosen[i] = a->least[i] + (int64_t)(n ? pick % n : pick);
  }
  tenon_numbers_clear(p, a->known);
  for (uint32_t k = 0; k < a->n_leaves; ++k) {
    // Another one first each time, since that is the one that is free.
    uint32_t i = a->solves ? (uint32_t)((k + sample) % a->n_leaves) : k;
    tenon_known *known = &a->known[a->leaves[i]];
    if (known->is_exact) continue;
    *known = (tenon_known){chosen[i], chosen[i], true};
    if (a->solves) open_items_solve(a);
  }
}

// False where no run has such sizes.
static bool open_items_make_call(asking *a, tenon_call *call) {
  const struct tenon_program *p = a->e->p;
  const tenon_step *step = a->step;
  if (tenon_numbers_evaluate(p, a->known)) return false;
  if (tenon_numbers_check(p, a->known)) return false;
  for (uint32_t i = 0; i < (uint32_t)step->n_in + step->n_out; ++i) {
    uint32_t at = i < step->n_in ? step->in + i : step->out + i - step->n_in;
    tenon_tensor *to = &a->tensors[i];
    memset(to, 0, sizeof *to);
    if (p->operands[at] == TENON_NO_INDEX) continue;
    const tenon_program_tensor *t = &p->tensors[p->operands[at]];
    int32_t *dims = a->dims + i * TENON_MAX_RANK;
    for (int d = 0; d < t->rank; ++d) {
      int64_t size =
          t->sizes ? tenon_known_of(a->known, t->sizes[d]).max : t->dims[d];
      if (size < 0 || size > INT32_MAX) return false;
      dims[d] = (int32_t)size;
    }
    if (t->slot.place == TENON_IN_CONSTANT && p->constants[t->slot.index].data)
      to->data =
          (void *)(uintptr_t)((const char *)p->constants[t->slot.index].data +
                              t->slot.offset);
    to->dims = dims;
    to->quant = t->quant;
    to->dtype = t->dtype;
    to->rank = t->rank;
    if (t->is_number) to->flags = TENON_TENSOR_NUMBER;
  }
  memset(call, 0, sizeof *call);
  call->in = a->tensors;
  call->out = a->tensors + step->n_in;
  call->in_group = step->in_group;
  call->out_group = step->out_group;
  call->n_in = step->n_in;
  call->n_out = step->n_out;
  call->user = a->desc->user;
  if (step->attrs != TENON_NO_INDEX) {
    const tenon_program_attrs *attrs = &p->attrs[step->attrs];
    call->attrs = attrs->bound;
    if (a->attrs) {
      tenon_attrs_patch(p, attrs, a->known, a->attrs);
      call->attrs = a->attrs;
    }
  }
  return true;
}

// --- what it could be -------------------------------------------------------

static void open_items_add_product(asking *a, uint32_t tensor, int begin,
                                   int end, int skip) {
  product p = {tensor, begin, end, skip};
  a->always.products[a->always.n_products++] = p;
  a->if_any.products[a->if_any.n_products++] = p;
}

static void add_products(asking *a, uint32_t tensor) {
  const tenon_program_tensor *t = &a->e->p->tensors[tensor];
  product whole = {tensor, 0, t->rank, -1};
  for (int begin = 0; begin < t->rank; ++begin)
    for (int end = t->rank; end > begin; --end)
      open_items_add_product(a, tensor, begin, end, -1);
  for (int skip = 1; skip + 1 < t->rank; ++skip)
    open_items_add_product(a, tensor, 0, t->rank, skip);
  a->wholes[a->n_wholes++] = whole;
}

static bool open_items_start(asking *a) {
  const struct tenon_program *p = a->e->p;
  const tenon_step *step = a->step;
  tenon_arena *arena = &a->e->arena;
  uint32_t n = (uint32_t)step->n_in + step->n_out;
  a->known = tenon_arena_array(arena, tenon_known, p->n_numbers);
  a->marks = tenon_arena_array(arena, bool, p->n_numbers);
  a->dims = tenon_arena_array(arena, int32_t, n * TENON_MAX_RANK);
  a->first = tenon_arena_array(arena, int32_t, n * TENON_MAX_RANK);
  a->varies = tenon_arena_array(arena, bool, n *TENON_MAX_RANK);
  a->tensors = tenon_arena_array(arena, tenon_tensor, n);
  const size_t most = n * TENON_MAX_RANK * (TENON_MAX_RANK + 1);
  a->always.products = tenon_arena_array(arena, product, most);
  a->if_any.products = tenon_arena_array(arena, product, most);
  a->wholes = tenon_arena_array(arena, product, n);
  if (step->attrs != TENON_NO_INDEX && p->attrs[step->attrs].n_patches) {
    const tenon_program_attrs *attrs = &p->attrs[step->attrs];
    a->attrs = tenon_arena_zalloc(arena, tenon_attrs_room(p, attrs), 16);
    if (a->attrs) tenon_attrs_copy(p, attrs, a->attrs);
  }
  if (arena->failed) return false;
  // Results first: what a kernel counts is mostly theirs.
  for (uint32_t i = 0; i < n; ++i) {
    bool is_out = i < step->n_out;
    uint32_t at = is_out ? step->out + i : step->in + i - step->n_out;
    if (p->operands[at] != TENON_NO_INDEX) add_products(a, p->operands[at]);
  }
  a->always.is_constant = a->if_any.is_constant = true;
  return true;
}

static int64_t open_items_value_of(const asking *a, const product *p) {
  const tenon_program_tensor *t = &a->e->p->tensors[p->tensor];
  int64_t value = 1;
  for (int d = p->begin; d < p->end; ++d) {
    if (d == p->skip) continue;
    value *= t->sizes ? tenon_known_of(a->known, t->sizes[d]).max : t->dims[d];
  }
  return value;
}

static void open_items_compare(const asking *a, guess *g, int64_t items) {
  size_t n = 0;
  if (g->n_answers == 0) g->constant = items;
  g->is_constant &= g->constant == items;
  for (size_t i = 0; i < g->n_products; ++i)
    if (open_items_value_of(a, &g->products[i]) == items)
      g->products[n++] = g->products[i];
  g->n_products = n;
  ++g->n_answers;
}

static void compare_all(asking *a, int64_t items) {
  size_t n = 0,
         dims = ((size_t)a->step->n_in + a->step->n_out) * TENON_MAX_RANK;
  if (a->always.n_answers == 0)
    memcpy(a->first, a->dims, dims * sizeof *a->dims);
  for (size_t i = 0; i < dims; ++i)
    a->varies[i] |= a->first[i] != a->dims[i];
  open_items_compare(a, &a->always, items);
  if (items != 0) open_items_compare(a, &a->if_any, items);
  for (size_t i = 0; i < a->n_wholes; ++i)
    if ((open_items_value_of(a, &a->wholes[i]) == 0) == (items == 0))
      a->wholes[n++] = a->wholes[i];
  a->n_wholes = n;
}

static tenon_status fail_items(const asking *a, const char *why) {
  const tenon_program_kernel *k = &a->e->p->kernels[a->step->kernel];
  return tenon_fail(
      a->e->report, TENON_UNSUPPORTED, "emit-open-kernel", a->step->place,
      "'%s': %s; kernel '%s' of plugin '%s' needs a function "
      "'%s_items' in its text, or compile with sizes fixed by --dim",
      a->step->op, why, k->symbol, k->owner, k->symbol);
}

// What was the same all the time has said nothing where not all was tried.
static bool has_varied(const asking *a) {
  const struct tenon_program *p = a->e->p;
  const tenon_step *step = a->step;
  for (uint32_t i = 0; a->is_cut && i < (uint32_t)step->n_in + step->n_out;
       ++i) {
    uint32_t at = i < step->n_in ? step->in + i : step->out + i - step->n_in;
    if (p->operands[at] == TENON_NO_INDEX) continue;
    const tenon_program_tensor *t = &p->tensors[p->operands[at]];
    for (int d = 0; t->sizes && d < t->rank; ++d)
      if (t->sizes[d].symbol && !a->varies[i * TENON_MAX_RANK + (uint32_t)d])
        return false;
  }
  return true;
}

static tenon_status ask_all(asking *a) {
  uint32_t seed = 1;
  uint64_t n = a->combinations < MOST_SAMPLES ? a->combinations : MOST_SAMPLES;
  for (uint64_t i = 0; i < n; ++i) {
    tenon_call call;
    open_items_choose(a, i, &seed);
    if (!open_items_make_call(a, &call)) continue;
    int64_t items = a->desc->items ? a->desc->items(&call) : 1;
    compare_all(a, items);
    if (a->desc->scratch &&
        a->desc->scratch(&call, items) > a->step->scratch_size)
      return fail_items(a, "its scratch is not largest for the largest sizes");
  }
  return TENON_OK;
}

static tenon_status open_items_ask(asking *a) {
  if (!find_leaves(a)) return fail_items(a, "it depends on too many sizes");
  TENON_TRY(ask_all(a));
  if (a->always.n_answers == 0) {
    a->solves = true;
    TENON_TRY(ask_all(a));
  }
  if (a->always.n_answers > 0 && !has_varied(a))
    return fail_items(a, "too few of the sizes that it may have are known");
  return a->always.n_answers > 0 ? TENON_OK : fail_items(a, "no sizes fit it");
}

static void print_product(const asking *a, tenon_buf *out, const product *p) {
  const tenon_program_tensor *t = &a->e->p->tensors[p->tensor];
  if (p->skip < 0) {
    tenon_emit_product(out, t, p->begin, p->end);
    return;
  }
  tenon_emit_product(out, t, p->begin, p->skip);
  tenon_buf_text(out, " * ");
  tenon_emit_product(out, t, p->skip + 1, p->end);
}

// False: it is neither.
static bool print_guess(const asking *a, tenon_buf *out, const guess *g) {
  if (g->is_constant)
    tenon_c_int(out, g->constant);
  else if (g->n_products > 0)
    print_product(a, out, &g->products[0]);
  return g->is_constant || g->n_products > 0;
}

static bool print_answer(const asking *a, tenon_buf *out) {
  const guess *g = &a->if_any;
  if (print_guess(a, out, &a->always)) return true;
  if (a->n_wholes == 0 || (!g->is_constant && g->n_products == 0)) return false;
  tenon_buf_char(out, '(');
  print_product(a, out, &a->wholes[0]);
  tenon_buf_text(out, " == 0 ? 0 : ");
  (void)print_guess(a, out, g);
  tenon_buf_char(out, ')');
  return true;
}

tenon_status tenon_emit_items(tenon_emission *e, tenon_buf *out,
                              const tenon_step *step) {
  const tenon_program_kernel *k = &e->p->kernels[step->kernel];
  const char *const parts[] = {k->symbol, "_items", NULL};
  if (!step->is_open) {
    tenon_c_int(out, step->items);
    return TENON_OK;
  }
  const char *function = tenon_ident_join(&e->arena, parts);
  if (!function) return tenon_emission_memory(e);
  if (tenon_emit_has_word(e, function)) {
    tenon_put(out, "$(&c)", function);
    return TENON_OK;
  }
  asking a = {.e = e, .step = step, .desc = k->desc};
  if (!open_items_start(&a)) return tenon_emission_memory(e);
  TENON_TRY(open_items_ask(&a));
  if (print_answer(&a, out)) return TENON_OK;
  return fail_items(&a,
                    "how much work there is follows from the sizes in a way of "
                    "its own");
}
