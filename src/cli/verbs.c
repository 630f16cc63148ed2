#include "cli/cli.h"

#define LOOK "look at a model"
#define RUN "run it"
#define WRITE "write what runs without Tenon, or with little of it"
#define OPERATORS "operators and plugins"
#define ALONE "by themselves"

const cli_verb cli_verbs[] = {
#define VERB(name, usage, summary, example, reads_model, group) \
  {#name, usage, summary, example, reads_model, group},
#include "cli/verbs.def"
#undef VERB
    {NULL, NULL, NULL, NULL, false, NULL}};
