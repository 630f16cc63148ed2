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

// ---------------------------------------------------------------------------
// Places
// ---------------------------------------------------------------------------

static bool ir_same_text(const char *a, const char *b) {
  return a && b && strcmp(a, b) == 0;
}

static void ir_print_place(tenon_printer *p, const tenon_place *place) {
  tenon_printer_quote(p, place->where ? place->where : "");
  if (place->origin) {
    tenon_buf_char(&p->out, ' ');
    tenon_printer_quote(p, place->origin);
  }
  if (place->file && !ir_same_text(place->file, p->m->name)) {
    tenon_buf_text(&p->out, " in ");
    tenon_printer_quote(p, place->file);
  }
  if (place->size > 0)
    tenon_buf_format(&p->out, " bytes %llu:%llu",
                     (unsigned long long)place->offset,
                     (unsigned long long)place->size);
}

// The parts of a place that are to be seen: parsing gives lines of text a place
// that is not printed.
static void print_loc(tenon_printer *p, tenon_loc loc) {
  const tenon_locs *locs = &p->m->locs;
  if (p->flags & TENON_PRINT_NO_PLACES) return;
  if (loc == 0 || loc >= locs->count) return;
  const tenon_loc_entry *entry = &locs->entries[loc];
  const tenon_loc *parts = entry->n_parts > 0 ? entry->parts : &loc;
  uint32_t n = entry->n_parts > 0 ? entry->n_parts : 1, seen = 0;
  for (uint32_t i = 0; i < n; ++i)
    seen += !tenon_place_is_implied(&locs->entries[parts[i]].place);
  if (seen == 0) return;
  tenon_buf_text(&p->out, seen > 1 ? " @fused(" : " @");
  bool is_first = true;
  for (uint32_t i = 0; i < n; ++i) {
    const tenon_place *place = &locs->entries[parts[i]].place;
    if (tenon_place_is_implied(place)) continue;
    if (!is_first) tenon_buf_text(&p->out, ", ");
    is_first = false;
    ir_print_place(p, place);
  }
  if (seen > 1) tenon_buf_char(&p->out, ')');
}

static bool ir_is_seen(const tenon_printer *p, tenon_loc loc) {
  const tenon_locs *locs = &p->m->locs;
  if (p->flags & TENON_PRINT_NO_PLACES) return false;
  if (loc == 0 || loc >= locs->count) return false;
  const tenon_loc_entry *entry = &locs->entries[loc];
  for (uint32_t i = 0; i < entry->n_parts; ++i) {
    if (!tenon_place_is_implied(&locs->entries[entry->parts[i]].place))
      return true;
  }
  return entry->n_parts == 0 && !tenon_place_is_implied(&entry->place);
}

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
    if (g > 0) tenon_buf_text(&p->out, ", ");
    if (r.is_list) tenon_buf_char(&p->out, '[');
    for (uint32_t i = r.begin; i < r.end; ++i) {
      if (i > r.begin) tenon_buf_text(&p->out, ", ");
      tenon_printer_define(p, n->out[i]);
    }
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
    if (g > 0) tenon_buf_text(&p->out, ", ");
    if (is_list) tenon_buf_char(&p->out, '[');
    for (int i = first; i < first + count; ++i) {
      if (i > first) tenon_buf_text(&p->out, ", ");
      tenon_printer_value(p, n->in[i].value);
    }
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
  for (uint32_t i = 0; i < n->n_decided; ++i) {
    tenon_buf_text(&p->out, i == 0 ? " decides " : ", ");
    tenon_printer_symbol(p, n->decided[i]);
  }
  for (uint32_t i = 0; i < n->n_out; ++i) {
    tenon_buf_text(&p->out, i == 0 ? " : " : ", ");
    tenon_printer_type(p, &n->out[i]->type);
  }
}

static void print_params(tenon_printer *p, const tenon_graph *g) {
  tenon_buf_char(&p->out, '(');
  for (uint32_t i = 0; i < g->n_params; ++i) {
    if (i > 0) tenon_buf_text(&p->out, ", ");
    tenon_printer_define(p, g->params[i]);
    tenon_buf_text(&p->out, ": ");
    tenon_printer_type(p, &g->params[i]->type);
    print_loc(p, g->params[i]->loc);
  }
  tenon_buf_char(&p->out, ')');
}

static void print_body(tenon_printer *p, const tenon_graph *g,
                       const tenon_entry_point *e);

static void print_regions(tenon_printer *p, const tenon_node *n) {
  tenon_buf_text(&p->out, " {");
  end_line(p);
  ++p->indent;
  for (uint32_t i = 0; i < n->n_regions; ++i) {
    start_line(p);
    print_params(p, n->regions[i]);
    print_loc(p, n->regions[i]->loc == n->loc ? 0 : n->regions[i]->loc);
    tenon_buf_text(&p->out, " {");
    end_line(p);
    print_body(p, n->regions[i], NULL);
    start_line(p);
    tenon_buf_char(&p->out, '}');
    end_line(p);
  }
  --p->indent;
  start_line(p);
  tenon_buf_char(&p->out, '}');
}

static void print_node(tenon_printer *p, const tenon_node *n) {
  start_line(p);
  print_results(p, n);
  tenon_printer_word(p, n->op->name);
  ir_print_operands(p, n);
  tenon_printer_args(p, n);
  print_extras(p, n);
  print_loc(p, n->loc);
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
    tenon_buf_text(&p->out, i == 0 ? " " : ", ");
    const tenon_value *v = g->end->in[i].value;
    tenon_printer_value(p, v);
    if (e && i >= tenon_entry_outputs(e)) {
      uint32_t at = i - tenon_entry_outputs(e);
      tenon_buf_format(&p->out, " into %u", (unsigned)e->writes[at]);
      continue;
    }
    if (!e || !v || strcmp(e->outputs[i], v->name) == 0) continue;
    tenon_buf_text(&p->out, " as ");
    tenon_printer_quote(p, e->outputs[i]);
  }
  print_loc(p, g->end->loc);
  end_line(p);
  --p->indent;
}

// ---------------------------------------------------------------------------
// Items
// ---------------------------------------------------------------------------

static void print_text_item(tenon_printer *p, const char *what,
                            const char *text) {
  if (!text) return;
  start_line(p);
  tenon_buf_text(&p->out, what);
  tenon_buf_char(&p->out, ' ');
  tenon_printer_quote(p, text);
  end_line(p);
}

static void print_header_items(tenon_printer *p) {
  const tenon_module *m = p->m;
  bool is_text = !m->format || strcmp(m->format, "text") == 0;
  print_text_item(p, "format", is_text ? NULL : m->format);
  print_text_item(p, "description", m->description);
  print_text_item(p, "target", m->target);
  for (size_t i = 0; i < m->metadata.count; ++i) {
    const tenon_metadata *d = &m->metadata.data[i];
    start_line(p);
    tenon_buf_text(&p->out, "metadata ");
    tenon_printer_quote(p, d->key);
    tenon_buf_text(&p->out, " = ");
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
    start_line(p);
    tenon_buf_format(&p->out, "dim %s = ", s->name);
    if (s->kind != 0) {
      tenon_buf_text(&p->out, s->kind == TENON_KIND_FLOAT ? "float" : "bool");
      end_line(p);
      continue;
    }
    if (s->min != INT64_MIN)
      tenon_buf_format(&p->out, "%lld", (long long)s->min);
    tenon_buf_text(&p->out, "..");
    if (s->max != INT64_MAX)
      tenon_buf_format(&p->out, "%lld", (long long)s->max);
    if (s->stored != 0)
      tenon_buf_format(&p->out, " stored %lld", (long long)s->stored);
    end_line(p);
  }
}

static void print_guards(tenon_printer *p) {
  for (size_t i = 0; i < p->m->guards.count; ++i) {
    const tenon_guard *g = &p->m->guards.data[i];
    if (g->is_derived) continue;
    start_line(p);
    tenon_buf_format(&p->out, "guard %s(", tenon_relation_name(g->relation));
    tenon_printer_dim(p, g->a);
    tenon_buf_text(&p->out, ", ");
    tenon_printer_dim(p, g->b);
    tenon_buf_char(&p->out, ')');
    if (*g->text) {
      tenon_buf_char(&p->out, ' ');
      tenon_printer_quote(p, g->text);
    }
    end_line(p);
  }
}

static void print_states(tenon_printer *p) {
  for (size_t i = 0; i < p->m->states.count; ++i) {
    const tenon_state *s = &p->m->states.data[i];
    start_line(p);
    tenon_buf_text(&p->out, "state ");
    tenon_printer_quote(p, s->name);
    tenon_buf_text(&p->out, " : ");
    tenon_printer_type(p, &s->type);
    if (s->initial) {
      tenon_buf_text(&p->out, " = ");
      tenon_printer_data(p, &s->type, s->initial);
    }
    print_loc(p, s->loc);
    end_line(p);
  }
}

static void print_constants(tenon_printer *p, bool is_short) {
  for (size_t i = 0; i < p->m->constants.count; ++i) {
    const tenon_value *c = p->m->constants.data[i];
    start_line(p);
    if (!is_short) tenon_buf_text(&p->out, "const ");
    tenon_printer_define(p, c);
    tenon_buf_text(&p->out, is_short ? " = const " : " : ");
    tenon_printer_type(p, &c->type);
    tenon_buf_text(&p->out, is_short ? " " : " = ");
    tenon_printer_data(p, &c->type, tenon_value_constant(c));
    print_loc(p, c->loc);
    end_line(p);
  }
}

static void print_names(tenon_printer *p, const char *const *names, size_t n) {
  tenon_buf_char(&p->out, '(');
  for (size_t i = 0; i < n; ++i) {
    if (i > 0) tenon_buf_text(&p->out, ", ");
    tenon_printer_quote(p, names[i]);
  }
  tenon_buf_char(&p->out, ')');
}

static void print_entries(tenon_printer *p) {
  for (size_t i = 0; i < p->m->entries.count; ++i) {
    const tenon_entry_point *e = &p->m->entries.data[i];
    start_line(p);
    tenon_buf_text(&p->out, "entry ");
    tenon_printer_quote(p, e->name);
    tenon_buf_format(&p->out, " = @%u ", (unsigned)e->graph->index);
    print_names(p, e->inputs, e->graph->n_params);
    tenon_buf_text(&p->out, " -> ");
    print_names(p, e->outputs, tenon_entry_outputs(e));
    for (uint32_t k = 0; k < e->n_writes; ++k)
      tenon_buf_format(&p->out, "%s%u", k ? ", " : " into (",
                       (unsigned)e->writes[k]);
    if (e->n_writes > 0) tenon_buf_char(&p->out, ')');
    end_line(p);
  }
}

// Parameters of the short form.
static void print_inputs(tenon_printer *p, const tenon_graph *g) {
  for (uint32_t i = 0; i < g->n_params; ++i) {
    start_line(p);
    tenon_printer_define(p, g->params[i]);
    tenon_buf_text(&p->out, " = input ");
    tenon_printer_type(p, &g->params[i]->type);
    print_loc(p, g->params[i]->loc);
    end_line(p);
  }
}

static void print_functions(tenon_printer *p) {
  for (size_t i = 0; i < p->m->functions.count; ++i) {
    const tenon_graph *g = p->m->functions.data[i];
    tenon_printer_start_function(p);
    start_line(p);
    tenon_buf_format(&p->out, "func @%u ", (unsigned)g->index);
    tenon_printer_quote(p, g->name);
    tenon_buf_char(&p->out, ' ');
    print_params(p, g);
    print_loc(p, g->loc);
    tenon_buf_text(&p->out, " {");
    end_line(p);
    print_body(p, g, NULL);
    start_line(p);
    tenon_buf_char(&p->out, '}');
    end_line(p);
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
  if (e->graph != g || ir_is_seen(p, g->loc)) return false;
  for (uint32_t i = 0; i < g->n_params; ++i) {
    if (strcmp(e->inputs[i], g->params[i]->name) != 0) return false;
  }
  return true;
}

static void print_all(tenon_printer *p) {
  const tenon_module *m = p->m;
  bool in_short = is_short(p);
  tenon_buf_text(&p->out, "module ");
  if (!m->is_anonymous) {
    tenon_printer_quote(p, m->name);
    tenon_buf_char(&p->out, ' ');
  }
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
  tenon_printer p;
  memset(&p, 0, sizeof p);
  p.m = m;
  p.flags = flags;
  p.write = write;
  p.self = self;
  tenon_arena_init(&p.arena, m->arena.allocator);
  tenon_buf_init(&p.out, m->arena.allocator);
  bool is_ready = tenon_printer_start_names(&p);
  is_ready = tenon_printer_start_symbols(&p) && is_ready;
  if (is_ready) print_all(&p);
  tenon_printer_flush(&p, 0);
  bool has_failed = !is_ready || p.out.failed || p.arena.failed;
  tenon_printer_end_symbols(&p);
  tenon_printer_end_names(&p);
  tenon_buf_deinit(&p.out);
  tenon_arena_deinit(&p.arena);
  if (p.status != TENON_OK) return p.status;
  return has_failed ? tenon_fail_memory(&m->report, "printing a module")
                    : TENON_OK;
}
