// exec/direct.c - see direct.h.
#include "exec/direct.h"

// Of a group that is one piece its steps go one after the other, too.
static bool is_in_pieces(const tenon_step *step) {
  return step->joined > 1 && step->tile < step->rows;
}

static bool direct_can(const struct tenon_program *p, const tenon_step *step) {
  if (step->kind != TENON_STEP_KERNEL || step->kernel == TENON_NO_INDEX ||
      is_in_pieces(step) || step->is_open || step->is_measured ||
      step->n_decided > 0 || tenon_program_cold(p, step))
    return false;
  const tenon_kernel_desc *desc = p->kernels[step->kernel].desc;
  return desc->run_range && !(desc->flags & TENON_KERNEL_ZERO_OUT);
}

void tenon_direct_init(tenon_session *s) {
  const struct tenon_program *p = s->program;
  s->fault = (tenon_fault){NULL, {0, 0}};
  for (uint32_t i = 0; i < p->n_order; ++i) {
    const uint32_t index = p->order[i];
    const tenon_step *step = &p->steps[index];
    tenon_direct *d = &s->direct[i];
    *d = (tenon_direct){NULL, &s->calls[index], step->items};
    if (!direct_can(p, step)) continue;
    d->run = p->kernels[step->kernel].desc->run_range;
    s->calls[index].fault = &s->fault;
  }
}

tenon_status tenon_direct_failed(tenon_session *s, const tenon_step *step,
                                 tenon_status status) {
  const tenon_fault fault = s->fault;
  s->fault = (tenon_fault){NULL, {0, 0}};  // the next one may say nothing
  return tenon_session_explain(s, step, status, &fault);
}
