// program/timeline_names.c - how timelines call steps and nodes.
#include <string.h>

#include "program/timeline.h"

bool tenon_program_about_step(const tenon_program *p, uint32_t step,
                              tenon_step_about *out) {
  tenon_step_about all = {.struct_size = out->struct_size, .step = step};
  if (step >= p->n_steps) return false;
  const tenon_step *s = &p->steps[step];
  uint32_t first = s->n_out ? p->operands[s->out] : TENON_NO_INDEX;
  all.op = s->op;
  all.kernel = s->kernel == TENON_NO_INDEX ? "" : p->kernels[s->kernel].symbol;
  all.node = first == TENON_NO_INDEX ? "" : p->tensors[first].name;
  all.place = s->place;
  all.macs = s->macs;
  size_t size = out->struct_size < sizeof all ? out->struct_size : sizeof all;
  memcpy(out, &all, size);
  return true;
}

const char *tenon_timeline_node(const struct tenon_program *p, uint32_t step) {
  tenon_step_about about = {.struct_size = sizeof about};
  if (!tenon_program_about_step(p, step, &about)) return "";
  return about.node[0]        ? about.node
         : about.place->where ? about.place->where
                              : about.op;
}

void tenon_timeline_name(tenon_buf *out, const char *text, size_t size) {
  tenon_buf whole;
  tenon_buf_init(&whole, out->allocator);
  tenon_buf_add(&whole, text, size);
  size_t from = out->size;
  if (!whole.failed) tenon_buf_shown(out, whole.data);
  for (size_t i = from; !out->failed && i < out->size; ++i)
    if (out->data[i] == ';') out->data[i] = ',';
  if (whole.failed) out->failed = true;
  tenon_buf_deinit(&whole);
}
