// How: every request gives numbers to leaves of the table of symbols, or
// narrows their ranges, which may leave a single number. A size that is an
// expression is solved for the one leaf in it that is open. Then one pass over
// the table, in which operands come before what is made of them, finds what
// each symbol has become, and one pass over the module puts that into types and
// attributes. Last, each request is compared with the shape that its input has
// now, so that a size which is an expression is checked too.
#include "read/shapes.h"

#include "base/label.h"
#include "base/size.h"
#include "base/text.h"
#include "core/attr.h"
#include "ir/build.h"

#define MAX_ERROR 256

typedef tenon_shape_request request;

typedef struct fixing {
  tenon_module *m;
  const tenon_read_options *options;
  uint32_t n_symbols;  // before anything was made of them
  tenon_dim *now;      // per symbol what it has become
  bool *is_decided;    // by data, in a run
  bool *is_bounded;    // by a request, which wants it open
  bool has_fixed;
} fixing;

#define shapes_fail(f, status, ...)                                    \
  tenon_fail(&(f)->m->report, status, "read-shape",                    \
             &(const tenon_place){(f)->m->name, "inputs", NULL, 0, 0}, \
             __VA_ARGS__)

static tenon_status shapes_no_memory(const fixing *f) {
  return tenon_fail_memory(&f->m->report, "fixing shapes");
}

// ---------------------------------------------------------------------------
// What is asked for
// ---------------------------------------------------------------------------

#define shapes_refuse(report, file, ...)               \
  tenon_fail(report, TENON_BAD_ARGUMENT, "read-shape", \
             &(const tenon_place){file, "inputs", NULL, 0, 0}, __VA_ARGS__)

tenon_status tenon_shape_request_parse(const tenon_report *report,
                                       const char *file, const char *text,
                                       tenon_shape_request *out) {
  const char *equals = strrchr(text, '=');
  *out = (request){.text = text};
  if (!equals || equals == text)
    return shapes_refuse(report, file,
                         "expected 'INPUT=1x3x224x224', found '%s'", text);
  out->name = (tenon_text){text, (size_t)(equals - text)};
  // "n=<=64": the name ends at the first of the two.
  if (equals - text > 2 && equals[-1] == '<' && equals[-2] == '=') {
    out->is_bound = true;
    out->name.size -= 2;
  }
  tenon_text rest = tenon_text_of(equals + 1), piece = {NULL, 0};
  while (tenon_text_next(&rest, 'x', &piece)) {
    int64_t size = 0;
    if (!tenon_text_int(piece, &size) || size < 0 || size > INT32_MAX)
      return shapes_refuse(report, file, "'%s': '%.*s' is not a size", text,
                           (int)piece.size, piece.data);
    if (out->n == TENON_MAX_RANK)
      return shapes_refuse(report, file, "'%s' has more than %d sizes", text,
                           TENON_MAX_RANK);
    out->sizes[out->n++] = size;
  }
  return TENON_OK;
}

static tenon_status shapes_parse(const fixing *f, const char *text,
                                 request *out) {
  return tenon_shape_request_parse(&f->m->report, f->m->name, text, out);
}

static tenon_status fix(fixing *f, uint32_t symbol, int64_t size,
                        const char *text) {
  const tenon_symbol *s = tenon_symbols_look(&f->m->symbols, symbol);
  tenon_dim *now = &f->now[symbol];
  if (f->is_decided[symbol]) {
    return shapes_fail(f, TENON_BAD_INPUT, "'%s': '%s' is found out in a run",
                       text, s->name);
  }
  if (size < s->min || size > s->max) {
    return shapes_fail(f, TENON_BAD_INPUT,
                       "'%s': '%s' is %lld to %lld, not %lld", text, s->name,
                       (long long)s->min, (long long)s->max, (long long)size);
  }
  if (now->symbol == 0 && now->value != size) {
    return shapes_fail(f, TENON_BAD_INPUT, "'%s': '%s' is %lld already", text,
                       s->name, (long long)now->value);
  }
  *now = tenon_dim_fixed(size);
  f->has_fixed = true;
  return TENON_OK;
}

static tenon_status shapes_bound(fixing *f, uint32_t symbol, int64_t most,
                                 const char *text) {
  tenon_symbols *all = &f->m->symbols;
  const tenon_symbol *s = tenon_symbols_look(all, symbol);
  if (f->now[symbol].symbol == 0)
    return f->now[symbol].value <= most
               ? TENON_OK
               : shapes_fail(f, TENON_BAD_INPUT, "'%s': '%s' is %lld already",
                             text, s->name, (long long)f->now[symbol].value);
  if (s->kind != 0 || most < s->min)
    return shapes_fail(f, TENON_BAD_INPUT, "'%s': '%s' is at least %lld", text,
                       s->name, (long long)s->min);
  f->is_bounded[symbol] = true;
  if (most < s->max) {
    all->data[symbol].asked = tenon_arena_string(&f->m->arena, text);
    if (!all->data[symbol].asked) return shapes_no_memory(f);
  }
  tenon_dim d = tenon_symbols_narrow(all, symbol, s->min, most);
  // Data decide it: a run has to find that out, whatever the range.
  if (d.symbol != 0 || f->is_decided[symbol]) return TENON_OK;
  return fix(f, symbol, d.value, text);
}

// What one size of a request says.
static tenon_status shapes_ask(fixing *f, const request *r, uint32_t symbol,
                               int i) {
  return r->is_bound ? shapes_bound(f, symbol, r->sizes[i], r->text)
                     : fix(f, symbol, r->sizes[i], r->text);
}

static bool is_leaf(const fixing *f, tenon_dim d) {
  const tenon_symbol *s = tenon_symbols_look(&f->m->symbols, d.symbol);
  return s && s->op == 0;
}

static tenon_status fix_input(fixing *f, const tenon_value *input,
                              const request *r) {
  if (r->n != input->type.rank) {
    return shapes_fail(f, TENON_BAD_INPUT,
                       "'%s': the input has %d dimensions, not %d", r->text,
                       input->type.rank, r->n);
  }
  for (int i = 0; i < r->n; ++i) {
    tenon_dim d = input->type.dims[i];
    if (is_leaf(f, d)) TENON_TRY(shapes_ask(f, r, d.symbol, i));
  }
  return TENON_OK;
}

// Calls `each` for all inputs of that name, of any entry.
static tenon_status find_inputs(fixing *f, const request *r,
                                tenon_status (*each)(fixing *f,
                                                     const tenon_value *input,
                                                     const request *r),
                                bool *found) {
  for (size_t i = 0; i < f->m->entries.count; ++i) {
    const tenon_entry_point *e = &f->m->entries.data[i];
    for (uint16_t k = 0; k < e->graph->n_params; ++k) {
      if (!tenon_text_is(r->name, e->inputs[k])) continue;
      *found = true;
      TENON_TRY(each(f, e->graph->params[k], r));
    }
  }
  return TENON_OK;
}

static uint32_t shapes_find_symbol(const fixing *f, tenon_text name) {
  for (uint32_t i = 1; i < f->n_symbols; ++i) {
    const tenon_symbol *s = tenon_symbols_look(&f->m->symbols, i);
    if (s->name && tenon_text_is(name, s->name)) return i;
  }
  return 0;
}

static tenon_status shapes_refuse_name(const fixing *f, const request *r) {
  char name[64] = "";
  size_t size = r->name.size < sizeof name ? r->name.size : sizeof name - 1;
  tenon_nearest nearest;
  memcpy(name, r->name.data, size);
  tenon_labels inputs = {.size = 0}, sizes = {.size = 0};
  tenon_nearest_init(&nearest, name);
  for (size_t i = 0; i < f->m->entries.count; ++i) {
    const tenon_entry_point *e = &f->m->entries.data[i];
    for (uint16_t k = 0; k < e->graph->n_params; ++k) {
      tenon_nearest_feed(&nearest, e->inputs[k]);
      tenon_labels_add(&inputs, e->inputs[k]);
    }
  }
  for (uint32_t i = 1; i < f->n_symbols; ++i) {
    const tenon_symbol *s = tenon_symbols_look(&f->m->symbols, i);
    if (s->name) tenon_nearest_feed(&nearest, s->name);
    if (s->name && s->op == 0) tenon_labels_add(&sizes, s->name);
  }
  return shapes_fail(
      f, TENON_BAD_ARGUMENT,
      "'%s': there is no input or open size of that name%s%s%s; inputs "
      "are %s, open sizes %s",
      r->text, TENON_DID_YOU_MEAN(nearest.best), tenon_labels_text(&inputs),
      tenon_labels_text(&sizes));
}

static tenon_status fix_request(fixing *f, const char *text) {
  request r;
  bool found = false;
  TENON_TRY(shapes_parse(f, text, &r));
  TENON_TRY(find_inputs(f, &r, fix_input, &found));
  if (found) return TENON_OK;
  uint32_t symbol = shapes_find_symbol(f, r.name);
  if (symbol == 0 || r.n != 1) return shapes_refuse_name(f, &r);
  return shapes_ask(f, &r, symbol, 0);
}

static tenon_status fix_batch(fixing *f, int64_t batch) {
  bool found = false;
  if (batch < 0 || batch > INT32_MAX) {
    return shapes_fail(f, TENON_BAD_ARGUMENT, "a batch of %lld",
                       (long long)batch);
  }
  for (size_t i = 0; i < f->m->entries.count; ++i) {
    const tenon_graph *g = f->m->entries.data[i].graph;
    for (uint16_t k = 0; k < g->n_params; ++k) {
      const tenon_type *t = &g->params[k]->type;
      if (t->rank == 0 || !is_leaf(f, t->dims[0])) continue;
      found = true;
      if (f->now[t->dims[0].symbol].symbol == 0) continue;  // fixed by shape
      TENON_TRY(fix(f, t->dims[0].symbol, batch, "batch"));
    }
  }
  return found ? TENON_OK
               : shapes_fail(
                     f, TENON_BAD_INPUT,
                     "a batch is asked for, but no input has an open first "
                     "dimension");
}

// Open sizes of inputs that nobody fixed take what the file holds for now.
static tenon_status fix_stored(fixing *f) {
  for (size_t i = 0; i < f->m->entries.count; ++i) {
    const tenon_graph *g = f->m->entries.data[i].graph;
    for (uint16_t k = 0; k < g->n_params; ++k) {
      const tenon_type *t = &g->params[k]->type;
      for (int d = 0; d < t->rank; ++d) {
        const tenon_symbol *s =
            tenon_symbols_look(&f->m->symbols, t->dims[d].symbol);
        if (!s || s->op != 0 || s->stored == 0) continue;
        if (f->now[t->dims[d].symbol].symbol == 0) continue;
        if (f->is_bounded[t->dims[d].symbol]) continue;
        TENON_TRY(fix(f, t->dims[d].symbol, s->stored, "the stored size"));
      }
    }
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// What becomes of the rest
// ---------------------------------------------------------------------------

static tenon_dim now_of(const fixing *f, tenon_dim d) {
  return d.symbol != 0 && d.symbol < f->n_symbols ? f->now[d.symbol] : d;
}

static bool shapes_is_size(tenon_dim d) {
  return d.symbol != 0 || (d.value >= 0 && d.value <= INT32_MAX);
}

static tenon_status shapes_evaluate(fixing *f) {
  for (uint32_t i = 1; i < f->n_symbols; ++i) {
    tenon_symbol s = *tenon_symbols_look(&f->m->symbols, i);
    if (s.op == 0) continue;
    tenon_dim a = now_of(f, s.a), b = now_of(f, s.b);
    bool divides = s.op == TENON_DIM_DIV || s.op == TENON_DIM_MOD;
    if (divides && b.symbol == 0 && b.value == 0)
      return shapes_fail(f, TENON_BAD_INPUT,
                         "these sizes make a division by zero");
    f->now[i] = tenon_symbols_apply(&f->m->symbols, (tenon_dim_op)s.op, a, b);
    if (f->m->arena.failed) return shapes_no_memory(f);
    if (tenon_dim_is_none(f->now[i]))
      return shapes_fail(f, TENON_BAD_INPUT, "these sizes overflow");
  }
  return TENON_OK;
}

// What the unknown operand must be for a sum or a product to be `value`, or, of
// a bound, may be at most. False: that does not say it.
static bool shapes_invert(uint32_t op, int64_t other, bool is_bound,
                          int64_t *value) {
  if (op == TENON_DIM_ADD)
    return other != INT64_MIN && tenon_int_add(*value, -other, value);
  if (op != TENON_DIM_MUL || other <= 0 || (!is_bound && *value % other != 0))
    return false;
  *value /= other;
  return true;
}

// Solves a size that is an expression of one open leaf.
static tenon_status shapes_solve(fixing *f, tenon_dim d, const request *r,
                                 int i) {
  int64_t value = r->sizes[i];
  while (!is_leaf(f, d)) {
    const tenon_symbol *s = tenon_symbols_look(&f->m->symbols, d.symbol);
    if (!s) return TENON_OK;
    tenon_dim a = now_of(f, s->a), b = now_of(f, s->b);
    if ((a.symbol == 0) == (b.symbol == 0)) return TENON_OK;
    if (!shapes_invert(s->op, a.symbol == 0 ? a.value : b.value, r->is_bound,
                       &value))
      return shapes_fail(f, TENON_BAD_INPUT,
                         "'%s': no size makes dimension %d of the input %lld",
                         r->text, i, (long long)r->sizes[i]);
    d = a.symbol == 0 ? s->b : s->a;
  }
  if (f->now[d.symbol].symbol == 0 && !r->is_bound) return TENON_OK;
  return r->is_bound ? shapes_bound(f, d.symbol, value, r->text)
                     : fix(f, d.symbol, value, r->text);
}

static tenon_status solve_input(fixing *f, const tenon_value *input,
                                const request *r) {
  for (int i = 0; i < r->n; ++i) {
    tenon_dim d = input->type.dims[i];
    if (d.symbol == 0 || is_leaf(f, d)) continue;
    TENON_TRY(shapes_evaluate(f));
    TENON_TRY(shapes_solve(f, d, r, i));
  }
  return TENON_OK;
}

static bool has_changed(const fixing *f, const tenon_dim *dims, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (!tenon_dim_equals(now_of(f, dims[i]), dims[i])) return true;
  }
  return false;
}

// Null when memory ran out.
static const tenon_dim *substitute(const fixing *f, const tenon_dim *dims,
                                   size_t n) {
  tenon_dim *copy = tenon_arena_array(&f->m->arena, tenon_dim, n);
  for (size_t i = 0; copy && i < n; ++i)
    copy[i] = now_of(f, dims[i]);
  return copy;
}

static tenon_status fix_value(const fixing *f, tenon_value *v) {
  if (!has_changed(f, v->type.dims, v->type.rank)) return TENON_OK;
  const tenon_dim *dims = substitute(f, v->type.dims, v->type.rank);
  if (!dims) return shapes_no_memory(f);
  for (int i = 0; i < v->type.rank; ++i) {
    if (!shapes_is_size(dims[i]))
      return shapes_fail(f, TENON_BAD_INPUT,
                         "these sizes make a dimension of %lld",
                         (long long)dims[i].value);
  }
  v->type.dims = dims;
  return TENON_OK;
}

static tenon_status fix_attributes(const fixing *f, tenon_node *n) {
  tenon_module *m = f->m;
  size_t count = 0;
  bool changed = false;
  char error[MAX_ERROR] = "";
  for (const tenon_arg *a = n->args; a && a->name; ++a, ++count) {
    if (a->kind == TENON_KIND_DIMS)
      changed |= has_changed(f, a->as.dims.data, a->as.dims.count);
  }
  if (!changed) return TENON_OK;
  tenon_arg *args = (tenon_arg *)tenon_arena_copy(
      &m->arena, n->args, (count + 1) * sizeof *args, _Alignof(tenon_arg));
  if (!args) return shapes_no_memory(f);
  for (size_t i = 0; i < count; ++i) {
    if (args[i].kind != TENON_KIND_DIMS) continue;
    args[i].as.dims.data =
        substitute(f, args[i].as.dims.data, args[i].as.dims.count);
    if (!args[i].as.dims.data) return shapes_no_memory(f);
  }
  n->args = n->attrs = args;
  if (!n->op || !n->op->desc) return TENON_OK;
  // Numbers throughout are kept in another form than sizes with symbols.
  if (!tenon_attr_complete(&m->arena, n->op->schema, args, &n->args, error,
                           sizeof error))
    return shapes_fail(f, TENON_BAD_INPUT, "'%s': %s", n->op->name, error);
  n->attrs = tenon_attr_bind(&m->arena, n->op->desc->fields,
                             n->op->desc->attrs_size, n->args);
  return n->attrs ? TENON_OK : shapes_no_memory(f);
}

static tenon_status fix_params(const fixing *f, const tenon_graph *g) {
  for (uint16_t i = 0; i < g->n_params; ++i)
    TENON_TRY(fix_value(f, g->params[i]));
  return TENON_OK;
}

static tenon_status fix_node(void *self, tenon_node *n) {
  const fixing *f = (const fixing *)self;
  for (uint16_t i = 0; i < n->n_out; ++i)
    TENON_TRY(fix_value(f, n->out[i]));
  for (uint16_t i = 0; i < n->n_regions; ++i)
    TENON_TRY(fix_params(f, n->regions[i]));
  return fix_attributes(f, n);
}

// Conditions on what are numbers now hold or not.
static tenon_status fix_guards(const fixing *f) {
  size_t n = 0;
  for (size_t i = 0; i < f->m->guards.count; ++i) {
    tenon_guard g = f->m->guards.data[i];
    g.a = now_of(f, g.a);
    g.b = now_of(f, g.b);
    if (g.a.symbol == 0 && g.b.symbol == 0) {
      if (tenon_relation_holds(g.relation, g.a.value, g.b.value)) continue;
      return shapes_fail(
          f, TENON_BAD_INPUT,
          "these sizes break a condition of the file: %s%s%s(%lld, "
          "%lld)",
          g.text, *g.text ? ", " : "", tenon_relation_name(g.relation),
          (long long)g.a.value, (long long)g.b.value);
    }
    f->m->guards.data[n++] = g;
  }
  f->m->guards.count = n;
  return TENON_OK;
}

static tenon_status rewrite(fixing *f) {
  TENON_TRY(shapes_evaluate(f));
  TENON_TRY(fix_guards(f));
  for (size_t i = 0; i < f->m->functions.count; ++i)
    TENON_TRY(fix_params(f, f->m->functions.data[i]));
  return tenon_module_visit(f->m, fix_node, f);
}

// ---------------------------------------------------------------------------
// Whether that is what was asked for
// ---------------------------------------------------------------------------

static tenon_status check_input(fixing *f, const tenon_value *input,
                                const request *r) {
  for (int i = 0; i < r->n && !r->is_bound; ++i) {
    tenon_dim d = input->type.dims[i];
    if (d.symbol != 0) {
      return shapes_fail(
          f, TENON_BAD_INPUT,
          "'%s': dimension %d depends on several sizes: give those by "
          "name",
          r->text, i);
    }
    if (d.value != r->sizes[i]) {
      return shapes_fail(f, TENON_BAD_INPUT,
                         "'%s': dimension %d of the input is %lld, not %lld",
                         r->text, i, (long long)d.value,
                         (long long)r->sizes[i]);
    }
  }
  return TENON_OK;
}

static tenon_status shapes_note_decided(void *self, tenon_node *n) {
  fixing *f = (fixing *)self;
  for (uint32_t i = 0; i < n->n_decided; ++i) {
    if (n->decided[i] < f->n_symbols) f->is_decided[n->decided[i]] = true;
  }
  return TENON_OK;
}

static tenon_status each_request(fixing *f,
                                 tenon_status (*each)(fixing *f,
                                                      const tenon_value *input,
                                                      const request *r)) {
  const char *const *shapes = f->options->shapes;
  for (size_t i = 0; shapes && shapes[i]; ++i) {
    request r;
    bool found = false;
    TENON_TRY(shapes_parse(f, shapes[i], &r));
    TENON_TRY(find_inputs(f, &r, each, &found));
  }
  return TENON_OK;
}

static tenon_status shapes_apply(fixing *f) {
  const char *const *shapes = f->options->shapes;
  TENON_TRY(tenon_module_visit(f->m, shapes_note_decided, f));
  for (size_t i = 0; shapes && shapes[i]; ++i)
    TENON_TRY(fix_request(f, shapes[i]));
  if (f->options->batch != 0) TENON_TRY(fix_batch(f, f->options->batch));
  if (f->options->flags & TENON_READ_STORED_SIZES) TENON_TRY(fix_stored(f));
  TENON_TRY(each_request(f, solve_input));
  if (f->has_fixed) TENON_TRY(rewrite(f));
  return each_request(f, check_input);
}

tenon_status tenon_shapes_apply(tenon_module *m,
                                const tenon_read_options *options,
                                bool *is_reshaped) {
  tenon_arena scratch;
  *is_reshaped = false;
  if (!options->shapes && options->batch == 0 &&
      !(options->flags & TENON_READ_STORED_SIZES))
    return TENON_OK;
  tenon_arena_init(&scratch, m->cx->allocator);
  // Entry 0 of the table is no symbol; an empty table may lack it.
  uint32_t n = m->symbols.count > 0 ? m->symbols.count : 1;
  fixing f = {.m = m,
              .options = options,
              .n_symbols = n,
              .now = tenon_arena_array(&scratch, tenon_dim, n),
              .is_decided = tenon_arena_array(&scratch, bool, n),
              .is_bounded = tenon_arena_array(&scratch, bool, n)};
  tenon_status status;
  if (f.now && f.is_decided && f.is_bounded) {
    memset(f.is_decided, 0, n * sizeof *f.is_decided);
    for (uint32_t i = 0; i < n; ++i)
      f.now[i] = (tenon_dim){0, i};
    status = shapes_apply(&f);
  } else {
    status = shapes_no_memory(&f);
  }
  tenon_arena_deinit(&scratch);
  *is_reshaped = f.has_fixed;
  return status;
}
