// How: an observer is called after every step, so the time between two calls is
// that of a step; the least of several runs is kept, since what disturbs only
// adds. Multiply-accumulates come from the plan's JSON.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

#define STEP_RUNS 10

static bool make_room(bench_steps *s, size_t count) {
  if (count <= s->count) return true;
  bench_step *data = (bench_step *)realloc(s->data, count * sizeof *data);
  if (!data) return false;
  memset(data + s->count, 0, (count - s->count) * sizeof *data);
  s->data = data;
  s->count = count;
  return true;
}

static tenon_status observe(void *self, const tenon_step_info *info) {
  bench_steps *s = (bench_steps *)self;
  uint64_t now = cli_clock(), took = now - s->last;
  if (!make_room(s, (size_t)info->step + 1)) {
    s->failed = true;
    return TENON_OK;
  }
  bench_step *row = &s->data[info->step];
  if (!row->op) {
    row->op = strdup(info->op ? info->op : "");
    row->kernel = strdup(info->kernel ? info->kernel : "");
    row->where =
        strdup(info->place && info->place->where ? info->place->where : "");
    row->least = UINT64_MAX;
    row->order = s->ran++;
  }
  if (took < row->least) row->least = took;
  s->last = cli_clock();
  return TENON_OK;
}

static void read_macs(const tenon_program *p, bench_steps *s) {
  cli_bytes b = {0};
  json_t *plan = NULL, *step = NULL;
  size_t i = 0;
  if (tenon_program_print(p, TENON_FORMAT_JSON, 0, cli_bytes_write, &b) ==
      TENON_OK)
    plan = json_loadb(b.data, b.size, 0, NULL);
  json_array_foreach(json_object_get(plan, "steps"), i, step) {
    size_t index = (size_t)json_integer_value(json_object_get(step, "index"));
    if (index < s->count)
      s->data[index].macs =
          (uint64_t)json_integer_value(json_object_get(step, "macs"));
  }
  json_decref(plan);
  cli_bytes_free(&b);
}

int bench_measure_steps(cli *c, const tenon_program *p, int entry, int threads,
                        const tenon_tensor *in, size_t n_in,
                        const tenon_tensor *given, size_t n_out,
                        bench_steps *out) {
  cli_session s = {0};
  tenon_tensor *results = (tenon_tensor *)calloc(n_out + 1, sizeof *results);
  int code = results ? cli_session_open(c, p, threads, observe, out, &s)
                     : CLI_NO_MEMORY;
  for (int i = 0; code == 0 && i < STEP_RUNS; ++i) {
    memset(results, 0, (n_out + 1) * sizeof *results);
    if (n_out) memcpy(results, given, n_out * sizeof *results);
    out->last = cli_clock();
    code =
        cli_exit(tenon_session_run(s.session, entry, in, n_in, results, n_out));
  }
  if (code == 0) read_macs(p, out);
  if (out->failed) code = CLI_NO_MEMORY;
  cli_session_close(&s);
  free(results);
  return code;
}

static int by_order(const void *x, const void *y) {
  const bench_step *a = (const bench_step *)x, *b = (const bench_step *)y;
  return a->order < b->order ? -1 : a->order > b->order;
}

static void print_json(cli *c, const bench_step *s, double share, bool first) {
  cli_bytes b = {0};
  bool ok =
      cli_bytes_format(&b, "%s\n    {\"op\": ", first ? "" : ",") &&
      cli_bytes_json(&b, s->op) && cli_bytes_format(&b, ", \"kernel\": ") &&
      cli_bytes_json(&b, s->kernel) && cli_bytes_format(&b, ", \"place\": ") &&
      cli_bytes_json(&b, s->where) &&
      cli_bytes_format(&b,
                       ", \"microseconds\": %.3f, \"share\": %.4f, "
                       "\"macs\": %llu}",
                       (double)s->least / 1e3, share,
                       (unsigned long long)s->macs);
  if (ok) cli_printf(c, "%s", b.data);
  cli_bytes_free(&b);
}

void bench_print_steps(cli *c, const bench_steps *s) {
  uint64_t total = 0;
  bool first = true;
  if (s->count) qsort(s->data, s->count, sizeof *s->data, by_order);
  for (size_t i = 0; i < s->count; ++i)
    if (s->data[i].op) total += s->data[i].least;
  if (!c->json)
    cli_printf(c, "\n%10s %6s %12s %8s  %-22s %s\n", "us", "share", "MACs",
               "GMAC/s", "operator", "kernel");
  for (size_t i = 0; i < s->count; ++i) {
    const bench_step *step = &s->data[i];
    if (!step->op) continue;
    double share = total ? (double)step->least / (double)total : 0;
    if (c->json) {
      print_json(c, step, share, first);
    } else {
      double rate = step->least ? (double)step->macs / (double)step->least : 0;
      cli_printf(c, "%10.2f %5.1f%% %12llu %8.2f  %-22s %s\n",
                 (double)step->least / 1e3, share * 100,
                 (unsigned long long)step->macs, rate, step->op, step->kernel);
    }
    first = false;
  }
}

void bench_steps_free(bench_steps *s) {
  for (size_t i = 0; i < s->count; ++i) {
    free(s->data[i].op);
    free(s->data[i].kernel);
    free(s->data[i].where);
  }
  free(s->data);
  memset(s, 0, sizeof *s);
}
