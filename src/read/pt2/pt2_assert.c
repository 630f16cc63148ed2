// How: an assertion on numbers is a truth value of the file. What it compares
// as sizes in the function itself is a condition of the module, checked before
// anything runs; all others are computed where they stand, which in a branch or
// a loop is when that runs, and checked by the operator for tensors.
#include "read/pt2/pt2_import.h"
#include "reg/store.h"

// Behind the set, which is torch's own.
static const char *base_of(const tenon_op *op) {
  const char *colons = strstr(op->name, "::");
  size_t set = colons ? (size_t)(colons - op->name) : 0;
  return colons && tenon_name_is_reserved(op->name, set) ? colons + 2 : "";
}

bool tenon_pt2_is_assertion(const tenon_op *op) {
  return tenon_text_has_word(
      "_assert_scalar sym_constrain_range sym_constrain_range_for_size",
      tenon_text_of(base_of(op)));
}

// The argument of that name; with its parents in `store`.
static tenon_json pt2_assert_argument(const tenon_pt2_node *n, const char *name,
                                      tenon_json *store) {
  for (size_t i = 0; i < tenon_json_count(&n->inputs); ++i) {
    *store = tenon_json_item(&n->inputs, i);
    tenon_json at = tenon_json_get(store, "name");
    const char *text = json_string_value(at.value);
    if (text && strcmp(text, name) == 0) return tenon_json_get(store, "arg");
  }
  return (tenon_json){n->inputs.doc, NULL, &n->inputs, NULL, 0};
}

static tenon_status not_checked(const tenon_pt2_node *n, const char *message) {
  return tenon_json_fail(&n->json, TENON_UNSUPPORTED, "pt2-guard",
                         "a condition that cannot be checked: %s", message);
}

static tenon_status never_holds(const tenon_pt2_node *n, const char *message) {
  return tenon_json_fail(&n->json, TENON_BAD_MODEL, "pt2-guard",
                         "a condition never holds: %s", message);
}

static tenon_status check_in_run(tenon_pt2_node *n, const tenon_pt2_name *truth,
                                 const char *message) {
  tenon_pt2_scope *s = n->scope;
  tenon_value *value = NULL;
  TENON_TRY(tenon_pt2_compute(s, truth, 0, n->loc, &value));
  if (!value) return not_checked(n, message);
  const tenon_arg args[] = {tenon_arg_str("message", message), TENON_END_ARGS};
  tenon_node_spec spec = {.op = tenon_module_op(s->im->m, "core::check"),
                          .args = args,
                          .in = &value,
                          .n_in = 1,
                          .loc = n->loc};
  bool done = spec.op && tenon_build_node(s->graph, NULL, &spec);
  return done ? TENON_OK : tenon_pt2_built(s->im);
}

static tenon_status pt2_assert_check(tenon_pt2_node *n,
                                     const tenon_pt2_name *truth,
                                     const char *message) {
  tenon_pt2_scope *s = n->scope;
  tenon_guard guard = {0, {0, 0}, {0, 0}, "", false, 0};
  bool is_region = s->label[0] != 0;
  if (truth->kind == TENON_PT2_NUMBER && truth->number.kind == TENON_KIND_BOOL)
    return truth->number.as.i ? TENON_OK : never_holds(n, message);
  if (truth->kind != TENON_PT2_OPEN) return not_checked(n, message);
  if (is_region) return check_in_run(n, truth, message);
  TENON_TRY(tenon_pt2_relation(s, truth, &guard));
  if (guard.relation == 0) return check_in_run(n, truth, message);
  guard.text = tenon_arena_string(&s->im->m->arena, message);
  return guard.text ? tenon_pt2_condition(s->im, &guard, n->loc)
                    : tenon_pt2_memory(s->im);
}

static tenon_status check_scalar(tenon_pt2_node *n) {
  tenon_json store, text_store;
  tenon_json arg = pt2_assert_argument(n, "self", &store);
  tenon_json text = pt2_assert_argument(n, "assert_msg", &text_store);
  tenon_json at = tenon_json_get(&text, "as_string");
  const char *message = json_string_value(at.value);
  if (!message) message = "an assertion";
  tenon_json literal = tenon_json_get(&arg, "as_bool");
  if (tenon_json_is(&literal))
    return json_is_true(literal.value) ? TENON_OK : never_holds(n, message);
  tenon_json truth = tenon_json_get(&arg, "as_sym_bool");
  tenon_json name_at = tenon_json_get(&truth, "as_name");
  const char *name = json_string_value(name_at.value);
  tenon_pt2_name *entry = NULL;
  if (!name) {
    literal = tenon_json_get(&truth, "as_bool");
    if (json_is_true(literal.value)) return TENON_OK;
    return not_checked(n, message);
  }
  TENON_TRY(tenon_pt2_look(n->scope, &name_at, name, &entry));
  return pt2_assert_check(n, entry, message);
}

// Bounds are part of what the file says of a symbol, and checked with it; those
// of an expression are checked here.
static tenon_status check_bound(tenon_pt2_node *n, const char *expression,
                                const char *relation, int64_t bound) {
  tenon_arena *arena = &n->scope->im->scratch;
  char text[64];
  snprintf(text, sizeof text, "Integer(%lld))", (long long)bound);
  size_t size = strlen(expression) + strlen(relation) + sizeof text + 4;
  char *truth = tenon_arena_array(arena, char, size);
  if (!truth) return tenon_pt2_memory(n->scope->im);
  snprintf(truth, size, "%s(%s, %s", relation, expression, text);
  tenon_pt2_name entry = {
      .kind = TENON_PT2_OPEN, .what = truth, .is_truth = true};
  return pt2_assert_check(n, &entry, n->op->name);
}

static tenon_status pt2_assert_check_range(tenon_pt2_node *n) {
  tenon_json store;
  tenon_json arg = pt2_assert_argument(n, "size", &store);
  tenon_json name_at =
      tenon_json_get(tenon_json_at(&arg, "as_sym_int"), "as_name");
  const char *name = json_string_value(name_at.value);
  if (!name) return TENON_OK;  // a literal, which torch has checked
  tenon_json value = tenon_json_get(&n->scope->ints, name);
  tenon_json text_at =
      tenon_json_get(tenon_json_at(&value, "as_expr"), "expr_str");
  const char *text = json_string_value(text_at.value);
  if (!text) return TENON_OK;
  static const struct {
    const char *name, *relation;
  } bounds[] = {{"min", "GreaterThan"}, {"max", "LessThan"}};
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; ++i) {
    int64_t bound = 0;
    tenon_json bound_store;
    tenon_json given = pt2_assert_argument(n, bounds[i].name, &bound_store);
    tenon_json number = tenon_json_get(&given, "as_int");
    if (!tenon_json_is(&number)) continue;
    TENON_TRY(tenon_json_int(&number, &bound));
    TENON_TRY(check_bound(n, text, bounds[i].relation, bound));
  }
  return TENON_OK;
}

tenon_status tenon_pt2_assertion(tenon_pt2_node *n) {
  TENON_TRY(tenon_json_array(&n->inputs));
  return strcmp(base_of(n->op), "_assert_scalar") == 0
             ? check_scalar(n)
             : pt2_assert_check_range(n);
}
