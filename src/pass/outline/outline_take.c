// How: operands stand in the order of the schema. What the call says of one is
// taken first, then parameters of the module with an argument's name; what is
// left may be one tensor for one argument. The order in which a module uses
// what comes from outside says nothing of what its author meant by it.
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "pass/outline/outline.h"

typedef struct taking {
  const tenon_outline_call *call;
  const tenon_outline_group *g;
  tenon_arena *arena;
  tenon_value **slots;  // per tensor argument; null: none yet
  bool *is_said;        // per tensor argument
} taking;

static const tenon_module *outline_take_module_of(const taking *t) {
  return t->g->graph->module;
}

static tenon_status outline_take_refuse(const taking *t, const char *what,
                                        tenon_text name) {
  return tenon_fail(&outline_take_module_of(t)->report, TENON_BAD_ARGUMENT,
                    "outline-operand", tenon_node_place(t->g->nodes.data[0]),
                    "'%s' for module '%.*s': %s '%.*s'", t->call->op->name,
                    (int)t->g->path.size, t->g->path.data, what, (int)name.size,
                    name.data);
}

// The name of a parameter as the module has it: "weight" of "norm.weight".
static const char *own_name(const taking *t, const tenon_value *v) {
  size_t n = tenon_text_is(t->g->path, "(root)") ? 0 : t->g->path.size + 1;
  return v->name + n;
}

static tenon_value *find_parameter(const taking *t, tenon_text name) {
  for (size_t i = 0; i < t->g->constants.count; ++i)
    if (tenon_text_is(name, own_name(t, t->g->constants.data[i])))
      return t->g->constants.data[i];
  return NULL;
}

static bool outline_take_is_taken(const taking *t, const tenon_value *v) {
  for (int i = 0; i < t->call->op->schema->n_tensors; ++i)
    if (t->slots[i] == v) return true;
  return false;
}

// --- what the call says ------------------------------------------------------

static bool is_from_outside(const taking *t, const tenon_value *v) {
  for (size_t i = 0; i < t->g->inputs.count; ++i)
    if (t->g->inputs.data[i] == v) return true;
  for (size_t i = 0; i < t->g->constants.count; ++i)
    if (t->g->constants.data[i] == v) return true;
  return false;
}

// "x=ns::op(self)", "norm=norm.weight".
static tenon_status take_named(taking *t, const tenon_outline_item *item,
                               int i) {
  tenon_value *v = NULL;
  const tenon_node *n = NULL;
  int first = 0;
  if (item->op.size == 0) {
    v = find_parameter(t, item->value);
    if (!v)
      return outline_take_refuse(t, "the module has no parameter", item->value);
  } else {
    TENON_TRY(tenon_outline_node(t->g, item, t->arena, &n));
    for (int k = 0; n->op->schema && k < n->op->schema->n_tensors; ++k) {
      const tenon_argument *a = tenon_schema_tensor(n->op->schema, k);
      if (tenon_text_is(item->argument, a->name) &&
          tenon_node_group(n, k, &first) == 1)
        v = n->in[first].value;
    }
    if (!v || !is_from_outside(t, v))
      return outline_take_refuse(t, "nothing from outside of the module is",
                                 item->value);
  }
  if (t->is_said[i]) return outline_take_refuse(t, "said twice:", item->name);
  t->slots[i] = v;
  t->is_said[i] = true;
  return TENON_OK;
}

// A word in the place of argument i: a parameter, or the only thing that comes
// from outside.
static tenon_status outline_take_word(taking *t, tenon_text word, int i) {
  tenon_value *v = find_parameter(t, word);
  if (i >= t->call->op->schema->n_tensors)
    return outline_take_refuse(t, "the operator has no operand for", word);
  if (t->is_said[i]) return outline_take_refuse(t, "said twice:", word);
  if (!v && t->g->inputs.count == 1) v = t->g->inputs.data[0];
  if (!v)
    return outline_take_refuse(
        t, "no parameter of the module, and which input is", word);
  if (outline_take_is_taken(t, v))
    return outline_take_refuse(
        t, "no parameter of the module, and nothing is left for", word);
  t->slots[i] = v;
  t->is_said[i] = true;
  return TENON_OK;
}

// --- the rest ----------------------------------------------------------------

// How the call can name it: where the module uses it first.
static void outline_take_put_value(const taking *t, const tenon_value *v,
                                   tenon_buf *out) {
  for (size_t i = 0; i < t->g->constants.count; ++i)
    if (t->g->constants.data[i] == v) {
      tenon_buf_format(out, "'%s'", own_name(t, v));
      return;
    }
  for (size_t i = 0; i < t->g->nodes.count; ++i) {
    const tenon_node *n = t->g->nodes.data[i];
    unsigned before = 0;
    bool is_only = true;
    int first = 0;
    for (int k = 0; n->op->schema && k < n->op->schema->n_tensors; ++k) {
      if (tenon_node_group(n, k, &first) != 1 || n->in[first].value != v)
        continue;
      for (size_t j = 0; j < t->g->nodes.count; ++j) {
        bool is_same = j != i && t->g->nodes.data[j]->op == n->op;
        is_only = is_only && !is_same;
        before += is_same && j < i;
      }
      tenon_buf_format(out, "'%s", n->op->name);
      if (!is_only) tenon_buf_format(out, "[%u]", before);
      tenon_buf_format(out, "(%s)'",
                       tenon_schema_tensor(n->op->schema, k)->name);
      return;
    }
  }
  tenon_buf_format(out, "'%%%s'", v->name && v->name[0] ? v->name : "?");
}

typedef struct rest {
  tenon_value *values[64];
  size_t n_values, n_needed;
  int argument;  // the first that needs one
} rest;

static void add_rest(const taking *t, tenon_value *v, rest *r) {
  if (outline_take_is_taken(t, v)) return;
  if (r->n_values < sizeof r->values / sizeof *r->values)
    r->values[r->n_values] = v;
  ++r->n_values;
}

static tenon_status ambiguous(const taking *t, const rest *r) {
  tenon_buf text;
  const tenon_schema *s = t->call->op->schema;
  const char *comma = "";
  tenon_buf_init(&text, outline_take_module_of(t)->cx->allocator);
  tenon_buf_format(&text, "'%s' for module '%.*s': which is ", s->name,
                   (int)t->g->path.size, t->g->path.data);
  for (int i = 0; i < s->n_tensors; ++i) {
    const tenon_argument *a = tenon_schema_tensor(s, i);
    if (t->slots[i]) continue;
    tenon_buf_format(&text, "%s'%s'", comma, a->name);
    comma = ", ";
  }
  tenon_buf_text(&text, *comma ? " of " : "no argument: ");
  for (size_t i = 0; i < r->n_values && i < 8; ++i) {
    if (i) tenon_buf_text(&text, ", ");
    outline_take_put_value(t, r->values[i], &text);
  }
  tenon_status status =
      text.failed
          ? tenon_fail_memory(&outline_take_module_of(t)->report, "outlining")
          : tenon_fail(&outline_take_module_of(t)->report, TENON_BAD_ARGUMENT,
                       "outline-operand", tenon_node_place(t->g->nodes.data[0]),
                       "%s? Say it, as in 'x=ns::op(self)' or "
                       "'w=linear.weight'",
                       text.data);
  tenon_buf_deinit(&text);
  return status;
}

// By name, then the only one that is left for the only argument; a list takes
// all that is left.
static tenon_status take_rest(taking *t, int *list) {
  const tenon_schema *s = t->call->op->schema;
  rest r = {.argument = -1};
  for (int i = 0; i < s->n_tensors; ++i) {
    const tenon_argument *a = tenon_schema_tensor(s, i);
    if (!t->slots[i]) t->slots[i] = find_parameter(t, tenon_text_of(a->name));
    bool is_needed = !t->slots[i] && !a->is_optional;
    if (is_needed && r.n_needed++ == 0) r.argument = i;
  }
  for (size_t i = 0; i < t->g->inputs.count; ++i)
    add_rest(t, t->g->inputs.data[i], &r);
  for (size_t i = 0; i < t->g->constants.count; ++i)
    add_rest(t, t->g->constants.data[i], &r);
  if (r.n_values == 0) return TENON_OK;
  bool is_list = r.n_needed == 1 && tenon_schema_tensor(s, r.argument)->is_list;
  if (is_list) *list = r.argument;
  if (is_list) return TENON_OK;
  if (r.n_values != 1 || r.n_needed != 1) return ambiguous(t, &r);
  t->slots[r.argument] = r.values[0];
  return TENON_OK;
}

// --- the whole ---------------------------------------------------------------

static uint32_t outline_take_add(tenon_outline_operands *out, tenon_value *v) {
  uint32_t i = 0;
  while (i < out->n && out->in[i] != v)
    ++i;
  if (i == out->n) out->in[out->n++] = v;
  return i;
}

static void outline_take_name(tenon_outline_operands *out, tenon_value *v) {
  out->named[out->n_named++] = v ? (int32_t)outline_take_add(out, v) : -1;
}

// All that no argument has, into a list.
static void name_rest(const taking *t, tenon_outline_operands *out) {
  for (size_t i = 0; i < t->g->inputs.count; ++i)
    if (!outline_take_is_taken(t, t->g->inputs.data[i]))
      outline_take_name(out, t->g->inputs.data[i]);
  for (size_t i = 0; i < t->g->constants.count; ++i)
    if (!outline_take_is_taken(t, t->g->constants.data[i]))
      outline_take_name(out, t->g->constants.data[i]);
}

static tenon_status take_items(taking *t, bool *has_rest) {
  int position = 0;
  for (size_t i = 0; i < t->call->n_items; ++i) {
    const tenon_outline_item *item = &t->call->items[i];
    int at = tenon_outline_argument(t->call->op, item->name);
    if (item->is_attribute && at >= 0)
      TENON_TRY(take_named(t, item, at));
    else if (!item->is_attribute && item->name.size == 0)
      *has_rest = true;
    else if (!item->is_attribute)
      TENON_TRY(outline_take_word(t, item->name, position++));
  }
  return TENON_OK;
}

tenon_status tenon_outline_take(const tenon_outline_call *call,
                                const tenon_outline_group *g,
                                tenon_arena *arena,
                                tenon_outline_operands *out) {
  size_t n = call->op->schema->n_tensors;
  size_t most = n + g->inputs.count + g->constants.count + 1;
  taking t = {.call = call, .g = g, .arena = arena};
  bool has_rest = false;
  int list = -1;
  memset(out, 0, sizeof *out);
  t.slots = tenon_arena_array(arena, tenon_value *, n + 1);
  t.is_said = tenon_arena_array(arena, bool, n + 1);
  out->in = tenon_arena_array(arena, tenon_value *, most);
  out->named = tenon_arena_array(arena, int32_t, most);
  if (!t.slots || !t.is_said || !out->in || !out->named)
    return tenon_fail_memory(&outline_take_module_of(&t)->report, "outlining");
  TENON_TRY(take_items(&t, &has_rest));
  if (has_rest) TENON_TRY(take_rest(&t, &list));
  for (int i = 0; i < (int)n; ++i) {
    if (i == list)
      name_rest(&t, out);
    else
      outline_take_name(out, t.slots[i]);
  }
  return TENON_OK;
}
