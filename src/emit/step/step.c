// How: one function per step, which calls the kernel (invoke.c). It is kept
// from being inlined into its block: stack stays small, profiles show steps,
// and the compiler does not reason about two uses of one piece of the arena at
// once.

#include "emit/step/open.h"
#include "emit/text/text_parts.h"

// Kernels may ask more of a constant than its type's alignment.
static void note_alignment(tenon_emission *e, const tenon_step *step) {
  uint32_t align = e->p->kernels[step->kernel].desc->align;
  for (uint32_t i = 0; align > 1 && i < step->n_in; ++i) {
    uint32_t index = e->p->operands[step->in + i];
    if (index == TENON_NO_INDEX) continue;
    const tenon_slot *slot = &e->p->tensors[index].slot;
    if (slot->place == TENON_IN_CONSTANT && align > e->alignments[slot->index])
      e->alignments[slot->index] = align;
  }
}

// --- the function -----------------------------------------------------------

static void step_put_signature(const tenon_emission *e, tenon_buf *out,
                               uint32_t index, bool can_fail) {
  tenon_emit_put(e, out, "TENON_STEP $@_step$(@$$",
                 can_fail ? "tenon_status " : "void ", index,
                 can_fail ? " *m, tenon_fault *fault" : " *m",
                 e->groups[index] ? ", int64_t begin, int64_t end)" : ")");
}

static void step_put_head(tenon_emission *e, tenon_buf *out, uint32_t index,
                          const tenon_step *step, bool can_fail) {
  tenon_put(out, "// $", tenon_as_c_comment(step->op));
  if (step->macs) {
    tenon_put(out, ", $ multiply-accumulates", step->macs);
  }
  size_t before = out->size;
  tenon_buf_text(out, "\n// ");
  size_t start = out->size;
  tenon_emit_place(e, out, step->place, "\n// from ");
  if (out->size == start && !out->failed) out->size = before;  // nothing known
  tenon_buf_char(out, '\n');
  step_put_signature(e, out, index, can_fail);
  tenon_buf_text(out, " {\n");
  // All that it touches may lie in other memories.
  if (e->p->n_banks) tenon_buf_text(out, "  (void)m;\n");
}

static bool step_has_word(const tenon_buf *text, const char *word) {
  tenon_c_scan s = {text->data, text->data + text->size, true};
  for (tenon_c_token t = tenon_c_next(&s, false); t.kind;
       t = tenon_c_next(&s, false))
    if (t.kind == 'a' && tenon_text_is(t.text, word)) return true;
  return false;
}

// In front of what is there, which ends in a return.
static void put_unused(tenon_buf *body) {
  static const char unused[] = "  (void)fault;\n";
  size_t size = body->size, n = sizeof unused - 1;
  tenon_buf_text(body, unused);
  if (body->failed) return;
  memmove(body->data + n, body->data, size);
  memcpy(body->data, unused, n);
}

// What a step refers to at file level is declared in front of it as its text
// grows, so that is collected apart.
static tenon_status step_put_step(tenon_emission *e, uint32_t index) {
  const tenon_step *step = &e->p->steps[index];
  tenon_status status = TENON_OK;
  bool can_fail = tenon_emit_step_fails(e, step);
  uint8_t way = e->ways[step->kernel];
  tenon_buf body;
  tenon_buf_init(&body, e->allocator);
  note_alignment(e, step);
  if (tenon_program_cold(e->p, step)) {
    tenon_emit_hydration(e, &body, step);
  } else if (way == TENON_WAY_TEMPLATE || way == TENON_WAY_CALLBACK) {
    tenon_emit_zeros(e, &body, step);
    status = tenon_emit_expansion(e, &body, step);
  } else {
    status = tenon_emit_call(e, &body, step);
  }
  if (body.data && !body.failed && !strstr(body.data, "m->") &&
      !strstr(body.data, "(m, "))
    tenon_buf_text(&body, "  (void)m;\n");
  if (can_fail && body.data && !body.failed && !step_has_word(&body, "fault"))
    put_unused(&body);
  tenon_buf *out = &e->steps_text;
  size_t n = out->size;
  if (n > 1 && !out->failed && out->data[n - 2] != '\n')
    tenon_buf_char(out, '\n');  // behind what was declared
  step_put_head(e, out, index, step, can_fail);
  if (body.failed) out->failed = true;
  if (body.data) tenon_buf_add(out, body.data, body.size);
  tenon_buf_text(out, "}\n\n");
  tenon_buf_deinit(&body);
  return status;
}

void tenon_emit_step_prototypes(const tenon_emission *e, tenon_buf *out) {
  for (uint32_t i = 0; i < e->p->n_steps; ++i) {
    const tenon_step *step = &e->p->steps[i];
    if (step->kind != TENON_STEP_KERNEL) continue;
    const char *loop = tenon_emit_loop_name(e, i);
    if (loop)
      tenon_buf_format(out, "TENON_STEP void %s(%s *m);\n", loop, e->prefix);
    if (tenon_emit_is_looped(e, i)) continue;
    step_put_signature(e, out, i, tenon_emit_step_fails(e, step));
    tenon_buf_text(out, ";\n");
  }
  tenon_buf_char(out, '\n');
}

tenon_status tenon_emit_steps(tenon_emission *e) {
  tenon_status status = TENON_OK;
  TENON_TRY(tenon_emit_find_groups(e));
  TENON_TRY(tenon_emit_share_calls(e));
  TENON_TRY(tenon_emit_find_loops(e));
  e->can_fail = e->p->n_numbers > 0;
  for (uint32_t i = 0; i < e->p->n_steps; ++i) {
    bool can_fail = tenon_emit_step_fails(e, &e->p->steps[i]);
    e->can_fail |= can_fail;
    if (e->p->steps[i].kind != TENON_STEP_KERNEL) continue;
    e->can_stop |= can_fail;
    tenon_status one = tenon_emit_is_looped(e, i) ? tenon_emit_put_loop(e, i)
                                                  : step_put_step(e, i);
    if (one == TENON_NO_MEMORY) return one;
    if (status == TENON_OK) status = one;
  }
  return status;
}
