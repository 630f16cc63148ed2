// How: one table from flags.def says name, kind and place of every flag;
// parsing and help read it.
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/flag/flags.h"

typedef cli_flag flag;

static const flag flags[] = {
#define FLAG(member, name, KIND, value, verbs, GROUP, help) \
  {name,                                                    \
   KIND,                                                    \
   GROUP,                                                   \
   value,                                                   \
   verbs,                                                   \
   help,                                                    \
   offsetof(cli, member),                                   \
   offsetof(cli, has_##member)},
#include "cli/flag/flags.def"
#undef FLAG
};
#define N_FLAGS (sizeof flags / sizeof *flags)

static bool flag_has_word(const char *words, const char *word) {
  size_t n = strlen(word);
  for (const char *p = words; *p;) {
    size_t size = strcspn(p, " ");
    if (size == n && memcmp(p, word, n) == 0) return true;
    p += size + (p[size] != 0);
  }
  return false;
}

bool cli_flag_is_for(const cli_flag *f, const cli_verb *verb) {
  if (strcmp(f->verbs, "*") == 0) return true;
  if (flag_has_word(f->verbs, "m") && verb->reads_model) return true;
  return flag_has_word(f->verbs, verb->name);
}

// Verbs that have it, for a flag of others.
static bool is_of_others(cli *c, const char *name) {
  tenon_buf verbs = {0};
  for (size_t i = 0; i < N_FLAGS; ++i) {
    if (strcmp(flags[i].name, name) != 0) continue;
    for (const cli_verb *v = cli_verbs; v->name; ++v)
      if (cli_flag_is_for(&flags[i], v))
        tenon_put(&verbs, "$$", verbs.size ? ", " : "", v->name);
  }
  bool found = !verbs.failed && verbs.size > 0;
  if (found)
    (void)cli_fail(c, CLI_USAGE, "cli-flag",
                   "'tenon %s' has no flag '--%s'; it is one of: %s",
                   c->verb->name, name, verbs.data);
  tenon_buf_deinit(&verbs);
  return found;
}

static int unknown_flag(cli *c, const char *name) {
  tenon_nearest near = {.name = name};
  if (is_of_others(c, name)) return CLI_USAGE;
  for (size_t i = 0; i < N_FLAGS; ++i)
    if (cli_flag_is_for(&flags[i], c->verb))
      cli_nearest_feed(&near, flags[i].name);
  return cli_fail(c, CLI_USAGE, "cli-flag",
                  "'tenon %s' has no flag '--%s'%s%s%s; 'tenon %s --help' "
                  "lists them",
                  c->verb->name, name, near.best ? "; did you mean '--" : "",
                  near.best ? near.best : "", near.best ? "'?" : "",
                  c->verb->name);
}

// What a number of each kind may be, in words.
static const char *flag_expected(const flag *f) {
  switch (f->kind) {
    case INT:
      return "a whole number";
    case NATURAL:
      return "a whole number from 0 on";
    case COUNT:
      return "a whole number from 1 to 2147483647";
    default:
      return "a number from 0 on";
  }
}

static bool flag_set_number(cli *c, const flag *f, char *place,
                            const char *text) {
  char *end = NULL;
  bool fits = true;
  errno = 0;
  if (f->kind == REAL) {
    double value = strtod(text, &end);
    fits = value >= 0;  // nor is it nan
    *(double *)(void *)place = value;
  } else {
    int64_t value = strtoll(text, &end, 10);
    fits = f->kind == INT || (value >= (f->kind == COUNT) &&
                              (f->kind != COUNT || value <= INT32_MAX));
    *(int64_t *)(void *)place = value;
  }
  if (*text && !*end && errno == 0 && fits) return true;
  (void)cli_fail(c, CLI_USAGE, "cli-value", "'--%s' expects %s, found '%s'",
                 f->name, flag_expected(f), text);
  return false;
}

static bool flag_set(cli *c, const flag *f, const char *text) {
  char *place = (char *)c + f->offset;
  *(bool *)((char *)c + f->has) = true;
  switch (f->kind) {
    case BOOL:
      *(bool *)place = true;
      return true;
    case TEXT:
    case WORDS:
      *(const char **)(void *)place = text;
      return true;
    case LIST:
    case TWO:
    case MANY:
    case NAMES:
      if (cli_list_push((cli_list *)(void *)place, text)) return true;
      (void)cli_fail(c, CLI_NO_MEMORY, "memory", "out of memory");
      return false;
    default:
      return flag_set_number(c, f, place, text);
  }
}

size_t cli_flag_count(void) {
  return N_FLAGS;
}

const cli_flag *cli_flag_at(size_t i) {
  return &flags[i];
}

bool cli_flag_given(const cli *c, const cli_flag *f) {
  return *(const bool *)((const char *)c + f->has);
}

const char *cli_planning_flag(const cli *c) {
  for (size_t i = 0; i < N_FLAGS; ++i) {
    const flag *f = &flags[i];
    // Which entry is meant, and where to write, is said of a program too.
    if (strcmp(f->name, "entry") == 0 || strcmp(f->name, "o") == 0) continue;
    // And for which target operators are selected beside it.
    if (strcmp(f->name, "target") == 0 && c->ops) continue;
    // And what sizes inputs have that are made up.
    if (flag_has_word("shape dim batch", f->name) &&
        flag_has_word("run bench", c->verb->name))
      continue;
    bool plans =
        flag_has_word(f->verbs, "m") ||
        (flag_has_word(f->verbs, "plan") && flag_has_word(f->verbs, "run"));
    if (plans && cli_flag_given(c, f)) return f->name;
  }
  return NULL;
}

bool cli_flag_set(cli *c, const cli_flag *f, const char *text) {
  return !cli_flag_is_for(f, c->verb) || flag_set(c, f, text);
}

static const flag *flag_find(const cli *c, const char *name, size_t size) {
  for (size_t i = 0; i < N_FLAGS; ++i)
    if (strlen(flags[i].name) == size &&
        memcmp(flags[i].name, name, size) == 0 &&
        cli_flag_is_for(&flags[i], c->verb))
      return &flags[i];
  return NULL;
}

// One flag at argv[*i]; its value may be the next argument.
static bool parse_flag(cli *c, size_t argc, const char *const *argv,
                       size_t *i) {
  const char *text = argv[*i];
  const char *name = text[1] == '-' ? text + 2 : text + 1;
  size_t size = strcspn(name, "=");
  if (strcmp(text, "-h") == 0) name = "help", size = strlen(name);
  const flag *f = flag_find(c, name, size);
  if (!f || (text[1] != '-' && size != 1 && name == text + 1)) {
    char cut[64];
    snprintf(cut, sizeof cut, "%.*s", (int)(size < 60 ? size : 60), name);
    (void)unknown_flag(c, cut);
    return false;
  }
  if (f->kind == BOOL) {
    if (name[size] == 0) return flag_set(c, f, NULL);
    (void)cli_fail(c, CLI_USAGE, "cli-value", "'--%s' takes no value", f->name);
    return false;
  }
  if (name[size] == '=' && f->kind != TWO)
    return flag_set(c, f, name + size + 1);
  if (*i + 1 + (f->kind == TWO && name[size] != '=') >= argc) {
    (void)cli_fail(c, CLI_USAGE, "cli-value",
                   "'--%s' expects %s, found nothing", f->name, f->value);
    return false;
  }
  if (f->kind == TWO &&
      !flag_set(c, f, name[size] == '=' ? name + size + 1 : argv[++*i]))
    return false;
  bool ok = flag_set(c, f, argv[++*i]);
  while (ok && f->kind == MANY && *i + 1 < argc && argv[*i + 1][0] != '-')
    ok = flag_set(c, f, argv[++*i]);
  return ok;
}

static bool parse_words(cli *c, size_t argc, const char *const *argv) {
  for (size_t i = 0; i < argc; ++i) {
    if (argv[i][0] == '-' && argv[i][1] != 0) {
      if (!parse_flag(c, argc, argv, &i)) return false;
    } else if (!cli_list_push(&c->args, argv[i])) {
      return false;
    }
  }
  return true;
}

bool cli_parse(cli *c, size_t argc, const char *const *argv) {
  cli_list words = {0};
  c->words = argv;
  c->n_words = argc;
  bool ok = true;
  for (size_t i = 0; ok && i < argc; ++i) {
    const char *word = cli_ranked(c, argv[i]);
    ok = word && cli_list_push(&words, word);
  }
  ok = ok && parse_words(c, words.count, words.data);
  free(words.data);
  return ok;
}

bool cli_settle(cli *c) {
  c->sink->is_json |= c->json;
  if (c->json && !c->help && (c->print_before.count || c->print_after.count)) {
    (void)cli_fail(c, CLI_USAGE, "cli-usage",
                   "'--print-%s' and '--json' exclude each other",
                   c->print_before.count ? "before" : "after");
    return false;
  }
  c->sink->is_quiet = c->quiet;
  c->sink->is_verbose = c->verbose;
  return true;
}

void cli_free_words(cli *c) {
  for (size_t i = 0; i < N_FLAGS; ++i)
    if (flags[i].kind == LIST || flags[i].kind == TWO ||
        flags[i].kind == MANY || flags[i].kind == NAMES)
      free(((cli_list *)(void *)((char *)c + flags[i].offset))->data);
  free(c->args.data);
  free(c->pass_rules.data);
  for (size_t i = 0; i < c->shown.count; ++i)
    free((void *)(uintptr_t)c->shown.data[i]);
  free(c->shown.data);
  c->sink->project = NULL;
  tenon_project_destroy(c->read_project);
  tenon_buf_deinit(&c->piped);
}

void cli_free(cli *c) {
  cli_free_words(c);
  tenon_buf_deinit(&c->sink->json);
  tenon_buf_deinit(&c->sink->report);
}
