// How: bash gets a function with a case for each verb, zsh specifications of
// _arguments, fish a line for each flag of each verb. Files complete wherever a
// verb or a flag takes something.
#include <string.h>

#include "cli/complete/completing.h"

const char *complete_words(const cli_flag *f) {
  static const char *const rows[][2] = {
      {"format", "text json dot mermaid"},
      {"kind",
       "ops kernels lowerings passes attrs readers targets packagers "
       "namespaces"},
      {"target", "host c"},
      {"with",
       "run emitted reference threads exact kernel lowered default "
       "in-place text element-wise sanitized races"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (strcmp(rows[i][0], f->name) == 0) return rows[i][1];
  return NULL;
}

const char *complete_dashes(const cli_flag *f) {
  return f->name[1] ? "--" : "-";
}

bool complete_has_value(const cli_flag *f) {
  return f->kind != BOOL;
}

// `text` with a backslash before each of `special`; what is in single quotes of
// a shell has its own quotes as '\''.
static void shells_add_quoted(tenon_buf *out, const char *text,
                              const char *special) {
  for (const char *p = text; *p; ++p) {
    if (*p == '\'')
      tenon_buf_text(out, "'\\'");
    else if (strchr(special, *p))
      tenon_buf_char(out, '\\');
    tenon_buf_char(out, *p);
  }
}

static void put_zsh(tenon_buf *out, const tenon_put_value *v) {
  shells_add_quoted(out, (const char *)v->as.p, "[]:\\");
}
TENON_PUT_AS(zsh, const char *, p, put_zsh)

// --- bash -------------------------------------------------------------------

static void shells_add_flags(tenon_buf *out, const cli_verb *v) {
  for (size_t i = 0; i < cli_flag_count(); ++i) {
    const cli_flag *f = cli_flag_at(i);
    if (cli_flag_is_for(f, v))
      tenon_put(out, " $$", complete_dashes(f), f->name);
  }
}

void complete_bash(tenon_buf *out) {
  tenon_buf_text(out,
                 "# bash completion of tenon; made by 'tenon completion bash'\n"
                 "_tenon() {\n"
                 "  local word=${COMP_WORDS[COMP_CWORD]} flags='' verbs='help");
  for (const cli_verb *v = cli_verbs; v->name; ++v)
    tenon_put(out, " $", v->name);
  tenon_buf_text(out,
                 "'\n"
                 "  local before=${COMP_WORDS[COMP_CWORD-1]}\n"
                 "  COMPREPLY=()\n"
                 "  if [ \"$COMP_CWORD\" -eq 1 ] || [ \"${COMP_WORDS[1]}\" = "
                 "help ]; then\n"
                 "    COMPREPLY=($(compgen -W \"$verbs --help --version\" -- "
                 "\"$word\"))\n"
                 "    return\n"
                 "  fi\n"
                 "  case $before in\n");
  for (size_t i = 0; i < cli_flag_count(); ++i) {
    const cli_flag *f = cli_flag_at(i);
    const char *words = complete_words(f);
    if (words)
      tenon_buf_format(out,
                       "    %s%s) COMPREPLY=($(compgen -W '%s' -- "
                       "\"$word\")); return ;;\n",
                       complete_dashes(f), f->name, words);
  }
  tenon_buf_text(out, "  esac\n  case ${COMP_WORDS[1]} in\n");
  for (const cli_verb *v = cli_verbs; v->name; ++v) {
    tenon_put(out, "    $) flags='", v->name);
    shells_add_flags(out, v);
    tenon_buf_text(out, "' ;;\n");
  }
  tenon_buf_text(
      out,
      "  esac\n"
      "  if [ \"${word#-}\" != \"$word\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
      "  elif [ \"${COMP_WORDS[1]}\" = completion ]; then\n"
      "    COMPREPLY=($(compgen -W 'bash zsh fish man' -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _tenon tenon\n");
}

// --- zsh --------------------------------------------------------------------

static void add_zsh_flag(tenon_buf *out, const cli_flag *f) {
  const char *words = complete_words(f);
  bool has_value = complete_has_value(f);
  tenon_put(out, "        '*$$$[$]", complete_dashes(f), f->name,
            has_value && f->name[1] ? "=" : "", tenon_as_zsh(f->help));
  if (has_value) tenon_put(out, ":$:", tenon_as_zsh(f->value));
  if (has_value && words)
    tenon_put(out, "($)", words);
  else if (has_value)
    tenon_buf_text(out, "_files");
  tenon_buf_text(out, "' \\\n");
}

void complete_zsh(tenon_buf *out) {
  tenon_buf_text(
      out,
      "#compdef tenon\n# made by 'tenon completion zsh'\n_tenon() {\n"
      "  local -a verbs=(\n");
  for (const cli_verb *v = cli_verbs; v->name; ++v) {
    tenon_put(out, "    '$:", v->name);
    shells_add_quoted(out, v->summary, ":\\");
    tenon_buf_text(out, "'\n");
  }
  tenon_buf_text(out,
                 "  )\n"
                 "  if (( CURRENT == 2 )); then\n"
                 "    _describe -t verbs verb verbs\n"
                 "    return\n"
                 "  fi\n"
                 "  local verb=$words[2]\n"
                 "  shift words\n"
                 "  (( CURRENT-- ))\n"
                 "  case $verb in\n");
  for (const cli_verb *v = cli_verbs; v->name; ++v) {
    tenon_put(out, "    $)\n      _arguments \\\n", v->name);
    for (size_t i = 0; i < cli_flag_count(); ++i)
      if (cli_flag_is_for(cli_flag_at(i), v)) add_zsh_flag(out, cli_flag_at(i));
    tenon_put(out, "        '*:$'\n      ;;\n",
              strcmp(v->name, "completion") == 0 ? "shell:(bash zsh fish man)"
                                                 : "file:_files");
  }
  tenon_buf_text(out, "  esac\n}\n_tenon \"$@\"\n");
}

// --- fish -------------------------------------------------------------------

static void add_fish_flag(tenon_buf *out, const cli_verb *v,
                          const cli_flag *f) {
  const char *words = complete_words(f);
  tenon_put(out, "complete -c tenon -n '__fish_seen_subcommand_from $' -$ $",
            v->name, f->name[1] ? "l" : "s", f->name);
  if (complete_has_value(f)) tenon_buf_text(out, " -r");
  if (words) tenon_put(out, " -f -a '$'", words);
  tenon_buf_text(out, " -d '");
  // Of the quotes of fish only a quote and a backslash are special.
  for (const char *p = f->help; *p; ++p) {
    if (*p == '\'' || *p == '\\') tenon_buf_char(out, '\\');
    tenon_buf_char(out, *p);
  }
  tenon_buf_text(out, "'\n");
}

void complete_fish(tenon_buf *out) {
  tenon_buf_text(
      out, "# fish completion of tenon; made by 'tenon completion fish'\n");
  for (const cli_verb *v = cli_verbs; v->name; ++v)
    tenon_put(out,
              "complete -c tenon -f -n __fish_use_subcommand -a $ -d \"$\"\n",
              v->name, v->summary);
  for (const cli_verb *v = cli_verbs; v->name; ++v)
    for (size_t i = 0; i < cli_flag_count(); ++i)
      if (cli_flag_is_for(cli_flag_at(i), v))
        add_fish_flag(out, v, cli_flag_at(i));
  tenon_buf_text(out,
                 "complete -c tenon -f -n "
                 "'__fish_seen_subcommand_from completion' -a 'bash "
                 "zsh fish man'\n");
}
