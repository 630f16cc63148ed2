// How: the second command line is the first with other words behind it: flags
// of it come later and win, a model of it takes the place of the first's. It is
// parsed and run like any, by a cli of its own with the sink of the first.
#include <stdlib.h>
#include <string.h>
#include "cli/report/reporting.h"

// Words between blanks; what stands in quotes of one kind is one word. In
// place.
static bool compared_split(char *text, cli_list *out) {
  char *to = text;
  while (*text) {
    while (*text == ' ' || *text == '\t')
      ++text;
    if (!*text) break;
    char *word = to, quote = 0;
    for (; *text && (quote || (*text != ' ' && *text != '\t')); ++text) {
      if (quote ? *text == quote : *text == '\'' || *text == '"')
        quote = quote ? 0 : *text;
      else
        *to++ = *text;
    }
    bool is_last = !*text;
    if (!is_last) ++text;
    *to++ = 0;
    if (!cli_list_push(out, word)) return false;
    if (is_last) break;
  }
  return true;
}

static bool has_model(cli *c, const cli_list *words) {
  cli only = {.sink = c->sink, .verb = c->verb};
  c->sink->is_muted = true;
  bool has = cli_parse(&only, words->count, words->data) && only.args.count > 0;
  c->sink->is_muted = false;
  cli_free_words(&only);
  return has;
}

static bool is_compare(const char *word, bool *takes_next) {
  static const char flag[] = "--compare";
  size_t n = sizeof flag - 1;
  *takes_next = strcmp(word, flag) == 0;
  return *takes_next || (strncmp(word, flag, n) == 0 && word[n] == '=');
}

// The words of the first but --compare, and but its model where `words` has
// one.
static bool compared_join(const cli *c, const cli_list *words, bool replaces,
                          cli_list *out) {
  bool ok = true, skips = false;
  for (size_t i = 0; ok && i < c->n_words; ++i) {
    const char *word = c->words[i];
    if (skips) {
      skips = false;
      continue;
    }
    if (is_compare(word, &skips)) continue;
    if (replaces && strcmp(word, c->args.data[0]) == 0) continue;
    ok = cli_list_push(out, word);
  }
  for (size_t i = 0; ok && i < words->count; ++i)
    ok = cli_list_push(out, words->data[i]);
  return ok;
}

int report_compare(cli *c, int (*collect)(cli *other, json_t **data),
                   json_t **out) {
  char *text = strdup(c->compare);
  cli_list words = {0}, all = {0};
  cli other = {.sink = c->sink, .verb = c->verb};
  bool ok = text && compared_split(text, &words);
  int code = ok ? 0 : CLI_NO_MEMORY;
  if (code == 0 && words.count == 0)
    code = cli_fail(c, CLI_USAGE, "cli-usage",
                    "'--compare' expects flags or a model, found nothing");
  if (code == 0 && !compared_join(c, &words, has_model(c, &words), &all))
    code = CLI_NO_MEMORY;
  if (code == 0 &&
      !(cli_parse(&other, all.count, all.data) && cli_project_read(&other)))
    code = CLI_USAGE;
  if (code == 0 && other.args.count != 1)
    code = cli_fail(c, CLI_USAGE, "cli-usage",
                    "'--compare' expects one model at most, found %zu",
                    other.args.count);
  if (code == 0) code = collect(&other, out);
  cli_free_words(&other);
  c->sink->project = c->read_project;
  free(all.data);
  free(words.data);
  free(text);
  return code;
}
