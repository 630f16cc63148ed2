// ir/rule/rule.c - admitting rules, and running one.
//
// A text is parsed as often as it is needed: when it is admitted, for its
// grammar; when the context freezes, against the operators; and each time it
// replaces something, then building nodes as it goes. What is only looked at
// goes into a module of its own, which is dropped.
#include "ir/rule/rule.h"

#include <stdio.h>

#include "ir/build.h"
#include "ir/infer/infer.h"
#include "ir/rewrite/rewrite.h"
#include "ir/rule/ruling.h"

// ---------------------------------------------------------------------------
// Parsing one text
// ---------------------------------------------------------------------------

static bool rule_add_name(tenon_ruling *r, const tenon_rule_name *n) {
  return tenon_vec_push(&r->names, *n);
}

static bool find_list(tenon_parser *p, const char *name,
                      tenon_value *const **out, uint32_t *n) {
  const tenon_rule_name *found = tenon_rule_find(p->ruling, name, strlen(name));
  if (!found || !found->is_operand || !found->is_list) return false;
  if (!p->ruling->rw) p->ruling->has_list = true;
  *out = found->list;
  *n = found->n;
  return true;
}

static bool fail_part(tenon_parser *p, const char *where, const char *text) {
  const tenon_ruling *r = p->ruling;
  static const char *const parts[] = {"when", "from", "text"};
  char place_text[256];
  tenon_place place = {r->rule->file, place_text, NULL, 0, 0};
  if (p->status != TENON_OK) return false;
  if (p->first_line != 0)
    snprintf(place_text, sizeof place_text, "%s", where);
  else
    snprintf(place_text, sizeof place_text, "%s%s%s, %s",
             r->rw ? "" : r->rule->title, r->rw ? "" : ", ", parts[r->part],
             where);
  // At work it is the node that the failure is about; the rule is said by the
  // rewriting.
  p->status = r->rw ? tenon_rewriting_blame(r->rw, "%s, %s: %s", r->rule->file,
                                            place_text, text)
                    : tenon_fail(&p->m->report, TENON_BAD_PLUGIN, "rule-text",
                                 &place, "%s", text);
  return false;
}

// Of a rule that is only looked at there are stand-ins for the results.
static bool rule_make_node(tenon_parser *p, const tenon_statement_at *at,
                           tenon_node_spec *spec, tenon_graph *g,
                           tenon_value ***out) {
  const tenon_ruling *r = p->ruling;
  if (!r->rw) {
    *out = tenon_arena_array(&p->arena, tenon_value *, spec->n_out);
    return *out ? tenon_rule_statement(p, at, spec, *out)
                : tenon_parser_memory(p);
  }
  spec->names = NULL;
  tenon_node *node =
      tenon_build_node(g, g == r->graph ? r->rw->node : NULL, spec);
  // Types that a rule states are a claim, as those of lowerings in C are.
  bool done = node && (!spec->types ||
                       tenon_infer_node(node, spec->types, false) == TENON_OK);
  if (!tenon_parser_built(p, done)) return false;
  *out = node->out;
  return true;
}

static bool rule_take_results(tenon_parser *p, const tenon_token *at,
                              tenon_graph *g, tenon_value *const *values,
                              uint32_t n, tenon_loc loc) {
  if (g == p->ruling->graph) return tenon_rule_return(p, at, values, n);
  return !p->ruling->rw ||
         tenon_parser_built(p, tenon_build_results(g, values, n, loc));
}

static bool rule_find_place(tenon_parser *p, const tenon_token *at,
                            tenon_loc *out) {
  const tenon_rewriting *rw = p->ruling->rw;
  if (tenon_parser_is(p, '@'))
    return tenon_parser_fail(p, &p->token,
                             "a place in a rule; places are those of what is "
                             "replaced");
  *out = rw ? rw->node->loc : tenon_parser_implied(p, at);
  return *out != 0 || rw || tenon_parser_memory(p);
}

static const tenon_parser_host host = {
    fail_part,           tenon_rule_attribute, tenon_rule_size,
    tenon_rule_dtype,    tenon_rule_element,   find_list,
    tenon_rule_is_open,  tenon_rule_input,     rule_make_node,
    tenon_rule_constant, rule_take_results,    rule_find_place};

// What names mean to the parser; those of lists it asks for.
static bool define_names(tenon_parser *p) {
  const tenon_ruling *r = p->ruling;
  char key[160];
  for (size_t i = 0; i < r->names.count; ++i) {
    const tenon_rule_name *n = &r->names.data[i];
    if (!n->is_operand || n->is_list || n->is_inner) continue;
    snprintf(key, sizeof key, "1:%s", n->name);
    const char *copy = tenon_arena_string(&p->arena, key);
    tenon_value *v = n->n > 0 ? n->list[0] : NULL;
    if (!r->rw) {
      v = tenon_value_alloc(p->m, TENON_VALUE_PARAM, "", 0);
      if (!v) return tenon_parser_memory(p);
    }
    if (!copy) return tenon_parser_memory(p);
    if (!tenon_parser_define(p, &p->token, copy, v)) return false;
  }
  return true;
}

static bool parse_body(tenon_parser *p) {
  bool is_end = false;
  while (!is_end) {
    if (tenon_parser_is(p, TENON_TOKEN_END))
      return tenon_parser_expected(p, "a statement or 'return'");
    p->ruling->has_list = false;
    if (!tenon_parser_statement(p, p->ruling->graph, &is_end)) return false;
  }
  return tenon_parser_is(p, TENON_TOKEN_END) ||
         tenon_parser_expected(p, "the end of the text");
}

// `holds` receives 1, 0, or -1: not known.
static bool parse_condition(tenon_parser *p, int *holds) {
  const tenon_token at = p->token;
  tenon_rule_value v;
  if (!tenon_rule_expression(p, &v)) return false;
  if (!tenon_parser_is(p, TENON_TOKEN_END))
    return tenon_parser_expected(p, "the end of the condition");
  if (v.kind != TENON_RULE_BOOL && v.kind != TENON_RULE_UNKNOWN)
    return tenon_parser_fail(p, &at, "expected a condition");
  *holds = v.kind == TENON_RULE_UNKNOWN ? -1 : v.dim.value != 0;
  if (*holds < 0 && p->ruling->fault)
    return tenon_parser_fail(p, &p->ruling->fault_at, "%s", p->ruling->fault);
  return true;
}

static void set_text(tenon_parser *p, const tenon_rule *rule,
                     tenon_rule_part part) {
  const tenon_lowering_lines *l = &rule->lines;
  const char *texts[] = {rule->when, rule->from, rule->text};
  const uint32_t lines[] = {l->when_line, l->from_line, l->text_line};
  const uint32_t columns[] = {l->when_column, l->from_column, l->text_column};
  p->text = tenon_text_of(texts[part]);
  p->first_line = lines[part];
  p->indent = columns[part];
  p->file = rule->file;
}

// Parses the part `r->part` with what `r` says of names.
static tenon_status parse_part(tenon_parser *p, tenon_ruling *r, int *holds) {
  p->host = &host;
  p->ruling = r;
  set_text(p, r->rule, r->part);
  tenon_parser_next(p);
  bool done =
      define_names(p) &&
      (r->part == TENON_RULE_WHEN ? parse_condition(p, holds) : parse_body(p));
  // What a builder has reported is the rule's fault all the same.
  if (!done && p->status != TENON_NO_MEMORY) p->status = TENON_BAD_PLUGIN;
  return p->status;
}

static void rule_start(tenon_ruling *r, const tenon_rule *rule,
                       tenon_allocator allocator) {
  memset(r, 0, sizeof *r);
  r->rule = rule;
  tenon_vec_init(&r->names, allocator);
  tenon_vec_init(&r->nodes, allocator);
  tenon_vec_init(&r->slots, allocator);
}

static void rule_finish(tenon_ruling *r) {
  tenon_vec_deinit(&r->names);
  tenon_vec_deinit(&r->nodes);
  tenon_vec_deinit(&r->slots);
}

// ---------------------------------------------------------------------------
// Looking at one
// ---------------------------------------------------------------------------

// Names of the operator's arguments; values are not known.
static bool name_arguments(tenon_ruling *r, const tenon_schema *s) {
  for (uint16_t i = 0; i < s->n_args; ++i) {
    const tenon_argument *a = &s->args[i];
    tenon_rule_name n = {.name = a->name,
                         .is_operand = a->base == TENON_BASE_TENSOR,
                         .is_list = a->base == TENON_BASE_TENSOR && a->is_list};
    if (!rule_add_name(r, &n)) return false;
  }
  return true;
}

// Names of a pattern: of its values, and what its attributes are captured as.
static bool name_pattern(tenon_ruling *r) {
  const tenon_rule *rule = r->rule;
  for (uint32_t i = 0; i < rule->n_slots; ++i) {
    tenon_rule_name n = {.name = rule->slots[i].name,
                         .is_operand = true,
                         .is_inner = rule->slots[i].node >= 0};
    if (n.name[0] && !rule_add_name(r, &n)) return false;
  }
  for (uint32_t i = 0; i < rule->n_nodes; ++i) {
    for (uint32_t k = 0; k < rule->nodes[i].n_args; ++k) {
      tenon_rule_name n = {.name = rule->nodes[i].args[k].capture};
      bool is_new = n.name && strcmp(n.name, "_") != 0 &&
                    !tenon_rule_find(r, n.name, strlen(n.name));
      if (is_new && !rule_add_name(r, &n)) return false;
    }
  }
  return true;
}

// How many values must be returned; -1: not known.
static int64_t results_of(const tenon_rule *rule, const tenon_op *op) {
  int64_t n = 0;
  if (rule->n_nodes > 0) return rule->n_results;
  if (!op || !op->schema) return -1;
  for (;; ++n) {
    const tenon_argument *a = tenon_schema_result(op->schema, (uint32_t)n);
    if (!a) return n;
    if (a->is_list && !a->is_written) return -1;
  }
}

static bool rule_check_results(tenon_parser *p, const tenon_op *op) {
  const tenon_ruling *r = p->ruling;
  int64_t expected = results_of(r->rule, op);
  if (expected < 0 || expected == r->n_returned) return true;
  return tenon_parser_fail(
      p, &r->returned_at, "returns %u values for the %lld results of '%s'",
      (unsigned)r->n_returned, (long long)expected, r->rule->op);
}

// One part, in a module that is dropped. A pattern goes into `*pattern`.
static tenon_status rule_look(tenon_context *cx, tenon_rule *rule,
                              tenon_rule_part part, bool knows_names,
                              const tenon_op *op) {
  tenon_parser p;
  tenon_ruling r;
  int holds = 0;
  tenon_parser_init(&p, cx->allocator);
  rule_start(&r, rule, cx->allocator);
  r.part = part;
  r.knows_names = knows_names;
  p.status = tenon_module_create(cx, "rule", &p.m);
  bool done = p.status == TENON_OK;
  if (done) {
    r.graph = tenon_build_function(p.m, "rule", 0);
    if (part != TENON_RULE_FROM && knows_names)
      done = rule->n_nodes > 0  ? name_pattern(&r)
             : op && op->schema ? name_arguments(&r, op->schema)
                                : true;
    if (!done || !r.graph) done = tenon_parser_memory(&p);
  }
  if (done) done = parse_part(&p, &r, &holds) == TENON_OK;
  if (done && part == TENON_RULE_FROM)
    p.status = tenon_rule_keep_pattern(&p, cx, rule);
  if (done && part == TENON_RULE_TEXT && knows_names)
    (void)rule_check_results(&p, op);
  if (p.m) tenon_module_release(p.m);
  rule_finish(&r);
  tenon_parser_deinit(&p);
  return p.status;
}

// ---------------------------------------------------------------------------
// Running one
// ---------------------------------------------------------------------------

// The operands and attributes of the node.
static bool name_node(tenon_ruling *r, tenon_arena *arena) {
  const tenon_node *node = r->rw->node;
  const tenon_schema *s = node->op->schema;
  for (int i = 0; s; ++i) {
    const tenon_argument *a = tenon_schema_tensor(s, i);
    int first = 0;
    if (!a) break;
    int count = tenon_node_group(node, i, &first);
    uint32_t n = count > 0 ? (uint32_t)count : 0;
    tenon_value **list = tenon_arena_array(arena, tenon_value *, n);
    if (!list) return false;
    for (uint32_t k = 0; k < n; ++k)
      list[k] = tenon_node_in(node, (uint32_t)first + k);
    tenon_rule_name name = {.name = a->name,
                            .is_operand = true,
                            .is_list = a->is_list,
                            .list = list,
                            .n = n};
    if (!rule_add_name(r, &name)) return false;
  }
  for (const tenon_arg *arg = node->args; s && arg && arg->name; ++arg) {
    tenon_rule_name name = {.name = arg->name, .arg = arg};
    if (!rule_add_name(r, &name)) return false;
  }
  return true;
}

// Whether the condition holds: 1, 0 or -1, also where its parse has failed.
static int rule_condition(tenon_ruling *r) {
  tenon_parser p;
  int holds = 1;
  if (!r->rule->when) return 1;
  tenon_parser_init(&p, r->rw->m->arena.allocator);
  p.m = r->rw->m;
  r->part = TENON_RULE_WHEN;
  r->is_soft = true;
  if (parse_part(&p, r, &holds) != TENON_OK) {
    holds = 0;
    (void)tenon_rewriting_fail(r->rw, p.status);
  }
  r->is_soft = false;
  tenon_parser_deinit(&p);
  return holds;
}

static tenon_status rule_replace(tenon_ruling *r) {
  tenon_rewriting *rw = r->rw;
  tenon_parser p;
  tenon_parser_init(&p, rw->m->arena.allocator);
  p.m = rw->m;
  r->part = TENON_RULE_TEXT;
  r->graph = tenon_rewriting_graph(rw);
  tenon_status status = parse_part(&p, r, NULL);
  if (status != TENON_OK) {
    status = status == TENON_NO_MEMORY ? tenon_rewriting_fail(rw, status)
                                       : tenon_rewriting_built(rw);
  } else {
    status = rw->base.api->replace(&rw->base, rw->node, r->returned,
                                   (int)r->n_returned);
  }
  tenon_parser_deinit(&p);
  return status;
}

static tenon_status rule_run(tenon_rewriter *base, const tenon_node *node) {
  tenon_rewriting *rw = (tenon_rewriting *)base;
  const tenon_rule *rule = (const tenon_rule *)rw->user;
  tenon_status status = TENON_OK;
  tenon_arena scratch;
  tenon_ruling r;
  rule_start(&r, rule, rw->m->arena.allocator);
  tenon_arena_init(&scratch, rw->m->arena.allocator);
  r.rw = rw;
  r.knows_names = true;
  r.result = base->api->result(base, node, 0);
  bool matches = rule->n_nodes == 0 || tenon_rule_matches(&r, &scratch);
  bool done = !matches || rule->n_nodes > 0 || name_node(&r, &scratch);
  if (!done || scratch.failed) {
    status = tenon_rewriting_fail(
        rw, tenon_fail_memory(&rw->m->report, "running a rule"));
  } else if (matches && rule_condition(&r) == 1) {
    status = rule_replace(&r);
  }
  tenon_arena_deinit(&scratch);
  rule_finish(&r);
  return rw->failure != TENON_OK ? rw->failure : status;
}

// ---------------------------------------------------------------------------
// Descriptors
// ---------------------------------------------------------------------------

static tenon_rule *rule_make(tenon_context *cx, const tenon_owner *owner,
                             const tenon_lowering_desc *desc) {
  tenon_rule *rule = tenon_arena_new(&cx->arena, tenon_rule);
  char title[192];
  if (!rule) return NULL;
  snprintf(title, sizeof title, "lowering '%s'", desc->name);
  rule->title = tenon_arena_string(&cx->arena, title);
  rule->file = owner->origin ? owner->origin : owner->name;
  rule->op = desc->op;
  rule->text = desc->text;
  rule->when = desc->when;
  rule->from = desc->from;
  if (desc->lines) rule->lines = *desc->lines;
  return rule->title ? rule : NULL;
}

static tenon_status wrong_root(const tenon_context *cx, const tenon_rule *rule,
                               const char *root) {
  tenon_place place = {rule->file, rule->title, NULL, 0, 0};
  return tenon_fail(&cx->report, TENON_BAD_PLUGIN, "rule-pattern", &place,
                    "the lowering is for '%s', its pattern ends in '%s'",
                    rule->op, root);
}

// The overload `default` may be said or not.
static bool is_same_name(const char *a, const char *b) {
  static const char suffix[] = ".default";
  size_t n = strlen(a), m = strlen(b);
  if (tenon_text_ends(a, suffix)) n -= sizeof suffix - 1;
  if (tenon_text_ends(b, suffix)) m -= sizeof suffix - 1;
  return n == m && memcmp(a, b, n) == 0;
}

static tenon_status rule_admit(tenon_context *cx, const tenon_owner *owner,
                               tenon_lowering_desc *desc) {
  tenon_rule *rule = rule_make(cx, owner, desc);
  if (!rule) return tenon_fail_memory(&cx->report, "adding a lowering");
  if (rule->from) {
    TENON_TRY(rule_look(cx, rule, TENON_RULE_FROM, false, NULL));
    const char *root = rule->nodes[rule->n_nodes - 1].op;
    if (!rule->op) rule->op = root;
    if (!is_same_name(rule->op, root)) return wrong_root(cx, rule, root);
  }
  if (rule->when) TENON_TRY(rule_look(cx, rule, TENON_RULE_WHEN, false, NULL));
  TENON_TRY(rule_look(cx, rule, TENON_RULE_TEXT, false, NULL));
  desc->op = rule->op;
  desc->lower = rule_run;
  desc->user = rule;
  return TENON_OK;
}

// The context is being configured, so the rule may still be completed.
static tenon_status rule_check(const tenon_context *cx,
                               const tenon_owner *owner,
                               const tenon_lowering_desc *desc,
                               const tenon_op *op) {
  tenon_context *mutable = (tenon_context *)(uintptr_t)cx;
  tenon_rule *rule = (tenon_rule *)(uintptr_t)desc->user;
  (void)owner;
  if (rule->from)
    TENON_TRY(rule_look(mutable, rule, TENON_RULE_FROM, true, op));
  if (rule->when)
    TENON_TRY(rule_look(mutable, rule, TENON_RULE_WHEN, true, op));
  return rule_look(mutable, rule, TENON_RULE_TEXT, true, op);
}

const tenon_rules_api tenon_rule_texts = {rule_admit, rule_check,
                                          tenon_rewrite_probe};
