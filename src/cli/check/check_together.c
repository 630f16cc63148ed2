// How: starting a compiler takes most of the time of a check, so with
// --together rows of many operators are entry points of one program. Such a
// program has each operator once, as a kernel that is asked for by name serves
// all of its nodes. Where one fails its halves are tried, down to one subject,
// which is then checked as without --together; so nothing is told otherwise.
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"

enum {
  MOST_ROWS = 96,       // a program's entry is one byte of its driver's input
  MOST_WAITING = 2000,  // rows, of 4 KB each
};

static bool together_fits(const check_waiting *const *list, size_t n,
                          const check_waiting *w) {
  size_t rows = w->n;
  for (size_t i = 0; i < n; ++i) {
    rows += list[i]->n;
    if (strcmp(list[i]->s->op->op.name, w->s->op->op.name) == 0) return false;
    if (!list[i]->s->kernel != !w->s->kernel) return false;
  }
  return rows <= MOST_ROWS;
}

// All rows as one program: whether they pass. Puts subjects of which rows are
// why there is none behind the others, and says how many these are.
static bool all_pass(checker *k, check_way way, check_waiting **list, size_t n,
                     size_t *n_others) {
  char reason[512];
  size_t rows = 0, at = 0, kept = 0, out = 0;
  for (size_t i = 0; i < n; ++i)
    rows += list[i]->n;
  check_found *found = (check_found *)calloc(rows + 1, sizeof *found);
  check_part *parts = (check_part *)calloc(n, sizeof *parts);
  check_waiting **behind = (check_waiting **)calloc(n, sizeof *behind);
  bool ok = found && parts && behind;
  *n_others = n;
  for (size_t i = 0; ok && i < n; ++i) {
    parts[i] = (check_part){list[i]->s, list[i]->rows, list[i]->n, &found[at]};
    at += list[i]->n;
  }
  ok = ok && check_batch_run(k, way, parts, n, reason, sizeof reason);
  bool passes = ok;
  for (size_t i = 0; parts && found && behind && i < n; ++i) {
    bool is_why = false;
    for (size_t j = 0; j < parts[i].n; ++j) {
      passes = passes && parts[i].found[j].outcome == CHECK_PASS;
      is_why = is_why || parts[i].found[j].outcome == CHECK_SKIP;
    }
    if (is_why)
      behind[out++] = list[i];
    else
      list[kept++] = list[i];
  }
  for (size_t i = 0; i < out; ++i)
    list[kept + i] = behind[i];
  if (out) *n_others = kept;
  free(found);
  free(parts);
  free(behind);
  return passes;
}

static void together_run(checker *k, check_way way, check_waiting **list,
                         size_t n) {
  size_t others = 0;
  if (n == 0) return;
  if (n == 1) {
    check_emitted_way(k, list[0]->s, way, list[0]->rows, list[0]->n);
    return;
  }
  if (all_pass(k, way, list, n, &others)) {
    for (size_t i = 0; i < n; ++i)
      list[i]->s->tallies[way].passed += list[i]->n;
    return;
  }
  size_t first = others < n ? others : n / 2;
  together_run(k, way, list, first);
  for (size_t i = first; others < n && i < n; ++i)
    together_run(k, way, &list[i], 1);
  if (others == n) together_run(k, way, list + first, n - first);
}

// What cannot be emitted in this way would only part the others.
static void run_way(checker *k, check_way way, check_waiting **list, size_t n,
                    check_waiting **taken) {
  char reason[512];
  size_t count = 0;
  for (size_t i = 0; i < n; ++i) {
    if (check_way_is_taken(k, list[i]->s, way, reason, sizeof reason))
      taken[count++] = list[i];
    else
      together_run(k, way, &list[i], 1);
  }
  together_run(k, way, taken, count);
}

void check_together_end(checker *k) {
  check_waiting **list =
      (check_waiting **)calloc(2 * k->n_waiting + 1, sizeof *list);
  check_waiting **taken = list + k->n_waiting;
  for (size_t begin = 0; list && begin < k->n_waiting; ++begin) {
    size_t n = 0;
    for (size_t i = begin; i < k->n_waiting; ++i) {
      check_waiting *w = &k->waiting[i];
      if (w->is_done ||
          !together_fits((const check_waiting *const *)list, n, w))
        continue;
      w->is_done = true;
      list[n++] = w;
    }
    if (n == 0) continue;
    cli_progress_of(k->c, "checking emitted C of", list[0]->s->op->op.name,
                    k->done, k->all);
    for (int way = CHECK_EMITTED; way < CHECK_WAYS; ++way)
      if (!k->is_left_out[way]) run_way(k, (check_way)way, list, n, taken);
  }
  for (size_t i = 0; i < k->n_waiting; ++i)
    free(k->waiting[i].rows);
  free(list);
  free(k->waiting);
  k->waiting = NULL;
  k->n_waiting = k->n_waiting_rows = 0;
}

bool check_together(checker *k, check_subject *s, check_row *rows, size_t n) {
  check_waiting *more = (check_waiting *)cli_add(&k->waiting, &k->n_waiting);
  if (!more) return false;
  *more = (check_waiting){s, rows, n, n == 0};
  k->n_waiting_rows += n;
  if (k->n_waiting_rows > MOST_WAITING) check_together_end(k);
  return true;
}

void check_emitted_way(checker *k, check_subject *s, check_way way,
                       const check_row *rows, size_t n) {
  check_tally *t = &s->tallies[way];
  check_found *found = (check_found *)calloc(n, sizeof *found);
  if (!found) return;
  check_part part = {s, rows, n, found};
  if (!check_batch_run(k, way, &part, 1, t->reason, sizeof t->reason)) {
    t->skipped += n;
    n = 0;
  }
  for (size_t i = 0; i < n; ++i) {
    if (found[i].outcome == CHECK_SKIP) {
      ++t->skipped;
      snprintf(t->reason, sizeof t->reason, "%s", found[i].detail);
    } else if (found[i].outcome != CHECK_FAIL) {
      ++t->passed;
    } else if (t->failed++ == 0) {
      check_row smallest = rows[i];
      if (!check_has_hung(found[i].detail))
        check_shrink(k, s, &smallest, way, found[i].detail,
                     sizeof found[i].detail);
      check_failure_keep(k, s, &smallest, way, found[i].detail, t);
    }
  }
  free(found);
}

void check_emitted(checker *k, check_subject *s, check_row *rows, size_t n) {
  for (int way = CHECK_EMITTED; n > 0 && way < CHECK_WAYS; ++way)
    if (!k->is_left_out[way]) check_emitted_way(k, s, (check_way)way, rows, n);
}
