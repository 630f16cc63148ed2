// How: everything is checked and copied first. States are also named in the
// attributes of the operators that read and write them, which are found by
// going through all graphs, regions included.
#include "ir/rename.h"

#include <string.h>

#include "core/report.h"
#include "tenon/tenon.h"

static const char *const kinds[] = {"", "input", "output", "state"};

static bool rename_is_name(const char *name) {
  if (!*name) return false;
  for (; *name; ++name) {
    const unsigned char c = (unsigned char)*name;
    if (c <= ' ' || c == ',' || c == ';' || c == 127) return false;
  }
  return true;
}

static tenon_status rename_check_names(const tenon_module *m, uint32_t kind,
                                       size_t have, const char *const *names,
                                       size_t n) {
  if (n != have)
    return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "names-count", NULL,
                      "found %zu name%s of %ss, expected %zu", n,
                      n == 1 ? "" : "s", kinds[kind], have);
  for (size_t i = 0; i < n; ++i) {
    if (!rename_is_name(names[i]))
      return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "names-word", NULL,
                        "'%s' is no name of %s %s: it is empty, or has a "
                        "blank, ',' or ';'",
                        names[i], kind == TENON_IO_STATES ? "a" : "an",
                        kinds[kind]);
    for (size_t k = 0; k < i; ++k)
      if (strcmp(names[i], names[k]) == 0)
        return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "names-twice", NULL,
                          "%ss %zu and %zu are both called '%s'", kinds[kind],
                          k, i, names[i]);
  }
  return TENON_OK;
}

// The module's own copy; null when memory ran out.
static const char *const *rename_copy_names(tenon_module *m,
                                            const char *const *names,
                                            size_t n) {
  const char **copy = tenon_arena_array(&m->arena, const char *, n + 1);
  for (size_t i = 0; copy && i < n; ++i) {
    copy[i] = tenon_arena_string(&m->arena, names[i]);
    if (!copy[i]) return NULL;
  }
  return copy;
}

static tenon_entry_point *find_entry(tenon_module *m, const char *name) {
  for (size_t i = 0; i < m->entries.count; ++i)
    if (!name || strcmp(m->entries.data[i].name, name) == 0)
      return &m->entries.data[i];
  return NULL;
}

// --- states -----------------------------------------------------------------

static bool rename_use(tenon_module *m, tenon_node *n,
                       const char *const *names) {
  size_t count = 0;
  while (n->args && n->args[count].name)
    ++count;
  tenon_arg *args = tenon_arena_array(&m->arena, tenon_arg, count + 1);
  if (!args) return false;
  memcpy(args, n->args, (count + 1) * sizeof *args);
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(args[i].name, "state") != 0) continue;
    int state = tenon_module_find_state(m, args[i].as.s);
    if (state >= 0) args[i].as.s = names[state];
  }
  // These operators have no struct: their attributes are the arguments.
  n->args = args;
  n->attrs = args;
  return true;
}

static bool rename_uses(tenon_module *m, tenon_graph *g,
                        const char *const *names) {
  for (tenon_node *n = g->first; n; n = n->next) {
    const bool is_use = tenon_op_is(n->op, "core::state_read") ||
                        tenon_op_is(n->op, "core::state_write");
    if (is_use && !rename_use(m, n, names)) return false;
    for (uint16_t i = 0; i < n->n_regions; ++i)
      if (!rename_uses(m, n->regions[i], names)) return false;
  }
  return true;
}

static tenon_status rename_states(tenon_module *m, const char *const *names) {
  bool ok = true;
  for (size_t i = 0; ok && i < m->functions.count; ++i)
    ok = rename_uses(m, m->functions.data[i], names);
  tenon_map_deinit(&m->state_names);
  tenon_map_init(&m->state_names, m->arena.allocator);
  for (size_t i = 0; ok && i < m->states.count; ++i) {
    m->states.data[i].name = names[i];
    ok = tenon_map_put_text(&m->state_names, names[i], i, NULL) != NULL;
  }
  if (ok) return TENON_OK;
  m->is_broken = true;
  return tenon_fail_memory(&m->report, "naming states");
}

// --- all of it --------------------------------------------------------------

tenon_status tenon_module_set_names(tenon_module *m, const char *entry,
                                    uint32_t kind, const char *const *names,
                                    size_t n) {
  const bool is_state = kind == TENON_IO_STATES;
  tenon_entry_point *e = is_state ? NULL : find_entry(m, entry);
  if (kind < TENON_IO_INPUTS || kind > TENON_IO_STATES)
    return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "names-kind", NULL,
                      "%u is no kind of inputs, outputs or states",
                      (unsigned)kind);
  if (!is_state && !e)
    return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "names-entry", NULL,
                      "there is no entry point '%s'", entry ? entry : "");
  size_t have = is_state ? m->states.count
                : kind == TENON_IO_INPUTS
                    ? e->graph->n_params
                    : (size_t)(e->graph->end->n_in - e->n_writes);
  TENON_TRY(rename_check_names(m, kind, have, names, n));
  const char *const *copy = rename_copy_names(m, names, n);
  if (!copy) return tenon_fail_memory(&m->report, "naming");
  if (is_state) return rename_states(m, copy);
  if (kind == TENON_IO_INPUTS)
    e->inputs = copy;
  else
    e->outputs = copy;
  return TENON_OK;
}
