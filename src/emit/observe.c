// How: where the results of a step lie, and its scratch, as a function for
// those who are told of each step. It exists only with the table of steps.
#include "emit/open.h"

static const char open_text[] =
    "#ifdef ^_STEP_TABLE\n"
    "const void *@_step_out(const @ *m, int32_t step, int32_t i, size_t *size) "
    "{\n"
    "  *size = 0;\n"
    "  (void)m;\n"
    "  (void)i;\n"
    "  switch (step) {\n";

static void put_result(tenon_emission *e, tenon_buf *out, uint32_t i,
                       const tenon_program_tensor *t) {
  tenon_buf_text(out, "      if (i == ");
  tenon_c_uint(out, i);
  tenon_buf_text(out, ") {\n        *size = ");
  tenon_emit_bytes(out, t);
  tenon_buf_text(out, ";\n        return ");
  tenon_emit_address(e, out, t);
  tenon_buf_text(out, ";\n      }\n");
}

static void put_case(tenon_buf *out, uint32_t index) {
  tenon_buf_text(out, "    case ");
  tenon_c_uint(out, index);
  tenon_buf_text(out, ":\n");
}

static void put_scratch(tenon_emission *e, tenon_buf *out,
                        const tenon_step *step) {
  tenon_buf_text(out, "      if (i == -1) {\n        *size = ");
  tenon_c_uint(out, step->scratch_size);
  tenon_buf_text(out, ";\n        return ");
  tenon_emit_memory_at(e, out, step->scratch, false);
  tenon_buf_text(out, ";\n      }\n");
}

static void put_step(tenon_emission *e, tenon_buf *out, uint32_t index) {
  const tenon_step *step = &e->p->steps[index];
  bool is_open = step->scratch_size > 0;
  if (is_open) put_case(out, index);
  if (is_open) put_scratch(e, out, step);
  for (uint32_t i = 0; i < step->n_out; ++i) {
    uint32_t operand = e->p->operands[step->out + i];
    const tenon_program_tensor *t =
        operand == TENON_NO_INDEX ? NULL : &e->p->tensors[operand];
    if (!t || t->slot.place == TENON_IN_NOTHING || t->size == 0) continue;
    if (!is_open) put_case(out, index);
    is_open = true;
    put_result(e, out, i, t);
  }
  if (is_open) tenon_buf_text(out, "      break;\n");
}

void tenon_emit_step_results(tenon_emission *e, tenon_buf *out) {
  if (e->p->n_steps == 0) return;
  tenon_emit_text(e, out, open_text);
  for (uint32_t i = 0; i < e->p->n_steps; ++i)
    put_step(e, out, i);
  tenon_buf_text(out,
                 "    default:\n      break;\n  }\n  return NULL;\n}\n"
                 "#endif\n\n");
}
