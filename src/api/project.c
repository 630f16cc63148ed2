// How: every key is looked at, whatever is wrong with those before, and turned
// into the text that a command line would have. Rules keep their nodes of the
// tree: what a value means depends on the operator.
#include "api/project.h"

#include <string.h>

#include "base/heap.h"
#include "base/put.h"
#include "base/text.h"

const char *const tenon_project_rule_keys[] = {"type", "id",    "name", "size",
                                               "set",  "place", NULL};
const char *const tenon_project_pass_keys[] = {"name", "enabled", "options",
                                               NULL};

typedef struct reader {
  tenon_project *p;
  const tenon_project_options *o;
} reader;

static bool project_keep(reader *r, tenon_status status) {
  if (r->p->status == TENON_OK) r->p->status = status;
  return status == TENON_OK;
}

static void project_no_memory(reader *r) {
  (void)project_keep(r, tenon_fail_memory(&r->p->report, "reading a project"));
}

// ---------------------------------------------------------------------------
// Settings
// ---------------------------------------------------------------------------

static void project_add(reader *r, const tenon_yaml *at, const char *key,
                        const char *fmt, ...) TENON_PRINTF(4, 5);
static void project_add(reader *r, const tenon_yaml *at, const char *key,
                        const char *fmt, ...) {
  tenon_buf text;
  va_list args;
  tenon_buf_init(&text, r->p->allocator);
  va_start(args, fmt);
  tenon_buf_vformat(&text, fmt, args);
  va_end(args);
  tenon_project_setting s = {
      .key = tenon_arena_string(&r->p->arena, key),
      .text = tenon_arena_string(&r->p->arena, text.data ? text.data : ""),
      .line = at->line,
      .column = at->column};
  if (text.failed || !s.key || !s.text || !tenon_vec_push(&r->p->settings, s))
    project_no_memory(r);
  tenon_buf_deinit(&text);
}

static const char *project_text_of(reader *r, const tenon_yaml *at) {
  const char *text = "";
  (void)project_keep(r, tenon_yaml_text(at, &text));
  return text;
}

// A scalar, or scalars with commas between.
static void project_read_words(reader *r, const char *key, const char *of,
                               const tenon_yaml *v) {
  tenon_buf joined;
  const char *equals = of ? "=" : "";
  if (!of) of = "";
  if (v->kind != TENON_YAML_LIST) {
    project_add(r, v, key, "%s%s%s", of, equals, project_text_of(r, v));
    return;
  }
  tenon_buf_init(&joined, r->p->allocator);
  for (const tenon_yaml *e = v->first; e; e = e->next)
    tenon_put(&joined, "$$", joined.size ? "," : "", project_text_of(r, e));
  if (joined.failed) project_no_memory(r);
  project_add(r, v, key, "%s%s%s", of, equals, joined.data ? joined.data : "");
  tenon_buf_deinit(&joined);
}

static void read_names(reader *r, const char *key, const tenon_yaml *v) {
  if (v->kind != TENON_YAML_MAP) project_read_words(r, key, NULL, v);
  for (const tenon_yaml *e = v->first; v->kind == TENON_YAML_MAP && e;
       e = e->next)
    project_read_words(r, key, e->key->text.data, e);
}

static void project_read_list(reader *r, const char *key, const tenon_yaml *v) {
  if (v->kind == TENON_YAML_SCALAR) {
    project_add(r, v, key, "%s", project_text_of(r, v));
    return;
  }
  for (const tenon_yaml *e = v->first; e; e = e->next) {
    if (e->kind == TENON_YAML_MAP && v->kind == TENON_YAML_LIST) {
      project_read_list(r, key, e);
    } else if (v->kind == TENON_YAML_MAP) {
      project_add(r, e, key, "%s=%s", e->key->text.data, project_text_of(r, e));
    } else {
      project_add(r, e, key, "%s", project_text_of(r, e));
    }
  }
}

static void read_pair(reader *r, const char *key, const tenon_yaml *v) {
  if (v->kind == TENON_YAML_LIST) {
    for (const tenon_yaml *e = v->first; e; e = e->next)
      read_pair(r, key, e);
  } else if (v->kind != TENON_YAML_MAP || v->count != 2) {
    (void)project_keep(
        r,
        tenon_yaml_fail(v, "yaml-value", "expected a map of two keys, found %s",
                        v->kind == TENON_YAML_MAP ? "another number "
                                                    "of them"
                                                  : "none"));
  } else {
    project_read_list(r, key, v);
  }
}

static int64_t least_of(uint32_t kind) {
  return kind == TENON_PROJECT_COUNT     ? 1
         : kind == TENON_PROJECT_NATURAL ? 0
                                         : INT64_MIN;
}

static void project_read_value(reader *r, const tenon_project_key *key,
                               const tenon_yaml *v) {
  int64_t whole = 0;
  double real = 0;
  bool flag = false;
  switch (key->kind) {
    case TENON_PROJECT_BOOL:
      if (project_keep(r, tenon_yaml_bool(v, &flag)) && flag)
        project_add(r, v, key->name, "%s", "");
      return;
    case TENON_PROJECT_TEXT:
      project_add(r, v, key->name, "%s", project_text_of(r, v));
      return;
    case TENON_PROJECT_WORDS:
      project_read_words(r, key->name, NULL, v);
      return;
    case TENON_PROJECT_NAMES:
      read_names(r, key->name, v);
      return;
    case TENON_PROJECT_LIST:
      project_read_list(r, key->name, v);
      return;
    case TENON_PROJECT_PAIR:
      read_pair(r, key->name, v);
      return;
    case TENON_PROJECT_INT:
    case TENON_PROJECT_NATURAL:
    case TENON_PROJECT_COUNT:
      if (project_keep(
              r, tenon_yaml_int(
                     v, least_of(key->kind),
                     key->kind == TENON_PROJECT_COUNT ? INT32_MAX : INT64_MAX,
                     &whole)))
        project_add(r, v, key->name, "%lld", (long long)whole);
      return;
    default:
      if (project_keep(r, tenon_yaml_real(v, &real)) && !(real >= 0))
        (void)project_keep(r, tenon_yaml_expected(v, "a number from 0 on"));
      project_add(r, v, key->name, "%s", project_text_of(r, v));
      return;
  }
}

// ---------------------------------------------------------------------------
// Passes
// ---------------------------------------------------------------------------

static void pass_options(reader *r, const char *name, const tenon_yaml *map) {
  if (!project_keep(r, tenon_yaml_map(map))) return;
  for (const tenon_yaml *v = map->first; v; v = v->next)
    project_add(r, v, "passes", "%s.%s=%s", name, v->key->text.data,
                project_text_of(r, v));
}

static void pass_switch(reader *r, const char *name, const tenon_yaml *v) {
  bool is_on = false;
  if (project_keep(r, tenon_yaml_bool(v, &is_on)))
    project_add(r, v, "passes", "%s %s", is_on ? "on" : "off", name);
}

// A list of maps, or a map: a name to true, false, or options.
static void project_read_passes(reader *r, const tenon_yaml *at) {
  for (const tenon_yaml *e = at->first; e; e = e->next) {
    const tenon_yaml *name = NULL, *v = NULL;
    if (at->kind == TENON_YAML_MAP) {
      if (e->kind == TENON_YAML_MAP)
        pass_options(r, e->key->text.data, e);
      else
        pass_switch(r, e->key->text.data, e);
      continue;
    }
    if (!project_keep(r, tenon_yaml_map(e)) ||
        !project_keep(r, tenon_yaml_keys(e, tenon_project_pass_keys)) ||
        !project_keep(r, tenon_yaml_need(e, "name", &name)))
      continue;
    const char *text = project_text_of(r, name);
    v = tenon_yaml_get(e, "enabled");
    if (v) pass_switch(r, text, v);
    v = tenon_yaml_get(e, "options");
    if (v) pass_options(r, text, v);
  }
  if (at->kind == TENON_YAML_SCALAR)
    (void)project_keep(r, tenon_yaml_expected(at, "a list or a map of passes"));
}

// ---------------------------------------------------------------------------
// Rules
// ---------------------------------------------------------------------------

// "*" is as good as nothing.
static const char *glob_of(reader *r, const tenon_yaml *e, const char *key) {
  const tenon_yaml *v = tenon_yaml_get(e, key);
  const char *text = v ? project_text_of(r, v) : NULL;
  return text && strcmp(text, "*") != 0 ? text : NULL;
}

// ">= 1024", "<4096", "64"
static void project_read_size(reader *r, const tenon_yaml *v,
                              tenon_project_rule *rule) {
  tenon_text t = tenon_text_trim(tenon_text_of(project_text_of(r, v)));
  rule->relation = '=';
  if (t.size > 0 && (t.data[0] == '<' || t.data[0] == '>')) {
    rule->relation = t.data[0];
    ++t.data;
    --t.size;
    if (t.size > 0 && t.data[0] == '=') {
      rule->relation = rule->relation == '<' ? 'l' : 'g';
      ++t.data;
      --t.size;
    }
  }
  t = tenon_text_trim(t);
  if (!tenon_text_int(t, &rule->size) || rule->size < 0)
    (void)project_keep(r, tenon_yaml_expected(v, "bytes, such as '>= 1024'"));
}

// A value of an attribute is a scalar, nothing, or a list of these; of which
// type, the operators that it is for say.
static void check_set(reader *r, const tenon_yaml *set) {
  for (const tenon_yaml *v = set ? set->first : NULL; v; v = v->next) {
    bool fits = v->kind != TENON_YAML_MAP;
    for (const tenon_yaml *e = v->first; e; e = e->next)
      fits = fits && e->kind == TENON_YAML_SCALAR;
    if (!fits)
      (void)project_keep(
          r, tenon_yaml_fail(
                 v, "yaml-value",
                 "expected a value or a list of values, "
                 "found %s",
                 v->kind == TENON_YAML_MAP ? "a map" : "a list of others"));
  }
}

static void project_read_rule(reader *r, const tenon_yaml *e) {
  tenon_project_rule rule = {.at = e};
  if (!project_keep(r, tenon_yaml_map(e)) ||
      !project_keep(r, tenon_yaml_keys(e, tenon_project_rule_keys)))
    return;
  rule.place = tenon_yaml_get(e, "place");
  if ((!rule.place || tenon_yaml_get(e, "set")) &&
      (!project_keep(r, tenon_yaml_need(e, "set", &rule.set)) ||
       !project_keep(r, tenon_yaml_map(rule.set))))
    return;
  if (rule.place && !project_keep(r, tenon_project_read_place(rule.place)))
    return;
  check_set(r, rule.set);
  rule.type = glob_of(r, e, "type");
  rule.id = glob_of(r, e, "id");
  const tenon_yaml *id = tenon_yaml_get(e, "id");
  if (id && id->is_plain && rule.id && rule.id[0] == '-')
    (void)project_keep(
        r, tenon_yaml_expected(id, "the number of an operator, or a pattern"));
  rule.name = glob_of(r, e, "name");
  const tenon_yaml *size = tenon_yaml_get(e, "size");
  if (size) project_read_size(r, size, &rule);
  rule.rank = (rule.type ? 1 : 0) + (rule.id ? 2 : 0);
  if (!tenon_vec_push(&r->p->rules, rule)) project_no_memory(r);
}

static void read_rules(reader *r, const tenon_yaml *at) {
  if (!project_keep(r, tenon_yaml_list(at))) return;
  for (const tenon_yaml *e = at->first; e; e = e->next)
    project_read_rule(r, e);
}

// ---------------------------------------------------------------------------
// The whole
// ---------------------------------------------------------------------------

static void project_read_root(reader *r, const tenon_yaml *root) {
  const tenon_project_options *o = r->o;
  const char **known =
      tenon_arena_array(&r->p->arena, const char *, o->n_keys + 3);
  if (!known) {
    project_no_memory(r);
    return;
  }
  for (uint32_t i = 0; i < o->n_keys; ++i)
    known[i] = o->keys[i].name;
  known[o->n_keys] = "passes";
  known[o->n_keys + 1] = "rules";
  known[o->n_keys + 2] = NULL;
  if (!project_keep(r, tenon_yaml_map(root))) return;
  (void)project_keep(r, tenon_yaml_keys(root, known));
  for (const tenon_yaml *v = root->first; v; v = v->next) {
    for (uint32_t i = 0; i < o->n_keys; ++i)
      if (tenon_yaml_is(v->key, o->keys[i].name))
        project_read_value(r, &o->keys[i], v);
    if (tenon_yaml_is(v->key, "passes")) project_read_passes(r, v);
    if (tenon_yaml_is(v->key, "rules")) read_rules(r, v);
  }
}

tenon_status tenon_project_read(const tenon_project_options *options,
                                tenon_project **out) {
  tenon_project_options o;
  const tenon_yaml *root = NULL;
  *out = NULL;
  if (!tenon_admit(&o, sizeof o, options)) {
    tenon_report none = {{0}};
    return tenon_fail(&none, TENON_BAD_ARGUMENT, "options-size", NULL,
                      "options of %u bytes use members past our %zu",
                      (unsigned)options->struct_size, sizeof o);
  }
  tenon_allocator allocator = o.allocator.resize ? o.allocator : tenon_heap();
  tenon_report report = {o.diag};
  tenon_project *p =
      tenon_alloc(&allocator, sizeof *p, _Alignof(tenon_project));
  if (!p) return tenon_fail_memory(&report, "reading a project");
  memset(p, 0, sizeof *p);
  p->allocator = allocator;
  p->report = report;
  tenon_arena_init(&p->arena, allocator);
  tenon_vec_init(&p->settings, allocator);
  tenon_vec_init(&p->rules, allocator);
  reader r = {p, &o};
  tenon_text text = {o.data, o.size};
  if (project_keep(
          &r, tenon_yaml_read(&p->arena, &p->report, TENON_BAD_ARGUMENT,
                              o.file ? o.file : "tenon.yaml", text, &root)))
    project_read_root(&r, root);
  tenon_status status = p->status;
  if (status == TENON_OK)
    *out = p;
  else
    tenon_project_destroy(p);
  return status;
}

void tenon_project_destroy(tenon_project *p) {
  if (!p) return;
  tenon_allocator allocator = p->allocator;
  tenon_vec_deinit(&p->settings);
  tenon_vec_deinit(&p->rules);
  tenon_arena_deinit(&p->arena);
  tenon_free(&allocator, p, sizeof *p, _Alignof(tenon_project));
}

size_t tenon_project_settings(const tenon_project *p,
                              tenon_project_setting *list, size_t capacity) {
  for (size_t i = 0; i < p->settings.count && i < capacity; ++i)
    list[i] = p->settings.data[i];
  return p->settings.count;
}
