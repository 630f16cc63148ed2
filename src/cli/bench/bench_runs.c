// How: once without a clock, to have pages and caches warm; then until about a
// second has passed, or as often as is asked for.
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

#define ENOUGH 1000000000u  // nanoseconds
#define MOST_RUNS 10000

static int bench_runs_by_value(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return a < b ? -1 : a > b;
}

static int run_once(tenon_session *s, const cli_call *call, tenon_tensor *out,
                    uint64_t *took) {
  const size_t n = call->n_out;
  memset(out, 0, (n + 1) * sizeof *out);
  if (call->out && n) memcpy(out, call->out, n * sizeof *out);
  uint64_t begin = tenon_os_clock();
  tenon_status status =
      tenon_session_run(s, call->entry, call->views, call->n_in, out, n);
  *took = tenon_os_clock() - begin;
  return cli_exit(status);
}

// The least time that so many of a hundred runs did not exceed.
static uint64_t at_share(const bench_times *t, size_t percent) {
  size_t rank = (t->count * percent + 99) / 100;
  return t->data[rank ? rank - 1 : 0];
}

int bench_runs(tenon_session *s, const cli_call *call, bench_times *out) {
  const cli *c = call->c;
  size_t most = c->has_runs ? (size_t)c->runs : MOST_RUNS;
  tenon_tensor *results =
      (tenon_tensor *)calloc(call->n_out + 1, sizeof *results);
  uint64_t took = 0, all = 0;
  memset(out, 0, sizeof *out);
  out->data = (uint64_t *)calloc(most + 1, sizeof *out->data);
  int code = results && out->data ? 0 : CLI_NO_MEMORY;
  if (code == 0) code = run_once(s, call, results, &took);
  out->first = took;
  while (code == 0 && out->count < most) {
    if (!c->has_runs && all > ENOUGH && out->count >= 5) break;
    code = run_once(s, call, results, &took);
    out->data[out->count++] = took;
    all += took;
  }
  if (code == 0) {
    qsort(out->data, out->count, sizeof *out->data, bench_runs_by_value);
    out->least = out->data[0];
    out->median = at_share(out, 50);
    out->p90 = at_share(out, 90);
    out->p99 = at_share(out, 99);
    out->most = out->data[out->count - 1];
  }
  free(results);
  return code;
}

void bench_times_free(bench_times *t) {
  free(t->data);
  memset(t, 0, sizeof *t);
}
