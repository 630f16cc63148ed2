// How: operators are counted as they stand in the file; for each attribute the
// best of the rules that fit and set it is taken: by rank, then the later one.
// Places go the same way (api/project_places.c).
// What a value means is the schema's to say. Then all types are found again,
// since an attribute may change them.
#include <stdio.h>
#include <string.h>

#include "api/project_rules.h"
#include "base/text.h"
#include "core/attr.h"
#include "ir/graph.h"
#include "ir/infer/infer.h"
#include "ir/verify/verify.h"

typedef struct applying {
  const tenon_project *p;
  tenon_module *m;
  tenon_buf *out;  // what --rules prints; or null
  bool *is_used;   // by rule
  int64_t index;   // of the next operator
  bool has_changed;
} applying;

static bool relation_holds(char relation, uint64_t size, uint64_t than) {
  switch (relation) {
    case '<':
      return size < than;
    case 'l':
      return size <= than;
    case '>':
      return size > than;
    case 'g':
      return size >= than;
    default:
      return size == than;
  }
}

// Bytes of all results; false where they are not known yet.
static bool project_rules_size_of(const tenon_node *n, uint64_t *size) {
  *size = 0;
  for (uint32_t i = 0; i < n->n_out; ++i) {
    size_t one = 0;
    if (!tenon_type_size(&n->out[i]->type, &one)) return false;
    *size += one;
  }
  return true;
}

static bool project_rules_fits(const applying *a, const tenon_project_rule *r,
                               const tenon_node *n) {
  char number[32];
  uint64_t size = 0;
  const char *where = tenon_node_place(n)->where;
  bool has_name = !r->name;
  snprintf(number, sizeof number, "%lld", (long long)a->index);
  if (r->type && !tenon_text_glob(r->type, tenon_node_name(n))) return false;
  if (r->id && strcmp(r->id, number) != 0 &&
      !(where && tenon_text_glob(r->id, where)))
    return false;
  for (uint32_t i = 0; i < n->n_out && !has_name; ++i)
    has_name = tenon_text_glob(r->name, n->out[i]->name);
  if (!has_name) return false;
  return !r->relation || (project_rules_size_of(n, &size) &&
                          relation_holds(r->relation, size, (uint64_t)r->size));
}

// ---------------------------------------------------------------------------
// Values
// ---------------------------------------------------------------------------

static tenon_scalar project_rules_scalar_of(const tenon_yaml *v) {
  tenon_scalar s = {0, {0}};
  int64_t whole = 0;
  double real = 0;
  if (v->kind != TENON_YAML_SCALAR || !v->is_plain) return s;
  if (tenon_text_int(v->text, &whole)) {
    s.kind = TENON_KIND_INT;
    s.as.i = whole;
  } else if (tenon_text_double(v->text, &real)) {
    s.kind = TENON_KIND_FLOAT;
    s.as.f = real;
  } else if (tenon_yaml_is(v, "true") || tenon_yaml_is(v, "false")) {
    s.kind = TENON_KIND_BOOL;
    s.as.i = tenon_yaml_is(v, "true");
  }
  return s;
}

static bool texts_of(tenon_arena *arena, const tenon_yaml *v, tenon_arg *out) {
  const char **list = tenon_arena_array(arena, const char *, v->count);
  size_t n = 0;
  if (!list) return false;
  for (const tenon_yaml *e = v->first; e; e = e->next)
    list[n++] = e->kind == TENON_YAML_SCALAR ? e->text.data : NULL;
  out->kind = TENON_KIND_STRS;
  out->as.strs = (tenon_strs){list, n};
  return true;
}

static bool project_rules_list_of(tenon_arena *arena, const tenon_yaml *v,
                                  tenon_arg *out) {
  tenon_scalar *list = tenon_arena_array(arena, tenon_scalar, v->count);
  size_t n = 0;
  if (!list) return false;
  for (const tenon_yaml *e = v->first; e; e = e->next)
    list[n++] = project_rules_scalar_of(e);
  out->kind = TENON_KIND_SCALARS;
  out->as.scalars.data = list;
  out->as.scalars.count = n;
  bool all_ints = true;
  for (size_t i = 0; i < n; ++i)
    all_ints &= list[i].kind == TENON_KIND_INT;
  if (!all_ints) return true;
  int64_t *ints = tenon_arena_array(arena, int64_t, n);
  if (!ints) return false;
  for (size_t i = 0; i < n; ++i)
    ints[i] = list[i].as.i;
  out->kind = TENON_KIND_INTS;
  out->as.ints.data = ints;
  out->as.ints.count = n;
  return true;
}

static bool project_rules_value_of(tenon_arena *arena, const tenon_yaml *v,
                                   const tenon_argument *argument,
                                   tenon_arg *out) {
  memset(out, 0, sizeof *out);
  out->name = v->key->text.data;
  if (v->kind == TENON_YAML_LIST)
    return argument->kind == TENON_KIND_STRS
               ? texts_of(arena, v, out)
               : project_rules_list_of(arena, v, out);
  tenon_scalar s = project_rules_scalar_of(v);
  if (s.kind == TENON_KIND_FLOAT) {
    out->kind = s.kind;
    out->as.f = s.as.f;
  } else if (s.kind != 0) {
    out->kind = s.kind;
    out->as.i = s.as.i;
  } else if (!tenon_yaml_is_null(v) &&
             !(v->is_plain && tenon_yaml_is(v, "none"))) {
    tenon_dtype dtype = v->is_plain ? tenon_dtype_find(v->text) : 0;
    out->kind = dtype ? TENON_KIND_DTYPE : TENON_KIND_STR;
    if (dtype)
      out->as.i = dtype;
    else
      out->as.s = v->text.data;
  }
  return true;
}

// ---------------------------------------------------------------------------
// One operator
// ---------------------------------------------------------------------------

static tenon_status unknown_attr(const tenon_yaml *v, const tenon_node *n) {
  tenon_nearest near;
  const tenon_schema *s = n->op->schema;
  tenon_nearest_init(&near, v->key->text.data);
  for (int i = 0; tenon_schema_attr(s, i); ++i)
    tenon_nearest_feed(&near, tenon_schema_attr(s, i)->name);
  return tenon_yaml_fail(v->key, "rule-attribute",
                         "'%s' has no attribute '%s'%s%s%s", s->name,
                         v->key->text.data, TENON_DID_YOU_MEAN(near.best));
}

// What a rule says of an attribute, or of a place; null: nothing.
static const tenon_yaml *value_under(const tenon_project_rule *r,
                                     const char *name, bool is_place) {
  if (is_place) return tenon_project_place_of(r, name);
  return r->set ? tenon_yaml_get(r->set, name) : NULL;
}

// A place where there is no value.
static void project_rules_say(applying *a, const tenon_node *n,
                              const char *name, const tenon_yaml *v,
                              const tenon_project_rule *best,
                              const tenon_arg *value) {
  const char *where = tenon_node_place(n)->where;
  if (!a->out) return;
  tenon_buf_format(a->out, "%4lld  %s  %s: %s", (long long)a->index,
                   where ? where : "", tenon_node_name(n), name);
  if (value) {
    tenon_buf_char(a->out, '=');
    tenon_arg_print(value, &a->m->symbols, a->out);
  } else {
    tenon_buf_format(a->out, " in %s", v->text.data);
  }
  tenon_buf_format(a->out, " by the rule at line %u", (unsigned)best->at->line);
  const char *separator = ", not by that at line ";
  for (size_t i = 0; i < a->p->rules.count; ++i) {
    const tenon_project_rule *r = &a->p->rules.data[i];
    if (r == best || !project_rules_fits(a, r, n) ||
        !value_under(r, name, !value))
      continue;
    tenon_buf_format(a->out, "%s%u", separator, (unsigned)r->at->line);
    separator = ", ";
  }
  tenon_buf_char(a->out, '\n');
}

// The rule whose value an attribute takes; null: none.
static const tenon_project_rule *best_for(const applying *a,
                                          const tenon_node *n, const char *name,
                                          bool is_place) {
  const tenon_project_rule *best = NULL;
  for (size_t i = 0; i < a->p->rules.count; ++i) {
    const tenon_project_rule *r = &a->p->rules.data[i];
    if (value_under(r, name, is_place) && project_rules_fits(a, r, n) &&
        (!best || r->rank >= best->rank))
      best = r;
  }
  return best;
}

static tenon_status set_one(applying *a, tenon_node *n,
                            const tenon_argument *argument, tenon_arg *args) {
  char error[256] = "";
  tenon_arg given, value;
  const tenon_project_rule *best = best_for(a, n, argument->name, false);
  if (!best) return TENON_OK;
  const tenon_yaml *v = tenon_yaml_get(best->set, argument->name);
  if (!project_rules_value_of(&a->m->arena, v, argument, &given))
    return tenon_fail_memory(&a->m->report, "applying rules");
  if (!tenon_attr_convert(&a->m->arena, argument, &given, &value, error,
                          sizeof error))
    return a->m->arena.failed
               ? tenon_fail_memory(&a->m->report, "applying rules")
               : tenon_yaml_fail(v, "rule-attribute", "'%s': %s",
                                 tenon_node_name(n), error);
  for (size_t i = 0; args[i].name; ++i) {
    if (strcmp(args[i].name, argument->name) != 0) continue;
    value.name = args[i].name;
    args[i] = value;
  }
  a->has_changed = true;
  project_rules_say(a, n, argument->name, v, best, &value);
  return TENON_OK;
}

// Marks the rules that fit; what an operator named by its type lacks is wrong.
static tenon_status project_rules_check_node(applying *a, const tenon_node *n,
                                             bool *any) {
  for (size_t i = 0; i < a->p->rules.count; ++i) {
    const tenon_project_rule *r = &a->p->rules.data[i];
    if (!project_rules_fits(a, r, n)) continue;
    a->is_used[i] = true;
    *any = true;
    for (const tenon_yaml *v = r->set ? r->set->first : NULL; v; v = v->next) {
      const tenon_argument *arg =
          n->op->schema ? tenon_schema_find(n->op->schema, v->key->text.data)
                        : NULL;
      if (arg && arg->base != TENON_BASE_TENSOR) continue;
      if (r->rank > 0 && n->op->schema) return unknown_attr(v, n);
      if (r->rank > 0)
        return tenon_yaml_fail(r->at, "rule-attribute",
                               "'%s' is unknown, so it has no attributes "
                               "to set",
                               tenon_node_name(n));
    }
  }
  return TENON_OK;
}

static tenon_status project_rules_place_all(applying *a, const tenon_node *n) {
  const tenon_project_placing placing = {a->m, a->p->allocator};
  const tenon_project_rule *best[3] = {NULL, NULL, NULL};
  for (int i = 0; i < 3; ++i) {
    const char *key = tenon_project_place_keys[i];
    best[i] = best_for(a, n, key, true);
    if (best[i])
      project_rules_say(a, n, key, tenon_project_place_of(best[i], key),
                        best[i], NULL);
  }
  return tenon_project_place(&placing, n, best);
}

static tenon_status apply_to(void *self, tenon_node *n) {
  applying *a = self;
  bool any = false;
  size_t count = 0;
  tenon_arena *arena = &a->m->arena;
  TENON_TRY(project_rules_check_node(a, n, &any));
  if (any) TENON_TRY(project_rules_place_all(a, n));
  if (any && n->op->schema && n->args) {
    while (n->args[count].name)
      ++count;
    tenon_arg *args = tenon_arena_copy(
        arena, n->args, (count + 1) * sizeof *args, _Alignof(tenon_arg));
    if (!args) return tenon_fail_memory(&a->m->report, "applying rules");
    for (int i = 0; tenon_schema_attr(n->op->schema, i); ++i)
      TENON_TRY(set_one(a, n, tenon_schema_attr(n->op->schema, i), args));
    n->args = args;
    n->attrs = tenon_attr_bind(arena, n->op->desc ? n->op->desc->fields : NULL,
                               n->op->desc ? n->op->desc->attrs_size : 0, args);
    if (!n->attrs) return tenon_fail_memory(&a->m->report, "applying rules");
  }
  ++a->index;
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// The whole
// ---------------------------------------------------------------------------

static tenon_status feed_type(void *self, tenon_node *n) {
  tenon_nearest_feed((tenon_nearest *)self, tenon_node_name(n));
  return TENON_OK;
}

static void project_rules_warn_unused(const applying *a) {
  char where[TENON_YAML_WHERE];
  tenon_nearest near;
  for (size_t i = 0; i < a->p->rules.count; ++i) {
    if (a->is_used[i]) continue;
    const tenon_project_rule *r = &a->p->rules.data[i];
    tenon_place place = tenon_yaml_place(r->at, where);
    tenon_nearest_init(&near, r->type ? r->type : "");
    if (r->type) (void)tenon_module_visit(a->m, feed_type, &near);
    bool is_slip = near.best && strcmp(near.best, r->type) != 0;
    tenon_warn(&a->m->report, "rule-unused", &place,
               "the rule fits no operator of '%s'%s%s%s", a->m->name,
               is_slip ? "; did you mean '" : "", is_slip ? near.best : "",
               is_slip ? "'?" : "");
  }
}

tenon_status tenon_project_apply(const tenon_project *p, tenon_module *m,
                                 tenon_write_fn *write, void *self) {
  tenon_buf out;
  applying a = {.p = p, .m = m};
  size_t n = p->rules.count;
  tenon_buf_init(&out, p->allocator);
  if (write) a.out = &out;
  a.is_used = tenon_arena_array(&m->arena, bool, n + 1);
  if (!a.is_used) return tenon_fail_memory(&m->report, "applying rules");
  memset(a.is_used, 0, (n + 1) * sizeof *a.is_used);
  tenon_status status = tenon_module_visit(m, apply_to, &a);
  if (status == TENON_OK && a.has_changed) status = tenon_infer_module(m, true);
  if (status == TENON_OK && a.has_changed)
    status = tenon_verify_module(m, "rules");
  if (status != TENON_OK) m->is_broken = true;
  if (status == TENON_OK) project_rules_warn_unused(&a);
  if (status == TENON_OK && out.failed)
    status = tenon_fail_memory(&m->report, "applying rules");
  if (status == TENON_OK && write)
    status = write(self, NULL, out.data ? out.data : "", out.size);
  tenon_buf_deinit(&out);
  return status;
}
