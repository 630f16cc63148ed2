// How: the flags are the keys, with `_` for `-`. What the file says is set as
// the command line would set it, but for what that has said itself.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/flag/flags.h"

// What asks about a project file does not stand in it.
static bool project_file_is_key(const cli_flag *f) {
  return f->offset != offsetof(cli, project) &&
         f->offset != offsetof(cli, help) &&
         f->offset != offsetof(cli, rules) &&
         f->offset != offsetof(cli, json_schema);
}

// Names with `_`; in memory of their own.
static bool make_keys(tenon_project_key **out, size_t *count) {
  static const uint32_t kinds[] = {
      [BOOL] = TENON_PROJECT_BOOL,       [TEXT] = TENON_PROJECT_TEXT,
      [LIST] = TENON_PROJECT_LIST,       [TWO] = TENON_PROJECT_PAIR,
      [MANY] = TENON_PROJECT_LIST,       [INT] = TENON_PROJECT_INT,
      [NATURAL] = TENON_PROJECT_NATURAL, [COUNT] = TENON_PROJECT_COUNT,
      [WORDS] = TENON_PROJECT_WORDS,     [NAMES] = TENON_PROJECT_NAMES,
      [REAL] = TENON_PROJECT_REAL};
  size_t n = cli_flag_count(), kept = 0;
  tenon_project_key *keys = (tenon_project_key *)calloc(n + 1, sizeof *keys);
  *out = keys;
  if (!keys) return false;
  keys[kept++] = (tenon_project_key){
      strdup("model"), "the model; several: a list or a map of NAME: MODEL",
      TENON_PROJECT_LIST, 0};
  for (size_t i = 0; i < n; ++i) {
    const cli_flag *f = cli_flag_at(i);
    if (!project_file_is_key(f)) continue;
    bool is_output = strcmp(f->name, "o") == 0;
    char *name = strdup(is_output ? "output" : f->name);
    keys[kept++] = (tenon_project_key){name, f->help, kinds[f->kind], 0};
    for (char *p = name; p && *p; ++p)
      if (*p == '-') *p = '_';
  }
  *count = kept;
  for (size_t i = 0; i < kept; ++i)
    if (!keys[i].name) return false;
  return true;
}

static void free_keys(tenon_project_key *keys, size_t n) {
  for (size_t i = 0; keys && i < n; ++i)
    free((void *)(uintptr_t)keys[i].name);
  free(keys);
}

static const cli_flag *project_file_flag_of(const char *key) {
  for (size_t i = 0; i < cli_flag_count(); ++i) {
    const cli_flag *f = cli_flag_at(i);
    const char *a = strcmp(f->name, "o") == 0 ? "output" : f->name, *b = key;
    while (*a && *b && (*a == *b || (*a == '-' && *b == '_'))) {
      ++a;
      ++b;
    }
    if (!*a && !*b) return f;
  }
  return NULL;
}

static bool project_file_take(cli *c, const tenon_project_setting *s,
                              const bool *given) {
  if (strcmp(s->key, "passes") == 0)
    return cli_list_push(&c->pass_rules, s->text);
  if (strcmp(s->key, "model") == 0)
    return given[cli_flag_count()] || !c->verb->reads_model ||
           cli_list_push(&c->args, s->text);
  const cli_flag *f = project_file_flag_of(s->key);
  if (!f || given[f - cli_flag_at(0)]) return true;
  return cli_flag_set(c, f, s->text);
}

static bool project_file_take_all(cli *c) {
  size_t n = tenon_project_settings(c->read_project, NULL, 0);
  tenon_project_setting *list =
      (tenon_project_setting *)calloc(n + 1, sizeof *list);
  bool *given = (bool *)calloc(cli_flag_count() + 1, sizeof *given);
  bool ok = list && given;
  if (ok) (void)tenon_project_settings(c->read_project, list, n);
  for (size_t i = 0; ok && i < cli_flag_count(); ++i)
    given[i] = cli_flag_given(c, cli_flag_at(i));
  if (ok) given[cli_flag_count()] = c->args.count > 0;
  for (size_t i = 0; ok && i < n; ++i)
    ok = project_file_take(c, &list[i], given);
  free(list);
  free(given);
  return ok;
}

bool cli_project_read(cli *c) {
  tenon_buf text = {0};
  tenon_project_key *keys = NULL;
  size_t n = 0;
  if (!c->project) return true;
  bool ok = cli_read_file(c, c->project, &text);
  if (!ok) c->unread = TENON_IO;
  ok = ok && make_keys(&keys, &n);
  tenon_project_options o = {.struct_size = sizeof o,
                             .n_keys = (uint32_t)n,
                             .keys = keys,
                             .diag = cli_sink_of(c->sink),
                             .file = c->project,
                             .data = text.data,
                             .size = text.size};
  ok = ok && tenon_project_read(&o, &c->read_project) == TENON_OK;
  // What is wrong with a value has its place there.
  c->sink->project = c->read_project;
  c->sink->project_file = c->project;
  ok = ok && project_file_take_all(c);
  free_keys(keys, n);
  tenon_buf_deinit(&text);
  return ok;
}

int cli_project_schema(cli *c) {
  tenon_project_key *keys = NULL;
  size_t n = 0;
  int code = CLI_NO_MEMORY;
  if (make_keys(&keys, &n)) {
    tenon_project_options o = {.struct_size = sizeof o,
                               .n_keys = (uint32_t)n,
                               .keys = keys,
                               .diag = cli_sink_of(c->sink)};
    code = cli_exit(tenon_project_schema(&o, cli_write, c));
  }
  free_keys(keys, n);
  return code;
}
