// How: a block is a function that calls its steps in order; conditions and
// loops are the C statements of that name around calls of other blocks. What a
// user asked to be told of a step is a macro behind each.
#include "base/text.h"
#include "emit/emission.h"

static void put_signature(const tenon_emission *e, tenon_buf *out,
                          uint32_t block) {
  tenon_emit_put(
      e, out, "$@_block$$",
      e->can_fail ? "static tenon_status " : "static void ", block,
      tenon_as_marked(e->can_fail ? "(@ *m, tenon_fault *fault)" : "(@ *m)"));
}

static void put_block_call(const tenon_emission *e, tenon_buf *out,
                           uint32_t block, const char *indent) {
  tenon_emit_put(e, out, "$status = @_block$(m, fault);\n", indent, block);
}

static void put_return(tenon_buf *out, const char *indent) {
  tenon_put(out, "$if (status != TENON_OK) return status;\n", indent);
}

// The boolean operand of a condition or a loop, as an expression.
static void put_flag(tenon_emission *e, tenon_buf *out,
                     const tenon_step *step) {
  uint32_t index = step->n_in ? e->p->operands[step->in] : TENON_NO_INDEX;
  if (index == TENON_NO_INDEX) {
    tenon_buf_text(out, "false");
    return;
  }
  tenon_put(out, "*(const uint8_t *)(const void *)($) != 0",
            tenon_as_address(e, &e->p->tensors[index]));
}

static void put_cond(tenon_emission *e, tenon_buf *out,
                     const tenon_step *step) {
  tenon_buf_text(out, "  if (");
  put_flag(e, out, step);
  tenon_buf_text(out, ") {\n");
  put_block_call(e, out, step->blocks[0], "    ");
  tenon_buf_text(out, "  } else {\n");
  put_block_call(e, out, step->blocks[1], "    ");
  tenon_buf_text(out, "  }\n");
  put_return(out, "  ");
}

static void put_while(tenon_emission *e, tenon_buf *out,
                      const tenon_step *step) {
  tenon_buf_text(out, "  for (;;) {\n");
  put_block_call(e, out, step->blocks[0], "    ");
  put_return(out, "    ");
  tenon_buf_text(out, "    if (!(");
  put_flag(e, out, step);
  tenon_buf_text(out, ")) break;\n");
  put_block_call(e, out, step->blocks[1], "    ");
  put_return(out, "    ");
  tenon_buf_text(out, "  }\n");
}

static void put_kernel(tenon_emission *e, tenon_buf *out, uint32_t index,
                       const tenon_step *step) {
  bool can_fail = tenon_emit_step_fails(e, step);
  tenon_emit_put(e, out, "$@_step$$", can_fail ? "  status = " : "  ", index,
                 can_fail ? "(m, fault" : "(m");
  if (e->groups[index])
    tenon_buf_format(out, ", 0, %lld", (long long)tenon_emit_count(e, step));
  tenon_buf_text(out, ");\n");
  if (!can_fail) return;
  tenon_emit_put(e, out,
                 "  if (status != TENON_OK) return @_stop(m, $, status);\n",
                 index);
}

static void block_put_step(tenon_emission *e, tenon_buf *out, uint32_t index) {
  const tenon_step *step = &e->p->steps[index];
  const tenon_emit_group *group = e->groups[index];
  if (group && group->order[0] == index) tenon_emit_group_call(e, out, group);
  const char *loop = tenon_emit_loop_name(e, index);
  if (loop) tenon_buf_format(out, "  %s(m);\n", loop);
  if (tenon_emit_is_looped(e, index)) return;
  tenon_emit_put(e, out, "  ^_BEFORE(m, $);\n", index);
  if (step->kind == TENON_STEP_KERNEL) {
    put_kernel(e, out, index, step);
  } else if (step->kind == TENON_STEP_COND) {
    put_cond(e, out, step);
  } else if (step->kind == TENON_STEP_WHILE) {
    put_while(e, out, step);
  } else {
    put_block_call(e, out, step->blocks[0], "  ");
    put_return(out, "  ");
  }
  tenon_emit_put(
      e, out, "  ^_BEHIND(m, $, $);\n$", index, tenon_as_c_string(step->op),
      group && group->order[group->n - 1] == index ? "#endif\n" : "");
}

// What is copied right behind a step is asked for before it runs.
static void put_ahead(const tenon_emission *e, tenon_buf *out,
                      const tenon_block *b, uint32_t at) {
  const struct tenon_program *p = e->p;
  if (tenon_program_prefetches(p, &p->steps[p->order[b->first + at]])) return;
  for (uint32_t i = at + 1; i < b->count; ++i) {
    uint32_t index = p->order[b->first + i];
    if (!tenon_program_prefetches(p, &p->steps[index])) return;
    if (!p->steps[index].is_ahead) continue;
    tenon_emit_put(e, out,
                   "  status = @_ahead$(m, fault);\n"
                   "  if (status != TENON_OK) return @_stop(m, $, status);\n",
                   index, index);
  }
}

static void put_block(tenon_emission *e, tenon_buf *out, uint32_t index) {
  const tenon_block *b = &e->p->blocks[index];
  bool can_fail = false;
  for (uint32_t i = 0; i < b->count; ++i)
    can_fail |=
        tenon_emit_step_fails(e, &e->p->steps[e->p->order[b->first + i]]);
  for (uint32_t i = 0; i < b->count; ++i) {
    const uint32_t step = e->p->order[b->first + i];
    const tenon_emit_group *group = e->groups[step];
    if (group && group->order[0] == step)
      tenon_emit_group_function(e, out, group);
  }
  put_signature(e, out, index);
  tenon_put(out, " {\n$$$", can_fail ? "  tenon_status status;\n" : "",
            b->count == 0 ? "  (void)m;\n" : "",
            !can_fail && e->can_fail ? "  (void)fault;\n" : "");
  for (uint32_t i = 0; i < b->count; ++i) {
    put_ahead(e, out, b, i);
    block_put_step(e, out, e->p->order[b->first + i]);
  }
  tenon_buf_text(out, e->can_fail ? "  return TENON_OK;\n}\n\n" : "}\n\n");
}

// Where a run stopped, for whoever asks.
static const char stop_text[] =
    "static tenon_status @_stop(@ *m, int32_t step, tenon_status status) {\n"
    "  m->fault_step = step;\n"
    "  return status;\n"
    "}\n\n";

// As the library's own sessions divide work: pieces begin at multiples of the
// kernel's grain, each thread has scratch and fault of its own, and of several
// that fail the first counts. Lines that begin with S or F are for kernels that
// have scratch, or may fail.
static const char split_text[] =
    " #if ^_THREADS > 1\n"
    " #ifndef ^_PARALLEL\n"
    " #error \"^_THREADS needs ^_PARALLEL(count, task, arg)\"\n"
    " #endif\n"
    " typedef tenon_status @_range(const tenon_call *c, int64_t begin,\n"
    "                              int64_t end);\n"
    " typedef struct @_work {\n"
    "S  @ *m;\n"
    "   @_range *range;\n"
    "   const tenon_call *call;\n"
    "   int64_t items, each;\n"
    "   tenon_status status[^_THREADS];\n"
    "F  tenon_fault fault[^_THREADS];\n"
    " } @_work;\n"
    " \n"
    " static void @_piece(void *arg, int64_t i, int thread) {\n"
    "   @_work *w = (@_work *)arg;\n"
    "   tenon_call call = *w->call;\n"
    "   int64_t begin = i * w->each;\n"
    "   int64_t end = begin + w->each;\n"
    "   if (end > w->items) end = w->items;\n"
    "   (void)thread;\n"
    "S  if (thread > 0 && call.scratch != NULL)\n"
    "S    call.scratch = ^_SCRATCH(w->m, thread);\n"
    "F  call.fault = &w->fault[i];\n"
    "   w->status[i] = w->range(&call, begin, end);\n"
    " }\n"
    " \n"
    " static tenon_status @_split(@ *m, @_range *range, const tenon_call "
    "*call,\n"
    "                             int64_t items, int64_t grain) {\n"
    "   @_work w;\n"
    "   (void)m;\n"
    "   memset(&w, 0, sizeof w);\n"
    "S  w.m = m;\n"
    "   w.range = range;\n"
    "   w.call = call;\n"
    "   w.items = items;\n"
    "   w.each = (items + ^_THREADS - 1) / ^_THREADS;\n"
    "   w.each = (w.each + grain - 1) / grain * grain;\n"
    "   if (w.each >= items) return range(call, 0, items);\n"
    "   ^_PARALLEL((items + w.each - 1) / w.each, @_piece, &w);\n"
    "   for (int i = 0; i < ^_THREADS; ++i) {\n"
    "     if (w.status[i] == TENON_OK) continue;\n"
    "F    if (call->fault != NULL) *call->fault = w.fault[i];\n"
    "     return w.status[i];\n"
    "   }\n"
    "   return TENON_OK;\n"
    " }\n"
    " #define ^_SPLIT(m, range, call, items, grain) \\\n"
    "   @_split(m, range, call, items, grain)\n"
    " #else\n"
    " #define ^_SPLIT(m, range, call, items, grain) range(call, 0, items)\n"
    " #endif\n"
    " \n";

void tenon_emit_split(const tenon_emission *e, tenon_buf *out) {
  tenon_text rest = {split_text, sizeof split_text - 1}, line;
  char text[128];
  if (!e->has_ranges) return;
  while (tenon_text_next(&rest, '\n', &line)) {
    bool is_there = *line.data == ' ' ||
                    (*line.data == 'S' && (e->members & TENON_WORD_scratch)) ||
                    (*line.data == 'F' && (e->members & TENON_WORD_fault));
    if (!is_there || line.size > sizeof text) continue;
    memcpy(text, line.data + 1, line.size - 1);
    text[line.size - 1] = 0;
    tenon_emit_put(e, out, "$\n", tenon_as_marked(text));
  }
}

void tenon_emit_blocks(tenon_emission *e) {
  tenon_buf *out = &e->calls_text;
  if (e->can_stop) tenon_emit_text(e, out, stop_text);
  for (uint32_t i = 0; i < e->p->n_steps; ++i)
    tenon_emit_prefetch(e, out, i);
  // Blocks call each other in any order.
  if (e->p->n_blocks > e->p->n_entries) {
    for (uint32_t i = 0; i < e->p->n_blocks; ++i) {
      put_signature(e, out, i);
      tenon_buf_text(out, ";\n");
    }
    tenon_buf_char(out, '\n');
  }
  for (uint32_t i = 0; i < e->p->n_blocks; ++i)
    put_block(e, out, i);
}
