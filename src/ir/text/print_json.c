// ir/text/print_json.c - a module as JSON, which can be read again.
//
// The structure is JSON; what has a text form of its own (names of values,
// sizes with symbols, scales, data) stands in strings in that form, printed by
// what prints text IR. docs/json.md is the schema. Printing text in a string
// is: print it behind what there is, and take it off again as a string.
#include "ir/text/print_json.h"

#include <string.h>

#include "core/attr.h"
#include "ir/build.h"
#include "ir/graph_link.h"
#include "ir/text/printer.h"
#include "ir/turned.h"
#include "ir/written.h"

static void json_put(tenon_printer *p, const char *text) {
  tenon_buf_text(&p->out, text);
}

// From here on, text; until `end_string` makes a string of it.
static size_t begin_string(const tenon_printer *p) {
  return p->out.size;
}
static const char *json_cut(tenon_printer *p, size_t begin) {
  tenon_buf_clear(&p->work);
  if (p->out.failed) return "";
  tenon_buf_add(&p->work, p->out.data + begin, p->out.size - begin);
  p->out.size = begin;
  p->out.data[begin] = 0;
  if (p->work.failed) p->out.failed = true;
  return p->work.data ? p->work.data : "";
}
static void end_string(tenon_printer *p, size_t begin) {
  tenon_buf_json(&p->out, json_cut(p, begin));
}

static void json_put_line(tenon_printer *p, bool is_first) {
  json_put(p, is_first ? "\n" : ",\n");
  for (uint32_t i = 0; i < p->indent; ++i)
    json_put(p, "  ");
  p->holds = false;
  tenon_printer_flush(p, 1u << 16);
  p->holds = true;
}

// ---------------------------------------------------------------------------
// Parts
// ---------------------------------------------------------------------------

// What a value prints in text IR, as one string.
static void json_print_string(tenon_buf *out, const tenon_put_value *v) {
  tenon_printer *p = tenon_printer_of(out);
  size_t begin = begin_string(p);
  tenon_put_one(out, v->as.p);
  end_string(p, begin);
}
TENON_PUT_AS(string_of, const tenon_put_value *, p, json_print_string)
#define tenon_as_string(x) tenon_as_string_of((const tenon_put_value[]){x})

// The sizes between brackets, which commas in parentheses do not part.
static const char *json_put_sizes(tenon_printer *p, const char *at) {
  json_put(p, "[");
  while (*at && *at != ']') {
    const char *end = at;
    for (int depth = 0; *end && (depth > 0 || (*end != ',' && *end != ']'));
         ++end)
      depth += (*end == '(') - (*end == ')');
    bool is_number = (*at >= '0' && *at <= '9') || *at == '-';
    for (const char *c = at; c < end; ++c)
      is_number = is_number && *c != '*' && *c != '+' && *c != '?';
    json_put(p, is_number ? "" : "\"");
    tenon_buf_add(&p->out, at, (size_t)(end - at));
    json_put(p, is_number ? "" : "\"");
    at = *end == ',' ? end + 1 : end;
    if (*end == ',') json_put(p, ", ");
  }
  json_put(p, "]");
  return *at == ']' ? at + 1 : at;
}

static void json_print_type(tenon_buf *out, const tenon_put_value *v) {
  tenon_printer *p = tenon_printer_of(out);
  tenon_buf text;
  tenon_buf_init(&text, p->m->arena.allocator);
  size_t begin = begin_string(p);
  tenon_printer_type(out, v);
  tenon_buf_text(&text, json_cut(p, begin));
  const char *at = text.data ? text.data : "";
  size_t name = strcspn(at, "[");
  json_put(p, "{\"dtype\": \"");
  tenon_buf_add(&p->out, at, name);
  json_put(p, "\", \"shape\": ");
  at += name;
  at = json_put_sizes(p, *at == '[' ? at + 1 : at);
  if (*at == '!') {
    json_put(p, ", \"is_number\": true");
    ++at;
  }
  if (*at) tenon_put_json(out, ", 'quant': $", at);
  tenon_put_json(out, ", 'text': $}", text.data ? text.data : "");
  if (text.failed) p->out.failed = true;
  tenon_buf_deinit(&text);
}
TENON_PUT_AS(json_type, const tenon_type *, p, json_print_type)

static void json_put_place(tenon_printer *p, const tenon_place *place) {
  tenon_buf *out = &p->out;
  tenon_put_json(out, "{'where': $", place->where ? place->where : "");
  if (place->origin) {
    // Behind the line of the program, the reader of a .pt2 has the module.
    const char *module = strstr(place->origin, ", module ");
    tenon_put_json(out, ", 'origin': $", place->origin);
    if (module)
      tenon_put_json(out, ", 'module': $", module + strlen(", module "));
    else if (strncmp(place->origin, "module ", 7) == 0)
      tenon_put_json(out, ", 'module': $", place->origin + 7);
  }
  if (place->file && strcmp(place->file, p->m->name) != 0)
    tenon_put_json(out, ", 'file': $", place->file);
  if (place->size > 0)
    tenon_put_json(out, ", 'bytes': [$, $]", place->offset, place->size);
  json_put(p, "}");
}

// Those that text IR would print; nothing where there are none.
static void json_print_places(tenon_buf *out, const tenon_put_value *v) {
  tenon_printer *p = tenon_printer_of(out);
  const tenon_loc loc = (tenon_loc)v->as.u;
  uint32_t i = 0;
  const tenon_place *place = tenon_printer_next_place(p, loc, &i);
  if (!place) return;
  json_put(p, ", \"places\": [");
  while (place) {
    json_put_place(p, place);
    place = tenon_printer_next_place(p, loc, &i);
    json_put(p, place ? ", " : "]");
  }
}
TENON_PUT_AS(places, uint64_t, u, json_print_places)

// ---------------------------------------------------------------------------
// Nodes
// ---------------------------------------------------------------------------

// A group of operands or results: one string, or a list.
static void put_group(tenon_printer *p, const tenon_node *n, int first,
                      int count, bool is_list) {
  if (is_list) json_put(p, "[");
  for (int i = first; i < first + count; ++i) {
    tenon_put_json(&p->out, "$$", tenon_as_plain(i > first ? ", " : ""),
                   tenon_as_string(tenon_as_value(n->in[i].value)));
  }
  if (is_list) json_put(p, "]");
}

// Of an operator that Tenon does not know, the file may say how it is called.
// Its names are those of the operands where as many stand there: of fewer,
// nothing says which were left out.
static const tenon_schema *called_schema(tenon_printer *p, tenon_arena *arena,
                                         const tenon_node *n) {
  char error[256];
  size_t at = 0;
  tenon_schema *s = NULL;
  const tenon_metadata *d =
      tenon_module_find_metadata(p->m, TENON_SCHEMA_KEY, n->op->name);
  const char *text = d ? tenon_arena_text(arena, d->data, d->size) : NULL;
  bool fits = text &&
              tenon_schema_parse(arena, text, &s, error, sizeof error, &at) &&
              s->n_tensors == n->n_in_groups;
  if (arena->failed) p->out.failed = true;
  return fits ? s : NULL;
}

static void put_arguments(tenon_printer *p, const tenon_node *n) {
  const tenon_schema *names = n->op->schema;
  tenon_arena arena;
  tenon_arena_init(&arena, p->m->arena.allocator);
  if (!names) names = called_schema(p, &arena, n);
  json_put(p, ", \"arguments\": [");
  for (int g = 0; g < n->n_in_groups; ++g) {
    int first = 0, count = tenon_node_group(n, g, &first);
    const tenon_argument *a =
        n->op->schema ? tenon_schema_tensor(n->op->schema, g) : NULL;
    json_put(p, g ? ", {" : "{");
    if (names)
      tenon_put_json(&p->out, "'name': $, ",
                     tenon_schema_tensor(names, g)->name);
    json_put(p, "\"value\": ");
    put_group(p, n, first, count, a ? a->is_list : count != 1);
    json_put(p, ", \"types\": [");
    for (int i = first; i < first + count; ++i) {
      if (i > first) json_put(p, ", ");
      const tenon_value *v = n->in[i].value;
      tenon_put(&p->out, "$",
                v ? tenon_as_json_type(&v->type) : tenon_as_plain("null"));
    }
    json_put(p, "]}");
  }
  json_put(p, "]");
  tenon_arena_deinit(&arena);
}

static bool is_plain_json(const tenon_arg *a, const char *text) {
  switch (a->kind) {
    case TENON_KIND_BOOL:
    case TENON_KIND_INT:
    case TENON_KIND_INTS:
    case TENON_KIND_BOOLS:
      return true;
    case TENON_KIND_FLOAT:
    case TENON_KIND_FLOATS:
    case TENON_KIND_SCALAR:
    case TENON_KIND_SCALARS:
      return !strstr(text, "inf") && !strstr(text, "nan") &&
             !strchr(text, 'x') && !strstr(text, "none");
    default:
      return false;
  }
}

static void put_attribute(tenon_printer *p, const tenon_arg *a) {
  tenon_put_json(&p->out, "{'name': $, 'kind': $, 'value': ", a->name,
                 a->kind ? tenon_kind_name(a->kind) : "none");
  size_t begin = begin_string(p);
  if (a->kind == 0) {
    json_put(p, "null");
  } else if (a->kind == TENON_KIND_STR) {
    tenon_buf_json(&p->out, a->as.s);
  } else if (a->kind == TENON_KIND_STRS) {
    for (size_t i = 0; i < a->as.strs.count; ++i) {
      json_put(p, i ? ", " : "[");
      tenon_buf_json(&p->out, a->as.strs.data[i]);
    }
    json_put(p, a->as.strs.count ? "]" : "[]");
  } else {
    tenon_arg_print(a, p->symbols, &p->out);
    const char *text = json_cut(p, begin);
    if (is_plain_json(a, text))
      json_put(p, text);
    else
      tenon_buf_json(&p->out, text);
  }
  json_put(p, "}");
}

static void put_attributes(tenon_printer *p, const tenon_node *n) {
  const tenon_arg *args = tenon_printer_printable(p, n->args);
  if (n->args && !args) p->out.failed = true;
  json_put(p, ", \"attributes\": [");
  for (const tenon_arg *a = args; a && a->name; ++a) {
    if (a != args) json_put(p, ", ");
    put_attribute(p, a);
  }
  json_put(p, "]");
}

static void put_results(tenon_printer *p, const tenon_node *n) {
  uint32_t n_groups = tenon_printer_groups(n);
  json_put(p, ", \"results\": [");
  for (uint32_t g = 0; g < n_groups; ++g) {
    tenon_result_group r = tenon_printer_group(n, g);
    if (g > 0) json_put(p, ", ");
    if (r.is_list) json_put(p, "[");
    for (uint32_t i = r.begin; i < r.end; ++i) {
      if (i > r.begin) json_put(p, ", ");
      tenon_put_json(&p->out, "{'value': $, 'type': $}",
                     tenon_as_string(tenon_as_definition(n->out[i])),
                     tenon_as_json_type(&n->out[i]->type));
    }
    if (r.is_list) json_put(p, "]");
  }
  json_put(p, "]");
}

static void put_target(tenon_printer *p, const char *name) {
  const char *colon = strstr(name, "::");
  const char *rest = colon ? colon + 2 : name;
  const char *dot = strrchr(rest, '.');
  tenon_put_json(&p->out, "{'op': $", name);
  if (!colon) return;
  json_put(p, ", \"set\": ");
  size_t begin = begin_string(p);
  tenon_buf_add(&p->out, name, (size_t)(colon - name));
  end_string(p, begin);
  tenon_put_json(&p->out, ", 'overload': $", dot ? dot + 1 : "default");
}

static void put_graph(tenon_printer *p, const tenon_graph *g);

static void put_node(tenon_printer *p, const tenon_node *n) {
  put_target(p, n->op->name);
  put_arguments(p, n);
  put_attributes(p, n);
  put_results(p, n);
  if (tenon_written_is_said(n)) json_put(p, ", \"functional\": true");
  if (n->opaque) {
    json_put(p, ", \"opaque\": ");
    size_t begin = begin_string(p);
    tenon_printer_hex(p, n->opaque, n->opaque_size);
    end_string(p, begin);
  }
  for (uint32_t i = 0; i < n->n_decided; ++i) {
    tenon_put(&p->out, "$$$", i == 0 ? ", \"decides\": [" : ", ",
              tenon_as_string(tenon_as_symbol(n->decided[i])),
              i + 1 == n->n_decided ? "]" : "");
  }
  tenon_put(&p->out, "$", tenon_as_places(n->loc));
  for (uint32_t i = 0; i < n->n_regions; ++i) {
    const tenon_graph *g = n->regions[i];
    json_put(p, i == 0 ? ", \"regions\": [{" : ", {");
    put_graph(p, g);
    tenon_put(&p->out, "$$", tenon_as_places(g->loc == n->loc ? 0 : g->loc),
              i + 1 == n->n_regions ? "}]" : "}");
  }
  json_put(p, "}");
}

static void put_graph(tenon_printer *p, const tenon_graph *g) {
  json_put(p, "\"params\": [");
  for (uint32_t i = 0; i < g->n_params; ++i) {
    const tenon_value *v = g->params[i];
    tenon_put_json(&p->out, "${'value': $, 'type': $$}",
                   tenon_as_plain(i ? ", " : ""),
                   tenon_as_string(tenon_as_definition(v)),
                   tenon_as_json_type(&v->type), tenon_as_places(v->loc));
  }
  json_put(p, "], \"nodes\": [");
  ++p->indent;
  for (const tenon_node *n = g->first; n; n = n->next) {
    json_put_line(p, n == g->first);
    put_node(p, n);
  }
  --p->indent;
  json_put(p, "], \"return\": {\"values\": [");
  for (uint32_t i = 0; i < g->end->n_in; ++i)
    tenon_put_json(&p->out, "$$", tenon_as_plain(i ? ", " : ""),
                   tenon_as_string(tenon_as_value(g->end->in[i].value)));
  tenon_put(&p->out, "]$}", tenon_as_places(g->end->loc));
}

// ---------------------------------------------------------------------------
// Items
// ---------------------------------------------------------------------------

static void put_header(tenon_printer *p) {
  const tenon_module *m = p->m;
  json_put(p, "{\n  \"tenon\": \"module\",\n  \"version\": 2");
  if (!m->is_anonymous) tenon_put_json(&p->out, ",\n  'name': $", m->name);
  if (m->format && strcmp(m->format, "text") != 0)
    tenon_put_json(&p->out, ",\n  'format': $", m->format);
  if (m->description)
    tenon_put_json(&p->out, ",\n  'description': $", m->description);
  if (m->target) tenon_put_json(&p->out, ",\n  'target': $", m->target);
  json_put(p, ",\n  \"metadata\": [");
  for (size_t i = 0; i < m->metadata.count; ++i) {
    const tenon_metadata *d = &m->metadata.data[i];
    json_put_line(p, i == 0);
    tenon_put_json(&p->out, "{'key': $, 'value': ", d->key);
    size_t begin = begin_string(p);
    tenon_printer_bytes(p, d->data, d->size);
    end_string(p, begin);
    json_put(p, "}");
  }
  json_put(p, "]");
}

static void json_put_dim(tenon_printer *p, const tenon_symbol *s) {
  tenon_put_json(&p->out, "{'name': $, 'kind': $", s->name,
                 s->kind == 0                  ? "int"
                 : s->kind == TENON_KIND_FLOAT ? "float"
                                               : "bool");
  if (s->kind == 0 && s->min != INT64_MIN)
    tenon_put_json(&p->out, ", 'min': $", s->min);
  if (s->kind == 0 && s->max != INT64_MAX)
    tenon_put_json(&p->out, ", 'max': $", s->max);
  if (s->kind == 0 && s->stored != 0)
    tenon_put_json(&p->out, ", 'stored': $", s->stored);
  json_put(p, "}");
}

static void put_dims(tenon_printer *p) {
  const tenon_symbols *all = &p->m->symbols;
  bool is_first = true;
  json_put(p, ",\n  \"dims\": [");
  for (uint32_t i = 1; i < all->count; ++i) {
    if (all->data[i].op != 0 || !tenon_printer_is_used(p, i)) continue;
    json_put_line(p, is_first);
    json_put_dim(p, &all->data[i]);
    is_first = false;
  }
  json_put(p, "],\n  \"guards\": [");
  is_first = true;
  for (size_t i = 0; i < p->m->guards.count; ++i) {
    const tenon_guard *g = &p->m->guards.data[i];
    if (g->is_derived) continue;
    json_put_line(p, is_first);
    is_first = false;
    tenon_put_json(&p->out, "{'relation': $, 'sizes': [$, $], 'text': $}",
                   tenon_relation_name(g->relation),
                   tenon_as_string(tenon_as_dim(&g->a)),
                   tenon_as_string(tenon_as_dim(&g->b)), g->text);
  }
  json_put(p, "]");
}

static void json_put_data(tenon_printer *p, const tenon_type *type,
                          const tenon_tensor *t) {
  json_put(p, ", \"data\": ");
  size_t begin = begin_string(p);
  tenon_printer_data(p, type, t);
  end_string(p, begin);
}

static void put_values(tenon_printer *p) {
  const tenon_module *m = p->m;
  json_put(p, ",\n  \"states\": [");
  for (size_t i = 0; i < m->states.count; ++i) {
    const tenon_state *s = &m->states.data[i];
    json_put_line(p, i == 0);
    tenon_put_json(&p->out, "{'name': $, 'type': $", s->name,
                   tenon_as_json_type(&s->type));
    if (s->initial && !p->is_outline) json_put_data(p, &s->type, s->initial);
    tenon_put(&p->out, "$}", tenon_as_places(s->loc));
  }
  json_put(p, "],\n  \"constants\": [");
  for (size_t i = 0; i < m->constants.count; ++i) {
    const tenon_value *c = m->constants.data[i];
    json_put_line(p, i == 0);
    tenon_put_json(&p->out, "{'value': $, 'type': $",
                   tenon_as_string(tenon_as_definition(c)),
                   tenon_as_json_type(&c->type));
    if (!p->is_outline) json_put_data(p, &c->type, tenon_value_constant(c));
    tenon_put(&p->out, "$}", tenon_as_places(c->loc));
  }
  json_put(p, "]");
}

static void put_names(tenon_printer *p, const char *key,
                      const char *const *names, size_t n) {
  json_put(p, key);
  for (size_t i = 0; i < n; ++i)
    tenon_put_json(&p->out, "$$", tenon_as_plain(i ? ", " : ""), names[i]);
  json_put(p, "]");
}

static void put_functions(tenon_printer *p) {
  const tenon_module *m = p->m;
  json_put(p, ",\n  \"entries\": [");
  for (size_t i = 0; i < m->entries.count; ++i) {
    const tenon_entry_point *e = &m->entries.data[i];
    json_put_line(p, i == 0);
    tenon_put_json(&p->out, "{'name': $, 'function': $", e->name,
                   e->graph->index);
    put_names(p, ", \"inputs\": [", e->inputs, e->graph->n_params);
    put_names(p, ", \"outputs\": [", e->outputs, tenon_entry_outputs(e));
    for (uint32_t k = 0; k < e->n_writes; ++k)
      tenon_buf_format(&p->out, "%s%u", k ? ", " : ", \"into\": [",
                       (unsigned)e->writes[k]);
    json_put(p, e->n_writes > 0 ? "]}" : "}");
  }
  json_put(p, "],\n  \"functions\": [");
  for (size_t i = 0; i < m->functions.count; ++i) {
    const tenon_graph *g = m->functions.data[i];
    tenon_printer_start_function(p);
    json_put_line(p, i == 0);
    tenon_put_json(&p->out, "{'index': $, 'name': $, ", g->index, g->name);
    put_graph(p, g);
    tenon_put(&p->out, "$}", tenon_as_places(g->loc));
  }
  json_put(p, "]\n}\n");
}

static void json_print_all(tenon_printer *p) {
  put_header(p);
  put_dims(p);
  put_values(p);
  put_functions(p);
}

tenon_status tenon_print_json(const tenon_module *m, bool has_data,
                              tenon_write_fn *write, void *self) {
  tenon_printer p = {.m = m,
                     .write = write,
                     .self = self,
                     .indent = 2,
                     .holds = true,
                     .is_outline = !has_data};
  return tenon_printer_run(&p, json_print_all);
}
