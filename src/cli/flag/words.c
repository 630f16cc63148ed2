// How: every word is a copy, so that nobody has to keep what it was made of.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static void cli_word_add(cli_command *k, char *word) {
  size_t count = k->count;
  // A null stays behind the last.
  if (word && !k->failed && cli_add(&k->words, &count) &&
      cli_add(&k->words, &count)) {
    k->words[k->count++] = word;
  } else {
    k->failed = true;
    free(word);
  }
}

void cli_command_add(cli_command *k, const char *word) {
  cli_word_add(k, strdup(word));
}

void cli_command_split(cli_command *k, const char *text) {
  for (const char *p = text; *p;) {
    size_t n = strcspn(p, " \t\n");
    if (n) cli_word_add(k, cli_copy(p, n));
    p += n + strspn(p + n, " \t\n");
  }
}

void cli_command_path(cli_command *k, const char *folder, const char *name) {
  cli_word_add(k, cli_join(folder, name));
}

void cli_command_free(cli_command *k) {
  for (size_t i = 0; i < k->count; ++i)
    free(k->words[i]);
  free((void *)k->words);
  memset(k, 0, sizeof *k);
}
