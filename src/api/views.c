// How: text IR is printed by ir/text/print.h, JSON by ir/text/print_json.h. DOT
// and Mermaid have what a picture can hold.
#include <string.h>

#include "ir/graph.h"
#include "ir/text/print.h"
#include "ir/text/print_json.h"
#include "tenon/tenon.h"

typedef struct view {
  const tenon_module *m;
  tenon_buf out;
  tenon_buf work;  // for one piece of text at a time
} view;

static const char *finish(view *v) {
  if (v->work.failed) v->out.failed = true;
  return v->work.data ? v->work.data : "";
}

static const char *type_text(view *v, const tenon_type *t) {
  tenon_buf_clear(&v->work);
  tenon_type_print(t, &v->m->symbols, &v->work);
  return finish(v);
}

// --- pictures ---------------------------------------------------------------

// Quotes and newlines end a label in both languages; angle brackets and the
// like are markup in Mermaid.
static void label(tenon_buf *out, const char *text) {
  for (; *text; ++text) {
    unsigned char c = (unsigned char)*text;
    if (c < 0x20 || strchr("\"\\<>{}[]|#;&", c))
      tenon_buf_char(out, ' ');
    else
      tenon_buf_char(out, (char)c);
  }
}

typedef struct edges {
  view *v;
  bool is_dot;
} edges;

static tenon_status draw_node(void *self, tenon_node *n) {
  edges *e = (edges *)self;
  tenon_buf *out = &e->v->out;
  tenon_buf_format(out, e->is_dot ? "  n%u [label=\"" : "  n%u[\"", n->id);
  label(out, tenon_node_name(n));
  tenon_buf_text(out, e->is_dot ? "\"];\n" : "\"]\n");
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tenon_value *x = n->in[i].value;
    if (!x || x->kind == TENON_VALUE_CONSTANT) continue;
    if (x->kind == TENON_VALUE_PARAM)
      tenon_buf_format(out, "  p%u", x->id);
    else
      tenon_buf_format(out, "  n%u", x->node->id);
    tenon_buf_text(out, e->is_dot ? " -> " : " -->|");
    if (e->is_dot) {
      tenon_buf_format(out, "n%u [label=\"", n->id);
      label(out, type_text(e->v, &x->type));
      tenon_buf_text(out, "\"];\n");
    } else {
      label(out, type_text(e->v, &x->type));
      tenon_buf_format(out, "| n%u\n", n->id);
    }
  }
  return TENON_OK;
}

static void draw_params(view *v, const tenon_graph *g, bool is_dot) {
  for (uint32_t i = 0; i < g->n_params; ++i) {
    tenon_buf_format(&v->out,
                     is_dot ? "  p%u [shape=oval, label=\"" : "  p%u([\"",
                     g->params[i]->id);
    label(&v->out, g->params[i]->name ? g->params[i]->name : "");
    tenon_buf_text(&v->out, is_dot ? "\"];\n" : "\"])\n");
  }
}

static tenon_status print_picture(view *v, bool is_dot) {
  edges e = {v, is_dot};
  tenon_buf_text(&v->out, is_dot ? "digraph model {\n  node [shape=box];\n"
                                 : "flowchart TD\n");
  for (size_t i = 0; i < v->m->functions.count; ++i) {
    tenon_graph *g = v->m->functions.data[i];
    draw_params(v, g, is_dot);
    TENON_TRY(tenon_graph_visit(g, draw_node, &e));
  }
  if (is_dot) tenon_buf_text(&v->out, "}\n");
  return TENON_OK;
}

tenon_status tenon_module_print(const tenon_module *m, uint32_t format,
                                tenon_write_fn *write, void *self) {
  if (format == TENON_FORMAT_TEXT) return tenon_print_module(m, 0, write, self);
  if (format == TENON_FORMAT_JSON) return tenon_print_json(m, write, self);
  if (format != TENON_FORMAT_DOT && format != TENON_FORMAT_MERMAID)
    return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "print-format", NULL,
                      "a module is printed as text, JSON, DOT or Mermaid");
  view v = {.m = m};
  tenon_buf_init(&v.out, m->cx->allocator);
  tenon_buf_init(&v.work, m->cx->allocator);
  tenon_status status = print_picture(&v, format == TENON_FORMAT_DOT);
  if (status == TENON_OK)
    status = v.out.failed ? tenon_fail_memory(&m->report, "printing a module")
                          : write(self, NULL, v.out.data, v.out.size);
  tenon_buf_deinit(&v.out);
  tenon_buf_deinit(&v.work);
  return status;
}
