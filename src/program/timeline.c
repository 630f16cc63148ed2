// How: complete events ("X") for runs, steps and pieces, on the row of their
// thread, where the nesting of times is that of loops and pieces. On a row of
// their own the modules of the source: pairs of events ("B", "E"), a module
// being open from its first step until a step that is not in it.
#include "program/timeline.h"
#include "base/put.h"

#include <string.h>

#include "core/loc.h"

// --- events -----------------------------------------------------------------

typedef struct writer {
  const struct tenon_program *p;
  const tenon_timeline *t;
  tenon_buf *out;
  uint64_t zero;  // when the first event began
  uint32_t threads;
} writer;

// Microseconds from the beginning, to the nanosecond.
static void put_time(writer *w, const char *key, uint64_t ns) {
  tenon_buf_format(w->out, ", \"%s\": %llu.%03u", key,
                   (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
}

static void timeline_put_head(writer *w, const char *phase, uint32_t row) {
  tenon_put_json(w->out, ",\n{'ph': $, 'pid': 1, 'tid': $", phase, row);
}

static void timeline_put_string(writer *w, const char *key, const char *text) {
  tenon_put_json(w->out, ", $: $", key, text ? text : "");
}

static void timeline_put_row(writer *w, uint32_t row, const char *name,
                             uint32_t n) {
  timeline_put_head(w, "M", row);
  tenon_buf_format(
      w->out, ", \"name\": \"thread_name\", \"args\": {\"name\": \"%s", name);
  if (n) tenon_buf_format(w->out, " %u", (unsigned)n);
  tenon_buf_text(w->out, "\"}}");
  timeline_put_head(w, "M", row);
  tenon_put_json(
      w->out, ", 'name': 'thread_sort_index', 'args': {'sort_index': $}}", row);
}

// Row 0 is that of modules; threads follow.
static void put_event(writer *w, const tenon_timeline_event *e) {
  tenon_step_about about = {.struct_size = sizeof about};
  timeline_put_head(w, "X", e->thread + 1);
  put_time(w, "ts", e->begin - w->zero);
  put_time(w, "dur", e->end - e->begin);
  if (e->kind == TENON_EVENT_RUN) {
    tenon_put_json(w->out, ", 'cat': 'run', 'name': 'run $', 'args': {}}",
                   e->run);
    return;
  }
  (void)tenon_program_about_step(w->p, e->step, &about);
  tenon_put_json(w->out,
                 ", 'name': $, 'cat': $, 'args': {'step': $, 'run': $, 'op': "
                 "$, 'kernel': $",
                 tenon_timeline_node(w->p, e->step),
                 e->kind == TENON_EVENT_PIECE ? "piece" : about.op, e->step,
                 e->run, about.op, about.kernel);
  if (e->kind == TENON_EVENT_STEP) {
    double ns = (double)(e->end - e->begin);
    tenon_put_json(w->out, ", 'macs': $, 'bytes': $", e->macs, e->bytes);
    if (e->end > e->begin)
      tenon_buf_format(w->out, ", \"GMAC/s\": %.3f, \"GB/s\": %.3f",
                       (double)e->macs / ns, (double)e->bytes / ns);
    tenon_put_json(w->out, ", 'place': $", about.place->where);
    if (about.place->origin)
      timeline_put_string(w, "origin", about.place->origin);
  }
  tenon_buf_text(w->out, "}}");
}

// --- modules ----------------------------------------------------------------

static void open_module(writer *w, tenon_text name, uint64_t at) {
  tenon_buf text;
  tenon_buf_init(&text, w->out->allocator);
  tenon_buf_add(&text, name.data, name.size);
  timeline_put_head(w, "B", 0);
  put_time(w, "ts", at - w->zero);
  tenon_put_json(w->out, ", 'cat': 'module', 'name': $}",
                 text.failed ? "" : text.data);
  if (text.failed) w->out->failed = true;
  tenon_buf_deinit(&text);
}

static void close_modules(writer *w, size_t n, uint64_t at) {
  while (n-- > 0) {
    timeline_put_head(w, "E", 0);
    put_time(w, "ts", at - w->zero);
    tenon_buf_text(w->out, "}");
  }
}

static size_t count_parts(tenon_text path) {
  tenon_text part;
  size_t n = 0;
  while (tenon_text_next(&path, '.', &part))
    ++n;
  return n;
}

// Parts that both paths begin with.
static size_t count_common(tenon_text a, tenon_text b) {
  tenon_text x, y;
  size_t n = 0;
  while (tenon_text_next(&a, '.', &x) && tenon_text_next(&b, '.', &y) &&
         x.size == y.size && memcmp(x.data, y.data, x.size) == 0)
    ++n;
  return n;
}

// Of the steps that kernels compute; what has steps in it is no leaf.
static void put_modules(writer *w) {
  tenon_text path = {"", 0};
  uint64_t end = 0;
  uint32_t run = 0;
  for (size_t i = 0; i < w->t->count; ++i) {
    const tenon_timeline_event *e = &w->t->events[i];
    if (e->kind != TENON_EVENT_STEP ||
        w->p->steps[e->step].kind != TENON_STEP_KERNEL)
      continue;
    tenon_text next = tenon_place_module(w->p->steps[e->step].place, NULL);
    size_t common = e->run == run ? count_common(path, next) : 0, at = 0;
    close_modules(w, count_parts(path) - common, end);
    for (tenon_text rest = next, part; tenon_text_next(&rest, '.', &part); ++at)
      if (at >= common) open_module(w, part, e->begin);
    path = next;
    end = e->end;
    run = e->run;
  }
  close_modules(w, count_parts(path), end);
}

static void timeline_put_json(writer *w) {
  const tenon_timeline *t = w->t;
  for (size_t i = 0; i < t->count; ++i) {
    const tenon_timeline_event *e = &t->events[i];
    if (i == 0 || e->begin < w->zero) w->zero = e->begin;
    if (e->thread >= w->threads) w->threads = e->thread + 1;
  }
  tenon_buf_format(w->out,
                   "{\"displayTimeUnit\": \"ns\",\n\"otherData\": "
                   "{\"writer\": \"tenon " TENON_VERSION
                   "\", \"dropped\": %llu},\n\"traceEvents\": [\n{\"ph\": "
                   "\"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": "
                   "{\"name\": ",
                   (unsigned long long)t->dropped);
  tenon_put_json(w->out, "$}}", w->p->name);
  timeline_put_row(w, 0, "modules", 0);
  for (uint32_t i = 0; i < w->threads; ++i)
    timeline_put_row(w, i + 1, "thread", i);
  put_modules(w);
  for (size_t i = 0; i < t->count; ++i)
    put_event(w, &t->events[i]);
  tenon_buf_text(w->out, "\n]}\n");
}

tenon_status tenon_timeline_print(const tenon_program *p,
                                  const tenon_timeline *timeline,
                                  uint32_t format, tenon_write_fn *write,
                                  void *self) {
  tenon_buf out;
  writer w = {p, timeline, &out, 0, 1};
  for (size_t i = 0; i < timeline->count; ++i) {
    const tenon_timeline_event *e = &timeline->events[i];
    if (e->end < e->begin ||
        (e->kind != TENON_EVENT_RUN && e->step >= p->n_steps))
      return tenon_fail(&p->report, TENON_BAD_ARGUMENT, "timeline-event", NULL,
                        "event %zu of a timeline is of step %u, from %llu to "
                        "%llu; '%s' has %u steps",
                        i, (unsigned)e->step, (unsigned long long)e->begin,
                        (unsigned long long)e->end, p->name,
                        (unsigned)p->n_steps);
  }
  if (format != TENON_FORMAT_TEXT && format != TENON_FORMAT_JSON &&
      format != TENON_FORMAT_SVG)
    return tenon_fail(&p->report, TENON_BAD_ARGUMENT, "timeline-format", NULL,
                      "a timeline is printed as text, JSON or SVG");
  tenon_buf_init(&out, p->arena.allocator);
  if (format == TENON_FORMAT_JSON)
    timeline_put_json(&w);
  else if (format == TENON_FORMAT_TEXT)
    tenon_timeline_stacks(p, timeline, &out);
  else
    tenon_timeline_flame(p, timeline, &out);
  tenon_status status =
      out.failed ? tenon_fail_memory(&p->report, "printing a timeline")
                 : write(self, NULL, out.data ? out.data : "", out.size);
  tenon_buf_deinit(&out);
  return status;
}
