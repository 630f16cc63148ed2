// api/picture.c - a module as DOT or Mermaid, with what a picture can hold.
//
// Boxes are operators, ovals what comes in and goes out, frames the functions,
// branches and loops; constants are left out. All of that comes first and all
// edges behind it, since both languages count a box to the frame in which it is
// first named.
#include "api/picture.h"

#include <string.h>

typedef struct picture {
  const tenon_module *m;
  bool is_dot;
  tenon_buf out;
  tenon_buf work;   // for one type at a time
  tenon_buf shown;  // for one text
} picture;

// A backslash and quotes are escaped in DOT; Mermaid has codes for what is
// markup in quotes.
static void picture_put_char(picture *p, char c) {
  if (p->is_dot && strchr("\"\\", c))
    tenon_buf_format(&p->out, "\\%c", c);
  else if (!p->is_dot && strchr("\"#<>&`", c))
    tenon_buf_format(&p->out, "#%d;", c);
  else
    tenon_buf_char(&p->out, c);
}

static void picture_put_text(picture *p, const char *text) {
  tenon_buf_clear(&p->shown);
  tenon_buf_shown(&p->shown, text);
  if (p->shown.failed) p->out.failed = true;
  for (size_t i = 0; i < p->shown.size; ++i)
    picture_put_char(p, p->shown.data[i]);
}

static void picture_put_type(picture *p, const tenon_type *t) {
  tenon_buf_clear(&p->work);
  tenon_type_print(t, &p->m->symbols, &p->work);
  if (p->work.failed) p->out.failed = true;
  picture_put_text(p, p->work.data ? p->work.data : "");
}

// --- names ------------------------------------------------------------------

// Of a graph: its function, or the node and which of its regions.
static void picture_put_graph(picture *p, const char *kind,
                              const tenon_graph *g) {
  if (g->parent)
    tenon_buf_format(&p->out, "%sn%u_%u", kind, g->parent->id, g->index);
  else
    tenon_buf_format(&p->out, "%s%u", kind, g->index);
}

static void picture_put_source(picture *p, const tenon_value *v) {
  if (v->kind == TENON_VALUE_PARAM)
    tenon_buf_format(&p->out, "p%u", v->id);
  else
    tenon_buf_format(&p->out, "n%u", v->node->id);
}

static const tenon_entry_point *entry_of(const picture *p,
                                         const tenon_graph *g) {
  for (size_t i = 0; i < p->m->entries.count; ++i)
    if (p->m->entries.data[i].graph == g) return &p->m->entries.data[i];
  return NULL;
}

// What result `i` goes to: an oval for each output of an entry point, else one
// for the whole graph.
static void put_end(picture *p, const tenon_graph *g, uint32_t i) {
  picture_put_graph(p, "r", g);
  if (entry_of(p, g)) tenon_buf_format(&p->out, "_%u", i);
}

static const char *end_name(const tenon_graph *g, const tenon_entry_point *e,
                            uint32_t i) {
  uint32_t n = (uint32_t)g->end->n_in - e->n_writes;
  return i < n ? e->outputs[i] : e->inputs[e->writes[i - n]];
}

// What a region is for, where its operator says so by its name alone.
static void put_region_name(picture *p, const tenon_graph *g) {
  static const char *const pairs[][3] = {
      {"core::cond", "then", "else"},
      {"higher_order::cond", "then", "else"},
      {"core::while", "while", "do"},
      {"higher_order::while_loop", "while", "do"},
  };
  const char *op = tenon_node_name(g->parent);
  picture_put_text(p, op);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
    if (strcmp(op, pairs[i][0]) == 0 && g->index < 2) {
      tenon_buf_format(&p->out, ": %s", pairs[i][g->index + 1]);
      return;
    }
  if (g->parent->n_regions > 1) tenon_buf_format(&p->out, ": %u", g->index);
}

// --- boxes, ovals, frames ---------------------------------------------------

static void begin_line(picture *p, const tenon_graph *g, bool is_framed) {
  int depth = 1 + (is_framed ? 1 : 0) + (g ? (int)g->depth : 0);
  tenon_buf_format(&p->out, "%*s", depth * 2, "");
}

static void end_oval(picture *p, const char *name) {
  tenon_buf_text(&p->out, p->is_dot ? " [shape=oval, label=\"" : "([\"");
  picture_put_text(p, name);
  tenon_buf_text(&p->out, p->is_dot ? "\"];\n" : "\"])\n");
}

static void draw_graph(picture *p, const tenon_graph *g, bool is_framed);

static void draw_frame(picture *p, const tenon_graph *g, bool is_framed) {
  begin_line(p, g->parent ? g->parent->graph : NULL, is_framed && g->parent);
  tenon_buf_text(&p->out, "subgraph ");
  picture_put_graph(p, p->is_dot ? "cluster_g" : "g", g);
  tenon_buf_text(&p->out, p->is_dot ? " { label=\"" : "[\"");
  if (g->parent)
    put_region_name(p, g);
  else
    picture_put_text(p, g->name ? g->name : "");
  tenon_buf_text(&p->out, p->is_dot ? "\";\n" : "\"]\n");
  draw_graph(p, g, is_framed);
  begin_line(p, g->parent ? g->parent->graph : NULL, is_framed && g->parent);
  tenon_buf_text(&p->out, p->is_dot ? "}\n" : "end\n");
}

// Nothing but the attribute says which state is read or written.
static void picture_put_state(picture *p, const tenon_node *n) {
  if (!tenon_op_is(n->op, "core::state_read") &&
      !tenon_op_is(n->op, "core::state_write"))
    return;
  for (const tenon_arg *a = n->args; a && a->name; ++a) {
    if (strcmp(a->name, "state") != 0) continue;
    picture_put_char(p, ' ');
    picture_put_text(p, a->as.s);
  }
}

static void draw_node(picture *p, const tenon_node *n, bool is_framed) {
  begin_line(p, n->graph, is_framed);
  tenon_buf_format(&p->out, p->is_dot ? "n%u [label=\"" : "n%u[\"", n->id);
  picture_put_text(p, tenon_node_name(n));
  picture_put_state(p, n);
  tenon_buf_text(&p->out, p->is_dot ? "\"];\n" : "\"]\n");
  for (uint32_t i = 0; i < n->n_regions; ++i)
    draw_frame(p, n->regions[i], is_framed);
}

static void draw_graph(picture *p, const tenon_graph *g, bool is_framed) {
  const tenon_entry_point *e = entry_of(p, g);
  for (uint32_t i = 0; i < g->n_params; ++i) {
    begin_line(p, g, is_framed);
    picture_put_source(p, g->params[i]);
    end_oval(p, e                    ? e->inputs[i]
                : g->params[i]->name ? g->params[i]->name
                                     : "");
  }
  for (const tenon_node *n = g->first; n; n = n->next)
    draw_node(p, n, is_framed);
  for (uint32_t i = 0; i < (e ? g->end->n_in : 1u); ++i) {
    begin_line(p, g, is_framed);
    put_end(p, g, i);
    end_oval(p, e ? end_name(g, e, i) : "return");
  }
}

// --- edges ------------------------------------------------------------------

static void begin_edge(picture *p, const tenon_value *v) {
  tenon_buf_text(&p->out, "  ");
  picture_put_source(p, v);
  tenon_buf_text(&p->out, p->is_dot ? " -> " : " -->|\"");
  if (p->is_dot) return;
  picture_put_type(p, &v->type);
  tenon_buf_text(&p->out, "\"| ");
}

static void end_edge(picture *p, const tenon_value *v) {
  if (p->is_dot) {
    tenon_buf_text(&p->out, " [label=\"");
    picture_put_type(p, &v->type);
    tenon_buf_text(&p->out, "\"];");
  }
  tenon_buf_char(&p->out, '\n');
}

static bool is_drawn(const tenon_value *v) {
  return v && v->kind != TENON_VALUE_CONSTANT;
}

static void connect_end(picture *p, const tenon_graph *g) {
  for (uint32_t i = 0; i < g->end->n_in; ++i) {
    const tenon_value *v = g->end->in[i].value;
    if (!is_drawn(v)) continue;
    begin_edge(p, v);
    put_end(p, g, i);
    end_edge(p, v);
  }
}

// An operator and what it runs. An edge of DOT ends at a box or an oval, and is
// cut at the frame.
static void connect_region(picture *p, const tenon_graph *g) {
  tenon_buf_format(&p->out, "  n%u %s ", g->parent->id,
                   p->is_dot ? "->" : "-.->");
  if (p->is_dot) {
    put_end(p, g, 0);
    tenon_buf_text(&p->out, " [style=dashed, lhead=");
    picture_put_graph(p, "cluster_g", g);
    tenon_buf_text(&p->out, "];");
  } else {
    picture_put_graph(p, "g", g);
  }
  tenon_buf_char(&p->out, '\n');
  connect_end(p, g);
}

static tenon_status connect_node(void *self, tenon_node *n) {
  picture *p = (picture *)self;
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tenon_value *v = n->in[i].value;
    if (!is_drawn(v)) continue;
    begin_edge(p, v);
    tenon_buf_format(&p->out, "n%u", n->id);
    end_edge(p, v);
  }
  for (uint32_t i = 0; i < n->n_regions; ++i)
    connect_region(p, n->regions[i]);
  return TENON_OK;
}

static tenon_status picture_draw(picture *p) {
  bool is_framed = p->m->functions.count > 1;
  tenon_buf_text(&p->out, p->is_dot ? "digraph model {\n  compound=true;\n"
                                      "  node [shape=box];\n"
                                    : "flowchart TD\n");
  for (size_t i = 0; i < p->m->functions.count; ++i) {
    if (is_framed)
      draw_frame(p, p->m->functions.data[i], true);
    else
      draw_graph(p, p->m->functions.data[i], false);
  }
  for (size_t i = 0; i < p->m->functions.count; ++i) {
    TENON_TRY(tenon_graph_visit(p->m->functions.data[i], connect_node, p));
    connect_end(p, p->m->functions.data[i]);
  }
  if (p->is_dot) tenon_buf_text(&p->out, "}\n");
  return TENON_OK;
}

tenon_status tenon_picture_print(const tenon_module *m, bool is_dot,
                                 tenon_write_fn *write, void *self) {
  picture p = {.m = m, .is_dot = is_dot};
  tenon_buf_init(&p.out, m->cx->allocator);
  tenon_buf_init(&p.work, m->cx->allocator);
  tenon_buf_init(&p.shown, m->cx->allocator);
  tenon_status status = picture_draw(&p);
  if (status == TENON_OK)
    status = p.out.failed ? tenon_fail_memory(&m->report, "printing a module")
                          : write(self, NULL, p.out.data, p.out.size);
  tenon_buf_deinit(&p.out);
  tenon_buf_deinit(&p.work);
  tenon_buf_deinit(&p.shown);
  return status;
}
