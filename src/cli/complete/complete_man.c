// How: the macros of man(7). A dash is written so that it can be copied, and a
// line never begins with what would be a macro.
#include <ctype.h>
#include <string.h>

#include "cli/complete/completing.h"

static void put_man(tenon_buf *out, const tenon_put_value *v) {
  const char *text = (const char *)v->as.p;
  if (*text == '.' || *text == '\'') tenon_buf_text(out, "\\&");
  for (const char *p = text; *p; ++p) {
    if (*p == '-')
      tenon_buf_text(out, "\\-");
    else if (*p == '\\')
      tenon_buf_text(out, "\\e");
    else if (*p == '\'')
      tenon_buf_text(out, "\\(aq");
    else
      tenon_buf_char(out, *p);
  }
}
TENON_PUT_AS(man, const char *, p, put_man)

static void put_upper(tenon_buf *out, const tenon_put_value *v) {
  for (const char *p = (const char *)v->as.p; *p; ++p)
    tenon_buf_char(out, (char)toupper((unsigned char)*p));
}
TENON_PUT_AS(upper, const char *, p, put_upper)

static void add_section(tenon_buf *out, const char *title) {
  tenon_put(out, ".SH $\n", tenon_as_upper(title));
}

static void add_flag(tenon_buf *out, const cli_flag *f) {
  tenon_put(out, ".TP\n\\fB$$\\fR", tenon_as_man(complete_dashes(f)),
            tenon_as_man(f->name));
  if (f->value[0]) tenon_put(out, " \\fI$\\fR", tenon_as_man(f->value));
  tenon_put(out, "\n$\n", tenon_as_man(f->help));
}

static void add_group(tenon_buf *out, int group, const cli_verb *verb) {
  bool any = false;
  for (size_t i = 0; i < cli_flag_count(); ++i) {
    const cli_flag *f = cli_flag_at(i);
    if ((int)f->group != group || (verb && !cli_flag_is_for(f, verb))) continue;
    if (!any) add_section(out, cli_flag_groups[group]);
    any = true;
    add_flag(out, f);
  }
}

static void add_head(tenon_buf *out, const char *verb, const char *summary) {
  const char *dash = verb ? "\\-" : "", *name = verb ? verb : "";
  tenon_put(out,
            ".TH TENON$$ 1 \"\" \"tenon $\" \"Tenon\"\n"
            ".SH NAME\ntenon$$ \\- $\n.SH SYNOPSIS\n",
            dash, tenon_as_upper(name), tenon_version(), dash, name,
            tenon_as_man(summary));
}

static void man_add_example(tenon_buf *out, const char *text) {
  tenon_put(out, ".SH EXAMPLE\n.nf\n$\n.fi\n", tenon_as_man(text));
}

static void add_verb(const cli_verb *v, tenon_buf *out) {
  add_head(out, v->name, v->summary);
  tenon_put(out, "\\fBtenon $\\fR $ [FLAGS]\n", v->name,
            tenon_as_man(v->usage));
  for (int g = 0; g < CLI_FLAG_GROUPS; ++g)
    add_group(out, g, v);
  man_add_example(out, v->example);
  tenon_buf_text(out, ".SH SEE ALSO\n.BR tenon (1)\n");
}

// Exit codes are those of docs/cli.md.
static const char exit_codes[] =
    ".SH EXIT STATUS\n"
    ".TP\n0\ndone; all agree\n"
    ".TP\n1\ndone, and the answer is no\n"
    ".TP\n2\nthe command line is wrong\n"
    ".TP\n3\nmalformed model\n"
    ".TP\n4\nan operator, type, version or kernel is not supported\n"
    ".TP\n5\ndoes not fit the memory given\n"
    ".TP\n6\na name is taken, or an override lacks consent\n"
    ".TP\n7\nbad plugin, binding file or selection\n"
    ".TP\n8\na file cannot be read or written\n"
    ".TP\n9\na defect of Tenon\n"
    ".TP\n10\nan input does not fit the model\n"
    ".TP\n20\nout of memory\n";

static void add_command(tenon_buf *out) {
  const char *group = NULL;
  add_head(out, NULL,
           "machine-learning models to running code and standalone C");
  tenon_buf_text(out, "\\fBtenon\\fR VERB [MODEL] [FLAGS]\n");
  for (const cli_verb *v = cli_verbs; v->name; ++v) {
    if (v->group != group) add_section(out, v->group);
    group = v->group;
    tenon_put(out, ".TP\n\\fBtenon\\-$\\fR(1)\n$\n", v->name,
              tenon_as_man(v->summary));
  }
  add_group(out, EVERY, NULL);
  tenon_buf_text(out, exit_codes);
  man_add_example(out, "tenon run model.tflite --plugin gain.c --input x.npy");
}

void complete_man(const cli_verb *verb, tenon_buf *out) {
  if (verb)
    add_verb(verb, out);
  else
    add_command(out);
}
