// How: entry by entry, whatever is wrong with those before; then one manifest
// of all. Texts are only handed on: the context parses them when it admits the
// descriptors, and says where in the file they are wrong.
#include "plug/rules_read.h"
#include "base/chars.h"

#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "plug/yaml_schema.h"
#include "tenon/ext/pass.h"

typedef struct reading {
  tenon_context *cx;
  tenon_arena *arena;
  const char *file;  // without its folder
  tenon_status status;
  TENON_VEC(const tenon_op_desc *) ops;
  TENON_VEC(const tenon_lowering_desc *) lowerings;
  TENON_VEC(const tenon_pass_desc *) passes;
} reading;

static void rules_keep(reading *r, tenon_status status) {
  if (r->status == TENON_OK) r->status = status;
}

static void rules_no_memory(reading *r) {
  rules_keep(r, tenon_fail_memory(&r->cx->report, "reading lowerings"));
}

// ---------------------------------------------------------------------------
// One key
// ---------------------------------------------------------------------------

static void rules_text_of(reading *r, const tenon_yaml *map, const char *key,
                          const char **out) {
  const tenon_yaml *at = tenon_yaml_get(map, key);
  if (!at) return;
  rules_keep(r, tenon_yaml_text(at, out));
  *out = tenon_arena_string(r->arena, *out);
}

static bool flag_of(reading *r, const tenon_yaml *map, const char *key) {
  const tenon_yaml *at = tenon_yaml_get(map, key);
  bool value = false;
  if (at) rules_keep(r, tenon_yaml_bool(at, &value));
  return value;
}

// A text of a rule, and where it begins. Lines of a block are lines of the
// file; of a text in quotes or over several lines, only the first place is
// known.
static void rule_text(reading *r, const tenon_yaml *map, const char *key,
                      const char **out, uint32_t *line, uint32_t *column) {
  const tenon_yaml *at = tenon_yaml_get(map, key);
  rules_text_of(r, map, key, out);
  if (!at) return;
  *line = at->body_line ? at->body_line : at->line;
  *column = at->body_line ? at->body_column : at->column;
  if (!at->body_line && !at->is_plain) ++*column;  // behind the quote
}

// ---------------------------------------------------------------------------
// Entries
// ---------------------------------------------------------------------------

// What the entry describes beside replacing it: an operator by its schema.
static const char *described(reading *r, const tenon_yaml *entry) {
  const char *schema = NULL;
  tenon_schema *parsed = NULL;
  rules_text_of(r, entry, "schema", &schema);
  size_t size = schema ? strcspn(schema, "(") : 0;
  tenon_op_desc *desc = tenon_arena_new(r->arena, tenon_op_desc);
  if (!schema) return NULL;
  rules_keep(r,
             tenon_yaml_schema(r->cx, r->arena, tenon_yaml_get(entry, "schema"),
                               NULL, "plugin-schema", &parsed));
  if (!desc) {
    rules_no_memory(r);
    return NULL;
  }
  desc->struct_size = sizeof *desc;
  desc->flags = TENON_OP_PURE | TENON_OP_DECLARED;
  desc->schema = schema;
  rules_text_of(r, entry, "doc", &desc->doc);
  if (flag_of(r, entry, "override")) desc->flags |= TENON_OP_OVERRIDES;
  if (!tenon_vec_push(&r->ops, desc)) rules_no_memory(r);
  return tenon_arena_text(r->arena, schema, size);
}

static const char *default_name(reading *r, const tenon_yaml *entry,
                                const char *op) {
  char text[320];
  snprintf(text, sizeof text, "%s (%s, line %u)", op ? op : "pattern", r->file,
           (unsigned)entry->line);
  return tenon_arena_string(r->arena, text);
}

// An entry says in one way what it replaces; several nodes in a pass only,
// since a lowering has replaced some of them before it comes to the last.
static void check_rule_subject(reading *r, const tenon_yaml *entry,
                               const char *pass) {
  static const char *const keys[] = {"op", "schema", "from"};
  int n = 0;
  for (int i = 0; i < 3; ++i)
    n += tenon_yaml_get(entry, keys[i]) != NULL;
  const tenon_yaml *from = tenon_yaml_get(entry, "from");
  if (from && !pass) {
    rules_keep(r,
               tenon_yaml_fail_note(
                   from->key, "yaml-key",
                   "a pass sees nodes before they are lowered: 'passes', with "
                   "'after: functional' and this among its 'rewrites'",
                   "a pattern stands in a pass, not in 'lowerings'"));
  } else if (n != 1) {
    rules_keep(r, tenon_yaml_fail(
                      entry, "yaml-key", "expected one of %s, found %s",
                      pass ? "'op', 'schema' and 'from'" : "'op' and 'schema'",
                      n == 0 ? "none" : "several"));
  }
}

static void read_lowering(reading *r, const tenon_yaml *entry,
                          const char *pass) {
  static const char *const known[] = {
      "op",       "schema",   "from",    "doc", "name", "when",
      "priority", "override", "inexact", "to",  NULL};
  tenon_lowering_desc *desc = tenon_arena_new(r->arena, tenon_lowering_desc);
  tenon_lowering_lines *lines = tenon_arena_new(r->arena, tenon_lowering_lines);
  const tenon_yaml *at = NULL;
  int64_t priority = 0;
  if (!desc || !lines) {
    rules_no_memory(r);
    return;
  }
  tenon_status status = tenon_yaml_map(entry);
  if (status == TENON_OK) status = tenon_yaml_keys(entry, known);
  if (status == TENON_OK) status = tenon_yaml_need(entry, "to", &at);
  rules_keep(r, status);
  if (status != TENON_OK) return;
  check_rule_subject(r, entry, pass);
  desc->struct_size = sizeof *desc;
  desc->pass = pass;
  rules_text_of(r, entry, "op", &desc->op);
  if (tenon_yaml_get(entry, "schema")) desc->op = described(r, entry);
  rule_text(r, entry, "from", &desc->from, &lines->from_line,
            &lines->from_column);
  rule_text(r, entry, "when", &desc->when, &lines->when_line,
            &lines->when_column);
  rule_text(r, entry, "to", &desc->text, &lines->text_line,
            &lines->text_column);
  desc->lines = lines;
  at = tenon_yaml_get(entry, "priority");
  if (at) rules_keep(r, tenon_yaml_int(at, INT32_MIN, INT32_MAX, &priority));
  desc->priority = (int32_t)priority;
  if (flag_of(r, entry, "override")) desc->flags |= TENON_LOWERING_OVERRIDES;
  if (flag_of(r, entry, "inexact")) desc->flags |= TENON_LOWERING_INEXACT;
  rules_text_of(r, entry, "name", &desc->name);
  if (!desc->name) desc->name = default_name(r, entry, desc->op);
  if (!tenon_vec_push(&r->lowerings, desc)) rules_no_memory(r);
}

static void read_lowerings(reading *r, const tenon_yaml *list,
                           const char *pass) {
  tenon_status status = tenon_yaml_list(list);
  rules_keep(r, status);
  if (status != TENON_OK) return;
  for (const tenon_yaml *e = list->first; e; e = e->next)
    read_lowering(r, e, pass);
}

static void read_pass(reading *r, const tenon_yaml *entry) {
  static const char *const known[] = {
      "name", "doc", "after", "optional", "override", "rewrites", NULL};
  const tenon_yaml *name = NULL, *rewrites = NULL;
  tenon_pass_desc *desc = tenon_arena_new(r->arena, tenon_pass_desc);
  if (!desc) {
    rules_no_memory(r);
    return;
  }
  tenon_status status = tenon_yaml_map(entry);
  if (status == TENON_OK) status = tenon_yaml_keys(entry, known);
  if (status == TENON_OK) status = tenon_yaml_need(entry, "name", &name);
  if (status == TENON_OK)
    status = tenon_yaml_need(entry, "rewrites", &rewrites);
  rules_keep(r, status);
  if (status != TENON_OK) return;
  desc->struct_size = sizeof *desc;
  desc->flags = TENON_PASS_OPTIONAL;
  desc->doc = "rewrites of a file";
  rules_text_of(r, entry, "name", &desc->name);
  rules_text_of(r, entry, "doc", &desc->doc);
  rules_text_of(r, entry, "after", &desc->after);
  if (tenon_yaml_get(entry, "optional") && !flag_of(r, entry, "optional"))
    desc->flags = 0;
  if (flag_of(r, entry, "override")) desc->flags |= TENON_PASS_OVERRIDES;
  if (!tenon_vec_push(&r->passes, desc)) rules_no_memory(r);
  read_lowerings(r, rewrites, desc->name);
}

static void read_passes(reading *r, const tenon_yaml *list) {
  tenon_status status = tenon_yaml_list(list);
  rules_keep(r, status);
  if (status != TENON_OK) return;
  for (const tenon_yaml *e = list->first; e; e = e->next)
    read_pass(r, e);
}

// ---------------------------------------------------------------------------
// The whole
// ---------------------------------------------------------------------------

static void rules_start(reading *r, tenon_context *cx, const char *path) {
  const char *slash = strrchr(path, '/');
  memset(r, 0, sizeof *r);
  r->cx = cx;
  r->arena = &cx->arena;
  r->file = slash ? slash + 1 : path;
  tenon_vec_init(&r->ops, cx->allocator);
  tenon_vec_init(&r->lowerings, cx->allocator);
  tenon_vec_init(&r->passes, cx->allocator);
}

static void rules_finish(reading *r) {
  tenon_vec_deinit(&r->ops);
  tenon_vec_deinit(&r->lowerings);
  tenon_vec_deinit(&r->passes);
}

static bool is_in_name(char c) {
  return tenon_char_is_in_name(c) || c == '-';
}

// "my rules.yaml" to "my_rules".
static const char *rules_name_of(const reading *r) {
  char *name = tenon_arena_text(r->arena, r->file, strcspn(r->file, "."));
  for (char *c = name; c && *c; ++c)
    if (!is_in_name(*c)) *c = '_';
  return name;
}

static tenon_status rules_add(reading *r, const char *path, const char *name,
                              const char *version) {
  tenon_plugin_origin origin = {.path = path};
  tenon_plugin plugin = {TENON_PLUGIN_HEADER, .name = name, .version = version};
  if (!tenon_vec_push(&r->ops, NULL) || !tenon_vec_push(&r->lowerings, NULL) ||
      !tenon_vec_push(&r->passes, NULL))
    return tenon_fail_memory(&r->cx->report, "reading lowerings");
  plugin.ops = r->ops.data;
  plugin.lowerings = r->lowerings.data;
  plugin.passes = r->passes.data;
  return tenon_context_add_plugin(r->cx, &plugin, &origin);
}

tenon_status tenon_rules_read(tenon_context *cx, const char *path,
                              const tenon_yaml *root) {
  const tenon_yaml *lowerings = tenon_yaml_get(root, "lowerings");
  const tenon_yaml *passes = tenon_yaml_get(root, "passes");
  const char *name = NULL, *version = "0";
  reading r;
  rules_start(&r, cx, path);
  rules_text_of(&r, root, "name", &name);
  rules_text_of(&r, root, "version", &version);
  if (!name) name = rules_name_of(&r);
  if (lowerings) read_lowerings(&r, lowerings, NULL);
  if (passes) read_passes(&r, passes);
  if (r.status == TENON_OK && cx->arena.failed) rules_no_memory(&r);
  if (r.status == TENON_OK) r.status = rules_add(&r, path, name, version);
  rules_finish(&r);
  return r.status;
}
