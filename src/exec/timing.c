// How: an event is written when what it tells of has ended. Those of pieces are
// taken before the threads begin, one for each, so that no two threads meet.
#include "exec/timing.h"

#include <string.h>

static tenon_timeline_event *timing_take(tenon_timeline *t, size_t n) {
  if (t->capacity - t->count < n) {
    t->dropped += n;
    return NULL;
  }
  tenon_timeline_event *e = &t->events[t->count];
  memset(e, 0, n * sizeof *e);
  t->count += n;
  return e;
}

static uint32_t present_run(const tenon_timeline *t) {
  return t->runs ? t->runs - 1 : 0;
}

// An operand that is read twice counts twice, as it is read.
static uint64_t timing_bytes_of(const tenon_session *s,
                                const tenon_step *step) {
  const tenon_program *p = s->program;
  uint64_t sum = 0;
  for (uint32_t k = 0; k < (uint32_t)step->n_in + step->n_out; ++k) {
    uint32_t at = k < step->n_in ? step->in + k : step->out + (k - step->n_in);
    if (p->operands[at] != TENON_NO_INDEX)
      sum += tenon_session_size(s, &p->tensors[p->operands[at]]);
  }
  if (step->packed != TENON_NO_INDEX) sum += p->constants[step->packed].size;
  return sum;
}

void tenon_timing_note(tenon_session *s, uint32_t index, uint64_t begin) {
  uint64_t end = tenon_os_clock(), took = end - begin;
  const tenon_step *step = &s->program->steps[index];
  uint64_t macs = tenon_session_macs(step, &s->calls[index]);
  if (s->counters) {
    tenon_step_counter *c = &s->counters[index];
    if (c->runs == 0 || took < c->least) c->least = took;
    ++c->runs;
    c->time += took;
    c->last = took;
    c->macs += macs;
  }
  tenon_timeline *t = s->timeline;
  tenon_timeline_event *e = t ? timing_take(t, 1) : NULL;
  if (e)
    *e = (tenon_timeline_event){
        TENON_EVENT_STEP,        present_run(t), index, 0, begin, end, macs,
        timing_bytes_of(s, step)};
}

tenon_timeline_event *tenon_timing_pieces(const tenon_session *s,
                                          const tenon_step *step, int64_t n) {
  tenon_timeline *t = s->timeline;
  tenon_timeline_event *e = t ? timing_take(t, (size_t)n) : NULL;
  for (int64_t i = 0; e && i < n; ++i) {
    e[i].kind = TENON_EVENT_PIECE;
    e[i].run = present_run(t);
    e[i].step = (uint32_t)(step - s->program->steps);
  }
  return e;
}

uint64_t tenon_timing_run(tenon_session *s) {
  if (!s->timeline) return 0;
  ++s->timeline->runs;
  return tenon_os_clock();
}

void tenon_timing_ran(tenon_session *s, uint64_t begin) {
  tenon_timeline *t = s->timeline;
  tenon_timeline_event *e = t ? timing_take(t, 1) : NULL;
  if (e) {
    e->kind = TENON_EVENT_RUN;
    e->run = present_run(t);
    e->begin = begin;
    e->end = tenon_os_clock();
  }
}
