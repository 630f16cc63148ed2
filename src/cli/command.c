// How: the first argument is the verb; each has a row here and a file of its
// own. Where texts go stands in the sink.
#include "tenon/command.h"

#include <ctype.h>
#include <string.h>

#include "cli/cli.h"

static int (*const run_of[])(cli *) = {
#define VERB(name, usage, summary, example, reads_model, group) cmd_##name,
#include "cli/verbs.def"
#undef VERB
};

static const cli_verb *find_verb(const char *name) {
  for (const cli_verb *v = cli_verbs; v->name; ++v)
    if (strcmp(v->name, name) == 0) return v;
  return NULL;
}

// A verb whose usage is one word that begins with a capital, "MODEL", takes
// one.
static int check_words(cli *c) {
  const cli_verb *v = c->verb;
  bool is_word = isupper((unsigned char)v->usage[0]) && !strchr(v->usage, ' ');
  if (c->args.count == 1 || !is_word) return 0;
  return cli_fail(c, CLI_USAGE, "cli-usage",
                  "'tenon %s' expects one %s, found %zu; 'tenon %s --help' has "
                  "an example",
                  v->name, v->usage, c->args.count, v->name);
}

static int run_verb(cli *c, size_t n, const char *const *args) {
  int code = CLI_USAGE;
  if (cli_parse(c, n, args) && (c->help || cli_project_read(c)) &&
      cli_settle(c)) {
    if (c->help) {
      cli_print_help(c);
      return cli_finish(c, 0);
    }
    code = check_words(c);
    if (code == 0) code = run_of[c->verb - cli_verbs](c);
    cli_progress_end(c);
  } else if (c->unread) {
    code = c->unread;
  }
  // Whatever failed without a word failed for want of memory: everything else
  // has a sentence of its own.
  if (code > CLI_NO && !c->sink->had_error)
    code = cli_fail(c, CLI_NO_MEMORY, "memory", "out of memory");
  if (code == 0 && c->werror && c->sink->had_warning) code = CLI_USAGE;
  return cli_finish(c, code);
}

static int no_verb(cli *c, const char *word) {
  if (word[0] == '-')
    return cli_fail(c, CLI_USAGE, "cli-verb",
                    "expected a verb before '%s'; 'tenon --help' lists them",
                    word);
  tenon_nearest near = {.name = word};
  for (const cli_verb *v = cli_verbs; v->name; ++v)
    cli_nearest_feed(&near, v->name);
  if (!near.best && cli_is_file(word))
    return cli_fail(c, CLI_USAGE, "cli-verb",
                    "expected a verb before '%s', as in 'tenon info %s'; "
                    "'tenon --help' lists them",
                    word, word);
  return cli_fail(c, CLI_USAGE, "cli-verb",
                  "no verb '%s'%s%s%s; 'tenon --help' lists them", word,
                  TENON_DID_YOU_MEAN(near.best));
}

// What stands where a verb belongs: help or the version is asked for, or it is
// an error.
static int run_no_verb(cli *c, size_t n, const char *const *args) {
  int code = 0;
  const char *word = args[0];
  // In "--json --help" the first is no verb that is missing.
  if (n > 1 && strcmp(word, "--json") == 0) word = args[1];
  bool is_help = strcmp(word, "help") == 0;
  if (is_help && n > 1 && (c->verb = find_verb(args[n - 1])) != NULL)
    cli_print_help(c);
  else if (is_help && n > 1 && args[n - 1][0] != '-')
    code = no_verb(c, args[n - 1]);
  else if (is_help || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
    cli_print_verbs(c);
  else if (strcmp(word, "--version") == 0)
    cli_printf(c, c->sink->is_json ? "{\"version\": \"%s\"}" : "tenon %s\n",
               tenon_version());
  else
    code = no_verb(c, word);
  return cli_finish(c, code);
}

static int command_run(cli *c, size_t n, const char *const *args) {
  if (n == 0) {
    c->sink->out = c->sink->err;
    c->sink->out_self = c->sink->err_self;
    cli_print_verbs(c);
    return CLI_USAGE;
  }
  // --json decides how the very first error is told.
  for (size_t i = 0; i < n; ++i)
    if (strcmp(args[i], "--json") == 0) c->sink->is_json = true;
  c->verb = find_verb(args[0]);
  return c->verb ? run_verb(c, n - 1, args + 1) : run_no_verb(c, n, args);
}

int tenon_command_run(const tenon_command_options *options, size_t n,
                      const char *const *args) {
  tenon_command_options o = {0};
  if (options && (!tenon_admit(&o, sizeof o, options) ||
                  (o.flags & ~(uint32_t)TENON_COMMAND_PROGRESS)))
    return TENON_BAD_ARGUMENT;
  cli_sink sink = {.out = o.out ? o.out : cli_stream_write,
                   .out_self = o.out ? o.out_self : stdout,
                   .err = o.err ? o.err : cli_stream_write,
                   .err_self = o.err ? o.err_self : stderr,
                   .has_progress = (o.flags & TENON_COMMAND_PROGRESS) != 0};
  cli c = {.sink = &sink};
  int code = command_run(&c, n, args);
  cli_free(&c);
  return code;
}
