// How: what steps are, as a table, and where their results and scratch lie, as
// a function, for those who are told of each step. Both exist only where a
// macro asks for them.
#include "emit/step/open.h"

static const char open_text[] =
    "#ifdef ^_STEP_TABLE\n"
    "const void *@_step_out(const @ *m, int32_t step, int32_t i, size_t *size) "
    "{\n"
    "  *size = 0;\n"
    "  (void)m;\n"
    "  (void)i;\n"
    "  switch (step) {\n";

static void observe_put_result(tenon_emission *e, tenon_buf *out, uint32_t i,
                               const tenon_program_tensor *t) {
  tenon_put(out,
            "      if (i == $) {\n"
            "        *size = $;\n"
            "        return $;\n"
            "      }\n",
            i, tenon_as_bytes(t), tenon_as_address(e, t));
}

static void put_case(tenon_buf *out, uint32_t index) {
  tenon_put(out, "    case $:\n", index);
}

static void observe_put_scratch(tenon_emission *e, tenon_buf *out,
                                const tenon_step *step) {
  tenon_put(out,
            "      if (i == -1) {\n"
            "        *size = $;\n"
            "        return ",
            step->scratch_size);
  tenon_emit_memory_at(e, out, step->scratch, false);
  tenon_buf_text(out, ";\n      }\n");
}

static void observe_put_step(tenon_emission *e, tenon_buf *out,
                             uint32_t index) {
  const tenon_step *step = &e->p->steps[index];
  bool is_open = step->scratch_size > 0;
  if (is_open) put_case(out, index);
  if (is_open) observe_put_scratch(e, out, step);
  for (uint32_t i = 0; i < step->n_out; ++i) {
    uint32_t operand = e->p->operands[step->out + i];
    const tenon_program_tensor *t =
        operand == TENON_NO_INDEX ? NULL : &e->p->tensors[operand];
    if (!t || t->slot.place == TENON_IN_NOTHING || t->size == 0) continue;
    if (!is_open) put_case(out, index);
    is_open = true;
    observe_put_result(e, out, i, t);
  }
  if (is_open) tenon_buf_text(out, "      break;\n");
}

static void observe_put_results(tenon_emission *e, tenon_buf *out) {
  if (e->p->n_steps == 0) return;
  tenon_emit_text(e, out, open_text);
  for (uint32_t i = 0; i < e->p->n_steps; ++i)
    observe_put_step(e, out, i);
  tenon_buf_text(out,
                 "    default:\n      break;\n  }\n  return NULL;\n}\n"
                 "#endif\n\n");
}

static void put_table(const tenon_emission *e, tenon_buf *out) {
  if (e->p->n_steps == 0) return;
  tenon_emit_text(e, out,
                  "#ifdef ^_STEP_TABLE\n"
                  "const @_step @_steps[^_STEPS] = {\n");
  for (uint32_t i = 0; i < e->p->n_steps; ++i) {
    const tenon_step *step = &e->p->steps[i];
    tenon_buf origin;
    tenon_buf_init(&origin, e->allocator);
    tenon_emit_place(e, &origin, step->place, "; ");
    if (origin.failed) out->failed = true;
    tenon_put(out, "    {$, $,\n     $, $},\n", tenon_as_c_string(step->op),
              tenon_as_c_string(step->kernel == TENON_NO_INDEX
                                    ? ""
                                    : e->p->kernels[step->kernel].symbol),
              tenon_as_c_string(origin.data ? origin.data : ""), step->macs);
    tenon_buf_deinit(&origin);
  }
  tenon_buf_text(out, "};\n#endif\n\n");
}

void tenon_emit_origins(tenon_emission *e, tenon_buf *out) {
  put_table(e, out);
  observe_put_results(e, out);
}
