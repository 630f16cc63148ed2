// How: text IR is printed by ir/print.h. The other three forms walk the same
// nodes: JSON with everything, DOT and Mermaid with what a picture can hold.
#include <string.h>

#include "core/attr.h"
#include "ir/graph.h"
#include "ir/print.h"
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

// --- JSON -------------------------------------------------------------------

static void json_value(view *v, const tenon_value *x) {
  static const char *const kinds[] = {"", "result", "parameter", "constant"};
  if (!x) {
    tenon_buf_text(&v->out, "null");
    return;
  }
  tenon_buf_format(&v->out, "{\"id\": %u, \"kind\": \"%s\", \"name\": ", x->id,
                   kinds[x->kind]);
  tenon_buf_json(&v->out, x->name ? x->name : "");
  tenon_buf_text(&v->out, ", \"type\": ");
  tenon_buf_json(&v->out, type_text(v, &x->type));
  tenon_buf_char(&v->out, '}');
}

static void json_args(view *v, const tenon_node *n) {
  tenon_buf_char(&v->out, '{');
  for (const tenon_arg *a = n->args; a && a->name; ++a) {
    if (a != n->args) tenon_buf_text(&v->out, ", ");
    tenon_buf_json(&v->out, a->name);
    tenon_buf_format(&v->out, ": {\"kind\": \"%s\", \"value\": ",
                     a->kind ? tenon_kind_name(a->kind) : "none");
    tenon_buf_clear(&v->work);
    tenon_arg_print(a, &v->m->symbols, &v->work);
    tenon_buf_json(&v->out, finish(v));
    tenon_buf_char(&v->out, '}');
  }
  tenon_buf_char(&v->out, '}');
}

static void json_place(view *v, const tenon_node *n) {
  const tenon_place *p = tenon_node_place(n);
  tenon_buf_text(&v->out, "{\"where\": ");
  tenon_buf_json(&v->out, p->where ? p->where : "");
  tenon_buf_text(&v->out, ", \"origin\": ");
  tenon_buf_json(&v->out, p->origin ? p->origin : "");
  tenon_buf_format(&v->out, ", \"offset\": %llu, \"size\": %llu}",
                   (unsigned long long)(p->size ? p->offset : 0),
                   (unsigned long long)p->size);
}

// Options that nobody can read, as hexadecimal bytes.
static void json_opaque(view *v, const tenon_node *n) {
  const unsigned char *bytes = n->opaque;
  tenon_buf_text(&v->out, ", \"opaque\": \"");
  for (size_t i = 0; i < n->opaque_size; ++i)
    tenon_buf_format(&v->out, "%02x", bytes[i]);
  tenon_buf_char(&v->out, '"');
}

static void json_graph(view *v, const tenon_graph *g);

static void json_node(view *v, const tenon_node *n) {
  tenon_buf_text(&v->out, "{\"op\": ");
  tenon_buf_json(&v->out, tenon_node_name(n));
  tenon_buf_text(&v->out, ", \"args\": ");
  json_args(v, n);
  tenon_buf_text(&v->out, ", \"in\": [");
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (i) tenon_buf_text(&v->out, ", ");
    json_value(v, n->in[i].value);
  }
  tenon_buf_text(&v->out, "], \"out\": [");
  for (uint32_t i = 0; i < n->n_out; ++i) {
    if (i) tenon_buf_text(&v->out, ", ");
    json_value(v, n->out[i]);
  }
  tenon_buf_text(&v->out, "], \"place\": ");
  json_place(v, n);
  if (n->opaque) json_opaque(v, n);
  if (n->n_regions) {
    tenon_buf_text(&v->out, ", \"regions\": [");
    for (uint32_t r = 0; r < n->n_regions; ++r) {
      if (r) tenon_buf_text(&v->out, ", ");
      json_graph(v, n->regions[r]);
    }
    tenon_buf_char(&v->out, ']');
  }
  tenon_buf_char(&v->out, '}');
}

static void json_graph(view *v, const tenon_graph *g) {
  tenon_buf_text(&v->out, "{\"name\": ");
  tenon_buf_json(&v->out, g->name ? g->name : "");
  tenon_buf_text(&v->out, ", \"params\": [");
  for (uint32_t i = 0; i < g->n_params; ++i) {
    if (i) tenon_buf_text(&v->out, ", ");
    json_value(v, g->params[i]);
  }
  tenon_buf_text(&v->out, "], \"nodes\": [");
  for (const tenon_node *n = g->first; n; n = n->next) {
    tenon_buf_text(&v->out, n == g->first ? "\n      " : ",\n      ");
    json_node(v, n);
  }
  tenon_buf_text(&v->out, "], \"results\": [");
  for (uint32_t i = 0; i < g->end->n_in; ++i) {
    if (i) tenon_buf_text(&v->out, ", ");
    json_value(v, g->end->in[i].value);
  }
  tenon_buf_text(&v->out, "]}");
}

static void print_json(view *v) {
  const tenon_module *m = v->m;
  tenon_buf_text(&v->out, "{\n  \"version\": 1,\n  \"name\": ");
  tenon_buf_json(&v->out, m->name);
  tenon_buf_text(&v->out, ",\n  \"functions\": [");
  for (size_t i = 0; i < m->functions.count; ++i) {
    tenon_buf_text(&v->out, i ? ",\n    " : "\n    ");
    json_graph(v, m->functions.data[i]);
  }
  tenon_buf_text(&v->out, "\n  ]\n}\n");
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
  if (format != TENON_FORMAT_JSON && format != TENON_FORMAT_DOT &&
      format != TENON_FORMAT_MERMAID)
    return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "print-format", NULL,
                      "a module is printed as text, JSON, DOT or Mermaid");
  view v = {.m = m};
  tenon_status status = TENON_OK;
  tenon_buf_init(&v.out, m->cx->allocator);
  tenon_buf_init(&v.work, m->cx->allocator);
  if (format == TENON_FORMAT_JSON)
    print_json(&v);
  else
    status = print_picture(&v, format == TENON_FORMAT_DOT);
  if (status == TENON_OK)
    status = v.out.failed ? tenon_fail_memory(&m->report, "printing a module")
                          : write(self, NULL, v.out.data, v.out.size);
  tenon_buf_deinit(&v.out);
  tenon_buf_deinit(&v.work);
  return status;
}
