// How: verbs and flags are tables; each is printed as a page for people, or
// with --json as what a program can look a flag up in.
#include <string.h>

#include "cli/flag/flags.h"

const char *const cli_flag_groups[CLI_FLAG_GROUPS] = {
    "what it reads", "what it does", "memory", "what it writes", "every verb"};

// A paragraph of `text` from column `left` on, which the line has reached.
static void print_wrapped(cli *c, const char *text, int left) {
  enum { WIDTH = 96 };
  int column = left;
  while (*text) {
    int size = (int)strcspn(text, " ");
    if (column > left && column + size > WIDTH) {
      cli_printf(c, "\n%*s", left, "");
      column = left;
    }
    cli_printf(c, "%s%.*s", column > left ? " " : "", size, text);
    column += size + (column > left);
    text += size;
    text += strspn(text, " ");
  }
  cli_printf(c, "\n");
}

// The flags of a group that the verb has; null: of all verbs.
static void print_group(cli *c, int group, const cli_verb *verb) {
  enum { LEFT = 30 };
  bool any = false;
  for (size_t i = 0; i < cli_flag_count(); ++i) {
    const cli_flag *f = cli_flag_at(i);
    if ((int)f->group != group || (verb && !cli_flag_is_for(f, verb))) continue;
    char left[64];
    if (!any) cli_printf(c, "\n%s\n", cli_flag_groups[group]);
    any = true;
    int n = snprintf(left, sizeof left, "  %s%s %s", f->name[1] ? "--" : "-",
                     f->name, f->value);
    if (n < LEFT)
      cli_printf(c, "%-*s", LEFT, left);
    else
      cli_printf(c, "%s\n%*s", left, LEFT, "");
    print_wrapped(c, f->help, LEFT);
  }
}

static void help_print_text(cli *c) {
  const cli_verb *verb = c->verb;
  cli_printf(c, "tenon %s %s [FLAGS]\n  %s\n", verb->name, verb->usage,
             verb->summary);
  for (int g = 0; g < CLI_FLAG_GROUPS; ++g)
    print_group(c, g, verb);
  cli_printf(c, "\nexample\n  %s\n", verb->example);
}

static void help_add_verb(tenon_buf *b, const cli_verb *verb) {
  tenon_put_json(
      b, "'name': $, 'usage': $, 'summary': $, 'group': $, 'example': $",
      verb->name, verb->usage, verb->summary, verb->group, verb->example);
}

// The kinds of flags.def in words: whether a flag takes a value and may be
// repeated.
static void help_add_flag(tenon_buf *b, const cli_flag *f) {
  bool repeated =
      f->kind == LIST || f->kind == TWO || f->kind == MANY || f->kind == NAMES;
  tenon_put_json(
      b, "{'flag': '$$', 'value': $, 'group': $, 'help': $, 'repeated': $}",
      tenon_as_plain(f->name[1] ? "--" : "-"), tenon_as_plain(f->name),
      f->value, cli_flag_groups[f->group], f->help, repeated);
}

void cli_print_help(cli *c) {
  tenon_buf b = {0};
  if (!c->sink->is_json) {
    help_print_text(c);
    return;
  }
  tenon_buf_char(&b, '{');
  help_add_verb(&b, c->verb);
  tenon_buf_text(&b, ", \"flags\": [");
  const char *between = "\n    ";
  for (size_t i = 0; i < cli_flag_count(); ++i) {
    if (!cli_flag_is_for(cli_flag_at(i), c->verb)) continue;
    tenon_buf_text(&b, between);
    help_add_flag(&b, cli_flag_at(i));
    between = ",\n    ";
  }
  tenon_buf_text(&b, "]}");
  cli_print(c, &b);
}

static void print_verbs_text(cli *c) {
  const char *group = NULL;
  cli_printf(c,
             "tenon %s - machine-learning models to running code and "
             "standalone C\n\nusage: tenon VERB [MODEL] [FLAGS]\n",
             tenon_version());
  for (const cli_verb *v = cli_verbs; v->name; ++v) {
    if (v->group != group) cli_printf(c, "\n%s\n", v->group);
    group = v->group;
    cli_printf(c, "  %-10s %-24s %s\n", v->name, v->usage, v->summary);
  }
  print_group(c, EVERY, NULL);
  cli_printf(c,
             "\n'tenon VERB --help' lists the flags of a verb.\n"
             "example: tenon run model.tflite --plugin gain.c --input x.npy\n");
}

void cli_print_verbs(cli *c) {
  tenon_buf b = {0};
  if (!c->sink->is_json) {
    print_verbs_text(c);
    return;
  }
  tenon_put_json(&b, "{'version': $, 'verbs': [", tenon_version());
  for (const cli_verb *v = cli_verbs; v->name; ++v) {
    tenon_buf_text(&b, v == cli_verbs ? "\n    {" : ",\n    {");
    help_add_verb(&b, v);
    tenon_buf_char(&b, '}');
  }
  tenon_buf_text(&b, "]}");
  cli_print(c, &b);
}
