// How: the call is cut at its commas, and each value read when the nodes that
// it may speak of are known. Kinds are those that the text has; the builder
// converts them to those of the schema.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "core/attr.h"
#include "pass/outline/outline.h"
#include "reg/store.h"

static tenon_status outline_call_wrong(const tenon_module *m, const char *text,
                                       const char *what) {
  return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "outline-call", NULL,
                    "'%s' %s; expected 'ns::name(...)', with '...' for all "
                    "operands that are not said, names of parameters, operands "
                    "and attributes: 'x=ns::op(self)', 'eps=1e-6', "
                    "'eps=ns::op(other)'",
                    text, what);
}

static tenon_status find_op(tenon_module *m, tenon_text name,
                            const tenon_op **out) {
  char text[256], normal[256];
  const char *nearest = NULL;
  snprintf(text, sizeof text, "%.*s", (int)name.size, name.data);
  if (tenon_name_normal(text, normal, sizeof normal))
    TENON_TRY(tenon_registry_get_op(m->cx, normal, out));
  if (*out && (*out)->desc) return TENON_OK;
  nearest = tenon_registry_nearest_op(m->cx, text);
  return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "outline-call", NULL,
                    "unknown operator '%s'%s%s%s", text,
                    TENON_DID_YOU_MEAN(nearest));
}

static bool outline_call_parse_item(tenon_text piece, tenon_outline_item *out) {
  const char *equals = memchr(piece.data, '=', piece.size);
  memset(out, 0, sizeof *out);
  if (tenon_text_is(piece, "...")) return true;
  out->name = piece;
  if (!equals) return piece.size > 0;
  out->is_attribute = true;
  out->name.size = (size_t)(equals - piece.data);
  out->name = tenon_text_trim(out->name);
  out->value.data = equals + 1;
  out->value.size = piece.size - (size_t)(equals + 1 - piece.data);
  out->value = tenon_text_trim(out->value);
  const char *open = memchr(out->value.data, '(', out->value.size);
  bool is_reference = open && out->value.data[out->value.size - 1] == ')';
  if (is_reference) {
    out->op = (tenon_text){out->value.data, (size_t)(open - out->value.data)};
    out->argument = (tenon_text){open + 1, out->value.size - out->op.size - 2};
  }
  return out->name.size > 0 && out->value.size > 0;
}

// Up to a comma outside of brackets.
static tenon_text next_item(tenon_text *rest) {
  size_t n = 0;
  for (int depth = 0; n < rest->size; ++n) {
    char c = rest->data[n];
    depth += (c == '[' || c == '(') - (c == ']' || c == ')');
    if (c == ',' && depth == 0) break;
  }
  tenon_text piece = {rest->data, n};
  size_t step = n + (n < rest->size);
  rest->data += step;
  rest->size -= step;
  return tenon_text_trim(piece);
}

tenon_status tenon_outline_parse(tenon_module *m, tenon_arena *arena,
                                 const char *text, tenon_outline_call *out) {
  const char *open = strchr(text, '(');
  tenon_text all = tenon_text_of(text);
  memset(out, 0, sizeof *out);
  if (open && text[all.size - 1] != ')')
    return outline_call_wrong(m, text, "has no parenthesis at its end");
  tenon_text name = {text, open ? (size_t)(open - text) : all.size};
  tenon_text rest = tenon_text_of("...");
  if (open) rest = (tenon_text){open + 1, all.size - name.size - 2};
  TENON_TRY(find_op(m, tenon_text_trim(name), &out->op));
  out->items = tenon_arena_array(arena, tenon_outline_item, rest.size + 1);
  if (!out->items) return tenon_fail_memory(&m->report, "outlining");
  while (rest.size > 0) {
    tenon_text piece = next_item(&rest);
    if (!outline_call_parse_item(piece, &out->items[out->n_items++]))
      return outline_call_wrong(m, text, "has an item that is empty");
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Attributes
// ---------------------------------------------------------------------------

static tenon_status outline_call_refuse(const tenon_outline_group *g,
                                        const tenon_outline_item *item,
                                        const char *what) {
  const tenon_module *m = g->graph->module;
  return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "outline-attribute",
                    tenon_node_place(g->nodes.data[0]),
                    "'%.*s=%.*s' in module '%.*s': %s", (int)item->name.size,
                    item->name.data, (int)item->value.size, item->value.data,
                    (int)g->path.size, g->path.data, what);
}

static bool outline_call_read_ints(tenon_arena *arena, tenon_text t,
                                   tenon_arg *out) {
  int64_t *data = tenon_arena_array(arena, int64_t, t.size);
  size_t n = 0;
  tenon_text rest = {t.data + 1, t.size - 2}, piece;
  if (!data) return false;
  while (rest.size > 0 && tenon_text_next(&rest, ',', &piece))
    if (!tenon_text_int(tenon_text_trim(piece), &data[n++])) return false;
  *out = tenon_arg_ints("", data, n);
  return true;
}

static bool outline_call_read_literal(tenon_arena *arena, tenon_text t,
                                      tenon_arg *out) {
  int64_t number = 0;
  double real = 0;
  char last = t.data[t.size - 1];
  bool is_true = tenon_text_is(t, "true") || tenon_text_is(t, "True");
  if (is_true || tenon_text_is(t, "false") || tenon_text_is(t, "False")) {
    *out = tenon_arg_bool("", is_true);
  } else if (tenon_text_int(t, &number)) {
    *out = tenon_arg_int("", number);
  } else if (tenon_text_double(t, &real)) {
    *out = tenon_arg_float("", real);
  } else if (t.size >= 2 && t.data[0] == '[' && last == ']') {
    return outline_call_read_ints(arena, t, out);
  } else if (t.size >= 2 && (t.data[0] == '\'' || t.data[0] == '"') &&
             last == t.data[0]) {
    out->kind = TENON_KIND_STR;
    out->as.s = tenon_arena_text(arena, t.data + 1, t.size - 2);
    return out->as.s != NULL;
  } else {
    return false;
  }
  return true;
}

// A number in the place of a tensor.
static bool outline_call_read_number(const tenon_value *v, tenon_arg *out) {
  const tenon_tensor *t = v ? v->constant : NULL;
  if (!t || t->rank != 0) return false;
  switch (t->dtype) {
    case TENON_F64:
      *out = tenon_arg_float("", *(const double *)t->data);
      return true;
    case TENON_F32:
      *out = tenon_arg_float("", (double)*(const float *)t->data);
      return true;
    case TENON_S64:
      *out = tenon_arg_int("", *(const int64_t *)t->data);
      return true;
    case TENON_BOOL:
      *out = tenon_arg_bool("", *(const uint8_t *)t->data != 0);
      return true;
    default:
      return false;
  }
}

static bool outline_call_read_argument(const tenon_node *n, const char *name,
                                       tenon_arg *out) {
  int first = 0;
  const tenon_arg *given = tenon_node_arg(n, name);
  if (given) *out = *given;
  for (int i = 0; !given && n->op->schema && i < n->op->schema->n_tensors;
       ++i) {
    const tenon_argument *a = tenon_schema_tensor(n->op->schema, i);
    if (strcmp(a->name, name) == 0)
      return tenon_node_group(n, i, &first) == 1 &&
             outline_call_read_number(n->in[first].value, out);
  }
  return given != NULL;
}

// "aten::mul.Tensor" of "aten::mul.Tensor[1]"; *which stays where it has none.
static tenon_text without_index(tenon_text op, int64_t *which) {
  const char *open = memchr(op.data, '[', op.size);
  size_t size = open ? (size_t)(open - op.data) : 0;
  if (!open || op.data[op.size - 1] != ']' || op.size < size + 3) return op;
  tenon_text digits = {open + 1, op.size - size - 2};
  if (!tenon_text_int(digits, which) || *which < 0) return op;
  return (tenon_text){op.data, size};
}

tenon_status tenon_outline_node(const tenon_outline_group *g,
                                const tenon_outline_item *item,
                                tenon_arena *arena, const tenon_node **out) {
  const tenon_node *found = NULL;
  int64_t which = -1, seen = 0;
  tenon_text name_only = without_index(item->op, &which);
  char *op = tenon_arena_text(arena, name_only.data, name_only.size);
  if (!op) return tenon_fail_memory(&g->graph->module->report, "outlining");
  for (size_t i = 0; i < g->nodes.count; ++i) {
    if (strcmp(tenon_node_name(g->nodes.data[i]), op) != 0) continue;
    if (which < 0 && found)
      return outline_call_refuse(
          g, item,
          "the module has several such nodes; '[0]' behind the "
          "operator means the first of them");
    if (which < 0 || seen == which) found = g->nodes.data[i];
    ++seen;
  }
  *out = found;
  return found ? TENON_OK
               : outline_call_refuse(g, item, "the module has no such node");
}

static tenon_status read_reference(const tenon_outline_group *g,
                                   const tenon_outline_item *item,
                                   tenon_arena *arena, tenon_arg *out) {
  const tenon_node *found = NULL;
  char *name =
      tenon_arena_text(arena, item->argument.data, item->argument.size);
  if (!name) return tenon_fail_memory(&g->graph->module->report, "outlining");
  TENON_TRY(tenon_outline_node(g, item, arena, &found));
  if (!outline_call_read_argument(found, name, out))
    return outline_call_refuse(g, item,
                               "the node has no such attribute or number");
  return TENON_OK;
}

static const tenon_outline_item *find_item(const tenon_outline_call *call,
                                           const char *name) {
  for (size_t i = 0; i < call->n_items; ++i)
    if (call->items[i].is_attribute && tenon_text_is(call->items[i].name, name))
      return &call->items[i];
  return NULL;
}

// What the module's nodes have under this name; null: none has it.
static tenon_status carry(const tenon_outline_group *g, const char *name,
                          const tenon_arg **out) {
  *out = NULL;
  for (size_t i = 0; i < g->nodes.count; ++i) {
    const tenon_arg *here = tenon_node_arg(g->nodes.data[i], name);
    if (!here || here->kind == 0) continue;
    const tenon_arg pair[2][2] = {{*here, {NULL, 0, {0}}},
                                  {*out ? **out : *here, {NULL, 0, {0}}}};
    if (*out && !tenon_args_equal(pair[0], pair[1])) {
      tenon_outline_item item = {.name = tenon_text_of(name),
                                 .value = tenon_text_of("?")};
      return outline_call_refuse(
          g, &item,
          "its nodes have several values: say whose, as in "
          "'eps=ns::op(other)'");
    }
    *out = here;
  }
  return TENON_OK;
}

// Attributes that have to be said, and are not.
static tenon_status carry_all(const tenon_outline_call *call,
                              const tenon_outline_group *g, tenon_arg *args,
                              size_t n) {
  const tenon_schema *s = call->op->schema;
  const tenon_arg *found = NULL;
  for (int i = 0; i < s->n_attrs; ++i) {
    const tenon_argument *a = tenon_schema_attr(s, i);
    if (a->has_default || find_item(call, a->name)) continue;
    TENON_TRY(carry(g, a->name, &found));
    if (!found) continue;  // the builder says what is missing
    args[n] = *found;
    args[n++].name = a->name;
  }
  return TENON_OK;
}

tenon_status tenon_outline_args(const tenon_outline_call *call,
                                const tenon_outline_group *g,
                                tenon_arena *arena, const tenon_arg **out) {
  size_t n = 0, most = call->n_items + call->op->schema->n_attrs + 1u;
  tenon_arg *args = tenon_arena_array(arena, tenon_arg, most);
  if (!args) return tenon_fail_memory(&g->graph->module->report, "outlining");
  memset(args, 0, most * sizeof *args);
  for (size_t i = 0; i < call->n_items; ++i) {
    const tenon_outline_item *item = &call->items[i];
    if (!item->is_attribute ||
        tenon_outline_argument(call->op, item->name) >= 0)
      continue;
    if (item->op.size > 0)
      TENON_TRY(read_reference(g, item, arena, &args[n]));
    else if (!outline_call_read_literal(arena, item->value, &args[n]))
      return outline_call_refuse(
          g, item,
          "expected a number, true, false, a list of whole "
          "numbers, or a text in quotes");
    args[n].name = tenon_arena_text(arena, item->name.data, item->name.size);
    if (!args[n++].name)
      return tenon_fail_memory(&g->graph->module->report, "outlining");
  }
  *out = args;
  return carry_all(call, g, args, n);
}

int tenon_outline_argument(const tenon_op *op, tenon_text name) {
  for (int i = 0; i < op->schema->n_tensors; ++i)
    if (tenon_text_is(name, tenon_schema_tensor(op->schema, i)->name)) return i;
  return -1;
}
