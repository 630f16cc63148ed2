// cli/flag/flags.h - the table of flags, for what is set by other means.
#ifndef TENON_CLI_FLAGS_H
#define TENON_CLI_FLAGS_H

#include "cli/cli.h"

typedef enum cli_flag_kind {
  BOOL,
  TEXT,
  WORDS,  // a text, of words with commas between
  LIST,
  TWO,
  MANY,
  NAMES,  // several times words with commas, of something each
  INT,
  NATURAL,  // from 0 on
  COUNT,    // from 1 on
  REAL      // from 0 on
} cli_flag_kind;

// Where help lists a flag.
typedef enum cli_flag_group {
  READS,
  DOES,
  MEMORY,
  WRITES,
  EVERY
} cli_flag_group;
#define CLI_FLAG_GROUPS 5
extern const char *const cli_flag_groups[CLI_FLAG_GROUPS];  // their titles

typedef struct cli_flag {
  const char *name;
  cli_flag_kind kind;
  cli_flag_group group;
  const char *value, *verbs, *help;
  size_t offset, has;
} cli_flag;

size_t cli_flag_count(void);
const cli_flag *cli_flag_at(size_t i);
bool cli_flag_is_for(const cli_flag *f, const cli_verb *verb);
bool cli_flag_given(const cli *c, const cli_flag *f);
// The first given flag that says how a module is read or a plan is made; null:
// none. `plan` and `run` both take such a flag, or every verb that reads a
// model does.
const char *cli_planning_flag(const cli *c);
// As the command line would; a flag that the verb does not take is left alone.
bool cli_flag_set(cli *c, const cli_flag *f, const char *text);

#endif  // TENON_CLI_FLAGS_H
