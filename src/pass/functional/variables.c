// How: a function that CALL_ONCE names must only assign constants; they are
// the initial values. A variable without one is written before it is read.
// Then, in each function in order, the first read of a variable, and the first
// one behind a branch or loop, reads its state, a later one is the value that
// was read or assigned last, and an assignment writes the state.
#include "pass/functional/variables.h"

#include <string.h>

#include "ir/build.h"
#include "ir/edit.h"
#include "ir/turned.h"
#include "ops/tfl/tfl_variables.h"
#include "pass/functional/keyed_tables.h"

static tenon_status variable_fail(const tenon_node *n, const char *what) {
  return tenon_fail(&n->graph->module->report, TENON_UNSUPPORTED,
                    "functional-variable", tenon_node_place(n), "'%s': %s",
                    tenon_node_name(n), what);
}

static const char *variable_text_of(const tenon_node *n, const char *name) {
  const tenon_arg *a = tenon_node_arg(n, name);
  return a && a->as.s ? a->as.s : "";
}

// The variable that operand 0 stands for.
static tenon_status variable_name_of(const tenon_node *n, const char **name) {
  const tenon_value *v = n->n_in ? n->in[0].value : NULL;
  if (!v || v->kind != TENON_VALUE_RESULT ||
      !tenon_node_is(v->node, TENON_TFL_VAR_HANDLE))
    return variable_fail(n,
                         "a variable that is passed around is not supported");
  *name = variable_text_of(v->node, "shared_name");
  if (!**name || *variable_text_of(v->node, "container"))
    return variable_fail(n,
                         "a variable in a container, or without a name, is not "
                         "supported");
  return TENON_OK;
}

// --- Initial values ----------------------------------------------------------

static tenon_status variable_add_state(tenon_node *n, size_t n_given) {
  tenon_module *m = n->graph->module;
  const tenon_value *v = n->n_in > 1 ? n->in[1].value : NULL;
  const char *name;
  TENON_TRY(variable_name_of(n, &name));
  if (!v || v->kind != TENON_VALUE_CONSTANT)
    return variable_fail(n,
                         "an initial value that is computed is not supported");
  int at = tenon_module_find_state(m, name);
  if (at >= 0 && (size_t)at < n_given)
    return variable_fail(n,
                         "a variable with the name of a variable tensor is not "
                         "supported");
  tenon_state state = {name, v->type, tenon_value_constant(v), v->loc, true};
  if (at >= 0 || tenon_build_state(m, &state)) return TENON_OK;
  return m->arena.failed ? TENON_NO_MEMORY : TENON_BAD_MODEL;  // reported
}

static tenon_status initialise(const tenon_node *once, size_t n_given,
                               tenon_tables *tables) {
  tenon_module *m = once->graph->module;
  const tenon_arg *index = tenon_node_arg(once, "init_subgraph_index");
  if (!index || index->as.i < 0 || (size_t)index->as.i >= m->functions.count)
    return variable_fail(once, "there is no such function");
  tenon_graph *f = m->functions.data[index->as.i];
  for (tenon_node *n = f->first; n; n = n->next) {
    if (tenon_node_is(n, TENON_TFL_VAR_HANDLE) ||
        tenon_node_is(n, TENON_TFL_HASHTABLE))
      continue;
    if (tenon_node_is(n, TENON_TFL_HASHTABLE_IMPORT)) {
      TENON_TRY(tenon_tables_import(tables, n, true));
      continue;
    }
    if (!tenon_node_is(n, TENON_TFL_ASSIGN_VARIABLE))
      return variable_fail(
          n,
          "an initialiser that does more than assign constants and "
          "fill tables is not supported");
    TENON_TRY(variable_add_state(n, n_given));
  }
  return TENON_OK;
}

// A variable that nothing initialises is what is assigned to it first; one is
// read behind that only.
static tenon_status add_assigned(tenon_module *m, size_t n_given) {
  for (size_t i = 0; i < m->entries.count; ++i)
    for (tenon_node *n = m->entries.data[i].graph->first; n; n = n->next) {
      const char *name;
      if (!tenon_node_is(n, TENON_TFL_ASSIGN_VARIABLE)) continue;
      TENON_TRY(variable_name_of(n, &name));
      const tenon_value *v = n->n_in > 1 ? n->in[1].value : NULL;
      const int at = tenon_module_find_state(m, name);
      if (at >= 0 && (size_t)at < n_given)
        return variable_fail(n,
                             "a variable with the name of a variable tensor is "
                             "not supported");
      if (at >= 0 || !v) continue;
      tenon_state state = {.name = name, .type = v->type, .loc = n->loc};
      if (!tenon_build_state(m, &state))
        return m->arena.failed ? TENON_NO_MEMORY : TENON_BAD_MODEL;  // reported
    }
  return TENON_OK;
}

// What was initialised is done: nothing of the function is left.
static void variable_clear(const tenon_node *once) {
  const tenon_arg *index = tenon_node_arg(once, "init_subgraph_index");
  tenon_graph *f = once->graph->module->functions.data[index->as.i];
  for (tenon_node *n = f->last, *before; n; n = before) {
    before = n->previous;
    tenon_node_erase(n);
  }
}

// --- Reads and writes --------------------------------------------------------

static tenon_status variables_no_memory(const tenon_module *m) {
  return tenon_fail_memory(&m->report, "making states of variables");
}

static tenon_status use(tenon_node *n, tenon_value **now, bool *is_written,
                        size_t n_given) {
  tenon_module *m = n->graph->module;
  const char *name;
  TENON_TRY(variable_name_of(n, &name));
  int at = tenon_module_find_state(m, name);
  if (at < 0) return variable_fail(n, "a variable without an initial value");
  const tenon_type *type = &m->states.data[at].type;
  bool is_read = tenon_node_is(n, TENON_TFL_READ_VARIABLE);
  const tenon_value *v = is_read       ? n->out[0]
                         : n->n_in > 1 ? n->in[1].value
                                       : NULL;
  if (!v || !tenon_type_equals(&v->type, type))
    return variable_fail(n, "a value of another type than the initial one");
  if (!is_read) {
    now[at] = n->in[1].value;
    is_written[at] = true;
    if (!tenon_build_state_write(n->graph, n, name, now[at], n->loc))
      return variables_no_memory(m);
  } else {
    if (!is_written[at] && (size_t)at >= n_given && !m->states.data[at].initial)
      return variable_fail(n, "a variable without an initial value");
    if (!now[at])
      now[at] = tenon_build_state_read(n->graph, n, name, type, name, n->loc);
    if (!now[at]) return variables_no_memory(m);
    tenon_value_replace(n->out[0], now[at]);
  }
  tenon_node_erase(n);
  return TENON_OK;
}

static void drop_handles(tenon_graph *g) {
  for (tenon_node *n = g->last, *before; n; n = before) {
    before = n->previous;
    if ((tenon_node_is(n, TENON_TFL_VAR_HANDLE) ||
         tenon_node_is(n, TENON_TFL_HASHTABLE)) &&
        !n->out[0]->uses)
      tenon_node_erase(n);
  }
}

// LiteRT begins anew with a branch or loop each time it comes to it, where the
// state of a generator goes on.
static tenon_status refuse_seeded(const tenon_node *n) {
  static const char *const draws[] = {TENON_TFL_DRAWS};
  const tenon_arg *a = tenon_node_arg(n, "seed"),
                  *b = tenon_node_arg(n, "seed2");
  for (size_t i = 0; i < sizeof draws / sizeof *draws; ++i)
    if (tenon_node_is(n, draws[i]) && ((a && a->as.i) || (b && b->as.i)))
      return variable_fail(n,
                           "random numbers with a seed in a branch or loop, "
                           "where LiteRT begins anew each time, are not "
                           "supported");
  return TENON_OK;
}

// What a branch or loop may have assigned is read again behind it.
static bool variable_is_flow(const tenon_node *n) {
  static const char *const flows[] = {TENON_TFL_FLOWS};
  for (size_t i = 0; i < sizeof flows / sizeof *flows; ++i)
    if (tenon_node_is(n, flows[i])) return true;
  return false;
}

static tenon_status variable_graph(tenon_graph *g, size_t n_given,
                                   tenon_tables *tables, bool is_entry) {
  tenon_module *m = g->module;
  tenon_arena arena;
  tenon_arena_init(&arena, m->cx->allocator);
  size_t count = m->states.count;
  tenon_value **now = tenon_arena_array(&arena, tenon_value *, count + 1);
  bool *is_written = tenon_arena_array(&arena, bool, count + 1);
  tenon_status status = now && is_written ? TENON_OK : variables_no_memory(m);
  if (!status) {
    memset(now, 0, (count + 1) * sizeof *now);
    memset(is_written, 0, (count + 1) * sizeof *is_written);
  }
  for (tenon_node *n = g->first, *next; !status && n; n = next) {
    next = n->next;
    if (tenon_node_is(n, TENON_TFL_READ_VARIABLE) ||
        tenon_node_is(n, TENON_TFL_ASSIGN_VARIABLE))
      status = use(n, now, is_written, n_given);
    else if (tenon_tables_has(n))
      status = tenon_tables_use(tables, n, is_entry);
    else if (is_entry && tenon_node_is(n, TENON_TFL_CALL_ONCE))
      tenon_node_erase(n);
    else if (variable_is_flow(n))
      memset(now, 0, (count + 1) * sizeof *now);
    else if (!is_entry)
      status = refuse_seeded(n);
  }
  if (!status) drop_handles(g);
  tenon_arena_deinit(&arena);
  return status;
}

static bool variable_is_done(const tenon_module *m, size_t i) {
  for (size_t k = 0; k < i; ++k)
    if (m->entries.data[k].graph == m->entries.data[i].graph) return true;
  return false;
}

static tenon_status each_once(tenon_module *m, size_t n_given, bool has_states,
                              tenon_tables *tables) {
  for (size_t i = 0; i < m->entries.count; ++i) {
    for (tenon_node *n = m->entries.data[i].graph->first; n; n = n->next) {
      if (!tenon_node_is(n, TENON_TFL_CALL_ONCE)) continue;
      if (has_states)
        variable_clear(n);
      else
        TENON_TRY(initialise(n, n_given, tables));
    }
  }
  return TENON_OK;
}

// What other functions read, assign and look up; regions are made of them
// later.
static tenon_status each_function(tenon_module *m, size_t n_given,
                                  tenon_tables *tables) {
  for (size_t i = 0; i < m->functions.count; ++i)
    if (!tenon_module_is_entry(m, m->functions.data[i]))
      TENON_TRY(variable_graph(m->functions.data[i], n_given, tables, false));
  return TENON_OK;
}

static tenon_status variable_convert(tenon_module *m, tenon_tables *tables) {
  const size_t n_given = m->states.count;
  TENON_TRY(each_once(m, n_given, false, tables));
  TENON_TRY(each_once(m, 0, true, tables));
  TENON_TRY(add_assigned(m, n_given));
  for (size_t i = 0; i < m->entries.count; ++i)
    if (!variable_is_done(m, i))
      TENON_TRY(
          variable_graph(m->entries.data[i].graph, n_given, tables, true));
  return each_function(m, n_given, tables);
}

tenon_status tenon_variables_to_states(tenon_module *m) {
  tenon_tables *tables = tenon_tables_create(m);
  if (!tables) return variables_no_memory(m);
  tenon_status status = variable_convert(m, tables);
  tenon_tables_destroy(tables);
  return status;
}
