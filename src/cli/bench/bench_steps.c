// How: an observer is called after every step, so the time between two calls is
// that of a step, and where steps are computed together, that of all of them
// before the first; the least of several runs is kept, since what disturbs only
// adds. A step inside a loop runs several times: its times and its
// multiply-accumulates in a run are added.
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

#define STEP_RUNS 10

static bool step_times_make_room(bench_steps *s, size_t count) {
  if (count <= s->count) return true;
  bench_step *data = (bench_step *)realloc(s->data, count * sizeof *data);
  if (!data) return false;
  memset(data + s->count, 0, (count - s->count) * sizeof *data);
  s->data = data;
  s->count = count;
  return true;
}

static void name_step(bench_steps *s, bench_step *row,
                      const tenon_step_info *info) {
  const char *name = info->n_out && info->names[0] ? info->names[0] : "";
  const tenon_place *p = info->place;
  row->op = strdup(info->op ? info->op : "");
  row->kernel = strdup(info->kernel ? info->kernel : "");
  row->where = strdup(p && p->where ? p->where : "");
  row->node = strdup(name);
  row->least = UINT64_MAX;
  row->order = s->ran++;
  row->joined = info->joined_at ? 0 : info->joined;
}

static tenon_status step_times_observe(void *self,
                                       const tenon_step_info *info) {
  bench_steps *s = (bench_steps *)self;
  uint64_t now = tenon_os_clock(), took = now - s->last;
  if (!step_times_make_room(s, (size_t)info->step + 1)) {
    s->failed = true;
    return TENON_OK;
  }
  bench_step *row = &s->data[info->step];
  if (!row->op) name_step(s, row, info);
  row->took += took;
  row->macs += info->macs;
  ++row->times;
  s->arena = info->arena;
  s->last = tenon_os_clock();
  return TENON_OK;
}

static void begin_run(bench_steps *s) {
  for (size_t i = 0; i < s->count; ++i)
    s->data[i].took = s->data[i].macs = s->data[i].times = 0;
}

static void end_run(bench_steps *s) {
  s->macs = 0;
  for (size_t i = 0; i < s->count; ++i) {
    bench_step *row = &s->data[i];
    if (row->times && row->took < row->least) row->least = row->took;
    s->macs += row->macs;
  }
}

int bench_measure_steps(const cli_call *call, bench_steps *out) {
  cli_session s = {0};
  cli *c = call->c;
  const size_t n_out = call->n_out;
  tenon_tensor *results = (tenon_tensor *)calloc(n_out + 1, sizeof *results);
  int code = results ? 0 : CLI_NO_MEMORY;
  if (code == 0 && (c->trace || c->flame) && !cli_timeline_open(c))
    code = CLI_NO_MEMORY;
  c->observes_groups = true;
  if (code == 0)
    code = cli_session_open(c, call->p, cli_threads(c), step_times_observe, out,
                            &s);
  c->observes_groups = false;
  for (int i = 0; code == 0 && i < STEP_RUNS; ++i) {
    memset(results, 0, (n_out + 1) * sizeof *results);
    if (n_out) memcpy(results, call->out, n_out * sizeof *results);
    begin_run(out);
    out->last = tenon_os_clock();
    code = cli_exit(tenon_session_run(s.session, call->entry, call->views,
                                      call->n_in, results, n_out));
    end_run(out);
  }
  if (out->failed) code = CLI_NO_MEMORY;
  cli_session_close(&s);
  if (code == 0) code = cli_timeline_save(c, call->p, c->trace, c->flame);
  cli_timeline_close(c);
  free(results);
  return code;
}

void bench_steps_free(bench_steps *s) {
  for (size_t i = 0; i < s->count; ++i) {
    free(s->data[i].op);
    free(s->data[i].kernel);
    free(s->data[i].where);
    free(s->data[i].node);
  }
  free(s->data);
  memset(s, 0, sizeof *s);
}
