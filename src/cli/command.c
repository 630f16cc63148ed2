// How: the first argument is the verb; each has a row here and a file of its
// own. Where texts go stands in the sink.
#include "tenon/command.h"

#include <string.h>

#include "cli/cli.h"

#define LOOK "look at a model"
#define RUN "run it"
#define WRITE "write what runs without Tenon, or with little of it"
#define OPERATORS "operators and plugins"
#define ALONE "by themselves"

const cli_verb cli_verbs[] = {
    {"info", "MODEL", "what the file holds", "tenon info kws.tflite", true,
     LOOK, cmd_info},
    {"print", "MODEL", "the program as text IR, JSON, DOT or Mermaid",
     "tenon print kws.tflite --format dot > kws.dot", true, LOOK, cmd_print},
    {"opt", "MODEL", "runs passes and prints text IR",
     "tenon opt kws.tflite --pass lower,fold,dce", true, LOOK, cmd_opt},
    {"explain", "MODEL", "what will happen to every operator, and why",
     "tenon explain model.tflite --plugin gain.c", true, LOOK, cmd_explain},
    {"plan", "MODEL | NAME=MODEL...", "steps, kernels, offsets, memory",
     "tenon plan kws.tflite --why --svg arena.svg", true, LOOK, cmd_plan},
    {"report", "MODEL", "graph, memory, time and accuracy as one page",
     "tenon report kws.tflite --runs 20 -o report.html", true, LOOK,
     cmd_report},
    {"run", "MODEL | NAME=MODEL...",
     "runs once and prints or saves the outputs",
     "tenon run model.tflite --plugin gain.c --input x.npy -o out/", true, RUN,
     cmd_run},
    {"verify", "MODEL|DIR",
     "compares with recordings, and ways with each other",
     "tenon verify model.tflite --case case0/ --with run,emitted", true, RUN,
     cmd_verify},
    {"bench", "MODEL|OP", "time per run, per step, per kernel",
     "tenon bench kws.tflite --threads 2", true, RUN, cmd_bench},
    {"emit", "MODEL | NAME=MODEL...", "standalone C",
     "tenon emit wake=kws.tflite look=vww.tflite -o out/", true, WRITE,
     cmd_emit},
    {"compile", "MODEL", "a program file, to be run without compiling",
     "tenon compile kws.tflite -o kws.tnp && tenon run kws.tnp --random 1",
     true, WRITE, cmd_compile},
    {"select", "[-o DIR]", "a runtime with few kernels: what it is linked with",
     "tenon select --ops core::softmax --models kws.tflite -o selected/", true,
     WRITE, cmd_select},
    {"ops", "[NAME]", "what is registered, and by whom", "tenon ops core::conv",
     false, OPERATORS, cmd_ops},
    {"check", "PLUGIN", "conformance tests from the descriptors",
     "tenon check gain.c", false, OPERATORS, cmd_check},
    {"new", "NAME", "writes a plugin that builds, loads and passes check",
     "tenon new acme::gain --schema 'acme::gain(Tensor x, float gain=1.0) -> "
     "Tensor'",
     false, OPERATORS, cmd_new},
    {"bind", "F.yaml", "C glue for the kernels that a YAML file binds",
     "tenon bind custom_ops.yaml -o glue.c && tenon check glue.c", false,
     OPERATORS, cmd_bind},
    {"pack", "F.csv", "places buffers with known lifetimes",
     "tenon pack buffers.csv --capacity 1048576 -o placed.csv", false, ALONE,
     cmd_pack},
    {"completion", "bash|zsh|fish|man",
     "what a shell completes words with, or manual pages",
     "tenon completion bash > ~/.local/share/bash-completion/completions/tenon",
     false, ALONE, cmd_completion},
    {NULL, NULL, NULL, NULL, false, NULL, NULL}};

static const cli_verb *find_verb(const char *name) {
  for (const cli_verb *v = cli_verbs; v->name; ++v)
    if (strcmp(v->name, name) == 0) return v;
  return NULL;
}

static int run_verb(cli *c, size_t n, const char *const *args) {
  int code = CLI_USAGE;
  if (cli_parse(c, n, args)) {
    if (c->help) {
      cli_print_help(c);
      return cli_finish(c, 0);
    }
    code = c->verb->run(c);
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
  cli_nearest near = {.name = word};
  for (const cli_verb *v = cli_verbs; v->name; ++v)
    cli_nearest_feed(&near, v->name);
  if (!near.best && cli_is_file(word))
    return cli_fail(c, CLI_USAGE, "cli-verb",
                    "expected a verb before '%s', as in 'tenon info %s'; "
                    "'tenon --help' lists them",
                    word, word);
  return cli_fail(c, CLI_USAGE, "cli-verb",
                  "no verb '%s'%s%s%s; 'tenon --help' lists them", word,
                  near.best ? "; did you mean '" : "",
                  near.best ? near.best : "", near.best ? "'?" : "");
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

static int run(cli *c, size_t n, const char *const *args) {
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
  int code = run(&c, n, args);
  cli_free(&c);
  return code;
}
