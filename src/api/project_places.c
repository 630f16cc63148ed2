// How: for what an operator makes, reads as constants and works with, the best
// of the rules that fit and place it is taken, as for attributes. What comes of
// it is a list in the module, by the names of values, which the planner reads
// behind what the command line says.
#include <string.h>

#include "api/project.h"
#include "api/project_rules.h"

const char *const tenon_project_place_keys[] = {"result", "constant", "scratch",
                                                NULL};

const tenon_yaml *tenon_project_place_of(const tenon_project_rule *r,
                                         const char *key) {
  if (!r->place) return NULL;
  if (r->place->kind == TENON_YAML_SCALAR)
    return strcmp(key, "result") == 0 ? r->place : NULL;
  return tenon_yaml_get(r->place, key);
}

tenon_status tenon_project_read_place(const tenon_yaml *v) {
  const char *text = NULL;
  tenon_status status = TENON_OK;
  if (v->kind == TENON_YAML_SCALAR) return tenon_yaml_text(v, &text);
  TENON_TRY(tenon_yaml_map(v));
  TENON_TRY(tenon_yaml_keys(v, tenon_project_place_keys));
  for (const tenon_yaml *e = v->first; e; e = e->next)
    if (status == TENON_OK) status = tenon_yaml_text(e, &text);
  return status;
}

// What has no name stays where it is, if the rule is for whatever there is.
static tenon_status fail_name(const tenon_node *n, const tenon_project_rule *r,
                              const char *key) {
  if (r->rank == 0) return TENON_OK;
  return tenon_yaml_fail(tenon_project_place_of(r, key), "rule-place",
                         "a %s of '%s' has no name in the file, by which it "
                         "could be placed",
                         key, tenon_node_name(n));
}

static tenon_status wish(const tenon_project_placing *a, const tenon_node *n,
                         const tenon_project_rule *r, int what,
                         const char *name) {
  static const char *const kinds[] = {"value", "constant", "scratch"};
  char where[TENON_YAML_WHERE];
  const char *key = tenon_project_place_keys[what];
  const tenon_yaml *memory = tenon_project_place_of(r, key);
  tenon_module *m = a->m;
  tenon_place place = tenon_yaml_place(memory, where);
  tenon_buf text;
  if (!name || !*name) return fail_name(n, r, key);
  tenon_buf_init(&text, a->allocator);
  tenon_buf_format(&text, "%s:%s=%s", kinds[what], name, memory->text.data);
  tenon_wish *w = tenon_arena_new(&m->arena, tenon_wish);
  if (w && !text.failed) {
    w->text = tenon_arena_string(&m->arena, text.data);
    w->place.file = tenon_arena_string(&m->arena, place.file);
    w->place.where = tenon_arena_string(&m->arena, where);
  }
  tenon_buf_deinit(&text);
  if (!w || !w->text || m->arena.failed)
    return tenon_fail_memory(&m->report, "applying rules");
  tenon_wish **end = &m->wishes;
  while (*end)
    end = &(*end)->next;
  *end = w;
  return TENON_OK;
}

tenon_status tenon_project_place(const tenon_project_placing *a,
                                 const tenon_node *n,
                                 const tenon_project_rule *const best[3]) {
  for (uint32_t i = 0; best[0] && i < n->n_out; ++i)
    TENON_TRY(wish(a, n, best[0], 0, n->out[i]->name));
  for (uint32_t i = 0; best[1] && i < n->n_in; ++i)
    if (n->in[i].value && n->in[i].value->kind == TENON_VALUE_CONSTANT)
      TENON_TRY(wish(a, n, best[1], 1, n->in[i].value->name));
  for (uint32_t i = 0; best[2] && i < n->n_out; ++i)
    TENON_TRY(wish(a, n, best[2], 2, n->out[i]->name));
  return TENON_OK;
}
