// How: the macros of man(7). A dash is written so that it can be copied, and a
// line never begins with what would be a macro.
#include <ctype.h>
#include <string.h>

#include "cli/complete/completing.h"

static bool man_add_text(cli_bytes *out, const char *text) {
  bool ok = *text != '.' && *text != '\'' ? true : cli_bytes_format(out, "\\&");
  for (const char *p = text; ok && *p; ++p) {
    if (*p == '-')
      ok = cli_bytes_format(out, "\\-");
    else if (*p == '\\')
      ok = cli_bytes_format(out, "\\e");
    else if (*p == '\'')
      ok = cli_bytes_format(out, "\\(aq");
    else
      ok = cli_bytes_add(out, p, 1);
  }
  return ok;
}

static bool add_upper(cli_bytes *out, const char *text) {
  bool ok = true;
  for (const char *p = text; ok && *p; ++p) {
    char c = (char)toupper((unsigned char)*p);
    ok = cli_bytes_add(out, &c, 1);
  }
  return ok;
}

static bool add_section(cli_bytes *out, const char *title) {
  return cli_bytes_format(out, ".SH ") && add_upper(out, title) &&
         cli_bytes_format(out, "\n");
}

static bool add_flag(cli_bytes *out, const cli_flag *f) {
  bool ok = cli_bytes_format(out, ".TP\n\\fB") &&
            man_add_text(out, complete_dashes(f)) &&
            man_add_text(out, f->name) && cli_bytes_format(out, "\\fR");
  if (ok && f->value[0])
    ok = cli_bytes_format(out, " \\fI") && man_add_text(out, f->value) &&
         cli_bytes_format(out, "\\fR");
  return ok && cli_bytes_format(out, "\n") && man_add_text(out, f->help) &&
         cli_bytes_format(out, "\n");
}

static bool add_group(cli_bytes *out, int group, const cli_verb *verb) {
  bool any = false, ok = true;
  for (size_t i = 0; ok && i < cli_flag_count(); ++i) {
    const cli_flag *f = cli_flag_at(i);
    if ((int)f->group != group || (verb && !cli_flag_is_for(f, verb))) continue;
    if (!any) ok = add_section(out, cli_flag_groups[group]);
    any = true;
    ok = ok && add_flag(out, f);
  }
  return ok;
}

static bool add_head(cli_bytes *out, const char *verb, const char *summary) {
  return cli_bytes_format(out, ".TH TENON%s", verb ? "\\-" : "") &&
         (!verb || add_upper(out, verb)) &&
         cli_bytes_format(out, " 1 \"\" \"tenon %s\" \"Tenon\"\n",
                          tenon_version()) &&
         cli_bytes_format(out, ".SH NAME\ntenon%s%s \\- ", verb ? "\\-" : "",
                          verb ? verb : "") &&
         man_add_text(out, summary) &&
         cli_bytes_format(out, "\n.SH SYNOPSIS\n");
}

static bool man_add_example(cli_bytes *out, const char *text) {
  return cli_bytes_format(out, ".SH EXAMPLE\n.nf\n") &&
         man_add_text(out, text) && cli_bytes_format(out, "\n.fi\n");
}

static bool add_verb(const cli_verb *v, cli_bytes *out) {
  bool ok = add_head(out, v->name, v->summary) &&
            cli_bytes_format(out, "\\fBtenon %s\\fR ", v->name) &&
            man_add_text(out, v->usage) && cli_bytes_format(out, " [FLAGS]\n");
  for (int g = 0; ok && g < CLI_FLAG_GROUPS; ++g)
    ok = add_group(out, g, v);
  return ok && man_add_example(out, v->example) &&
         cli_bytes_format(out, ".SH SEE ALSO\n.BR tenon (1)\n");
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

bool complete_man(const cli_verb *verb, cli_bytes *out) {
  if (verb) return add_verb(verb, out);
  const char *group = NULL;
  bool ok = add_head(out, NULL,
                     "machine-learning models to running code and standalone "
                     "C") &&
            cli_bytes_format(out, "\\fBtenon\\fR VERB [MODEL] [FLAGS]\n");
  for (const cli_verb *v = cli_verbs; ok && v->name; ++v) {
    if (v->group != group) ok = add_section(out, v->group);
    group = v->group;
    ok = ok && cli_bytes_format(out, ".TP\n\\fBtenon\\-%s\\fR(1)\n", v->name) &&
         man_add_text(out, v->summary) && cli_bytes_format(out, "\n");
  }
  ok = ok && add_group(out, EVERY, NULL) &&
       cli_bytes_format(out, "%s", exit_codes) &&
       man_add_example(out,
                       "tenon run model.tflite --plugin gain.c --input x.npy");
  return ok;
}
