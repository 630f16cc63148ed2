// cli/complete/completing.h - what the files of `tenon completion` hand to each
// other. All of it is made of the tables of verbs and flags that --help prints.
#ifndef TENON_CLI_COMPLETING_H
#define TENON_CLI_COMPLETING_H

#include "cli/flag/flags.h"

void complete_bash(tenon_buf *out);
void complete_zsh(tenon_buf *out);
void complete_fish(tenon_buf *out);
// A page of section 1: of the command where `verb` is null.
void complete_man(const cli_verb *verb, tenon_buf *out);

// The words that a flag takes, with blanks between; null: any.
const char *complete_words(const cli_flag *f);
// "--threads", "-o".
const char *complete_dashes(const cli_flag *f);
bool complete_has_value(const cli_flag *f);

#endif  // TENON_CLI_COMPLETING_H
