// How: a flag says whose names they are in front of a `=`: an entry point of
// the only model, or one of several models, or an entry point of that
// (`m.decode`). --shape and --dim have one of several models in front of a `.`.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

typedef struct naming {
  const char *flag;
  uint32_t kind;
  const cli_list *list;
} naming;

enum { NAMINGS = 3 };
static void namings(const cli *c, naming out[NAMINGS]) {
  out[0] = (naming){"input-names", TENON_IO_INPUTS, &c->input_names};
  out[1] = (naming){"output-names", TENON_IO_OUTPUTS, &c->output_names};
  out[2] = (naming){"state-names", TENON_IO_STATES, &c->state_names};
}

// Bytes of what stands in front of '='; 0: nothing does.
static size_t owner_size(const char *text) {
  const char *equals = strchr(text, '=');
  return equals ? (size_t)(equals - text) : 0;
}

// Whether the owner is this one of several models, or an entry point of it.
static bool other_names_is_of(const char *text, const cli_model *m) {
  size_t n = strlen(m->entry), size = owner_size(text);
  return size >= n && memcmp(text, m->entry, n) == 0 &&
         (size == n || text[n] == '.');
}

const char *cli_names_behind(const cli_model *one, const char *text) {
  const cli_model *first = one->first;
  for (size_t i = 0; first && first->entry && i <= first->n_more; ++i) {
    const cli_model *m = i ? &first->more[i - 1] : first;
    size_t n = strlen(m->entry);
    if (!other_names_is_of(text, m) || text[n] != '.') continue;
    return m == one ? text + n + 1 : NULL;
  }
  return text;
}

static int other_names_check_one(cli *c, const cli_model *first,
                                 const naming *n, const char *text) {
  size_t size = owner_size(text);
  if (size == 0 && first->n_more == 0) return 0;
  if (size == 0)
    return cli_fail(c, CLI_USAGE, "cli-value",
                    "'--%s' of several models says whose the names are, such "
                    "as '%s=%s'",
                    n->flag, first->entry, text);
  for (size_t i = 0; i <= first->n_more; ++i)
    if (other_names_is_of(text, i ? &first->more[i - 1] : first)) return 0;
  return cli_fail(c, CLI_USAGE, "cli-value",
                  "'--%s' has names for '%.*s', and no model is called so",
                  n->flag, (int)size, text);
}

int cli_names_check(cli *c, const cli_model *first) {
  naming all[NAMINGS];
  int code = 0;
  namings(c, all);
  for (size_t k = 0; first->entry && k < NAMINGS; ++k)
    for (size_t i = 0; code == 0 && i < all[k].list->count; ++i)
      code = other_names_check_one(c, first, &all[k], all[k].list->data[i]);
  return code;
}

// "a,b" as the names of `kind`; the text is cut.
static int rename_to(tenon_module *m, const char *entry, uint32_t kind,
                     char *text) {
  cli_list names = {0};
  int code = CLI_NO_MEMORY;
  bool ok = true;
  for (char *p = text; ok;) {
    char *comma = strchr(p, ',');
    if (comma) *comma = 0;
    ok = cli_list_push(&names, p);
    if (!comma) break;
    p = comma + 1;
  }
  if (ok)
    code =
        cli_exit(tenon_module_rename(m, entry, kind, names.data, names.count));
  free(names.data);
  return code;
}

static int apply_one(cli *c, const cli_model *one, tenon_module *m,
                     const naming *n, const char *given) {
  size_t size = owner_size(given);
  if (one->entry && size && !other_names_is_of(given, one)) return 0;
  char *text = strdup(given);
  if (!text) return CLI_NO_MEMORY;
  char *names = size ? text + size + 1 : text;
  const char *entry = one->entry ? NULL : c->entry;
  text[size ? size : strlen(text)] = 0;
  if (size && !one->entry) entry = text;
  if (size && one->entry && size > strlen(one->entry))
    entry = text + strlen(one->entry) + 1;
  int code = 0;
  if (size && entry && n->kind == TENON_IO_STATES)
    code = cli_fail(c, CLI_USAGE, "cli-value",
                    "'--state-names' has names for '%s'; entry points have "
                    "their states in common",
                    text);
  else
    code = rename_to(m, entry, n->kind, names);
  free(text);
  return code;
}

int cli_names_apply(cli *c, const cli_model *one, tenon_module *m) {
  naming all[NAMINGS];
  int code = 0;
  namings(c, all);
  for (size_t k = 0; k < NAMINGS; ++k)
    for (size_t i = 0; code == 0 && i < all[k].list->count; ++i)
      code = apply_one(c, one, m, &all[k], all[k].list->data[i]);
  return code;
}
