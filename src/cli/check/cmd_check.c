// How: what a plugin brings is what a context has with it and lacks without it;
// a bare name of a set in this build means that set, one with "::" operators of
// this build and of the plugins that --plugin names. Each operator of it is
// checked with every kernel there is for it, and each kernel of it for an
// operator of others.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/check/check.h"
#include "cli/machine/machine.h"
#include "tenon/ext/target.h"

typedef struct subjects {
  check_subject *data;
  size_t count;
  ops_view *views;
  size_t n_views;
} subjects;

static bool check_verb_is_listed(const ops_list *list, const char *name) {
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp(list->data[i].name, name) == 0) return true;
  return false;
}

// What the plugins under test bring: their owner, or not being there without.
typedef struct choice {
  const char *pattern;    // of names of operators; null: see below
  const char *owner;      // of a set in this build; null: see below
  ops_list ops, kernels;  // that are there without them
} choice;

static bool check_verb_is_chosen(const choice *ch, const tenon_registered *r) {
  if (ch->pattern)
    return r->kind == TENON_REGISTRY_OPS &&
           tenon_text_glob(ch->pattern, r->name);
  if (ch->owner) return r->is_builtin && strcmp(r->owner, ch->owner) == 0;
  if (r->is_builtin) return false;
  return !check_verb_is_listed(
      r->kind == TENON_REGISTRY_OPS ? &ch->ops : &ch->kernels, r->name);
}

// Whether one of the words stands among the others.
static bool check_verb_has_any(const char *words, const char *const *others,
                               const char *ends) {
  for (const char *p = words; *p;) {
    size_t n = strcspn(p, " ,");
    for (const char *q = *others; n && *q;) {
      size_t m = strcspn(q, ends);
      if (m == n && memcmp(p, q, n) == 0) return true;
      q += m + strspn(q + m, ends);
    }
    p += n + strspn(p + n, " ,");
  }
  return false;
}

// Kernels that need one of --needs, and nothing that the target lacks.
static bool check_verb_is_for(const checker *k,
                              const tenon_registered *kernel) {
  const tenon_kernel_desc *d = (const tenon_kernel_desc *)kernel->desc;
  const char *needs = d->needs ? d->needs : "";
  if (k->c->needs && !check_verb_has_any(k->c->needs, &needs, " "))
    return false;
  for (const char *p = needs; k->features && *p;) {
    char word[64];
    size_t n = strcspn(p, " ");
    snprintf(word, sizeof word, "%.*s", (int)n, p);
    if (n && !check_verb_has_any(word, &k->features, " ")) return false;
    p += n + strspn(p + n, " ");
  }
  return true;
}

static bool add_subject(subjects *s, const ops_view *op,
                        const tenon_registered *kernel) {
  check_subject *added = (check_subject *)cli_add(&s->data, &s->count);
  if (!added) return false;
  added->op = op;
  added->kernel = kernel;
  return true;
}

// An operator under test has all its kernels checked, one of others only those
// that are under test.
static int check_verb_add_op(checker *k, const choice *ch,
                             const tenon_registered *op, subjects *s) {
  ops_view *v = &s->views[s->n_views];
  bool is_own = check_verb_is_chosen(ch, op), ok = true, any = false;
  int code = ops_view_open(k->cx, op, v);
  if (code) return code;
  ++s->n_views;
  for (size_t i = 0; ok && i < v->n_kernels; ++i) {
    if (!is_own && !check_verb_is_chosen(ch, &v->kernels[i])) continue;
    any = true;
    if (check_verb_is_for(k, &v->kernels[i]))
      ok = add_subject(s, v, &v->kernels[i]);
    else
      ++k->n_left_out;
  }
  bool is_declared =
      (v->desc->flags & TENON_OP_DECLARED) != 0 && v->n_lowerings == 0;
  if (ok && is_own && !any && !is_declared && !k->c->needs)
    ok = add_subject(s, v, NULL);
  return ok ? 0 : CLI_NO_MEMORY;
}

static int check_verb_add_all(checker *k, const choice *ch, subjects *s) {
  ops_list all;
  int code = 0;
  if (!ops_list_take(k->cx, TENON_REGISTRY_OPS, &all)) return CLI_NO_MEMORY;
  s->views = (ops_view *)calloc(all.count + 1, sizeof *s->views);
  if (!s->views) code = CLI_NO_MEMORY;
  for (size_t i = 0; code == 0 && i < all.count; ++i)
    code = check_verb_add_op(k, ch, &all.data[i], s);
  free(all.data);
  return code;
}

static void free_subjects(subjects *s) {
  for (size_t i = 0; i < s->count; ++i)
    check_subject_free(&s->data[i]);
  for (size_t i = 0; i < s->n_views; ++i)
    ops_view_close(&s->views[i]);
  free(s->data);
  free(s->views);
}

// Modules that lie beside the plugin ("gain.case"), and those of --case.
static int run_given(checker *k, subjects *s, const char *plugin) {
  cli *c = k->c;
  int code = 0;
  const char *dot = strrchr(plugin, '.');
  size_t n = dot && !strchr(dot, '/') ? (size_t)(dot - plugin) : strlen(plugin);
  tenon_buf beside = {0};
  tenon_buf_format(&beside, "%.*s.case", (int)n, plugin);
  if (beside.failed) return CLI_NO_MEMORY;
  size_t first = cli_is_file(beside.data) ? 0 : 1;
  for (size_t i = first; code == 0 && i < c->cases.count + 1; ++i) {
    if (!add_subject(s, NULL, NULL)) code = CLI_NO_MEMORY;
    if (code == 0)
      code = check_given(k, &s->data[s->count - 1],
                         i ? c->cases.data[i - 1] : beside.data);
  }
  tenon_buf_deinit(&beside);
  return code;
}

enum { MOST_GROWTH = 64 << 20 };

static int run_checks(checker *k, const choice *ch, const char *plugin) {
  subjects s = {0};
  cli *c = k->c;
  int code = check_verb_add_all(k, ch, &s);
  c->sink->is_muted = true;
  // A drawn row in which data or numbers ask for gigabytes is drawn again.
  c->grow_most = MOST_GROWTH;
  for (size_t i = 0; code == 0 && i < s.count; ++i)
    k->all += check_subject_rows(k, &s.data[i]);
  for (size_t i = 0; code == 0 && i < s.count; ++i)
    code = check_subject_run(k, &s.data[i]);
  check_together_end(k);
  c->grow_most = 0;
  if (code == 0) code = run_given(k, &s, plugin);
  c->sink->is_muted = false;
  if (code == 0 && s.count == 0 && k->n_left_out)
    code = cli_fail(c, CLI_NO, "check-nothing",
                    "no kernel of '%s' is for %s: %zu left out", plugin,
                    c->needs ? "--needs and the target" : "the target",
                    k->n_left_out);
  if (code == 0 && s.count == 0)
    code = cli_fail(c, CLI_NO, "check-nothing",
                    ch->pattern ? "no operator of this build or of a "
                                  "plugin is called '%s'"
                                : "'%s' brings no operator and no kernel; a "
                                  "pass is tried with 'tenon opt', a reader "
                                  "with 'tenon run', a target or packager "
                                  "with 'tenon emit'",
                    plugin);
  size_t failed = 0, rows = 0;
  for (size_t i = 0; i < s.count; ++i) {
    rows += s.data[i].rows;
    for (int way = 0; way < CHECK_WAYS; ++way)
      failed += s.data[i].tallies[way].failed;
  }
  if (code == 0) check_report(k, s.data, s.count);
  if (code == 0 && rows == 0)
    code = cli_fail(c, CLI_NO, "check-nothing",
                    "no row was found for anything in '%s'; a model that calls "
                    "it is tried with --case",
                    plugin);
  free_subjects(&s);
  return code ? code : failed ? CLI_NO : 0;
}

// A set of this build, by its bare name.
static const char *find_owner(const tenon_context *cx, const char *name) {
  ops_list all;
  const char *owner = NULL;
  if (!ops_list_take(cx, TENON_REGISTRY_OPS, &all)) return NULL;
  for (size_t i = 0; !owner && i < all.count; ++i)
    if (all.data[i].is_builtin && strcmp(all.data[i].owner, name) == 0)
      owner = all.data[i].owner;
  free(all.data);
  return owner;
}

// "reference, kernel, in-place, ...": as --with takes them.
static void list_ways(char *out, size_t size) {
  size_t n = 0;
  for (int way = 0; way < CHECK_WAYS && n < size; ++way)
    n += (size_t)snprintf(out + n, size - n, "%s%s", way ? ", " : "",
                          check_way_name((check_way)way));
  for (char *p = out; *p; ++p)
    if (*p == ' ' && p > out && p[-1] != ',') *p = '-';
}

// The ways that --with names; all without it. "in-place" for "in place".
static int parse_ways(checker *k) {
  cli *c = k->c;
  const char *p = c->ways;
  for (int way = 0; way < CHECK_WAYS; ++way)
    k->is_left_out[way] = p != NULL;
  while (p) {
    size_t n = strcspn(p, ",");
    bool found = false;
    for (int way = 0; way < CHECK_WAYS; ++way) {
      const char *name = check_way_name((check_way)way);
      bool same = strlen(name) == n;
      for (size_t i = 0; same && i < n; ++i)
        same = p[i] == name[i] || (p[i] == '-' && name[i] == ' ');
      if (same) k->is_left_out[way] = false;
      found = found || same;
    }
    if (!found) {
      char all[200];
      list_ways(all, sizeof all);
      return cli_fail(c, CLI_USAGE, "cli-value",
                      "'--with' expects ways of 'tenon check', found '%.*s'; "
                      "there are %s",
                      (int)n, p, all);
    }
    p = p[n] ? p + n + 1 : NULL;
  }
  return 0;
}

// The ways that an emulated core has: what is emitted, and the same with what
// compares memory behind each step.
static int choose_machine(checker *k) {
  cli *c = k->c;
  const tenon_target_desc *target = NULL;
  int code = cli_machine_find(c, k->cx, &target);
  if (code || (!target && !c->machine)) return code;
  if (!c->machine)
    return cli_fail(c, TENON_UNSUPPORTED, "machine-none",
                    "target '%s' has no emulated core: its cflags name no "
                    "processor that 'tenon check' knows a board for",
                    c->target);
  c->emulated = c->target;
  k->features = target && target->features ? target->features : "";
  for (int way = 0; way < CHECK_WAYS; ++way) {
    bool is_there = way == CHECK_EMITTED || way == CHECK_SANITIZED;
    if (!is_there && c->ways && !k->is_left_out[way])
      return cli_fail(c, CLI_USAGE, "cli-value",
                      "'--with' expects emitted or sanitized where --target "
                      "has an emulated core, found '%s'",
                      check_way_name((check_way)way));
    if (!is_there) k->is_left_out[way] = true;
  }
  return cli_machine_ready(c);
}

static int check_plugin(cli *c, tenon_context *without) {
  const char *plugin = c->args.data[0];
  choice ch = {0};
  checker k = {.c = c, .cx = without, .plugin = plugin};
  k.random.state = c->has_random ? (uint64_t)c->random : 1;
  k.runs = c->has_runs ? (size_t)c->runs : 0;
  int code = parse_ways(&k);
  if (code) return code;
  if (strstr(plugin, "::") && !cli_is_file(plugin))
    ch.pattern = plugin;
  else
    ch.owner = find_owner(without, plugin);
  if (ch.pattern || ch.owner) {
    code = choose_machine(&k);
    return code ? code : run_checks(&k, &ch, plugin);
  }
  if (!ops_list_take(without, TENON_REGISTRY_OPS, &ch.ops) ||
      !ops_list_take(without, TENON_REGISTRY_KERNELS, &ch.kernels))
    return CLI_NO_MEMORY;
  code = cli_list_push(&c->plugins, plugin) ? 0 : CLI_NO_MEMORY;
  if (code == 0) code = cli_context(c, &k.cx);
  if (code == 0) code = choose_machine(&k);
  if (code == 0) code = run_checks(&k, &ch, plugin);
  if (k.cx != without) tenon_context_destroy(k.cx);
  free(ch.ops.data);
  free(ch.kernels.data);
  return code;
}

int cmd_check(cli *c) {
  tenon_context *without = NULL;
  c->divides_all = true;
  c->guard = CHECK_GUARD;
  int code = cli_check_runs(c, 200);
  if (code == 0) code = cli_context(c, &without);
  if (code) return code;
  code = check_plugin(c, without);
  tenon_context_destroy(without);
  return code;
}
