// ir/text/print_dim.c - sizes with symbols, as parsing will make them.
//
// core/symbol/symbol.c writes sums and products in the order in which their
// parts were first made. A module that was rewritten has made them in another
// order than one that is parsed, so its text would change when it is read and
// printed again. Therefore expressions are made anew here, in a table of our
// own, in the order in which they are printed: the table that parsing will
// have. Without expressions the module's own table does.

#include "core/attr.h"
#include "ir/text/printer.h"

// ---------------------------------------------------------------------------
// Making expressions anew
// ---------------------------------------------------------------------------

// Of a symbol that has not been made anew yet.
static const tenon_dim not_yet = {0, UINT32_MAX};

static bool print_dim_is_done(const tenon_printer *p, tenon_dim d) {
  return d.symbol == 0 || p->translated[d.symbol].symbol != not_yet.symbol;
}

static tenon_dim done(const tenon_printer *p, tenon_dim d) {
  return d.symbol == 0 ? d : p->translated[d.symbol];
}

// Parts before what is made of them, left before right, without recursion:
// expressions can be as deep as the table is long.
static void print_dim_translate(tenon_printer *p, uint32_t symbol) {
  const tenon_symbols *all = &p->m->symbols;
  TENON_VEC(uint32_t) stack;
  tenon_vec_init(&stack, p->m->arena.allocator);
  bool fine = tenon_vec_push(&stack, symbol);
  while (fine && stack.count > 0) {
    uint32_t top = stack.data[stack.count - 1];
    const tenon_symbol *s = &all->data[top];
    if (!print_dim_is_done(p, s->a)) {
      fine = tenon_vec_push(&stack, s->a.symbol);
    } else if (!print_dim_is_done(p, s->b)) {
      fine = tenon_vec_push(&stack, s->b.symbol);
    } else {
      p->translated[top] = tenon_symbols_apply(&p->own, (tenon_dim_op)s->op,
                                               done(p, s->a), done(p, s->b));
      (void)tenon_vec_pop(&stack);
    }
  }
  if (!fine || p->arena.failed) p->out.failed = true;
  tenon_vec_deinit(&stack);
}

static tenon_dim printable(tenon_printer *p, tenon_dim d) {
  if (!p->has_own || d.symbol == 0 || d.symbol >= p->m->symbols.count) return d;
  if (!print_dim_is_done(p, d)) print_dim_translate(p, d.symbol);
  return done(p, d);
}

// ---------------------------------------------------------------------------
// Which symbols are used
// ---------------------------------------------------------------------------

// In the order of the text, so that expressions are made in that order.
static void use_dim(tenon_printer *p, tenon_dim d) {
  d = printable(p, d);
  if (d.symbol < p->symbols->count && p->is_used) p->is_used[d.symbol] = true;
}

static void use_type(tenon_printer *p, const tenon_type *t) {
  for (int i = 0; i < t->rank; ++i)
    use_dim(p, t->dims[i]);
}

static void use_graph(tenon_printer *p, const tenon_graph *g);

static void use_node(tenon_printer *p, const tenon_node *n) {
  for (const tenon_arg *a = n->args; a && a->name; ++a) {
    if (a->kind != TENON_KIND_DIMS) continue;
    for (size_t i = 0; i < a->as.dims.count; ++i)
      use_dim(p, a->as.dims.data[i]);
  }
  for (uint32_t i = 0; i < n->n_decided; ++i)
    use_dim(p, (tenon_dim){0, n->decided[i]});
  for (uint32_t i = 0; i < n->n_out; ++i)
    use_type(p, &n->out[i]->type);
  for (uint32_t i = 0; i < n->n_regions; ++i)
    use_graph(p, n->regions[i]);
}

static void use_graph(tenon_printer *p, const tenon_graph *g) {
  for (uint32_t i = 0; i < g->n_params; ++i)
    use_type(p, &g->params[i]->type);
  for (const tenon_node *n = g->first; n; n = n->next)
    use_node(p, n);
}

static void use_module(tenon_printer *p) {
  for (size_t i = 0; i < p->m->guards.count; ++i) {
    if (p->m->guards.data[i].is_derived) continue;
    use_dim(p, p->m->guards.data[i].a);
    use_dim(p, p->m->guards.data[i].b);
  }
  for (size_t i = 0; i < p->m->states.count; ++i)
    use_type(p, &p->m->states.data[i].type);
  for (size_t i = 0; i < p->m->functions.count; ++i)
    use_graph(p, p->m->functions.data[i]);
}

static bool make_leaves(tenon_printer *p) {
  const tenon_symbols *all = &p->m->symbols;
  tenon_symbols_init(&p->own, &p->arena, p->m->arena.allocator);
  p->has_own = true;
  p->symbols = &p->own;
  p->translated = tenon_arena_array(&p->arena, tenon_dim, all->count);
  if (!p->translated) return false;
  for (uint32_t i = 1; i < all->count; ++i) {
    const tenon_symbol *s = &all->data[i];
    p->translated[i] = not_yet;
    if (s->op != 0) continue;
    if (s->kind != 0) {
      p->translated[i] = tenon_symbols_number(&p->own, s->name, s->kind);
      continue;
    }
    // First any range: one that allows a single number would not be a symbol.
    p->translated[i] =
        tenon_symbols_leaf(&p->own, s->name, INT64_MIN, INT64_MAX);
    (void)tenon_symbols_leaf(&p->own, s->name, s->min, s->max);
  }
  return !p->arena.failed;
}

// Shape rules leave symbols behind that nothing uses any more, and ranges may
// make an expression a number; what is not seen in the text has no `dim` there.
// The first walk makes all expressions, the second knows how many there are.
bool tenon_printer_start_symbols(tenon_printer *p) {
  const tenon_symbols *all = &p->m->symbols;
  bool has_expressions = false;
  p->symbols = all;
  for (uint32_t i = 1; i < all->count; ++i)
    has_expressions |= all->data[i].op != 0;
  if (has_expressions) {
    if (!make_leaves(p)) return false;
    use_module(p);
  }
  p->is_used = tenon_arena_array(&p->arena, bool, p->symbols->count + 1u);
  if (!p->is_used) return false;
  use_module(p);
  // Parts of an expression stand before it in the table.
  for (uint32_t i = p->symbols->count; i-- > 1;) {
    const tenon_symbol *s = &p->symbols->data[i];
    if (!p->is_used[i] || s->op == 0) continue;
    p->is_used[s->a.symbol] = p->is_used[s->b.symbol] = true;
  }
  return true;
}

bool tenon_printer_is_used(const tenon_printer *p, uint32_t leaf) {
  return p->is_used[p->has_own ? p->translated[leaf].symbol : leaf];
}

void tenon_printer_end_symbols(tenon_printer *p) {
  if (p->own.arena) tenon_symbols_deinit(&p->own);
}

// ---------------------------------------------------------------------------
// Printing with them
// ---------------------------------------------------------------------------

void tenon_printer_type(tenon_buf *out, const tenon_put_value *v) {
  tenon_printer *p = tenon_printer_of(out);
  tenon_dim dims[TENON_MAX_RANK];
  const tenon_type *t = v->as.p;
  tenon_type copy = *t;
  for (int i = 0; i < t->rank && i < TENON_MAX_RANK; ++i)
    dims[i] = printable(p, t->dims[i]);
  copy.dims = dims;
  tenon_type_print(&copy, p->symbols, out);
}

void tenon_printer_dim(tenon_buf *out, const tenon_put_value *v) {
  tenon_printer *p = tenon_printer_of(out);
  const tenon_dim *d = v->as.p;
  tenon_symbols_print(p->symbols, printable(p, *d), out);
}

void tenon_printer_symbol(tenon_buf *out, const tenon_put_value *v) {
  const tenon_dim d = {0, (uint32_t)v->as.u};
  const tenon_put_value dim = tenon_as_dim(&d);
  tenon_printer_dim(out, &dim);
}

// The attributes with printable sizes; null when memory ran out.
const tenon_arg *tenon_printer_printable(tenon_printer *p,
                                         const tenon_arg *args) {
  size_t n = 0;
  bool has_dims = false;
  for (; args && args[n].name; ++n)
    has_dims |= args[n].kind == TENON_KIND_DIMS;
  if (!has_dims || !p->has_own) return args;
  tenon_arg *copy = tenon_arena_copy(&p->arena, args, (n + 1) * sizeof *args,
                                     _Alignof(tenon_arg));
  for (size_t i = 0; copy && i < n; ++i) {
    if (copy[i].kind != TENON_KIND_DIMS) continue;
    size_t count = copy[i].as.dims.count;
    tenon_dim *dims = tenon_arena_array(&p->arena, tenon_dim, count);
    if (!dims) return NULL;
    for (size_t k = 0; k < count; ++k)
      dims[k] = printable(p, args[i].as.dims.data[k]);
    copy[i].as.dims.data = dims;
  }
  return copy;
}

static void print_plain(tenon_printer *p, const tenon_arg *args) {
  for (const tenon_arg *a = args; a->name; ++a) {
    tenon_put(&p->out, "$$=", a == args ? "[" : ", ", tenon_as_word(a->name));
    tenon_arg_print(a, p->symbols, &p->out);
  }
  if (args->name) tenon_buf_char(&p->out, ']');
}

void tenon_printer_args(tenon_printer *p, const tenon_node *n) {
  tenon_arena_mark mark = tenon_arena_save(&p->arena);
  const tenon_arg *args = tenon_printer_printable(p, n->args);
  bool may_drop = args == n->args;
  if (n->args && !args) {
    p->out.failed = true;
    return;
  }
  tenon_buf_char(&p->out, ' ');
  size_t before = p->out.size;
  if (n->op->schema) {
    tenon_args_print(args, n->op->schema, p->symbols, &p->out);
  } else if (args) {
    print_plain(p, args);
  }
  if (p->out.size == before && !p->out.failed) p->out.data[--p->out.size] = 0;
  if (may_drop) tenon_arena_restore(&p->arena, mark);
}
