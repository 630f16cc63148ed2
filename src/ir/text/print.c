// ir/text/print.c - the text of a module, one definition after another.
//
// A module of one function that is its one entry, under the names of its own
// parameters, is printed in the short form: the body stands in the module
// itself. Everything else is printed item by item. The order of items is
// fixed, and nothing depends on addresses or hashes.
#include "ir/text/print.h"

#include <string.h>

#include "ir/build.h"
#include "ir/graph_link.h"
#include "ir/text/printer.h"
#include "ir/turned.h"
#include "ir/written.h"

static void start_line(tenon_printer *p) {
  for (uint32_t i = 0; i < p->indent; ++i)
    tenon_buf_text(&p->out, "  ");
}

static void end_line(tenon_printer *p) {
  tenon_buf_char(&p->out, '\n');
  tenon_printer_flush(p, 1u << 16);
}

#define ir_put(p, ...) tenon_put(&(p)->out, __VA_ARGS__)
#define ir_put_line(p, ...) (start_line(p), ir_put(p, __VA_ARGS__), end_line(p))

// ---------------------------------------------------------------------------
// Places
// ---------------------------------------------------------------------------

static void ir_print_place(tenon_printer *p, const tenon_place *place) {
  ir_put(p, "$", tenon_as_quoted(place->where ? place->where : ""));
  if (place->origin) ir_put(p, " $", tenon_as_quoted(place->origin));
  if (place->file && (!p->m->name || strcmp(place->file, p->m->name) != 0))
    ir_put(p, " in $", tenon_as_quoted(place->file));
  if (place->size > 0) ir_put(p, " bytes $:$", place->offset, place->size);
}

static void print_loc(tenon_buf *out, const tenon_put_value *v) {
  tenon_printer *p = tenon_printer_of(out);
  const tenon_loc loc = (tenon_loc)v->as.u;
  uint32_t seen = 0, i = 0;
  while (tenon_printer_next_place(p, loc, &i))
    ++seen;
  i = 0;
  for (uint32_t k = 0; k < seen; ++k) {
    ir_put(p, "$", k > 0 ? ", " : seen > 1 ? " @fused(" : " @");
    ir_print_place(p, tenon_printer_next_place(p, loc, &i));
  }
  if (seen > 1) tenon_buf_char(out, ')');
}
TENON_PUT_AS(loc, uint64_t, u, print_loc)

// ---------------------------------------------------------------------------
// Nodes
// ---------------------------------------------------------------------------

uint32_t tenon_printer_groups(const tenon_node *n) {
  return n->n_out_groups > 1 && n->out_group ? n->n_out_groups : n->n_out;
}

tenon_result_group tenon_printer_group(const tenon_node *n, uint32_t g) {
  const uint16_t *bounds = n->n_out_groups > 1 ? n->out_group : NULL;
  tenon_result_group r = {bounds ? bounds[g] : g,
                          bounds ? bounds[g + 1] : g + 1, false};
  const tenon_argument *a =
      n->op->schema ? tenon_schema_result(n->op->schema, g) : NULL;
  r.is_list = bounds && (a ? a->is_list : r.end - r.begin != 1);
  return r;
}

// Results are in brackets where a list is not the only one.
static void print_results(tenon_printer *p, const tenon_node *n) {
  uint32_t n_groups = tenon_printer_groups(n);
  for (uint32_t g = 0; g < n_groups; ++g) {
    tenon_result_group r = tenon_printer_group(n, g);
    ir_put(p, "$$", g > 0 ? ", " : "", r.is_list ? "[" : "");
    for (uint32_t i = r.begin; i < r.end; ++i)
      ir_put(p, "$$", i > r.begin ? ", " : "", tenon_as_definition(n->out[i]));
    if (r.is_list) tenon_buf_char(&p->out, ']');
  }
  if (n_groups > 0) tenon_buf_text(&p->out, " = ");
}

// Absent operands at the end go without saying where a schema says them.
static int printed_groups(const tenon_node *n) {
  int count = n->n_in_groups, first = 0;
  if (!n->op->schema || n->in_group) return count;
  while (count > 0 && tenon_node_group(n, count - 1, &first) == 1 &&
         !n->in[first].value)
    --count;
  return count;
}

static void ir_print_operands(tenon_printer *p, const tenon_node *n) {
  const int n_groups = printed_groups(n);
  tenon_buf_char(&p->out, '(');
  for (int g = 0; g < n_groups; ++g) {
    int first = 0, count = tenon_node_group(n, g, &first);
    const tenon_argument *a =
        n->op->schema ? tenon_schema_tensor(n->op->schema, g) : NULL;
    bool is_list = a ? a->is_list : count != 1;
    ir_put(p, "$$", g > 0 ? ", " : "", is_list ? "[" : "");
    for (int i = first; i < first + count; ++i)
      ir_put(p, "$$", i > first ? ", " : "", tenon_as_value(n->in[i].value));
    if (is_list) tenon_buf_char(&p->out, ']');
  }
  tenon_buf_char(&p->out, ')');
}

static void print_extras(tenon_printer *p, const tenon_node *n) {
  if (tenon_written_is_said(n)) tenon_buf_text(&p->out, " functional");
  if (n->opaque) {
    tenon_buf_text(&p->out, " opaque ");
    tenon_printer_hex(p, n->opaque, n->opaque_size);
  }
  for (uint32_t i = 0; i < n->n_decided; ++i)
    ir_put(p, "$$", i == 0 ? " decides " : ", ",
           tenon_as_symbol(n->decided[i]));
  for (uint32_t i = 0; i < n->n_out; ++i)
    ir_put(p, "$$", i == 0 ? " : " : ", ", tenon_as_type(&n->out[i]->type));
}

static void print_params(tenon_printer *p, const tenon_graph *g) {
  tenon_buf_char(&p->out, '(');
  for (uint32_t i = 0; i < g->n_params; ++i) {
    const tenon_value *v = g->params[i];
    ir_put(p, "$$: $$", i > 0 ? ", " : "", tenon_as_definition(v),
           tenon_as_type(&v->type), tenon_as_loc(v->loc));
  }
  tenon_buf_char(&p->out, ')');
}

static void print_body(tenon_printer *p, const tenon_graph *g,
                       const tenon_entry_point *e);

// Parameters and body, behind what begins the line.
static void print_braces(tenon_printer *p, const tenon_graph *g,
                         tenon_loc loc) {
  print_params(p, g);
  ir_put(p, "$ {", tenon_as_loc(loc));
  end_line(p);
  print_body(p, g, NULL);
  start_line(p);
  tenon_buf_char(&p->out, '}');
  end_line(p);
}

static void print_regions(tenon_printer *p, const tenon_node *n) {
  tenon_buf_text(&p->out, " {");
  end_line(p);
  ++p->indent;
  for (uint32_t i = 0; i < n->n_regions; ++i) {
    const tenon_graph *g = n->regions[i];
    start_line(p);
    print_braces(p, g, g->loc == n->loc ? 0 : g->loc);
  }
  --p->indent;
  start_line(p);
  tenon_buf_char(&p->out, '}');
}

static void print_node(tenon_printer *p, const tenon_node *n) {
  start_line(p);
  print_results(p, n);
  ir_put(p, "$", tenon_as_word(n->op->name));
  ir_print_operands(p, n);
  tenon_printer_args(p, n);
  print_extras(p, n);
  ir_put(p, "$", tenon_as_loc(n->loc));
  if (n->n_regions > 0) print_regions(p, n);
  end_line(p);
}

// In the short form, `e` is the entry that the body is: an output that is not
// named as its value is says so, and so does what is written into an input.
static void print_body(tenon_printer *p, const tenon_graph *g,
                       const tenon_entry_point *e) {
  ++p->indent;
  for (const tenon_node *n = g->first; n; n = n->next)
    print_node(p, n);
  start_line(p);
  tenon_buf_text(&p->out, "return");
  for (uint32_t i = 0; i < g->end->n_in; ++i) {
    const tenon_value *v = g->end->in[i].value;
    ir_put(p, "$$", i == 0 ? " " : ", ", tenon_as_value(v));
    if (e && i >= tenon_entry_outputs(e))
      ir_put(p, " into $", e->writes[i - tenon_entry_outputs(e)]);
    else if (e && v && strcmp(e->outputs[i], v->name) != 0)
      ir_put(p, " as $", tenon_as_quoted(e->outputs[i]));
  }
  ir_put(p, "$", tenon_as_loc(g->end->loc));
  end_line(p);
  --p->indent;
}

// ---------------------------------------------------------------------------
// Items
// ---------------------------------------------------------------------------

static void print_header_items(tenon_printer *p) {
  const tenon_module *m = p->m;
  if (m->format && strcmp(m->format, "text") != 0)
    ir_put_line(p, "format $", tenon_as_quoted(m->format));
  if (m->description)
    ir_put_line(p, "description $", tenon_as_quoted(m->description));
  if (m->target) ir_put_line(p, "target $", tenon_as_quoted(m->target));
  for (size_t i = 0; i < m->metadata.count; ++i) {
    const tenon_metadata *d = &m->metadata.data[i];
    start_line(p);
    ir_put(p, "metadata $ = ", tenon_as_quoted(d->key));
    if (d->size > 64 && (p->flags & TENON_PRINT_ELIDE)) {
      tenon_buf_text(&p->out, "...");
    } else {
      tenon_printer_bytes(p, d->data, d->size);
    }
    end_line(p);
  }
}

static void print_dims(tenon_printer *p) {
  const tenon_symbols *all = &p->m->symbols;
  for (uint32_t i = 1; i < all->count; ++i) {
    const tenon_symbol *s = &all->data[i];
    if (s->op != 0 || !tenon_printer_is_used(p, i)) continue;
    if (s->kind != 0) {
      ir_put_line(p, "dim $ = $", s->name,
                  s->kind == TENON_KIND_FLOAT ? "float" : "bool");
      continue;
    }
    start_line(p);
    ir_put(p, "dim $ = ", s->name);
    if (s->min != INT64_MIN) ir_put(p, "$", s->min);
    tenon_buf_text(&p->out, "..");
    if (s->max != INT64_MAX) ir_put(p, "$", s->max);
    if (s->stored != 0) ir_put(p, " stored $", s->stored);
    end_line(p);
  }
}

static void print_guards(tenon_printer *p) {
  for (size_t i = 0; i < p->m->guards.count; ++i) {
    const tenon_guard *g = &p->m->guards.data[i];
    if (g->is_derived) continue;
    start_line(p);
    ir_put(p, "guard $($, $)", tenon_relation_name(g->relation),
           tenon_as_dim(&g->a), tenon_as_dim(&g->b));
    if (*g->text) ir_put(p, " $", tenon_as_quoted(g->text));
    end_line(p);
  }
}

static void print_states(tenon_printer *p) {
  for (size_t i = 0; i < p->m->states.count; ++i) {
    const tenon_state *s = &p->m->states.data[i];
    start_line(p);
    ir_put(p, "state $ : $", tenon_as_quoted(s->name), tenon_as_type(&s->type));
    if (s->initial) {
      tenon_buf_text(&p->out, " = ");
      tenon_printer_data(p, &s->type, s->initial);
    }
    ir_put(p, "$", tenon_as_loc(s->loc));
    end_line(p);
  }
}

static void print_constants(tenon_printer *p, bool is_short) {
  for (size_t i = 0; i < p->m->constants.count; ++i) {
    const tenon_value *c = p->m->constants.data[i];
    start_line(p);
    ir_put(p, "$$$$$", is_short ? "" : "const ", tenon_as_definition(c),
           is_short ? " = const " : " : ", tenon_as_type(&c->type),
           is_short ? " " : " = ");
    tenon_printer_data(p, &c->type, tenon_value_constant(c));
    ir_put(p, "$", tenon_as_loc(c->loc));
    end_line(p);
  }
}

static void print_names(tenon_printer *p, const char *const *names, size_t n) {
  tenon_buf_char(&p->out, '(');
  for (size_t i = 0; i < n; ++i)
    ir_put(p, "$$", i > 0 ? ", " : "", tenon_as_quoted(names[i]));
  tenon_buf_char(&p->out, ')');
}

static void print_entries(tenon_printer *p) {
  for (size_t i = 0; i < p->m->entries.count; ++i) {
    const tenon_entry_point *e = &p->m->entries.data[i];
    start_line(p);
    ir_put(p, "entry $ = @$ ", tenon_as_quoted(e->name), e->graph->index);
    print_names(p, e->inputs, e->graph->n_params);
    tenon_buf_text(&p->out, " -> ");
    print_names(p, e->outputs, tenon_entry_outputs(e));
    for (uint32_t k = 0; k < e->n_writes; ++k)
      ir_put(p, "$$", k ? ", " : " into (", e->writes[k]);
    if (e->n_writes > 0) tenon_buf_char(&p->out, ')');
    end_line(p);
  }
}

// Parameters of the short form.
static void print_inputs(tenon_printer *p, const tenon_graph *g) {
  for (uint32_t i = 0; i < g->n_params; ++i) {
    const tenon_value *v = g->params[i];
    ir_put_line(p, "$ = input $$", tenon_as_definition(v),
                tenon_as_type(&v->type), tenon_as_loc(v->loc));
  }
}

static void print_functions(tenon_printer *p) {
  for (size_t i = 0; i < p->m->functions.count; ++i) {
    const tenon_graph *g = p->m->functions.data[i];
    tenon_printer_start_function(p);
    start_line(p);
    ir_put(p, "func @$ $ ", g->index, tenon_as_quoted(g->name));
    print_braces(p, g, g->loc);
  }
}

// ---------------------------------------------------------------------------
// The module
// ---------------------------------------------------------------------------

// Whether parsing a body in the module itself makes this module.
static bool is_short(const tenon_printer *p) {
  const tenon_module *m = p->m;
  if (m->functions.count != 1 || m->entries.count != 1) return false;
  const tenon_graph *g = m->functions.data[0];
  const tenon_entry_point *e = &m->entries.data[0];
  if (strcmp(g->name, "main") != 0 || strcmp(e->name, "main") != 0)
    return false;
  uint32_t place = 0;
  if (e->graph != g || tenon_printer_next_place(p, g->loc, &place))
    return false;
  for (uint32_t i = 0; i < g->n_params; ++i) {
    if (strcmp(e->inputs[i], g->params[i]->name) != 0) return false;
  }
  return true;
}

static void print_all(tenon_printer *p) {
  const tenon_module *m = p->m;
  bool in_short = is_short(p);
  tenon_buf_text(&p->out, "module ");
  if (!m->is_anonymous) ir_put(p, "$ ", tenon_as_quoted(m->name));
  tenon_buf_char(&p->out, '{');
  end_line(p);
  p->indent = 1;
  print_header_items(p);
  print_dims(p);
  print_guards(p);
  print_states(p);
  print_constants(p, in_short);
  if (in_short) {
    tenon_printer_start_function(p);
    print_inputs(p, m->functions.data[0]);
    p->indent = 0;  // a body indents itself
    print_body(p, m->functions.data[0], &m->entries.data[0]);
  } else {
    print_entries(p);
    print_functions(p);
  }
  tenon_buf_text(&p->out, "}\n");
}

tenon_status tenon_print_module(const tenon_module *m, uint32_t flags,
                                tenon_write_fn *write, void *self) {
  tenon_printer p = {.m = m, .flags = flags, .write = write, .self = self};
  return tenon_printer_run(&p, print_all);
}
