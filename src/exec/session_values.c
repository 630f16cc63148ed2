// exec/session_values.c - where the values of a session lie, how large they are
// in this run, and what a step sees of them.

#include "core/dtype.h"
#include "exec/run_sizes.h"

void *tenon_session_data(const tenon_session *s,
                         const tenon_program_tensor *t) {
  switch (t->slot.place) {
    case TENON_IN_CONSTANT: {
      // Constants are never written: the tensor type has one pointer for both.
      const char *base =
          (const char *)s->program->constants[t->slot.index].data;
      return (void *)(uintptr_t)(base + t->slot.offset);
    }
    case TENON_IN_ARENA:
      if (s->sizes.spans && t->span)
        return s->arena + s->sizes.spans[t->span - 1].offset + t->span_offset;
      return s->arena + t->slot.offset;
    case TENON_IN_STATE:
      return s->state + t->slot.offset;
    case TENON_IN_CALLER: {
      unsigned char *base = s->ports[t->slot.index];
      return base ? base + t->slot.offset : NULL;
    }
    default:
      return NULL;
  }
}

uint64_t tenon_session_size(const tenon_session *s,
                            const tenon_program_tensor *t) {
  size_t size = 0;
  uint64_t count = 1;
  if (!t->sizes) return t->size;
  const int32_t *dims = s->sizes.dims + t->open_dims;
  for (int i = 0; i < t->rank; ++i)
    count *= (uint64_t)dims[i];
  return tenon_dtype_size(t->dtype, count, &size) ? size : 0;
}

void *tenon_session_scratch(const tenon_session *s, const tenon_step *step) {
  if (!step->scratch_size && !(s->sizes.spans && step->span)) return NULL;
  if (s->sizes.spans) {
    const tenon_span *span = &s->sizes.spans[step->span - 1];
    return span->size ? s->arena + span->offset : NULL;
  }
  return s->arena + step->scratch;
}

void tenon_session_address(tenon_session *s) {
  const tenon_program *p = s->program;
  for (uint32_t i = 0; i < p->n_operands; ++i)
    if (p->operands[i] != TENON_NO_INDEX)
      s->tensors[i].data = tenon_session_data(s, &p->tensors[p->operands[i]]);
  for (uint32_t i = 0; i < p->n_steps; ++i)
    s->calls[i].scratch = tenon_session_scratch(s, &p->steps[i]);
}

tenon_status tenon_sizes_tensor(tenon_session *s,
                                const tenon_program_tensor *t) {
  if (!t->sizes) return TENON_OK;
  int32_t *dims = s->sizes.dims + t->open_dims;
  for (int i = 0; i < t->rank; ++i) {
    tenon_known k = tenon_known_of(s->sizes.known, t->sizes[i]);
    // Not decided yet, and without a bound: measured before it is made.
    int64_t size = k.max == INT64_MAX && !k.is_exact ? 0 : k.max;
    if (size < 0 || size > INT32_MAX)
      return tenon_fail(
          &s->report, TENON_BAD_INPUT, "run-size", NULL,
          "these sizes make dimension %d of '%s', '%s', %lld", i, t->name,
          t->sizes[i].symbol ? s->program->numbers[t->sizes[i].symbol].name
                             : "",
          (long long)size);
    dims[i] = (int32_t)size;
  }
  return TENON_OK;
}

void tenon_sizes_attrs(tenon_session *s, const tenon_step *step) {
  const tenon_program *p = s->program;
  if (step->attrs == TENON_NO_INDEX || !s->sizes.attrs[step->attrs]) return;
  tenon_attrs_patch(p, &p->attrs[step->attrs], s->sizes.known,
                    s->sizes.attrs[step->attrs]);
}

tenon_call tenon_sizes_blank(tenon_session *s, const tenon_step *step) {
  const tenon_program *p = s->program;
  tenon_call c = s->calls[step - p->steps];
  tenon_tensor *blank = s->sizes.blank;
  for (uint32_t i = 0; i < (uint32_t)step->n_in + step->n_out; ++i) {
    uint32_t at = i < step->n_in ? step->in + i : step->out + i - step->n_in;
    uint32_t index = p->operands[at];
    blank[i] = s->tensors[at];
    if (index == TENON_NO_INDEX ||
        p->tensors[index].slot.place != TENON_IN_CONSTANT)
      blank[i].data = NULL;
  }
  c.in = blank;
  c.out = blank + step->n_in;
  c.scratch = NULL;
  return c;
}
