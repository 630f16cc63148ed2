// How: every value is compared with its recording, if it has one, and between
// ways. A row per comparison, as a table or as elements of a JSON list.

#include "cli/verify/verifying.h"

static void verify_table_print_json(verify_report *r, const verify_case *v,
                                    const char *output, const char *way,
                                    const char *against,
                                    const verify_difference *d) {
  cli *c = r->c;
  cli_put_json(c,
               "$\n    {'case': $, 'output': $, 'way': $, 'against': $, "
               "'abs': $, 'rel': $, 'lsb': $, 'cosine': $, 'want': $, "
               "'got': $, 'differing': $, 'outside': $, 'stepped': $",
               tenon_as_plain(r->rows ? "," : ""), v->path, output, way,
               against, d->abs, d->rel, d->lsb, d->cosine, d->want, d->got,
               d->differing, d->outside, d->stepped);
  cli_put_json(c,
               ", 'step': $, 'count': $, 'worst': $, 'same_shape': $, "
               "'agrees': $}",
               d->step, d->count, d->worst, (bool)!d->differs_in_shape,
               d->agrees);
}

static void verify_table_print_text(verify_report *r, const verify_case *v,
                                    const char *output, const char *way,
                                    const char *against,
                                    const verify_difference *d) {
  if (r->rows == 0)
    cli_printf(r->c, "%-10s %-20s %-10s %-10s %10s %10s %6s %10s %9s\n", "case",
               "output", "way", "against", "abs", "rel", "lsb", "cosine",
               "differ");
  cli_printf(
      r->c, "%-10.10s %-20.20s %-10s %-10s %10.3g %10.3g %6g %10.8f %9zu%s\n",
      cli_shown(r->c, v->label), cli_shown(r->c, output), way, against, d->abs,
      d->rel, d->lsb, d->cosine, d->differing, d->agrees ? "" : "  DISAGREES");
  if (d->agrees && d->stepped > 0)
    cli_printf(r->c,
               "    %zu of %zu within one step of the scale, %.9g, as "
               "--inexact allows\n",
               d->stepped, d->count, d->step);
  if (d->differs_in_shape)
    cli_printf(r->c, "    another type or shape\n");
  else if (!d->agrees)
    cli_printf(r->c,
               "    worst at element %zu of %zu: expected %.9g, found %.9g; "
               "%zu beyond the tolerance\n",
               d->worst, d->count, d->want, d->got, d->outside);
}

static void verify_table_print_row(verify_report *r, const verify_suite *s,
                                   size_t index, const char *output,
                                   const char *way, const char *against,
                                   const verify_difference *d) {
  const verify_case *v = &s->cases[index];
  if (d->agrees && d->stepped > 0) ++r->stepped;
  if (!d->agrees) {
    ++r->disagreeing;
    if (index < r->first_bad) r->first_bad = index;
  }
  if (r->c->json)
    verify_table_print_json(r, v, output, way, against, d);
  else
    verify_table_print_text(r, v, output, way, against, d);
  ++r->rows;
}

void verify_report_way(verify_report *r, const verify_suite *s,
                       const verify_way *way, const verify_way *first) {
  for (size_t i = 0; i < s->count; ++i) {
    const verify_case *v = &s->cases[i];
    for (size_t k = 0; k < v->n_checks; ++k) {
      const verify_check *check = &v->checks[k];
      verify_tolerance t = verify_tolerance_for(
          s,
          check->kind == VERIFY_OUTPUT ? v->out_files[check->index] : SIZE_MAX,
          check->io.dtype);
      verify_difference d;
      if (check->has_want) {
        verify_tolerance_step(s, v, check, way->name, NULL, &t);
        verify_compare(&check->want.view, &way->results[i][k].view, &t, &d);
        verify_table_print_row(r, s, i, check->label, way->name, "recording",
                               &d);
      }
      if (way == first) continue;
      verify_tolerance_step(s, v, check, way->name, first->name, &t);
      t.is_exact = verify_ways_are_exact(way->name, first->name);
      verify_compare(&first->results[i][k].view, &way->results[i][k].view, &t,
                     &d);
      verify_table_print_row(r, s, i, check->label, way->name, first->name, &d);
    }
  }
}
