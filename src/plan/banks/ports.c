// How: a text is [PATTERN=]caller or [PATTERN=]plan; the last that matches a
// name decides. Aliases are looked at as they came out: a class that nothing
// but an input and its views lie in, or that an output fills, needs no memory
// of the plan.
#include "plan/banks/ports.h"

#include <string.h>

#include "base/text.h"

// --- what is asked for ------------------------------------------------------

tenon_status tenon_ports_wish(tenon_module *m, const char *const *texts) {
  size_t n = 0;
  m->io = NULL;
  while (texts && texts[n])
    ++n;
  if (n == 0) return TENON_OK;
  const char **list = tenon_arena_array(&m->arena, const char *, n + 1);
  for (size_t i = 0; list && i < n; ++i)
    list[i] = tenon_arena_string(&m->arena, texts[i]);
  m->io = list;
  return m->arena.failed ? tenon_plan_no_memory(&m->report) : TENON_OK;
}

typedef struct wish {
  const char *pattern;  // null: all
  bool is_caller, for_inputs, for_outputs;
} wish;

static tenon_status read_wish(const tenon_planner *w, const char *text,
                              wish *out) {
  static const char *const kinds[] = {"input:", "output:"};
  const char *equals = strrchr(text, '=');
  const char *word = equals ? equals + 1 : text;
  *out = (wish){NULL, strcmp(word, "caller") == 0, true, true};
  if ((!out->is_caller && strcmp(word, "plan") != 0) || equals == text)
    return tenon_fail(w->report, TENON_BAD_ARGUMENT, "plan-io", NULL,
                      "io '%s': expected 'caller' or 'plan', for all inputs "
                      "and outputs or behind 'PATTERN='",
                      text);
  if (!equals) return TENON_OK;
  for (int i = 0; i < 2; ++i) {
    size_t size = strlen(kinds[i]);
    if (strncmp(text, kinds[i], size) != 0) continue;
    out->for_inputs = i == 0;
    out->for_outputs = i == 1;
    text += size;
    break;
  }
  out->pattern = tenon_arena_text(w->arena, text, (size_t)(equals - text));
  return out->pattern ? TENON_OK : tenon_plan_no_memory(w->report);
}

static bool port_matches(const wish *o, bool is_output, const char *name) {
  return (is_output ? o->for_outputs : o->for_inputs) &&
         (!o->pattern || tenon_text_glob(o->pattern, name ? name : ""));
}

static const char *port_name_of(const tenon_entry_point *p, uint32_t i) {
  return i < p->graph->n_params ? p->inputs[i]
                                : p->outputs[i - p->graph->n_params];
}

static uint32_t port_count(const tenon_entry_point *p) {
  return p->graph->n_params + tenon_entry_outputs(p);
}

static tenon_status port_check_text(const tenon_planner *w, const char *text) {
  wish o;
  bool any = false;
  tenon_nearest near;
  TENON_TRY(read_wish(w, text, &o));
  if (!o.pattern) return TENON_OK;
  tenon_nearest_init(&near, o.pattern);
  for (size_t k = 0; k < w->n_entries; ++k) {
    const tenon_entry_point *p = w->entries[k].entry->point;
    for (uint32_t i = 0; i < port_count(p); ++i) {
      tenon_nearest_feed(&near, port_name_of(p, i));
      any |= port_matches(&o, i >= p->graph->n_params, port_name_of(p, i));
    }
  }
  if (any) return TENON_OK;
  return tenon_fail(w->report, TENON_BAD_ARGUMENT, "plan-io", NULL,
                    "io '%s': no input or output '%s'%s%s%s", text, o.pattern,
                    TENON_DID_YOU_MEAN(near.best));
}

// All modules were given the same texts.
tenon_status tenon_ports_check(const tenon_planner *w) {
  const char *const *texts = w->entries[0].entry->module->io;
  for (size_t i = 0; texts && texts[i]; ++i)
    TENON_TRY(port_check_text(w, texts[i]));
  if (!texts || !w->is_open) return TENON_OK;
  return tenon_fail(w->report, TENON_UNSUPPORTED, "plan-io-open", NULL,
                    "inputs and outputs can stay where the caller has them "
                    "only where all sizes are fixed; fix the open ones "
                    "(--shape, --dim, --batch)");
}

// The entry point of which a function is, or is a copy.
static const tenon_entry_point *point_of(const tenon_planned *e) {
  const tenon_module *m = e->entry->module;
  if (e->entry->point->inputs) return e->entry->point;
  for (size_t i = 0; i < m->entries.count; ++i)
    if (strcmp(m->entries.data[i].graph->name, e->entry->point->graph->name) ==
        0)
      return &m->entries.data[i];
  return NULL;
}

tenon_status tenon_ports_ask(const tenon_planner *w, tenon_planned *e) {
  const char *const *texts = e->entry->module->io;
  const tenon_entry_point *p = point_of(e);
  e->n_asks = 0;
  if (!texts || !p || w->is_open) return TENON_OK;
  uint32_t n = port_count(p), n_in = p->graph->n_params;
  e->asks = tenon_arena_array(w->arena, bool, (size_t)n + p->n_writes + 1);
  e->kept = tenon_arena_array(w->arena, const char *, (size_t)n + 1);
  if (!e->asks || !e->kept) return tenon_plan_no_memory(w->report);
  for (size_t k = 0; texts[k]; ++k) {
    wish o;
    TENON_TRY(read_wish(w, texts[k], &o));
    for (uint32_t i = 0; i < n; ++i)
      if (port_matches(&o, i >= n_in, port_name_of(p, i)))
        e->asks[i] = o.is_caller;
  }
  e->n_asks = n;
  e->written = p->writes;
  e->n_written = p->n_writes;
  return TENON_OK;
}

// --- what can be ------------------------------------------------------------

// Of nothing there is nothing to give.
static bool has_bytes(const tenon_planned *e, const tenon_value *v) {
  return v && tenon_type_bytes(e->entry->module, &v->type).value > 0;
}

static bool fills(const tenon_planned *e, const tenon_aliases *a,
                  const tenon_class *c, const tenon_value *v) {
  return a->offsets[v->id] == 0 &&
         tenon_dim_equals(c->bytes,
                          tenon_type_bytes(e->entry->module, &v->type));
}

static bool is_view(const tenon_aliases *a, const tenon_value *v) {
  return v && v->kind == TENON_VALUE_RESULT && a->is_view[v->node->id] &&
         !tenon_op_is(v->node->op, "core::concat");
}

// Why an input has to be copied; null: it does not.
static const char *judge_input(const tenon_planned *e, const tenon_aliases *a,
                               uint32_t input) {
  const tenon_value *v = e->entry->point->graph->params[input];
  const tenon_class *c = tenon_alias_root(a, v);
  for (uint32_t i = 0; i < e->n_written; ++i)
    if (e->written[i] == input) return "the run writes it";
  if (c->state != UINT32_MAX) return "it becomes a state";
  for (uint32_t i = (uint32_t)(c - a->classes); i != TENON_NO_VALUE;
       i = a->next[i])
    if (i != v->id && !is_view(a, e->values[i])) return "a step writes over it";
  return fills(e, a, c, v) ? NULL : "it is a part of something larger";
}

static const char *judge_output(const tenon_planned *e, const tenon_aliases *a,
                                const tenon_value *v) {
  if (v->kind == TENON_VALUE_CONSTANT) return "it is a constant";
  const tenon_class *c = tenon_alias_root(a, v);
  if (c->state != UINT32_MAX) return "it is a state";
  if (c->port) return "it shares memory with another one";
  for (uint32_t i = (uint32_t)(c - a->classes); i != TENON_NO_VALUE;
       i = a->next[i]) {
    const tenon_value *u = e->values[i];
    if (u && u->kind == TENON_VALUE_PARAM && !u->graph->parent)
      return "it shares memory with an input";
  }
  return fills(e, a, c, v) ? NULL : "it is a part of something larger";
}

void tenon_ports_choose(tenon_planned *e, tenon_aliases *a) {
  const tenon_graph *g = e->entry->point->graph;
  for (uint32_t i = 0; i < e->n_asks; ++i) {
    bool is_output = i >= g->n_params;
    const tenon_value *v =
        is_output ? g->end->in[i - g->n_params].value : g->params[i];
    e->kept[i] = NULL;
    if (!e->asks[i] || !has_bytes(e, v)) continue;
    e->kept[i] = is_output ? judge_output(e, a, v) : judge_input(e, a, i);
    if (!e->kept[i]) tenon_alias_root(a, v)->port = i + 1;
  }
}

void tenon_ports_report(const tenon_planner *w, const tenon_planned *e) {
  const tenon_entry_point *p = e->n_asks ? point_of(e) : NULL;
  for (uint32_t i = 0; p && i < e->n_asks; ++i)
    if (e->kept[i])
      tenon_warn(w->report, "plan-io-kept", NULL,
                 "%s '%s' has a place in the plan and is copied: %s",
                 i < p->graph->n_params ? "input" : "output",
                 port_name_of(p, i), e->kept[i]);
}
