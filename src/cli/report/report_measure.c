// How: times are those of `tenon bench`. For accuracy the reference runs first
// and its values are kept, up to a limit; then the program runs, and each value
// is compared with that of the same name, place in the order of that name, type
// and shape.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/report/reporting.h"

#define MOST_KEPT ((size_t)1 << 30)

typedef struct measuring {
  cli_call call;
  cli_session session;
} measuring;

static void measured_close(measuring *m) {
  cli_session_close(&m->session);
  cli_call_close(&m->call);
}

static int measured_open(cli *c, const tenon_program *p,
                         tenon_observe_fn *observe, void *self, measuring *m) {
  memset(m, 0, sizeof *m);
  int code = cli_call_open(c, p, &m->call);
  if (code == 0) code = cli_call_fill(&m->call);
  if (code == 0)
    code = cli_session_open(c, p, cli_threads(c), observe, self, &m->session);
  return code ? code : cli_session_place(&m->session, &m->call);
}

// --- time -------------------------------------------------------------------

static json_t *steps_json(const bench_steps *s) {
  json_t *list = json_array();
  for (size_t i = 0; i < s->count; ++i) {
    const bench_step *row = &s->data[i];
    if (!row->op) continue;
    json_array_append_new(
        list,
        json_pack("{s:I,s:s,s:s,s:s,s:f,s:I}", "step", (json_int_t)i, "op",
                  row->op, "kernel", row->kernel, "node",
                  row->node[0] ? row->node : row->where, "microseconds",
                  (double)row->least / 1e3, "macs", (json_int_t)row->macs));
  }
  return list;
}

int report_time(cli *c, const tenon_program *p, json_t **out) {
  measuring m;
  bench_times times = {0};
  bench_steps steps = {0};
  cli_progress(c, "measuring time");
  int code = measured_open(c, p, NULL, NULL, &m);
  if (code == 0) code = bench_runs(m.session.session, &m.call, &times);
  if (code == 0) code = bench_measure_steps(&m.call, &steps);
  if (code == 0) {
    *out = json_pack(
        "{s:i,s:I,s:f,s:f,s:f,s:f,s:I,s:o}", "threads", cli_threads(c), "runs",
        (json_int_t)times.count, "min_us", (double)times.least / 1e3,
        "median_us", (double)times.median / 1e3, "p90_us",
        (double)times.p90 / 1e3, "p99_us", (double)times.p99 / 1e3, "macs",
        (json_int_t)steps.macs, "steps", steps_json(&steps));
    if (!*out) code = CLI_NO_MEMORY;
  }
  bench_steps_free(&steps);
  bench_times_free(&times);
  measured_close(&m);
  return code;
}

// --- accuracy ---------------------------------------------------------------

typedef struct value {
  char *name;
  uint32_t turn;  // how many of this name came before, in loops
  cli_tensor tensor;
} value;

typedef struct comparing {
  cli *c;
  value *kept;
  size_t n, bytes;
  size_t next;      // where the last was found
  bool is_first;    // keeps instead of comparing
  bool has_failed;  // out of memory
  json_t *nodes;
  size_t left;  // without a partner
} comparing;

static uint32_t turn_of(const comparing *k, const char *name) {
  for (size_t i = k->n; i-- > 0;)
    if (strcmp(k->kept[i].name, name) == 0) return k->kept[i].turn + 1;
  return 0;
}

static bool measured_keep(comparing *k, const char *name,
                          const tenon_tensor *t) {
  int64_t dims[TENON_MAX_RANK];
  size_t unit = tenon_element_bytes(t->dtype), size = tenon_count(t) * unit;
  if (unit == 0 || k->bytes + size > MOST_KEPT) return true;
  const uint32_t turn = turn_of(k, name);
  for (int i = 0; i < t->rank; ++i)
    dims[i] = t->dims[i];
  char *copy = strdup(name);
  value *v = copy ? (value *)cli_add(&k->kept, &k->n) : NULL;
  if (!v) {
    free(copy);
    return false;
  }
  v->name = copy;
  v->turn = turn;
  if (!cli_tensor_make(&v->tensor, t->dtype, dims, t->rank)) return false;
  if (size && t->data) memcpy(v->tensor.memory, t->data, size);
  k->bytes += size;
  return true;
}

// The next of that name, around from the last found: both run nearly alike.
static const value *measured_find(comparing *k, const char *name,
                                  const tenon_tensor *t) {
  for (size_t i = 0; i < k->n; ++i) {
    const value *v = &k->kept[(k->next + i) % k->n];
    const tenon_tensor *r = &v->tensor.view;
    if (strcmp(v->name, name) != 0 || r->dtype != t->dtype ||
        r->rank != t->rank)
      continue;
    if (t->rank && memcmp(r->dims, t->dims, sizeof *t->dims * t->rank) != 0)
      continue;
    k->next = (k->next + i + 1) % k->n;
    return v;
  }
  return NULL;
}

// Signal to noise in decibels; null where the reference is zero.
static json_t *difference(const char *name, const char *op,
                          const tenon_tensor *got, const tenon_tensor *want) {
  double signal = 0, noise = 0, most = 0, largest = 0;
  size_t n = tenon_count(want);
  bool equal = true, is_number = true;
  for (size_t i = 0; i < n; ++i) {
    double a = cli_element(got, i), b = cli_element(want, i), d = fabs(a - b);
    if ((isnan(a) && isnan(b)) || a == b) d = 0;
    equal &= d == 0;
    is_number &= isfinite(d);
    if (!isfinite(d)) continue;
    if (isfinite(b)) signal += b * b;
    if (isfinite(b) && fabs(b) > largest) largest = fabs(b);
    noise += d * d;
    if (d > most) most = d;
  }
  bool is_known = !equal && is_number && signal > 0 && noise > 0;
  return json_pack(
      "{s:s,s:s,s:b,s:o,s:f,s:f,s:I}", "name", name, "op", op, "equal", equal,
      "snr_db", is_known ? json_real(10 * log10(signal / noise)) : json_null(),
      "max_abs", most, "max_value", largest, "count", (json_int_t)n);
}

static tenon_status measured_observe(void *self, const tenon_step_info *info) {
  comparing *k = (comparing *)self;
  for (uint32_t i = 0; i < info->n_out; ++i) {
    const tenon_tensor *t = &info->out[i];
    const char *name = info->names[i] ? info->names[i] : "";
    if (!name[0] || !t->data || t->strides ||
        tenon_element_bytes(t->dtype) == 0 || t->dtype == TENON_C64 ||
        t->dtype == TENON_C128 || t->dtype == TENON_STR)
      continue;
    if (k->is_first) {
      k->has_failed |= !measured_keep(k, name, t);
      continue;
    }
    const value *v = measured_find(k, name, t);
    if (v)
      k->has_failed |=
          json_array_append_new(
              k->nodes, difference(name, info->op, t, &v->tensor.view)) != 0;
    else
      ++k->left;
  }
  return TENON_OK;
}

// The outputs of a run beside the files out<i>.npy of the case, those that are
// there.
static int compare_outputs(const cli_call *call, json_t *list) {
  cli *c = call->c;
  const char *folder = c->cases.count ? c->cases.data[0] : NULL;
  int code = 0;
  for (size_t i = 0; code == 0 && folder && i < call->n_out; ++i) {
    char name[32];
    cli_tensor want = {0};
    const tenon_tensor *got = &call->out[i];
    snprintf(name, sizeof name, "out%zu.npy", i);
    char *path = cli_join(folder, name);
    if (path && cli_is_file(path)) {
      if (!cli_npy_read(c, path, &want))
        code = cli_refused(c, TENON_BAD_INPUT);
      else if (!cli_tensor_fit(c, &want, &call->out_io[i]))
        code = TENON_BAD_INPUT;
      else if (tenon_count(&want.view) == tenon_count(got))
        json_array_append_new(
            list, difference(call->out_io[i].name, "", got, &want.view));
      cli_tensor_free(&want);
    }
    free(path);
  }
  return code;
}

static int measured_run_once(cli *c, const tenon_program *p, comparing *k,
                             json_t *outputs) {
  measuring m;
  int code = measured_open(c, p, measured_observe, k, &m);
  const cli_call *call = &m.call;
  if (code == 0)
    code =
        cli_exit(tenon_session_run(m.session.session, call->entry, call->views,
                                   call->n_in, call->out, call->n_out));
  if (code == 0 && k->has_failed) code = CLI_NO_MEMORY;
  if (code == 0 && outputs) code = compare_outputs(call, outputs);
  measured_close(&m);
  return code;
}

int report_accuracy(cli *c, const tenon_program *p,
                    const tenon_program *reference, json_t **out) {
  comparing k = {.c = c, .is_first = true, .nodes = json_array()};
  json_t *outputs = json_array();
  cli_progress(c, "comparing with the reference");
  int code = measured_run_once(c, reference, &k, NULL);
  k.is_first = false;
  // The list has moved while it grew, and views point into it.
  for (size_t i = 0; i < k.n; ++i)
    k.kept[i].tensor.view.dims = k.kept[i].tensor.dims;
  if (code == 0) code = measured_run_once(c, p, &k, outputs);
  if (code == 0) {
    *out = json_pack("{s:s,s:I,s:O,s:O}", "reference",
                     c->inexact ? "the reference kernels, without --inexact"
                                : "the reference kernels",
                     "left", (json_int_t)k.left, "nodes", k.nodes, "outputs",
                     outputs);
    if (!*out) code = CLI_NO_MEMORY;
  }
  for (size_t i = 0; i < k.n; ++i) {
    free(k.kept[i].name);
    cli_tensor_free(&k.kept[i].tensor);
  }
  free(k.kept);
  json_decref(k.nodes);
  json_decref(outputs);
  return code;
}
