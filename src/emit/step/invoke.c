// How: a call is a struct of constants and places in the instance's memory,
// built on the stack. Where several steps call a kernel in the same form, that
// is done by one function for all of them, whose parameters are what differs:
// compilers put the kernel into it, its only caller, so that a struct remains
// of neither the call nor its tensors, and a step is a few moves.
//
// What a call consists of is walked in one order by one set of functions, which
// print it, or only say what is there, note it, or print it with parameters.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/idents.h"
#include "emit/step/invoke.h"
#include "emit/step/open.h"

static const struct {
  const char *type, *name;
} parts[] = {
    [TENON_CALL_ATTRS] = {"const void *", "attrs"},
    [TENON_CALL_DATA] = {"void *", ""},
    [TENON_CALL_DIMS] = {"const int32_t *", "_dims"},
    [TENON_CALL_STRIDES] = {"const int32_t *", "_strides"},
    [TENON_CALL_QUANT] = {"const tenon_quant *", "_quant"},
    [TENON_CALL_DTYPE] = {"uint8_t ", "_dtype"},
    [TENON_CALL_RANK] = {"uint8_t ", "_rank"},
    [TENON_CALL_PACKED] = {"const void *", "packed"},
    [TENON_CALL_SCRATCH] = {"void *", "scratch"},
    [TENON_CALL_ITEMS] = {"int32_t ", "items"},
};

typedef enum mode { PLAIN, FORM, VALUES, SHARED } mode;

typedef struct walk {
  tenon_emission *e;
  const tenon_step *step;
  tenon_buf *out;
  mode mode;
  tenon_buf *form;            // FORM: says what there is
  tenon_call_value *values;   // VALUES: what is found; null: they are counted
  uint32_t n;                 // of them so far
  tenon_shared_call *shared;  // SHARED
  const char *operand;        // "in" or "out", and which
  uint32_t index;
  bool can_fail;
  tenon_status status;
} walk;

// --- values -----------------------------------------------------------------

static void invoke_put_data(walk *w, tenon_buf *out,
                            const tenon_program_tensor *t) {
  bool is_constant = t->slot.place == TENON_IN_CONSTANT;
  tenon_put(out, "$$$", is_constant ? "TENON_DATA(" : "",
            tenon_as_address(w->e, t), is_constant ? ")" : "");
}

static const tenon_emit_group *invoke_group_of(const walk *w) {
  return w->e->groups[w->step - w->e->p->steps];
}

// Whether the kernel is called on parts of its operands, and `t` is one that
// has parts: it has as many elements as the result.
static bool has_parts(const walk *w) {
  const tenon_kernel_desc *k = w->e->p->kernels[w->step->kernel].desc;
  return invoke_group_of(w) && !k->run_range && !k->items;
}
static bool invoke_is_part(const walk *w, const tenon_program_tensor *t) {
  return has_parts(w) && t->rank > 0 &&
         tenon_program_count(t) == tenon_emit_count(w->e, w->step);
}

static void invoke_put_part(walk *w, tenon_buf *out, tenon_call_part what,
                            const tenon_program_tensor *t) {
  if (what == TENON_CALL_DIMS) {
    tenon_buf_format(out, "part + %d", TENON_MAX_RANK - t->rank);
    return;
  }
  tenon_put(out, "(unsigned char *)TENON_DATA($) + begin * $",
            tenon_as_address(w->e, t), tenon_element_bytes(t->dtype));
}

static void invoke_put_text(walk *w, tenon_buf *out, tenon_call_part what,
                            const tenon_program_tensor *t) {
  if ((what == TENON_CALL_DATA || what == TENON_CALL_DIMS) &&
      invoke_is_part(w, t)) {
    invoke_put_part(w, out, what, t);
    return;
  }
  switch (what) {
    case TENON_CALL_ATTRS:
      (void)tenon_emit_attrs(w->e, out, w->step);
      return;
    case TENON_CALL_DATA:
      invoke_put_data(w, out, t);
      return;
    case TENON_CALL_DIMS:
      tenon_emit_dims_of(w->e, out, t);
      return;
    case TENON_CALL_STRIDES:
      tenon_emit_ints(w->e, out, t->strides, t->rank);
      return;
    case TENON_CALL_QUANT:
      tenon_emit_quant(w->e, out, t->quant);
      return;
    case TENON_CALL_DTYPE:
      tenon_buf_text(out, tenon_c_dtype(t->dtype));
      return;
    case TENON_CALL_RANK:
      tenon_c_int(out, t->rank);
      return;
    case TENON_CALL_PACKED:
      tenon_emit_constant(w->e, out, w->step->packed, 0);
      return;
    case TENON_CALL_SCRATCH:
      tenon_emit_memory_at(w->e, out, w->step->scratch, false);
      return;
    case TENON_CALL_ITEMS: {
      tenon_status status = tenon_emit_items(w->e, out, w->step);
      if (w->status == TENON_OK) w->status = status;
    }
  }
}

// "m->arena + 64" as a beginning and what is behind it.
static void split_place(tenon_call_value *v, char *text) {
  char *plus = strstr(text, " + ");
  v->is_place = true;
  if (!plus) return;
  v->offset = strtoull(plus + 3, NULL, 10);
  *plus = 0;
}

static const char *invoke_name_of(walk *w, tenon_call_part what) {
  char number[12];
  if (what < TENON_CALL_DATA || what > TENON_CALL_RANK) return parts[what].name;
  (void)snprintf(number, sizeof number, "%u", (unsigned)w->index);
  const char *const all[] = {w->operand, number, parts[what].name, NULL};
  return tenon_ident_join(&w->e->arena, all);
}

static void invoke_note(walk *w, tenon_call_part what,
                        const tenon_program_tensor *t) {
  tenon_call_value *v = &w->values[w->n];
  tenon_buf text;
  v->what = what;
  v->name = invoke_name_of(w, what);
  tenon_buf_init(&text, w->e->allocator);
  invoke_put_text(w, &text, what, t);
  v->text =
      text.failed ? NULL : tenon_arena_text(&w->e->arena, text.data, text.size);
  bool is_place = what == TENON_CALL_SCRATCH ||
                  (what == TENON_CALL_DATA && t->slot.place == TENON_IN_ARENA);
  if (is_place && !text.failed && text.data) split_place(v, text.data);
  if (is_place)
    v->start = text.failed ? NULL : tenon_arena_string(&w->e->arena, text.data);
  if (what == TENON_CALL_DATA) {
    tenon_buf_clear(&text);
    tenon_emit_tensor_text(&text, t);
    v->about = text.failed
                   ? NULL
                   : tenon_arena_text(&w->e->arena, text.data, text.size);
  }
  tenon_buf_deinit(&text);
}

static void invoke_put_value(walk *w, tenon_buf *out, tenon_call_part what,
                             const tenon_program_tensor *t) {
  if (w->mode == PLAIN) {
    invoke_put_text(w, out, what, t);
  } else if (w->mode == FORM) {
    tenon_buf_char(w->form, (char)('a' + what));
  } else if (w->mode == SHARED) {
    const tenon_call_value *v = &w->shared->base[w->n];
    tenon_buf_text(out, w->shared->varies[w->n] ? v->name : v->text);
  } else if (w->values) {
    invoke_note(w, what, t);
  }
  ++w->n;
}

bool tenon_emit_step_fails(const tenon_emission *e, const tenon_step *step) {
  if (step->kind != TENON_STEP_KERNEL || step->n_decided > 0 ||
      tenon_program_cold(e->p, step))
    return true;
  uint8_t way = e->ways[step->kernel];
  return (way == TENON_WAY_SOURCE || way == TENON_WAY_EXTERN) &&
         !(e->p->kernels[step->kernel].desc->flags & TENON_KERNEL_NOFAIL);
}

void tenon_emit_zeros(tenon_emission *e, tenon_buf *out,
                      const tenon_step *step) {
  if (!(e->p->kernels[step->kernel].desc->flags & TENON_KERNEL_ZERO_OUT))
    return;
  for (uint32_t i = 0; i < step->n_out; ++i) {
    uint32_t index = e->p->operands[step->out + i];
    if (index == TENON_NO_INDEX || e->p->tensors[index].size == 0) continue;
    tenon_put(out, "  (void)memset($, 0, $);\n",
              tenon_as_address(e, &e->p->tensors[index]),
              e->p->tensors[index].size);
  }
}

// --- parts of a call --------------------------------------------------------

// The next member of an initialiser, in lines that are not too long. `line` is
// where the present one began.
static void invoke_put_member(tenon_buf *out, size_t *line, const char *indent,
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
  tenon_put(out, ".$ = ", name);
}

static void invoke_put_tensor(walk *w, const tenon_program_tensor *t,
                              uint32_t read) {
  tenon_buf *out = w->out;
  const char *indent = "\n       ";
  tenon_buf_text(out, "      ");
  if (w->mode == PLAIN) {
    tenon_buf_text(out, "// ");
    tenon_emit_tensor_text(out, t);
    tenon_buf_text(out, "\n      ");
  }
  tenon_buf_char(out, '{');
  size_t line = out->size;
  const struct {
    bool is_there;
    const char *name;
    tenon_call_part what;
  } members[] = {
      {t->slot.place != TENON_IN_NOTHING &&
           !tenon_program_is_source(w->e->p, t),
       "data", TENON_CALL_DATA},
      {t->rank && t->dims && (read & TENON_WORD_dims), "dims", TENON_CALL_DIMS},
      {t->rank && t->strides && (read & TENON_WORD_strides), "strides",
       TENON_CALL_STRIDES},
      {t->quant && (read & TENON_WORD_quant), "quant", TENON_CALL_QUANT},
      {read & TENON_WORD_dtype, "dtype", TENON_CALL_DTYPE},
      {read & TENON_WORD_rank, "rank", TENON_CALL_RANK}};
  for (size_t i = 0; i < sizeof members / sizeof *members; ++i) {
    if (!members[i].is_there) continue;
    invoke_put_member(out, &line, indent, members[i].name);
    invoke_put_value(w, out, members[i].what, t);
  }
  if (t->is_number && (read & TENON_WORD_flags)) {
    invoke_put_member(out, &line, indent, "flags");
    tenon_buf_text(out, "TENON_TENSOR_NUMBER");
    if (w->mode == FORM) tenon_buf_char(w->form, '#');
  }
  if (out->size == line) tenon_buf_text(out, ".data = NULL");
}

static void put_tensors(walk *w, const char *name, uint32_t first, uint32_t n) {
  static const tenon_program_tensor absent = {.name = ""};
  const tenon_emission *e = w->e;
  tenon_buf *out = w->out;
  uint32_t read = e->reads[w->step->kernel].words;
  w->operand = name;
  if (n == 0) return;
  tenon_put(out, "  const tenon_tensor $[] = {\n", name);
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t index = e->p->operands[first + i];
    const tenon_program_tensor *t =
        index == TENON_NO_INDEX ? &absent : &e->p->tensors[index];
    w->index = i;
    invoke_put_tensor(w, t, read);
    if (w->mode == FORM) tenon_buf_char(w->form, ',');
    tenon_buf_text(out, i + 1 < n ? "},\n" : "}};\n");
  }
}

// How many tensor arguments a kernel's `types` lists; 0 if it does not say.
static uint32_t invoke_count_arguments(const char *types) {
  uint32_t n = 1;
  if (!types) return 0;
  for (const char *p = types; *p && strncmp(p, "->", 2) != 0; ++p)
    n += *p == ',';
  return n;
}

static uint32_t invoke_count_results(const char *types) {
  const char *arrow = types ? strstr(types, "->") : NULL;
  return arrow ? invoke_count_arguments(arrow + 2) : 0;
}

// A group runs over arguments, and the program does not say how many there are.
// Behind the argument that owns the last tensor all entries are alike.
static void invoke_put_group(tenon_buf *out, const char *name,
                             const uint16_t *group, uint32_t n,
                             uint32_t arguments) {
  uint32_t i = 0;
  if (!group) return;
  if (arguments == 0) arguments = n + 16;
  tenon_put(out, "  static const uint16_t $[] = {0", name);
  for (uint32_t k = 1; k <= arguments; ++k) {
    if (group[i] < n) ++i;
    tenon_put(out, ", $", group[i]);
  }
  tenon_buf_text(out, "};\n");
}

// Operands and results that the kernel may look at.
static uint32_t invoke_count_in(const tenon_emission *e,
                                const tenon_step *step) {
  uint32_t most = e->reads[step->kernel].in;
  return step->n_in < most ? step->n_in : most;
}
static uint32_t count_out(const tenon_emission *e, const tenon_step *step) {
  uint32_t most = e->reads[step->kernel].out;
  return step->n_out < most ? step->n_out : most;
}

static void invoke_put_struct(walk *w, const tenon_buf *attrs, bool can_fail) {
  const tenon_emission *e = w->e;
  const tenon_step *step = w->step;
  tenon_buf *out = w->out;
  uint32_t read = e->reads[step->kernel].words;
  const char *plain[] = {
      invoke_count_in(e, step) ? "in" : NULL, count_out(e, step) ? "out" : NULL,
      step->in_group && (read & TENON_WORD_in_group) ? "in_group" : NULL,
      step->out_group && (read & TENON_WORD_out_group) ? "out_group" : NULL,
      can_fail && (read & TENON_WORD_fault) ? "fault" : NULL};
  const char *indent = "\n      ";
  tenon_buf_text(out, "  const tenon_call c = {\n      ");
  size_t line = out->size;
  for (size_t i = 0; i < sizeof plain / sizeof *plain; ++i) {
    if (!plain[i]) continue;
    invoke_put_member(out, &line, indent, plain[i]);
    tenon_buf_text(out, plain[i]);
  }
  if (attrs->size) {
    invoke_put_member(out, &line, indent, "attrs");
    tenon_buf_add(out, attrs->data, attrs->size);
  }
  if (step->packed != TENON_NO_INDEX && (read & TENON_WORD_packed)) {
    invoke_put_member(out, &line, indent, "packed");
    invoke_put_value(w, out, TENON_CALL_PACKED, NULL);
  }
  if (step->n_decided) {
    invoke_put_member(out, &line, indent, "sizes");
    tenon_buf_text(out, "sizes");
  }
  if (step->scratch_size && (read & TENON_WORD_scratch)) {
    invoke_put_member(out, &line, indent, "scratch");
    invoke_put_value(w, out, TENON_CALL_SCRATCH, NULL);
  }
  if (read & TENON_WORD_n_in) {
    invoke_put_member(out, &line, indent, "n_in");
    tenon_c_uint(out, step->n_in);
  }
  if (read & TENON_WORD_n_out) {
    invoke_put_member(out, &line, indent, "n_out");
    tenon_c_uint(out, step->n_out);
  }
  tenon_put(out, "$};\n", out->size == line ? ".in = NULL" : "");
}

// Items of the range, or elements where an item is one.
static void put_range(const tenon_emission *e, const tenon_step *step,
                      const char *items, tenon_buf *out) {
  if (step->extent == 1 && step->unit == 1) {
    tenon_buf_text(out, "begin, end");
    return;
  }
  tenon_put(out, "begin / $ * $, end == $ ? $ : end / $ * $", step->extent,
            step->unit, tenon_emit_count(e, step), items, step->extent,
            step->unit);
}

// One piece, or all at once.
static void put_piece(walk *w) {
  const tenon_program_kernel *k = &w->e->p->kernels[w->step->kernel];
  tenon_buf items;
  tenon_buf_init(&items, w->e->allocator);
  invoke_put_text(w, &items, TENON_CALL_ITEMS, NULL);
  tenon_emit_put(w->e, w->out, "#if ^_GROUPS\n$$(&c, ",
                 w->can_fail ? "  return " : "  (void)", k->symbol);
  put_range(w->e, w->step, items.data ? items.data : "0", w->out);
  tenon_buf_text(w->out, ");\n#else\n  (void)begin;\n  (void)end;\n");
  if (items.failed) w->out->failed = true;
  tenon_buf_deinit(&items);
}

static void put_invocation(walk *w) {
  tenon_emission *e = w->e;
  const tenon_step *step = w->step;
  tenon_buf *out = w->out;
  const tenon_program_kernel *k = &e->p->kernels[step->kernel];
  bool finds = step->n_decided > 0 && !step->is_measured;
  const bool is_piece = invoke_group_of(w) && !has_parts(w);
  if (is_piece) put_piece(w);
  tenon_buf_text(out, finds         ? "  status = "
                      : w->can_fail ? "  return "
                                    : "  (void)");
  const bool is_range = k->desc->run_range || k->desc->items;
  if (is_range && tenon_program_is_over(e->p, step)) {
    tenon_put(out, "$(&c, 0, ", k->symbol);
    invoke_put_value(w, out, TENON_CALL_ITEMS, NULL);
    tenon_buf_text(out, ");\n");
  } else if (is_range) {
    e->has_ranges = true;
    tenon_put(out, "$_SPLIT(m, $, &c, ", e->macro, k->symbol);
    invoke_put_value(w, out, TENON_CALL_ITEMS, NULL);
    tenon_buf_format(out, ", %u);\n",
                     k->desc->grain > 1 ? (unsigned)k->desc->grain : 1u);
  } else {
    tenon_put(out, "$(&c);\n", k->symbol);
  }
  if (is_piece) tenon_buf_text(out, "#endif\n");
  if (finds) {
    tenon_emit_found(e, out, (uint32_t)(step - e->p->steps));
    tenon_buf_text(out, "  return status;\n");
  }
}

// The sizes are found out first; the results are then made for these.
static void put_measured(walk *w, const tenon_buf *attrs) {
  tenon_emission *e = w->e;
  const tenon_step *step = w->step;
  const tenon_program_kernel *k = &e->p->kernels[step->kernel];
  const char *const names[] = {k->symbol, "_measure", NULL};
  const char *function = tenon_ident_join(&e->arena, names);
  tenon_buf_text(w->out, "  {\n");
  put_tensors(w, "out", step->out, count_out(e, step));
  invoke_put_struct(w, attrs, true);
  tenon_put(w->out, "  status = $(&c);\n  }\n", function ? function : "");
  tenon_emit_found(e, w->out, (uint32_t)(step - e->p->steps));
  tenon_buf_text(w->out, "  if (status != TENON_OK) return status;\n");
  if (!function)
    w->status = tenon_emission_memory(e);
  else if (!tenon_emit_has_word(e, function))
    w->status = tenon_fail(
        e->report, TENON_UNSUPPORTED, "emit-open-kernel", step->place,
        "'%s': kernel '%s' of plugin '%s' measures its result "
        "first, and its text has no function '%s'",
        step->op, k->symbol, k->owner, function);
}

// Sizes of a part, for tensors of any rank; not all kernels look at them.
static void put_part_dims(walk *w) {
  tenon_buf_format(w->out, "  const int32_t part[%d] = {", TENON_MAX_RANK);
  for (int i = 1; i < TENON_MAX_RANK; ++i)
    tenon_buf_text(w->out, "1, ");
  tenon_buf_text(w->out, "(int32_t)(end - begin)};\n  (void)part;\n");
  if (!(w->e->reads[w->step->kernel].words & TENON_WORD_dims))
    tenon_buf_text(w->out, "  (void)end;\n");
}

// All of it, in the order in which values are counted.
static void invoke_put_all(walk *w) {
  const tenon_emission *e = w->e;
  const tenon_step *step = w->step;
  const char *listed = e->p->kernels[step->kernel].desc->types;
  uint32_t read = e->reads[step->kernel].words;
  tenon_buf attrs;
  tenon_buf_init(&attrs, e->allocator);
  w->n = 0;
  w->can_fail = tenon_emit_step_fails(e, step);
  if (step->n_decided)
    tenon_buf_format(w->out,
                     "  int64_t sizes[%u] = {0};\n  tenon_status "
                     "status;\n",
                     (unsigned)step->n_decided);
  if ((read & TENON_WORD_attrs) && tenon_emit_has_attrs(e, step))
    invoke_put_value(w, &attrs, TENON_CALL_ATTRS, NULL);
  if (has_parts(w)) put_part_dims(w);
  put_tensors(w, "in", step->in, invoke_count_in(e, step));
  if (read & TENON_WORD_in_group)
    invoke_put_group(w->out, "in_group", step->in_group, step->n_in,
                     invoke_count_arguments(listed));
  if (read & TENON_WORD_out_group)
    invoke_put_group(w->out, "out_group", step->out_group, step->n_out,
                     invoke_count_results(listed));
  if (step->is_measured) put_measured(w, &attrs);
  put_tensors(w, "out", step->out, count_out(e, step));
  invoke_put_struct(w, &attrs, w->can_fail);
  if (w->mode == PLAIN) tenon_emit_zeros(w->e, w->out, step);
  put_invocation(w);
  if (attrs.failed) w->out->failed = true;
  tenon_buf_deinit(&attrs);
}

// --- calls in common --------------------------------------------------------

enum { OPERANDS_MOST = 99, PARAMETERS_MOST = 12 };

// Whether nothing but values tells its call from others.
static bool invoke_is_plain(const tenon_emission *e, const tenon_step *step) {
  if (step->kind != TENON_STEP_KERNEL || tenon_program_cold(e->p, step) ||
      e->groups[step - e->p->steps])
    return false;
  uint8_t way = e->ways[step->kernel];
  return (way == TENON_WAY_SOURCE || way == TENON_WAY_EXTERN) &&
         !step->is_open && !step->is_measured && step->n_decided == 0 &&
         !step->in_group && !step->out_group && step->items <= INT32_MAX &&
         step->n_in <= OPERANDS_MOST && step->n_out <= OPERANDS_MOST;
}

static bool find_form(tenon_emission *e, tenon_map *map, tenon_buf *text,
                      uint32_t index) {
  const tenon_step *step = &e->p->steps[index];
  tenon_buf form;
  bool added = false;
  tenon_buf_init(&form, e->allocator);
  tenon_put(&form, "$ $ $ ", step->kernel, step->n_in, step->n_out);
  tenon_buf_clear(text);
  walk w = {.e = e, .step = step, .out = text, .mode = FORM, .form = &form};
  invoke_put_all(&w);
  const char *key = form.failed || text->failed
                        ? NULL
                        : tenon_arena_text(&e->arena, form.data, form.size);
  tenon_buf_deinit(&form);
  uint64_t *at = key ? tenon_map_put_text(map, key, 0, &added) : NULL;
  if (!at) return false;
  if (added) {
    tenon_shared_call *call = tenon_arena_new(&e->arena, tenon_shared_call);
    if (!call) return false;
    call->first = step;
    call->n = w.n;
    *at = (uint64_t)(uintptr_t)call;
  }
  e->shared[index] = (tenon_shared_call *)(uintptr_t)*at;
  ++e->shared[index]->count;
  return true;
}

tenon_status tenon_emit_share_calls(tenon_emission *e) {
  tenon_map map;
  tenon_buf text;
  bool ok = true;
  e->shared =
      tenon_arena_array(&e->arena, tenon_shared_call *, e->p->n_steps + 1);
  if (!e->shared) return tenon_emission_memory(e);
  tenon_map_init(&map, e->allocator);
  tenon_buf_init(&text, e->allocator);
  for (uint32_t i = 0; ok && i < e->p->n_steps; ++i)
    if (invoke_is_plain(e, &e->p->steps[i])) ok = find_form(e, &map, &text, i);
  tenon_buf_deinit(&text);
  tenon_map_deinit(&map);
  return ok ? TENON_OK : tenon_emission_memory(e);
}

const tenon_call_value *tenon_emit_call_values(tenon_emission *e,
                                               const tenon_step *step,
                                               uint32_t n) {
  tenon_buf text;
  tenon_call_value *values =
      tenon_arena_array(&e->arena, tenon_call_value, n + 1);
  if (!values) return NULL;
  tenon_buf_init(&text, e->allocator);
  walk w = {
      .e = e, .step = step, .out = &text, .mode = VALUES, .values = values};
  invoke_put_all(&w);
  bool ok = !text.failed && w.status == TENON_OK;
  for (uint32_t i = 0; i < n; ++i)
    ok &= values[i].name && values[i].text;
  tenon_buf_deinit(&text);
  return ok ? values : NULL;
}

static void put_shared(tenon_emission *e, tenon_shared_call *call) {
  tenon_buf *out = &e->steps_text;
  bool can_fail = tenon_emit_step_fails(e, call->first);
  tenon_emit_put(e, out, "TENON_STEP $$(@ *m",
                 can_fail ? "tenon_status " : "void ", call->name);
  for (uint32_t i = 0; i < call->n; ++i) {
    if (!call->varies[i]) continue;
    tenon_put(out, ",\n    $$", parts[call->base[i].what].type,
              call->base[i].name);
  }
  tenon_put(out, "$) {\n  (void)m;\n$",
            can_fail ? ",\n    tenon_fault *fault" : "",
            can_fail ? "  (void)fault;\n" : "");
  walk w = {
      .e = e, .step = call->first, .out = out, .mode = SHARED, .shared = call};
  invoke_put_all(&w);
  tenon_buf_text(out, "}\n\n");
}

// Finds out what differs, and prints the function. False: memory ran out.
static bool open_shared(tenon_emission *e, tenon_shared_call *call) {
  uint32_t n_varying = 0;
  call->base = tenon_emit_call_values(e, call->first, call->n);
  call->varies = tenon_arena_array(&e->arena, bool, call->n + 1);
  if (!call->base || !call->varies) return false;
  for (uint32_t i = 0; i < e->p->n_steps; ++i) {
    if (e->shared[i] != call) continue;
    const tenon_call_value *values =
        tenon_emit_call_values(e, &e->p->steps[i], call->n);
    if (!values) return false;
    for (uint32_t k = 0; k < call->n; ++k)
      call->varies[k] |= strcmp(values[k].text, call->base[k].text) != 0;
  }
  for (uint32_t i = 0; i < call->n; ++i)
    n_varying += call->varies[i];
  if (n_varying > PARAMETERS_MOST) {
    call->count = 0;
    return true;
  }
  char number[24];
  (void)snprintf(number, sizeof number, "_call%u_", (unsigned)e->n_shared++);
  const char *const names[] = {e->prefix, number,
                               e->p->kernels[call->first->kernel].symbol, NULL};
  call->name = tenon_ident_take(&e->symbols, &e->arena,
                                tenon_ident_join(&e->arena, names));
  if (!call->name) return false;
  put_shared(e, call);
  return true;
}

static void put_shared_call(tenon_emission *e, tenon_buf *out,
                            const tenon_step *step,
                            const tenon_shared_call *call) {
  bool can_fail = tenon_emit_step_fails(e, step);
  const tenon_call_value *values = tenon_emit_call_values(e, step, call->n);
  if (!values) {
    out->failed = true;
    return;
  }
  tenon_emit_zeros(e, out, step);
  tenon_put(out, "$$(m", can_fail ? "  return " : "  ", call->name);
  for (uint32_t i = 0; i < call->n; ++i) {
    if (!call->varies[i]) continue;
    tenon_buf_text(out, ",\n      ");
    if (values[i].about) {
      tenon_put(out, "// $\n      ", values[i].about);
    }
    tenon_buf_text(out, values[i].text);
  }
  tenon_buf_text(out, can_fail ? ",\n      fault);\n" : ");\n");
}

bool tenon_emit_open_call(tenon_emission *e, uint32_t step,
                          const tenon_shared_call **out) {
  tenon_shared_call *call = e->shared[step];
  *out = NULL;
  if (call && call->count > 1 && !call->base && !open_shared(e, call))
    return false;
  if (call && call->count > 1) *out = call;
  return true;
}

tenon_status tenon_emit_call(tenon_emission *e, tenon_buf *out,
                             const tenon_step *step) {
  const tenon_shared_call *call;
  if (!tenon_emit_open_call(e, (uint32_t)(step - e->p->steps), &call))
    return tenon_emission_memory(e);
  if (call) {
    put_shared_call(e, out, step, call);
    return TENON_OK;
  }
  walk w = {.e = e, .step = step, .out = out, .mode = PLAIN};
  invoke_put_all(&w);
  return w.status;
}
