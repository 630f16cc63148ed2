// How: one function per step, which builds the call on its stack from constants
// and the instance's memory and calls the kernel. It is kept from being inlined
// into its block: stack stays small, profiles show steps, and the compiler does
// not reason about two uses of one piece of the arena at once.
#include <string.h>

#include "core/dtype.h"
#include "emit/idents.h"
#include "emit/open.h"
#include "emit/text_parts.h"

bool tenon_emit_step_fails(const tenon_emission *e, const tenon_step *step) {
  if (step->kind != TENON_STEP_KERNEL || step->n_decided > 0 ||
      tenon_program_cold(e->p, step))
    return true;
  uint8_t way = e->ways[step->kernel];
  return (way == TENON_WAY_SOURCE || way == TENON_WAY_EXTERN) &&
         !(e->p->kernels[step->kernel].desc->flags & TENON_KERNEL_NOFAIL);
}

// --- parts of a call --------------------------------------------------------

// The next member of an initialiser, in lines that are not too long. `line` is
// where the present one began.
static void put_member(tenon_buf *out, size_t *line, const char *indent,
                       const char *name) {
  bool is_first = out->size == *line;
  bool is_long = out->size - *line > 56;
  if (!is_first) tenon_buf_char(out, ',');
  if (is_long) {
    tenon_buf_text(out, indent);
    *line = out->size;
  } else if (!is_first) {
    tenon_buf_char(out, ' ');
  }
  tenon_buf_char(out, '.');
  tenon_buf_text(out, name);
  tenon_buf_text(out, " = ");
}

static void put_tensor(tenon_emission *e, tenon_buf *out,
                       const tenon_program_tensor *t, uint32_t read) {
  const char *indent = "\n       ";
  tenon_buf_text(out, "      // ");
  tenon_emit_tensor_text(out, t);
  tenon_buf_text(out, "\n      {");
  size_t line = out->size;
  if (t->slot.place != TENON_IN_NOTHING && !tenon_program_is_source(e->p, t)) {
    bool is_constant = t->slot.place == TENON_IN_CONSTANT;
    put_member(out, &line, indent, "data");
    if (is_constant) tenon_buf_text(out, "TENON_DATA(");
    tenon_emit_address(e, out, t);
    if (is_constant) tenon_buf_char(out, ')');
  }
  if (t->rank && t->dims && (read & TENON_WORD_dims)) {
    put_member(out, &line, indent, "dims");
    tenon_emit_dims_of(e, out, t);
  }
  if (t->rank && t->strides && (read & TENON_WORD_strides)) {
    put_member(out, &line, indent, "strides");
    tenon_emit_ints(e, out, t->strides, t->rank);
  }
  if (t->quant && (read & TENON_WORD_quant)) {
    put_member(out, &line, indent, "quant");
    tenon_emit_quant(e, out, t->quant);
  }
  if (read & TENON_WORD_dtype) {
    put_member(out, &line, indent, "dtype");
    tenon_buf_text(out, tenon_c_dtype(t->dtype));
  }
  if (read & TENON_WORD_rank) {
    put_member(out, &line, indent, "rank");
    tenon_c_int(out, t->rank);
  }
  if (t->is_number && (read & TENON_WORD_flags)) {
    put_member(out, &line, indent, "flags");
    tenon_buf_text(out, "TENON_TENSOR_NUMBER");
  }
  if (out->size == line) tenon_buf_text(out, ".data = NULL");
}

static void put_tensors(tenon_emission *e, tenon_buf *out, const char *name,
                        const tenon_step *step, uint32_t first, uint32_t n) {
  static const tenon_program_tensor absent = {.name = ""};
  uint32_t read = e->reads[step->kernel].words;
  if (n == 0) return;
  tenon_buf_text(out, "  const tenon_tensor ");
  tenon_buf_text(out, name);
  tenon_buf_text(out, "[] = {\n");
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t index = e->p->operands[first + i];
    const tenon_program_tensor *t =
        index == TENON_NO_INDEX ? &absent : &e->p->tensors[index];
    put_tensor(e, out, t, read);
    tenon_buf_text(out, i + 1 < n ? "},\n" : "}};\n");
  }
}

// How many tensor arguments a kernel's `types` lists; 0 if it does not say.
static uint32_t count_arguments(const char *types) {
  uint32_t n = 1;
  if (!types) return 0;
  for (const char *p = types; *p && strncmp(p, "->", 2) != 0; ++p)
    n += *p == ',';
  return n;
}

static uint32_t count_results(const char *types) {
  const char *arrow = types ? strstr(types, "->") : NULL;
  return arrow ? count_arguments(arrow + 2) : 0;
}

// A group runs over arguments, and the program does not say how many there are.
// Behind the argument that owns the last tensor all entries are alike.
static void put_group(tenon_buf *out, const char *name, const uint16_t *group,
                      uint32_t n, uint32_t arguments) {
  uint32_t i = 0;
  if (!group) return;
  if (arguments == 0) arguments = n + 16;
  tenon_buf_text(out, "  static const uint16_t ");
  tenon_buf_text(out, name);
  tenon_buf_text(out, "[] = {0");
  for (uint32_t k = 1; k <= arguments; ++k) {
    if (group[i] < n) ++i;
    tenon_buf_text(out, ", ");
    tenon_c_uint(out, group[i]);
  }
  tenon_buf_text(out, "};\n");
}

// Operands and results that the kernel may look at.
static uint32_t count_in(const tenon_emission *e, const tenon_step *step) {
  uint32_t most = e->reads[step->kernel].in;
  return step->n_in < most ? step->n_in : most;
}
static uint32_t count_out(const tenon_emission *e, const tenon_step *step) {
  uint32_t most = e->reads[step->kernel].out;
  return step->n_out < most ? step->n_out : most;
}

static void put_call(tenon_emission *e, tenon_buf *out, const tenon_step *step,
                     const tenon_buf *attrs, bool can_fail) {
  uint32_t read = e->reads[step->kernel].words;
  const char *plain[] = {
      count_in(e, step) ? "in" : NULL, count_out(e, step) ? "out" : NULL,
      step->in_group && (read & TENON_WORD_in_group) ? "in_group" : NULL,
      step->out_group && (read & TENON_WORD_out_group) ? "out_group" : NULL,
      can_fail && (read & TENON_WORD_fault) ? "fault" : NULL};
  const char *indent = "\n      ";
  tenon_buf_text(out, "  const tenon_call c = {\n      ");
  size_t line = out->size;
  for (size_t i = 0; i < sizeof plain / sizeof *plain; ++i) {
    if (!plain[i]) continue;
    put_member(out, &line, indent, plain[i]);
    tenon_buf_text(out, plain[i]);
  }
  if (attrs->size) {
    put_member(out, &line, indent, "attrs");
    tenon_buf_add(out, attrs->data, attrs->size);
  }
  if (step->packed != TENON_NO_INDEX && (read & TENON_WORD_packed)) {
    put_member(out, &line, indent, "packed");
    tenon_emit_constant(e, out, step->packed, 0);
  }
  if (step->n_decided) {
    put_member(out, &line, indent, "sizes");
    tenon_buf_text(out, "sizes");
  }
  if (step->scratch_size && (read & TENON_WORD_scratch)) {
    put_member(out, &line, indent, "scratch");
    tenon_emit_memory_at(e, out, step->scratch, false);
  }
  if (read & TENON_WORD_n_in) {
    put_member(out, &line, indent, "n_in");
    tenon_c_uint(out, step->n_in);
  }
  if (read & TENON_WORD_n_out) {
    put_member(out, &line, indent, "n_out");
    tenon_c_uint(out, step->n_out);
  }
  if (out->size == line) tenon_buf_text(out, ".in = NULL");
  tenon_buf_text(out, "};\n");
}

static tenon_status put_invocation(tenon_emission *e, tenon_buf *out,
                                   const tenon_step *step, bool can_fail) {
  const tenon_program_kernel *k = &e->p->kernels[step->kernel];
  bool finds = step->n_decided > 0 && !step->is_measured;
  tenon_buf_text(out, finds      ? "  status = "
                      : can_fail ? "  return "
                                 : "  (void)");
  if (k->desc->run_range || k->desc->items) {
    e->has_ranges = true;
    tenon_buf_text(out, e->macro);
    tenon_buf_text(out, "_SPLIT(m, ");
    tenon_buf_text(out, k->symbol);
    tenon_buf_text(out, ", &c, ");
    TENON_TRY(tenon_emit_items(e, out, step));
    tenon_buf_format(out, ", %u);\n",
                     k->desc->grain > 1 ? (unsigned)k->desc->grain : 1u);
  } else {
    tenon_buf_text(out, k->symbol);
    tenon_buf_text(out, "(&c);\n");
  }
  if (finds) {
    tenon_emit_found(e, out, (uint32_t)(step - e->p->steps));
    tenon_buf_text(out, "  return status;\n");
  }
  return TENON_OK;
}

// Outputs that the kernel wants to find zero.
static void put_zeros(tenon_emission *e, tenon_buf *out,
                      const tenon_step *step) {
  if (!(e->p->kernels[step->kernel].desc->flags & TENON_KERNEL_ZERO_OUT))
    return;
  for (uint32_t i = 0; i < step->n_out; ++i) {
    uint32_t index = e->p->operands[step->out + i];
    if (index == TENON_NO_INDEX || e->p->tensors[index].size == 0) continue;
    tenon_buf_text(out, "  (void)memset(");
    tenon_emit_address(e, out, &e->p->tensors[index]);
    tenon_buf_format(out, ", 0, %llu);\n",
                     (unsigned long long)e->p->tensors[index].size);
  }
}

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

static void put_signature(const tenon_emission *e, tenon_buf *out,
                          uint32_t index, bool can_fail) {
  tenon_buf_text(out, "TENON_STEP ");
  tenon_buf_text(out, can_fail ? "tenon_status " : "void ");
  tenon_buf_text(out, e->prefix);
  tenon_buf_format(out, "_step%u(", (unsigned)index);
  tenon_buf_text(out, e->prefix);
  tenon_buf_text(out, can_fail ? " *m, tenon_fault *fault)" : " *m)");
}

static void put_head(tenon_emission *e, tenon_buf *out, uint32_t index,
                     const tenon_step *step, bool can_fail) {
  tenon_buf_text(out, "// ");
  tenon_c_comment(out, step->op);
  if (step->macs) {
    tenon_buf_text(out, ", ");
    tenon_c_uint(out, step->macs);
    tenon_buf_text(out, " multiply-accumulates");
  }
  size_t before = out->size;
  tenon_buf_text(out, "\n// ");
  size_t start = out->size;
  tenon_emit_place(e, out, step->place, "\n// from ");
  if (out->size == start && !out->failed) out->size = before;  // nothing known
  tenon_buf_char(out, '\n');
  put_signature(e, out, index, can_fail);
  tenon_buf_text(out, " {\n");
  // All that it touches may lie in other memories.
  if (e->p->n_banks) tenon_buf_text(out, "  (void)m;\n");
}

// The sizes are found out first; the results are then made for these.
static tenon_status put_measured(tenon_emission *e, tenon_buf *out,
                                 const tenon_step *step,
                                 const tenon_buf *attrs) {
  const tenon_program_kernel *k = &e->p->kernels[step->kernel];
  const char *const parts[] = {k->symbol, "_measure", NULL};
  const char *function = tenon_ident_join(&e->arena, parts);
  if (!function) return tenon_emission_memory(e);
  if (!tenon_emit_has_word(e, function))
    return tenon_fail(e->report, TENON_UNSUPPORTED, "emit-open-kernel",
                      step->place,
                      "'%s': kernel '%s' of plugin '%s' measures its result "
                      "first, and its text has no function '%s'",
                      step->op, k->symbol, k->owner, function);
  tenon_buf_text(out, "  {\n");
  put_tensors(e, out, "out", step, step->out, count_out(e, step));
  put_call(e, out, step, attrs, true);
  tenon_buf_format(out, "  status = %s(&c);\n  }\n", function);
  tenon_emit_found(e, out, (uint32_t)(step - e->p->steps));
  tenon_buf_text(out, "  if (status != TENON_OK) return status;\n");
  return TENON_OK;
}

static tenon_status put_kernel_call(tenon_emission *e, tenon_buf *out,
                                    const tenon_step *step, bool can_fail) {
  const char *listed = e->p->kernels[step->kernel].desc->types;
  tenon_buf attrs;
  tenon_buf_init(&attrs, e->allocator);
  if (step->n_decided)
    tenon_buf_format(out,
                     "  int64_t sizes[%u] = {0};\n  tenon_status "
                     "status;\n",
                     (unsigned)step->n_decided);
  uint32_t read = e->reads[step->kernel].words;
  if (read & TENON_WORD_attrs) (void)tenon_emit_attrs(e, &attrs, step);
  put_tensors(e, out, "in", step, step->in, count_in(e, step));
  if (read & TENON_WORD_in_group)
    put_group(out, "in_group", step->in_group, step->n_in,
              count_arguments(listed));
  if (read & TENON_WORD_out_group)
    put_group(out, "out_group", step->out_group, step->n_out,
              count_results(listed));
  tenon_status status = TENON_OK;
  if (step->is_measured) status = put_measured(e, out, step, &attrs);
  put_tensors(e, out, "out", step, step->out, count_out(e, step));
  put_call(e, out, step, &attrs, can_fail);
  put_zeros(e, out, step);
  if (status == TENON_OK) status = put_invocation(e, out, step, can_fail);
  if (attrs.failed) out->failed = true;
  tenon_buf_deinit(&attrs);
  return status;
}

static bool has_word(const tenon_buf *text, const char *word) {
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
static tenon_status put_step(tenon_emission *e, uint32_t index) {
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
    put_zeros(e, &body, step);
    status = tenon_emit_expansion(e, &body, step);
  } else {
    status = put_kernel_call(e, &body, step, can_fail);
  }
  if (body.data && !body.failed && !strstr(body.data, "m->") &&
      !strstr(body.data, "(m, "))
    tenon_buf_text(&body, "  (void)m;\n");
  if (can_fail && body.data && !body.failed && !has_word(&body, "fault"))
    put_unused(&body);
  tenon_buf *out = &e->steps_text;
  size_t n = out->size;
  if (n > 1 && !out->failed && out->data[n - 2] != '\n')
    tenon_buf_char(out, '\n');  // behind what was declared
  put_head(e, out, index, step, can_fail);
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
    put_signature(e, out, i, tenon_emit_step_fails(e, step));
    tenon_buf_text(out, ";\n");
  }
  tenon_buf_char(out, '\n');
}

tenon_status tenon_emit_steps(tenon_emission *e) {
  tenon_status status = TENON_OK;
  e->can_fail = e->p->n_numbers > 0;
  for (uint32_t i = 0; i < e->p->n_steps; ++i) {
    bool can_fail = tenon_emit_step_fails(e, &e->p->steps[i]);
    e->can_fail |= can_fail;
    if (e->p->steps[i].kind != TENON_STEP_KERNEL) continue;
    e->can_stop |= can_fail;
    tenon_status one = put_step(e, i);
    if (one == TENON_NO_MEMORY) return one;
    if (status == TENON_OK) status = one;
  }
  return status;
}
