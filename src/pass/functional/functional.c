// How: nodes in order. A node with written arguments gets one more result for
// each mark that no declared result carries; every later use of what was
// written, under whatever name (pass/functional/aliases.c), becomes a use of
// the value afterwards. What outlives the run follows: a state is written back,
// a constant that is written is one from now on, an input of an entry point
// gets a result of its own. From then on everything is a value, and no pass has
// to know about mutation.
#include <string.h>

#include "ir/build.h"
#include "ir/edit.h"
#include "ir/turned.h"
#include "ir/written.h"
#include "pass/functional/aliases.h"
#include "pass/functional/disjoint.h"
#include "pass/functional/variables.h"
#include "pass/rewrites.h"

typedef struct making {
  tenon_module *m;
  tenon_arena *arena;
  tenon_graph *function;
  tenon_alias_table table;
} making;

static tenon_status functional_no_memory(const tenon_node *n) {
  return tenon_fail_memory(&n->graph->module->report, "making it functional");
}

// Bounds of the results in groups, where a list is among them.
static bool functional_divide(const tenon_node *n, tenon_arena *arena,
                              tenon_node_spec *spec) {
  const tenon_schema *s = n->op->schema;
  uint32_t n_groups = n->n_out_groups + s->n_written, at = n->n_out;
  bool has_list = n->out_group != NULL;
  uint16_t *groups = tenon_arena_array(arena, uint16_t, n_groups + 1u);
  if (!groups) return false;
  for (uint16_t i = 0; i <= n->n_out_groups; ++i)
    groups[i] = n->out_group ? n->out_group[i] : i;
  for (uint32_t i = 0; i < s->n_written; ++i) {
    int first = 0, count = tenon_node_group(n, s->written[i], &first);
    has_list |= tenon_schema_tensor(s, s->written[i])->is_list;
    at += (uint32_t)count;
    groups[n->n_out_groups + 1u + i] = (uint16_t)at;
  }
  spec->out_group = has_list ? groups : NULL;
  spec->n_out_groups = (uint16_t)n_groups;
  return at <= UINT16_MAX;
}

// The node again, with the results that its written arguments become.
static tenon_node *functional_extend(tenon_node *n, tenon_arena *arena) {
  const tenon_schema *s = n->op->schema;
  uint32_t n_out = n->n_out + tenon_written_count(n), at = n->n_out;
  const tenon_type **types =
      tenon_arena_array(arena, const tenon_type *, n_out);
  const char **names = tenon_arena_array(arena, const char *, n_out);
  tenon_value **in = tenon_arena_array(arena, tenon_value *, n->n_in);
  tenon_node_spec spec = tenon_spec_like(n, in);
  spec.n_out = n_out;
  if (!types || !names || !in || !functional_divide(n, arena, &spec))
    return NULL;
  for (uint32_t i = 0; i < n->n_in; ++i)
    in[i] = n->in[i].value;
  for (uint32_t i = 0; i < n->n_out; ++i) {
    types[i] = &n->out[i]->type;
    names[i] = n->out[i]->name;
  }
  for (uint32_t i = 0; i < s->n_written; ++i) {
    int first = 0, count = tenon_node_group(n, s->written[i], &first);
    for (int k = first; k < first + count; ++k, ++at) {
      const tenon_value *v = n->in[k].value;
      types[at] = v ? &v->type : tenon_written_nothing();
      names[at] = v ? v->name : "";
    }
  }
  spec.types = types;
  spec.names = names;
  spec.is_functional = true;
  return tenon_build_node(n->graph, n, &spec);
}

// --- what outlives the run --------------------------------------------------

static bool functional_is_of(void *self, const tenon_use *use) {
  return tenon_graph_function(use->node->graph) == (const tenon_graph *)self;
}

// The constant's value is where a state begins, under the constant's name.
static tenon_status become_state(making *w, const tenon_node *n, uint32_t at) {
  tenon_alias_name *name = &w->table.names.data[at];
  tenon_value *constant = name->value;
  tenon_state state = {constant->name, constant->type,
                       tenon_value_constant(constant), constant->loc, true};
  if (!constant->name[0])
    return tenon_fail(&w->m->report, TENON_UNSUPPORTED, "functional-constant",
                      tenon_node_place(n),
                      "'%s' writes a constant without a name",
                      tenon_node_name(n));
  if (tenon_module_find_state(w->m, state.name) < 0 &&
      !tenon_build_state(w->m, &state))
    return functional_no_memory(n);  // all else holds of a constant
  tenon_value *read =
      tenon_build_state_read(w->function, w->function->first, state.name,
                             &constant->type, state.name, w->function->loc);
  if (!read) return functional_no_memory(n);
  tenon_value_replace_if(constant, read, functional_is_of, w->function);
  tenon_graph_number(w->function);
  name = &w->table.names.data[at];
  name->value = name->origin = read;
  return tenon_map_put(&w->table.of, read->id, at, NULL)
             ? TENON_OK
             : functional_no_memory(n);
}

static const tenon_graph *functional_home_of(const tenon_value *v) {
  return v->kind == TENON_VALUE_PARAM ? v->graph : v->node->graph;
}

// Regions of core operators take values; one that makes a call functional
// returns what it writes. What others write belongs to somebody outside.
static bool keeps_to_itself(const tenon_graph *g) {
  const char *op = tenon_node_name(g->parent);
  static const char call[] = "higher_order::auto_functionalized";
  return strncmp(op, "core::", 6) == 0 ||
         strncmp(op, call, sizeof call - 1) == 0;
}

static tenon_status functional_check_root(making *w, const tenon_node *n,
                                          const tenon_value *origin) {
  const tenon_graph *home = functional_home_of(origin);
  const char *why = NULL;
  if (tenon_written_state(origin)) return TENON_OK;
  if (n->graph != home)
    why = "what is defined outside of its region";
  else if (origin->kind == TENON_VALUE_PARAM && home->parent)
    why = keeps_to_itself(home) ? NULL : "what is passed into its region";
  else if (origin->kind == TENON_VALUE_PARAM &&
           !tenon_module_is_entry(w->m, home))
    why = "what is passed into a function that is no entry point";
  if (!why) return TENON_OK;
  return tenon_fail(&w->m->report, TENON_UNSUPPORTED, "functional-region",
                    tenon_node_place(n), "'%s' writes %s", tenon_node_name(n),
                    why);
}

// --- nodes ------------------------------------------------------------------

// What a state becomes is of its type; a file may say otherwise.
static tenon_status check_state(const tenon_node *n, const tenon_node *read,
                                const tenon_value *after) {
  const tenon_type *type = &read->out[0]->type;
  const tenon_module *m = n->graph->module;
  tenon_buf text;
  if (tenon_type_equals(type, &after->type)) return TENON_OK;
  tenon_buf_init(&text, m->cx->allocator);
  tenon_type_print(type, &m->symbols, &text);
  tenon_buf_text(&text, "; found ");
  tenon_type_print(&after->type, &m->symbols, &text);
  const tenon_status status = tenon_fail(
      &m->report, TENON_UNSUPPORTED, "functional-type", tenon_node_place(n),
      "'%s' writes '%s', expected %.*s", tenon_node_name(n),
      tenon_state_name(read), (int)text.size, text.data ? text.data : "");
  tenon_buf_deinit(&text);
  return status;
}

// Behind `*last`, which is the node, or what its earlier writes have made.
static tenon_status functional_write(making *w, tenon_node *n,
                                     tenon_value *before, tenon_value *after,
                                     tenon_node **last) {
  uint32_t at = tenon_alias_table_find(&w->table, before);
  if (at == TENON_NO_ALIAS) return functional_no_memory(n);
  uint32_t root = w->table.names.data[at].root;
  if (w->table.names.data[root].value->kind == TENON_VALUE_CONSTANT)
    TENON_TRY(become_state(w, n, root));
  const tenon_value *origin = w->table.names.data[root].origin;
  TENON_TRY(functional_check_root(w, n, origin));
  TENON_TRY(tenon_alias_table_write(&w->table, at, after, last));
  const tenon_node *read = tenon_written_state(origin);
  if (!read) return TENON_OK;
  TENON_TRY(check_state(n, read, w->table.names.data[root].value));
  *last =
      tenon_build_state_write(n->graph, (*last)->next, tenon_state_name(read),
                              w->table.names.data[root].value, (*last)->loc);
  return *last ? TENON_OK : functional_no_memory(n);
}

// Two written arguments in the same memory: what is there afterwards depends on
// the order in which a kernel writes.
static tenon_status functional_check_shared(making *w, tenon_node *n) {
  uint32_t a = 0, b = 0, result = 0;
  for (uint32_t k = 0; tenon_written_pair(n, k, &a, &result); ++k) {
    tenon_value *first = n->in[a].value;
    for (uint32_t j = k + 1; tenon_written_pair(n, j, &b, &result); ++j) {
      tenon_value *second = n->in[b].value;
      if (!first || !second) continue;
      uint32_t one = tenon_alias_table_find(&w->table, first);
      uint32_t two = tenon_alias_table_find(&w->table, second);
      if (one == TENON_NO_ALIAS || two == TENON_NO_ALIAS)
        return functional_no_memory(n);
      const tenon_alias_name *names = w->table.names.data;
      if (!tenon_overlap_between(&w->table, one, two)) continue;
      return tenon_fail(
          &w->m->report, TENON_UNSUPPORTED, "functional-shared",
          tenon_node_place(n), "'%s' writes '%s' through two of its arguments",
          tenon_node_name(n), names[names[one].root].origin->name);
    }
  }
  return TENON_OK;
}

static tenon_status make_functional(making *w, tenon_node *old) {
  tenon_node *n = functional_extend(old, w->arena);
  if (!n) return functional_no_memory(old);
  TENON_TRY(functional_check_shared(w, n));
  for (uint32_t i = 0; i < old->n_out; ++i)
    tenon_value_replace(old->out[i], n->out[i]);
  tenon_node_erase(old);
  uint32_t operand = 0, result = 0;
  tenon_node *last = n;
  for (uint32_t k = 0; tenon_written_pair(n, k, &operand, &result); ++k) {
    if (n->in[operand].value)
      TENON_TRY(
          functional_write(w, n, n->in[operand].value, n->out[result], &last));
  }
  return TENON_OK;
}

// --- regions ----------------------------------------------------------------

static tenon_status functional_walk(making *w, tenon_graph *g);

// A branch that writes what is passed to it writes what the caller has: inside,
// that takes the place of the parameter. It is known to the table from now on,
// so that it is read again behind the branch.
static tenon_status open_branches(making *w, tenon_node *n) {
  if (!tenon_op_is(n->op, "higher_order::cond")) return TENON_OK;
  for (uint32_t r = 0; r < n->n_regions; ++r) {
    const tenon_graph *g = n->regions[r];
    if (!tenon_written_find(g)) continue;
    for (uint32_t i = 0; i < g->n_params && i + 1 < n->n_in; ++i) {
      tenon_value *given = n->in[i + 1].value;
      if (!given) continue;
      if (tenon_alias_table_find(&w->table, given) == TENON_NO_ALIAS)
        return functional_no_memory(n);
      tenon_value_replace(g->params[i], given);
    }
  }
  return TENON_OK;
}

// States that a region has written are read again behind it.
static tenon_status walk_regions(making *w, tenon_node *n) {
  TENON_TRY(open_branches(w, n));
  size_t count = w->table.names.count;
  tenon_value **values = tenon_arena_array(w->arena, tenon_value *, count);
  bool *has_changed = tenon_arena_array(w->arena, bool, count);
  if (!values || !has_changed) return functional_no_memory(n);
  for (size_t i = 0; i < count; ++i)
    values[i] = w->table.names.data[i].value;
  for (uint32_t r = 0; r < n->n_regions; ++r) {
    TENON_TRY(functional_walk(w, n->regions[r]));
    for (size_t i = 0; i < count; ++i) {
      tenon_alias_name *name = &w->table.names.data[i];
      has_changed[i] |= name->value != values[i];
      // A constant that has become a state stays one.
      if (values[i]->kind != TENON_VALUE_CONSTANT)
        name->value = values[i];
      else if (name->value != values[i])
        name->value = name->origin;
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    const tenon_alias_name *name = &w->table.names.data[i];
    const tenon_node *read = tenon_written_state(name->origin);
    if (!has_changed[i] || !read || name->root != i) continue;
    const char *state = tenon_state_name(read);
    tenon_value *now = tenon_build_state_read(
        n->graph, n->next, state, &name->value->type, state, n->loc);
    if (!now) return functional_no_memory(n);
    tenon_node *last = now->node;
    TENON_TRY(tenon_alias_table_write(&w->table, i, now, &last));
  }
  return TENON_OK;
}

static tenon_status functional_walk(making *w, tenon_graph *g) {
  tenon_graph_number(g);
  for (tenon_node *n = g->first; n;) {
    tenon_node *next = n->next;
    if (n->n_regions > 0) {
      TENON_TRY(walk_regions(w, n));
      next = n->next;
    }
    if (tenon_written_in_place(n))
      TENON_TRY(make_functional(w, n));
    else if (!tenon_alias_table_note(&w->table, n))
      return functional_no_memory(n);
    n = next;
  }
  return TENON_OK;
}

// --- inputs -----------------------------------------------------------------

static tenon_status functional_add_writes(making *w,
                                          const tenon_value *const *roots,
                                          tenon_value *const *values,
                                          uint32_t n) {
  tenon_graph *g = w->function;
  tenon_module *m = w->m;
  uint32_t n_old = g->end->n_in;
  tenon_value **results = tenon_arena_array(w->arena, tenon_value *, n_old + n);
  if (!results) return tenon_fail_memory(&m->report, "making it functional");
  for (uint32_t i = 0; i < n_old; ++i)
    results[i] = g->end->in[i].value;
  for (uint32_t i = 0; i < n; ++i)
    results[n_old + i] = values[i];
  if (!tenon_build_results(g, results, n_old + n, g->end->loc))
    return tenon_fail_memory(&m->report, "making it functional");
  for (size_t i = 0; i < m->entries.count; ++i) {
    tenon_entry_point *e = &m->entries.data[i];
    if (e->graph != g) continue;
    uint16_t *writes = tenon_arena_array(&m->arena, uint16_t, e->n_writes + n);
    if (!writes) return tenon_fail_memory(&m->report, "making it functional");
    if (e->n_writes > 0)
      memcpy(writes, e->writes, e->n_writes * sizeof *writes);
    for (uint32_t k = 0; k < n; ++k)
      writes[e->n_writes + k] = (uint16_t)roots[k]->index;
    e->writes = writes;
    e->n_writes = (uint16_t)(e->n_writes + n);
  }
  return TENON_OK;
}

// A reader may have said so already; then the result has followed.
static bool is_written_back(const tenon_module *m, const tenon_value *param) {
  for (size_t i = 0; i < m->entries.count; ++i) {
    const tenon_entry_point *e = &m->entries.data[i];
    for (uint32_t k = 0; e->graph == param->graph && k < e->n_writes; ++k)
      if (e->writes[k] == param->index) return true;
  }
  return false;
}

static tenon_status finish_function(making *w) {
  uint32_t n = 0;
  size_t count = w->table.names.count;
  tenon_value **values = tenon_arena_array(w->arena, tenon_value *, count);
  const tenon_value **roots =
      tenon_arena_array(w->arena, const tenon_value *, count);
  if (!values || !roots)
    return tenon_fail_memory(&w->m->report, "making it functional");
  for (size_t i = 0; i < count; ++i) {
    const tenon_alias_name *name = &w->table.names.data[i];
    if (name->value == name->origin ||
        name->origin->kind != TENON_VALUE_PARAM ||
        name->origin->graph != w->function ||
        is_written_back(w->m, name->origin))
      continue;
    roots[n] = name->origin;
    values[n++] = name->value;
  }
  return n > 0 ? functional_add_writes(w, roots, values, n) : TENON_OK;
}

static tenon_status functional_make_function(making *w, tenon_graph *g) {
  w->function = g;
  tenon_alias_table_init(&w->table, w->m->cx->allocator);
  tenon_status status = functional_walk(w, g);
  if (status == TENON_OK) status = finish_function(w);
  tenon_alias_table_deinit(&w->table);
  return status;
}

// Calls that only wrap what they do are opened first, so that what is written
// in them is written here.
tenon_status tenon_pass_functional(tenon_module *m, const tenon_pass_run *run) {
  tenon_arena arena;
  tenon_arena_init(&arena, m->cx->allocator);
  making w = {.m = m, .arena = &arena};
  tenon_status status = tenon_variables_to_states(m);
  if (status == TENON_OK)
    status =
        tenon_rewrites_apply(m, "functional", run->choice, NULL, NULL, NULL);
  for (size_t i = 0; status == TENON_OK && i < m->functions.count; ++i)
    status = functional_make_function(&w, m->functions.data[i]);
  tenon_arena_deinit(&arena);
  return status;
}
