// How: a line per subject and way; what failed is followed by the smallest row
// that fails, as text IR, and by a command that shows it, with that text in
// row.tenon.
#include <string.h>

#include "cli/check/check.h"
#include "cli/machine/machine.h"

static void indent(cli *c, const char *text) {
  while (text && *text) {
    size_t n = strcspn(text, "\n");
    cli_printf(c, "      %.*s\n", (int)n, text);
    text += n + (text[n] == '\n');
  }
}

static const char *tally_name_of(const check_subject *s) {
  return s->kernel ? s->kernel->name : s->op ? "lowered" : "given";
}

static void text_way(cli *c, const check_tally *t, const char *name) {
  if (t->passed + t->failed + t->skipped == 0) return;
  if (t->failed)
    cli_printf(c, "    %-10s %4zu agree, %zu DIFFER\n", name, t->passed,
               t->failed);
  else if (t->passed)
    cli_printf(c, "    %-10s %4zu agree", name, t->passed);
  else
    cli_printf(c, "    %-10s not run: %s\n", name, t->reason);
  if (t->passed && !t->failed)
    cli_printf(c, t->skipped ? ", %zu not run: %s\n" : "\n", t->skipped,
               t->reason);
  indent(c, t->failure);
  if (t->again) cli_printf(c, "\n      %s\n", t->again);
}

// "f32 4, s8q 8; no row with bf16"
static void text_types(cli *c, const check_subject *s) {
  const char *before = "    types      ";
  for (size_t i = 0; i < s->n_seen; ++i) {
    if (s->seen[i].rows == 0) continue;
    cli_printf(c, "%s(%s) %zu", before, s->seen[i].types, s->seen[i].rows);
    before = ", ";
  }
  before = *before == ' ' ? "    types      no row with " : "; no row with ";
  for (size_t i = 0; i < s->n_seen; ++i) {
    if (s->seen[i].rows > 0) continue;
    cli_printf(c, "%s(%s)", before, s->seen[i].types);
    before = ", ";
  }
  cli_printf(c, "\n");
}

static void text_subject(cli *c, const check_subject *s) {
  cli_put(c, "$  $: $ rows, $ discarded\n", s->op ? s->op->op.name : "",
          tally_name_of(s), s->rows, s->discarded);
  if (s->rows == 0)
    cli_put(c, "    not checked: no row was found$$\n",
            s->why[0] ? "; the last refusal: " : "", s->why);
  else if (s->op)
    text_types(c, s);
  for (int way = 0; way < CHECK_WAYS; ++way)
    text_way(c, &s->tallies[way], check_way_name((check_way)way));
}

static void json_subject(cli *c, const check_subject *s, bool is_first) {
  cli_put_json(c,
               "$\n    {'op': $, 'kernel': $, 'rows': $, 'discarded': $, "
               "'why': $, 'types': {",
               tenon_as_plain(is_first ? "" : ","), s->op ? s->op->op.name : "",
               tally_name_of(s), s->rows, s->discarded, s->rows ? "" : s->why);
  for (size_t i = 0; i < s->n_seen; ++i)
    cli_put(c, "$\"$\": $", i ? ", " : "", s->seen[i].types, s->seen[i].rows);
  cli_printf(c, "}, \"ways\": {");
  for (int way = 0; way < CHECK_WAYS; ++way) {
    const check_tally *t = &s->tallies[way];
    cli_put_json(c,
                 "$\n      $: {'agree': $, 'differ': $, 'skipped': $, "
                 "'reason': $, 'failure': $, 'again': $}",
                 tenon_as_plain(way ? "," : ""), check_way_name((check_way)way),
                 t->passed, t->failed, t->skipped, t->skipped ? t->reason : "",
                 t->failure ? t->failure : "", t->again ? t->again : "");
  }
  cli_printf(c, "}}");
}

void check_report(checker *k, const check_subject *list, size_t n) {
  cli *c = k->c;
  size_t passed = 0, failed = 0, unchecked = 0;
  if (c->json) cli_printf(c, "{\"subjects\": [");
  for (size_t i = 0; i < n; ++i) {
    for (int way = 0; way < CHECK_WAYS; ++way) {
      passed += list[i].tallies[way].passed;
      failed += list[i].tallies[way].failed;
    }
    unchecked += list[i].rows == 0;
    if (c->json)
      json_subject(c, &list[i], i == 0);
    else
      text_subject(c, &list[i]);
  }
  if (c->json)
    cli_put(c,
            "],\n  \"agree\": $, \"differ\": $, \"unchecked\": $, "
            "\"left_out\": $, \"board\": \"$\"}",
            passed, failed, unchecked, k->n_left_out,
            c->machine ? c->machine->board : "");
  else
    cli_put(c, "$ comparisons agree, $ differ, $ of $ not checked\n", passed,
            failed, unchecked, n);
  if (!c->json && c->machine)
    cli_put(c, "emitted C of target '$' ran on an emulated $ ($)\n",
            c->emulated, c->machine->core, c->machine->board);
  if (!c->json && k->n_left_out)
    cli_put(c,
            "$ kernel$ left out: not of --needs, or of features that "
            "the target lacks\n",
            k->n_left_out, k->n_left_out == 1 ? "" : "s");
}
