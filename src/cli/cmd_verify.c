// How: compile once to know inputs and outputs, read the cases, take each way,
// and compare every result with its recording and with the first way. The ways
// run, emitted and threads must agree bit for bit.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verifying.h"

#define MAX_WAYS 8

typedef struct report {
  cli *c;
  size_t rows, disagreeing;
} report;

static void json_number(cli *c, const char *key, double v) {
  if (isfinite(v))
    cli_printf(c, ", \"%s\": %.9g", key, v);
  else
    cli_printf(c, ", \"%s\": \"%s\"", key, isnan(v) ? "nan" : "inf");
}

static void print_json(report *r, const verify_case *v, const char *output,
                       const char *way, const char *against,
                       const verify_difference *d) {
  cli_bytes b = {0};
  (void)(cli_bytes_json(&b, v->path) &&
         cli_bytes_format(&b, ", \"output\": ") && cli_bytes_json(&b, output));
  cli_printf(r->c,
             "%s\n    {\"case\": %s, \"way\": \"%s\", \"against\": \"%s\"",
             r->rows ? "," : "", b.data ? b.data : "null", way, against);
  cli_bytes_free(&b);
  json_number(r->c, "abs", d->abs);
  json_number(r->c, "rel", d->rel);
  json_number(r->c, "lsb", d->lsb);
  json_number(r->c, "cosine", d->cosine);
  json_number(r->c, "want", d->want);
  json_number(r->c, "got", d->got);
  cli_printf(r->c,
             ", \"differing\": %zu, \"outside\": %zu, \"count\": %zu, "
             "\"worst\": %zu, \"agrees\": %s}",
             d->differing, d->outside, d->count, d->worst,
             d->agrees ? "true" : "false");
}

static void print_row(report *r, const verify_case *v, const char *output,
                      const char *way, const char *against,
                      const verify_difference *d) {
  if (!d->agrees) ++r->disagreeing;
  if (r->c->json) {
    print_json(r, v, output, way, against, d);
  } else {
    if (r->rows == 0)
      cli_printf(r->c, "%-10s %-20s %-10s %-10s %10s %10s %6s %10s %9s\n",
                 "case", "output", "way", "against", "abs", "rel", "lsb",
                 "cosine", "differ");
    cli_printf(
        r->c, "%-10.10s %-20.20s %-10s %-10s %10.3g %10.3g %6g %10.8f %9zu%s\n",
        v->label, output, way, against, d->abs, d->rel, d->lsb, d->cosine,
        d->differing, d->agrees ? "" : "  DISAGREES");
    if (!d->agrees)
      cli_printf(r->c,
                 "    worst at element %zu of %zu: expected %.9g, found %.9g; "
                 "%zu beyond the tolerance\n",
                 d->worst, d->count, d->want, d->got, d->outside);
  }
  ++r->rows;
}

static void compare_way(verify_suite *s, const verify_way *way,
                        const verify_way *first, report *r) {
  for (size_t i = 0; i < s->count; ++i) {
    const verify_case *v = &s->cases[i];
    for (size_t k = 0; k < v->n_all; ++k) {
      size_t output = k < v->n_out ? k : SIZE_MAX;
      verify_tolerance t = verify_tolerance_for(s, output, v->out_io[k].dtype);
      verify_difference d;
      if (k < v->n_out || v->out[k].memory) {
        verify_compare(&v->out[k].view, &way->results[i][k].view, &t, &d);
        print_row(r, v, v->out_io[k].name, way->name, "recording", &d);
      }
      if (way == first) continue;
      // Other kernels than those of the first way: its tolerance. The same
      // kernels: the same bits.
      t.is_exact = strcmp(way->name, "reference") != 0 &&
                   strcmp(first->name, "reference") != 0;
      verify_compare(&first->results[i][k].view, &way->results[i][k].view, &t,
                     &d);
      print_row(r, v, v->out_io[k].name, way->name, first->name, &d);
    }
  }
}

static int parse_ways(cli *c, char text[256], const char *names[MAX_WAYS],
                      size_t *n) {
  static const char *const known[] = {"run", "emitted", "reference", "threads"};
  const char *list = c->ways ? c->ways : "run";
  if (strlen(list) >= 256)
    return cli_fail(c, CLI_USAGE, "verify-with", "'--with' is too long");
  strcpy(text, list);
  for (char *p = strtok(text, ","); p; p = strtok(NULL, ",")) {
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
      found = found || strcmp(known[i], p) == 0;
    if (!found || *n == MAX_WAYS)
      return cli_fail(
          c, CLI_USAGE, "verify-with",
          "'--with' expects run, emitted, reference, threads; found "
          "'%s'",
          p);
    names[(*n)++] = p;
  }
  return 0;
}

static int run_ways(verify_suite *s, cli_model *model) {
  const char *names[MAX_WAYS];
  verify_way ways[MAX_WAYS];
  char text[256];
  size_t n = 0, taken = 0;
  report r = {s->c, 0, 0};
  int code = parse_ways(s->c, text, names, &n);
  memset(ways, 0, sizeof ways);
  for (size_t i = 0; code == 0 && i < n; ++i) {
    code = verify_way_run(s, model, names[i], &ways[i]);
    ++taken;
  }
  if (code == 0 && s->c->json) cli_printf(s->c, "{\"rows\": [");
  for (size_t i = 0; code == 0 && i < n; ++i)
    compare_way(s, &ways[i], &ways[0], &r);
  if (code == 0 && s->c->json)
    cli_printf(s->c, "],\n  \"compared\": %zu, \"disagreeing\": %zu}", r.rows,
               r.disagreeing);
  else if (code == 0)
    cli_printf(s->c, "%zu compared, %zu disagree\n", r.rows, r.disagreeing);
  for (size_t i = 0; i < taken; ++i)
    verify_way_free(s, &ways[i]);
  return code ? code : r.disagreeing ? CLI_NO : 0;
}

// The model itself and the folder it lies in.
static int locate(cli *c, const char *path, char **model, char **folder) {
  *model = *folder = NULL;
  if (cli_is_folder(path)) {
    static const char *const names[] = {"model.tflite", "model.pt2",
                                        "model.tenon"};
    *folder = strdup(path);
    for (size_t i = 0; i < 3 && !*model; ++i) {
      *model = cli_join(path, names[i]);
      if (*model && cli_is_file(*model)) break;
      free(*model);
      *model = NULL;
    }
    if (!*model)
      return cli_fail(c, TENON_IO, "verify-model",
                      "no model.tflite or model.pt2 in '%s'", path);
  } else {
    const char *slash = strrchr(path, '/');
    *model = strdup(path);
    *folder = strdup(slash ? path : ".");
    if (slash && *folder) (*folder)[slash - path] = 0;
  }
  return *model && *folder ? 0 : CLI_NO_MEMORY;
}

int cmd_verify(cli *c) {
  cli_model model = {0};
  verify_suite suite = {0};
  tenon_program *p = NULL;
  char *path = NULL, *folder = NULL;
  if (c->args.count != 1)
    return cli_fail(c, CLI_USAGE, "cli-usage", "expected one model, found %zu",
                    c->args.count);
  int code = locate(c, c->args.data[0], &path, &folder);
  if (code == 0) code = cli_model_open(c, path, &model);
  if (code == 0) code = cli_model_compile(c, &model, NULL, 0, &p);
  if (code == 0) code = verify_suite_read(c, folder, p, &suite);
  if (code == 0) code = run_ways(&suite, &model);
  if ((code == 0 || code == CLI_NO) && (c->nodes || c->save_values)) {
    int nodes = verify_nodes(&suite, &model);
    if (nodes) code = nodes;
  }
  verify_suite_free(&suite);
  tenon_program_destroy(p);
  cli_model_close(&model);
  free(path);
  free(folder);
  return code;
}
