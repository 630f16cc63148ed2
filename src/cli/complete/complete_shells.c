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
static bool shells_add_quoted(cli_bytes *out, const char *text,
                              const char *special) {
  bool ok = true;
  for (const char *p = text; ok && *p; ++p) {
    if (*p == '\'')
      ok = cli_bytes_format(out, "'\\''");
    else if (strchr(special, *p))
      ok = cli_bytes_format(out, "\\%c", *p);
    else
      ok = cli_bytes_add(out, p, 1);
  }
  return ok;
}

// --- bash -------------------------------------------------------------------

static bool shells_add_flags(cli_bytes *out, const cli_verb *v) {
  bool ok = true;
  for (size_t i = 0; ok && i < cli_flag_count(); ++i) {
    const cli_flag *f = cli_flag_at(i);
    if (cli_flag_is_for(f, v))
      ok = cli_bytes_format(out, " %s%s", complete_dashes(f), f->name);
  }
  return ok;
}

bool complete_bash(cli_bytes *out) {
  bool ok = cli_bytes_format(
      out,
      "# bash completion of tenon; made by 'tenon completion bash'\n"
      "_tenon() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} flags='' verbs='help");
  for (const cli_verb *v = cli_verbs; ok && v->name; ++v)
    ok = cli_bytes_format(out, " %s", v->name);
  ok = ok && cli_bytes_format(
                 out,
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
  for (size_t i = 0; ok && i < cli_flag_count(); ++i) {
    const cli_flag *f = cli_flag_at(i);
    const char *words = complete_words(f);
    if (words)
      ok = cli_bytes_format(out,
                            "    %s%s) COMPREPLY=($(compgen -W '%s' -- "
                            "\"$word\")); return ;;\n",
                            complete_dashes(f), f->name, words);
  }
  ok = ok && cli_bytes_format(out, "  esac\n  case ${COMP_WORDS[1]} in\n");
  for (const cli_verb *v = cli_verbs; ok && v->name; ++v)
    ok = cli_bytes_format(out, "    %s) flags='", v->name) &&
         shells_add_flags(out, v) && cli_bytes_format(out, "' ;;\n");
  return ok &&
         cli_bytes_format(
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

static bool add_zsh_flag(cli_bytes *out, const cli_flag *f) {
  const char *words = complete_words(f);
  bool has_value = complete_has_value(f);
  bool ok = cli_bytes_format(out, "        '*%s%s%s[", complete_dashes(f),
                             f->name, has_value && f->name[1] ? "=" : "") &&
            shells_add_quoted(out, f->help, "[]:\\") &&
            cli_bytes_format(out, "]");
  if (ok && has_value) {
    ok = cli_bytes_format(out, ":") &&
         shells_add_quoted(out, f->value, "[]:\\") &&
         (words ? cli_bytes_format(out, ":(%s)", words)
                : cli_bytes_format(out, ":_files"));
  }
  return ok && cli_bytes_format(out, "' \\\n");
}

bool complete_zsh(cli_bytes *out) {
  bool ok = cli_bytes_format(
      out,
      "#compdef tenon\n# made by 'tenon completion zsh'\n_tenon() {\n"
      "  local -a verbs=(\n");
  for (const cli_verb *v = cli_verbs; ok && v->name; ++v)
    ok = cli_bytes_format(out, "    '%s:", v->name) &&
         shells_add_quoted(out, v->summary, ":\\") &&
         cli_bytes_format(out, "'\n");
  ok = ok && cli_bytes_format(out,
                              "  )\n"
                              "  if (( CURRENT == 2 )); then\n"
                              "    _describe -t verbs verb verbs\n"
                              "    return\n"
                              "  fi\n"
                              "  local verb=$words[2]\n"
                              "  shift words\n"
                              "  (( CURRENT-- ))\n"
                              "  case $verb in\n");
  for (const cli_verb *v = cli_verbs; ok && v->name; ++v) {
    ok = cli_bytes_format(out, "    %s)\n      _arguments \\\n", v->name);
    for (size_t i = 0; ok && i < cli_flag_count(); ++i)
      if (cli_flag_is_for(cli_flag_at(i), v))
        ok = add_zsh_flag(out, cli_flag_at(i));
    ok = ok && cli_bytes_format(out, "        '*:%s'\n      ;;\n",
                                strcmp(v->name, "completion") == 0
                                    ? "shell:(bash zsh fish man)"
                                    : "file:_files");
  }
  return ok && cli_bytes_format(out, "  esac\n}\n_tenon \"$@\"\n");
}

// --- fish -------------------------------------------------------------------

static bool add_fish_flag(cli_bytes *out, const cli_verb *v,
                          const cli_flag *f) {
  const char *words = complete_words(f);
  bool ok = cli_bytes_format(
      out, "complete -c tenon -n '__fish_seen_subcommand_from %s' -%s %s",
      v->name, f->name[1] ? "l" : "s", f->name);
  if (ok && complete_has_value(f)) ok = cli_bytes_format(out, " -r");
  if (ok && words) ok = cli_bytes_format(out, " -f -a '%s'", words);
  ok = ok && cli_bytes_format(out, " -d '");
  // Of the quotes of fish only a quote and a backslash are special.
  for (const char *p = f->help; ok && *p; ++p)
    ok = *p == '\'' || *p == '\\' ? cli_bytes_format(out, "\\%c", *p)
                                  : cli_bytes_add(out, p, 1);
  return ok && cli_bytes_format(out, "'\n");
}

bool complete_fish(cli_bytes *out) {
  bool ok = cli_bytes_format(
      out, "# fish completion of tenon; made by 'tenon completion fish'\n");
  for (const cli_verb *v = cli_verbs; ok && v->name; ++v)
    ok = cli_bytes_format(out,
                          "complete -c tenon -f -n __fish_use_subcommand -a %s "
                          "-d \"%s\"\n",
                          v->name, v->summary);
  for (const cli_verb *v = cli_verbs; ok && v->name; ++v)
    for (size_t i = 0; ok && i < cli_flag_count(); ++i)
      if (cli_flag_is_for(cli_flag_at(i), v))
        ok = add_fish_flag(out, v, cli_flag_at(i));
  return ok &&
         cli_bytes_format(out,
                          "complete -c tenon -f -n "
                          "'__fish_seen_subcommand_from completion' -a 'bash "
                          "zsh fish man'\n");
}
