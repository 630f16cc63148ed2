// How: core/template.h cuts the text, each reference becomes an expression.
// Operands get a pointer of their type, declared when first referred to, so the
// text reads like the kernel that it stands for. An emit function is handed a
// call without data but that of constants, and an object whose one method
// expands such a text.
#include <stdarg.h>
#include <stdio.h>

#include "core/template.h"
#include "emit/step/open.h"

static tenon_status TENON_PRINTF(3, 4)
    fail(const tenon_expansion *x, const tenon_piece *piece, const char *fmt,
         ...) {
  char text[TENON_MESSAGE_SIZE / 2];
  const tenon_program_kernel *k = &x->e->p->kernels[x->step->kernel];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  return tenon_fail(x->e->report, TENON_BAD_PLUGIN, "emit-template",
                    x->step->place,
                    "emission of kernel '%s' of plugin '%s', line %u: %s",
                    k->symbol, k->owner, (unsigned)piece->line, text);
}

// --- operands ---------------------------------------------------------------

static const tenon_program_tensor absent = {.name = ""};

static tenon_status expand_find_tensor(const tenon_expansion *x,
                                       const tenon_piece *piece,
                                       const tenon_program_tensor **out) {
  uint32_t n = piece->is_out ? x->step->n_out : x->step->n_in;
  if (piece->tensor >= n)
    return fail(x, piece, "'%.*s' of a call with %u %s", (int)piece->text.size,
                piece->text.data, (unsigned)n,
                piece->is_out ? "results" : "operands");
  uint32_t first = piece->is_out ? x->step->out : x->step->in;
  uint32_t index = x->e->p->operands[first + piece->tensor];
  *out = index == TENON_NO_INDEX ? &absent : &x->e->p->tensors[index];
  return TENON_OK;
}

static void put_pointer(tenon_buf *out, const tenon_piece *piece) {
  tenon_put(out, "$$", piece->is_out ? "tenon_out" : "tenon_in", piece->tensor);
}

// Whether a tensor has a part in each piece of the step's group.
static bool expand_is_part(const tenon_expansion *x,
                           const tenon_program_tensor *t) {
  const tenon_emit_group *g = x->e->groups[x->step - x->e->p->steps];
  return g && t->rank > 0 &&
         tenon_program_count(t) == tenon_emit_count(x->e, x->step);
}

// `const float *const tenon_in0 = (const float *)(const void *)(m->arena);`
static void refer(tenon_expansion *x, const tenon_piece *piece,
                  const tenon_program_tensor *t) {
  uint32_t at = piece->tensor + (piece->is_out ? x->step->n_in : 0u);
  const char *constness = piece->is_out ? "" : "const ";
  put_pointer(&x->body, piece);
  if (x->is_declared[at]) return;
  x->is_declared[at] = 1;
  tenon_buf *out = &x->lines;
  tenon_buf_text(out, "  // ");
  tenon_emit_tensor_text(out, t);
  tenon_put(out, "\n  $$ *const ", constness, tenon_c_type(t->dtype));
  put_pointer(out, piece);
  tenon_buf_format(out, " = (%s%s *)(%svoid *)(", constness,
                   tenon_c_type(t->dtype), constness);
  tenon_put(out, "$", tenon_as_address(x->e, t));
  tenon_buf_text(out, expand_is_part(x, t) ? ") + begin;\n" : ");\n");
}

// A product may have several factors.
static void expand_put_count(tenon_expansion *x, const tenon_program_tensor *t,
                             int axis, const char *type) {
  if (t->sizes) tenon_buf_format(&x->body, "((%s)(", type);
  tenon_emit_product(&x->body, t, axis, t->rank);
  if (t->sizes) tenon_buf_text(&x->body, "))");
}

static tenon_status put_quant(tenon_expansion *x, const tenon_piece *piece,
                              const tenon_program_tensor *t) {
  int64_t channel = piece->index < 0 ? 0 : piece->index;
  if (!t->quant)
    return fail(x, piece, "'%.*s' of an operand that is not quantised",
                (int)piece->text.size, piece->text.data);
  if (channel >= t->quant->channels)
    return fail(x, piece, "'%.*s' of an operand with %d scales",
                (int)piece->text.size, piece->text.data,
                (int)t->quant->channels);
  if (piece->kind == TENON_PIECE_SCALE)
    tenon_c_float(&x->body, t->quant->scale[channel]);
  else
    tenon_c_int(&x->body, t->quant->zero ? t->quant->zero[channel] : 0);
  return TENON_OK;
}

static tenon_status put_axis(tenon_expansion *x, const tenon_piece *piece,
                             const tenon_program_tensor *t) {
  int axis = (int)piece->index;
  if (axis < 0 || axis >= t->rank)
    return fail(x, piece, "'%.*s' of an operand of rank %d",
                (int)piece->text.size, piece->text.data, (int)t->rank);
  if (piece->kind != TENON_PIECE_DIM && !t->strides) {
    expand_put_count(x, t, axis + 1, "int32_t");
    return TENON_OK;
  }
  if (piece->kind == TENON_PIECE_DIM && t->sizes && t->sizes[axis].symbol) {
    tenon_put(&x->body, "((int32_t)$)", tenon_as_number(&t->sizes[axis]));
    return TENON_OK;
  }
  int64_t value =
      piece->kind == TENON_PIECE_DIM ? t->dims[axis] : t->strides[axis];
  tenon_put(&x->body, "$$$", value < 0 ? "(" : "", tenon_as_c_int(value),
            value < 0 ? ")" : "");
  return TENON_OK;
}

static tenon_status expand_put_tensor(tenon_expansion *x,
                                      const tenon_piece *piece) {
  const tenon_program_tensor *t = NULL;
  TENON_TRY(expand_find_tensor(x, piece, &t));
  switch (piece->kind) {
    case TENON_PIECE_DATA:
      refer(x, piece, t);
      return TENON_OK;
    case TENON_PIECE_COUNT:
      if (expand_is_part(x, t))
        tenon_buf_text(&x->body, "((size_t)(end - begin))");
      else
        expand_put_count(x, t, 0, "size_t");
      return TENON_OK;
    case TENON_PIECE_RANK:
      tenon_c_int(&x->body, t->rank);
      return TENON_OK;
    case TENON_PIECE_DIMS:
      tenon_emit_dims_of(x->e, &x->body, t);
      return TENON_OK;
    case TENON_PIECE_SCALE:
    case TENON_PIECE_ZERO:
      return put_quant(x, piece, t);
    default:
      return put_axis(x, piece, t);
  }
}

// --- attributes -------------------------------------------------------------

// The number that a piece is about.
static tenon_status expand_find_number(const tenon_expansion *x,
                                       const tenon_piece *piece,
                                       const tenon_attr_view *v,
                                       tenon_scalar *out) {
  size_t count = 0;
  bool is_list = tenon_emit_is_list(v, &count);
  if (is_list && (piece->index < 0 || (uint64_t)piece->index >= count))
    return fail(x, piece, "'%.*s' of a list of %zu", (int)piece->text.size,
                piece->text.data, count);
  *out = tenon_emit_element(v, is_list ? (size_t)piece->index : 0);
  if (out->kind == 0)
    return fail(x, piece, "'%.*s' is not a number here", (int)piece->text.size,
                piece->text.data);
  return TENON_OK;
}

static tenon_status to_integer(const tenon_expansion *x,
                               const tenon_piece *piece, tenon_scalar s,
                               int64_t *out) {
  *out = s.as.i;
  if (s.kind == TENON_KIND_FLOAT) {
    bool fits = s.as.f >= -9.2e18 && s.as.f <= 9.2e18;
    *out = fits ? (int64_t)s.as.f : 0;
    if (!fits || (double)*out != s.as.f)
      return fail(x, piece, "'%.*s' is %g, which is not a whole number",
                  (int)piece->text.size, piece->text.data, s.as.f);
  }
  if (piece->kind == TENON_PIECE_I32 && *out != (int32_t)*out)
    return fail(x, piece, "'%.*s' is %lld, which has more than 32 bits",
                (int)piece->text.size, piece->text.data, (long long)*out);
  return TENON_OK;
}

static tenon_status expand_put_number(tenon_expansion *x,
                                      const tenon_piece *piece,
                                      tenon_scalar s) {
  tenon_buf *out = &x->body;
  double real = s.kind == TENON_KIND_FLOAT ? s.as.f : (double)s.as.i;
  int64_t whole = 0;
  if (piece->kind == TENON_PIECE_F32) {
    tenon_c_float(out, (float)real);
    return TENON_OK;
  }
  if (piece->kind == TENON_PIECE_F64) {
    tenon_c_double(out, real);
    return TENON_OK;
  }
  TENON_TRY(to_integer(x, piece, s, &whole));
  bool is_typed = piece->kind == TENON_PIECE_I64 && whole != INT64_MIN;
  tenon_put(out, "$$$", is_typed ? "INT64_C(" : "", tenon_as_c_int(whole),
            is_typed ? ")" : "");
  return TENON_OK;
}

// In the type of the attribute; a list is an array.
static tenon_status put_attr(tenon_expansion *x, const tenon_piece *piece,
                             const tenon_attr_view *v) {
  size_t count = 0;
  if (tenon_emit_is_list(v, &count) && piece->index < 0) {
    tenon_emit_array(x->e, &x->body, v);
    return TENON_OK;
  }
  if (v->kind == TENON_KIND_STR) {
    tenon_emit_value(x->e, &x->body, v);
    return TENON_OK;
  }
  if (v->kind == TENON_KIND_STRS && (uint64_t)piece->index < count) {
    tenon_attr_view text = tenon_emit_text_of(v, (size_t)piece->index);
    tenon_emit_value(x->e, &x->body, &text);
    return TENON_OK;
  }
  tenon_scalar s = {0, {.i = 0}};
  TENON_TRY(expand_find_number(x, piece, v, &s));
  if (v->kind == TENON_KIND_DTYPE)
    tenon_buf_text(&x->body, tenon_c_dtype((tenon_dtype)s.as.i));
  else if (s.kind == TENON_KIND_BOOL)
    tenon_buf_text(&x->body, s.as.i ? "true" : "false");
  else if (s.kind == TENON_KIND_FLOAT)
    tenon_c_double(&x->body, s.as.f);
  else
    tenon_c_int(&x->body, s.as.i);
  return TENON_OK;
}

static tenon_status put_reference(tenon_expansion *x,
                                  const tenon_piece *piece) {
  tenon_attr_view v = {0, false, NULL};
  tenon_scalar s = {0, {.i = 0}};
  if (piece->kind == TENON_PIECE_SCRATCH) {
    if (x->step->scratch_size == 0) {
      tenon_buf_text(&x->body, "NULL");
    } else {
      tenon_buf_text(&x->body, "((void *)(");
      tenon_emit_memory_at(x->e, &x->body, x->step->scratch, false);
      tenon_buf_text(&x->body, "))");
    }
    return TENON_OK;
  }
  if (piece->kind == TENON_PIECE_PACKED) {
    if (x->step->packed == TENON_NO_INDEX) {
      tenon_buf_text(&x->body, "NULL");
    } else {
      tenon_buf_text(&x->body, "((const void *)");
      tenon_emit_constant(x->e, &x->body, x->step->packed, 0);
      tenon_buf_char(&x->body, ')');
    }
    return TENON_OK;
  }
  if (piece->kind < TENON_PIECE_ATTR) return expand_put_tensor(x, piece);
  if (!tenon_emit_find_attr(x->e, x->step, piece->name, &v))
    return fail(x, piece, "'%.*s' names no attribute", (int)piece->text.size,
                piece->text.data);
  if (x->step->attrs != TENON_NO_INDEX &&
      tenon_emit_is_patched(x->e, &x->e->p->attrs[x->step->attrs], v.at))
    return fail(x, piece, "'%.*s' is found out in a run; fix it with --dim",
                (int)piece->text.size, piece->text.data);
  if (piece->kind == TENON_PIECE_ATTR) return put_attr(x, piece, &v);
  TENON_TRY(expand_find_number(x, piece, &v, &s));
  return expand_put_number(x, piece, s);
}

static tenon_status expand_expand(tenon_expansion *x, const char *text) {
  tenon_template t;
  tenon_piece piece;
  tenon_template_init(&t, text, NULL);
  while (tenon_template_next(&t, &piece)) {
    if (piece.kind == TENON_PIECE_TEXT)
      tenon_buf_add(&x->body, piece.text.data, piece.text.size);
    else
      TENON_TRY(put_reference(x, &piece));
  }
  return t.has_failed ? fail(x, &piece, "%s", t.error) : TENON_OK;
}

bool tenon_emit_takes_parts(const tenon_emission *e, const tenon_step *step) {
  const char *text = e->p->kernels[step->kernel].desc->emit_template;
  tenon_template t;
  tenon_piece piece;
  if (e->ways[step->kernel] != TENON_WAY_TEMPLATE || !text ||
      !step->is_elementwise || step->extent != 1 || step->unit != 1)
    return false;
  tenon_template_init(&t, text, NULL);
  while (tenon_template_next(&t, &piece))
    if (piece.kind == TENON_PIECE_DIM || piece.kind == TENON_PIECE_DIMS ||
        piece.kind == TENON_PIECE_STRIDE || piece.kind == TENON_PIECE_SCRATCH)
      return false;
  return !t.has_failed;
}

// --- emit functions ---------------------------------------------------------

typedef struct writer {
  tenon_emitter base;
  tenon_expansion *x;
  tenon_status status;
} writer;

static tenon_status write_text(tenon_emitter *base, const char *text) {
  writer *w = (writer *)base;
  tenon_status status = expand_expand(w->x, text);
  if (w->status == TENON_OK) w->status = status;
  return status;
}

static const tenon_emitter_api writer_api = {
    .struct_size = sizeof(tenon_emitter_api),
    .text = write_text,
};

static void expand_fill_tensors(const tenon_emission *e, uint32_t first,
                                size_t n, tenon_tensor *out) {
  for (size_t i = 0; i < n; ++i) {
    uint32_t index = e->p->operands[first + i];
    if (index == TENON_NO_INDEX) continue;
    const tenon_program_tensor *t = &e->p->tensors[index];
    if (t->slot.place == TENON_IN_CONSTANT &&
        !tenon_program_is_source(e->p, t)) {
      const char *data = (const char *)e->p->constants[t->slot.index].data;
      if (data) out[i].data = (void *)(uintptr_t)(data + t->slot.offset);
    }
    out[i].dims = t->dims;
    out[i].strides = t->strides;
    out[i].quant = t->quant;
    out[i].dtype = t->dtype;
    out[i].rank = t->rank;
    if (t->is_number) out[i].flags = TENON_TENSOR_NUMBER;
  }
}

static tenon_status call_back(tenon_expansion *x,
                              const tenon_program_kernel *k) {
  const tenon_step *step = x->step;
  const struct tenon_program *p = x->e->p;
  tenon_call call = {0};
  tenon_tensor *tensors = tenon_arena_array(&x->e->arena, tenon_tensor,
                                            (size_t)step->n_in + step->n_out);
  if (!tensors) return tenon_emission_memory(x->e);
  expand_fill_tensors(x->e, step->in, step->n_in, tensors);
  expand_fill_tensors(x->e, step->out, step->n_out, tensors + step->n_in);
  call.in = tensors;
  call.out = tensors + step->n_in;
  call.in_group = step->in_group;
  call.out_group = step->out_group;
  call.n_in = step->n_in;
  call.n_out = step->n_out;
  call.user = k->desc->user;
  if (step->attrs != TENON_NO_INDEX) call.attrs = p->attrs[step->attrs].bound;
  if (step->packed != TENON_NO_INDEX)
    call.packed = p->constants[step->packed].data;
  writer w = {{&writer_api}, x, TENON_OK};
  tenon_status status = k->desc->emit(&w.base, &call);
  if (w.status != TENON_OK) return w.status;  // has been reported
  if (status == TENON_OK) return TENON_OK;
  return tenon_fail(x->e->report, status, "emit-kernel", step->place,
                    "kernel '%s' of plugin '%s' could not be emitted",
                    k->symbol, k->owner);
}

// Lines moved to where a block stands; not those that belong to the one before.
static void put_indented(tenon_buf *out, const char *text) {
  bool is_continued = false;
  while (*text) {
    size_t size = strcspn(text, "\n");
    if (size && *text != '#' && !is_continued) tenon_buf_text(out, "    ");
    tenon_buf_add(out, text, size);
    tenon_buf_char(out, '\n');
    is_continued = size && text[size - 1] == '\\';
    text += size + (text[size] == '\n');
  }
}

tenon_status tenon_emit_expansion(tenon_emission *e, tenon_buf *out,
                                  const tenon_step *step) {
  const tenon_program_kernel *k = &e->p->kernels[step->kernel];
  tenon_expansion x = {.e = e, .step = step};
  x.is_declared =
      tenon_arena_array(&e->arena, uint8_t, (size_t)step->n_in + step->n_out);
  if (!x.is_declared) return tenon_emission_memory(e);
  tenon_buf_init(&x.lines, e->allocator);
  tenon_buf_init(&x.body, e->allocator);
  tenon_status status = e->ways[step->kernel] == TENON_WAY_TEMPLATE
                            ? expand_expand(&x, k->desc->emit_template)
                            : call_back(&x, k);
  if (x.lines.failed || x.body.failed) out->failed = true;
  if (status == TENON_OK && x.lines.data)
    tenon_buf_add(out, x.lines.data, x.lines.size);
  if (status == TENON_OK && x.body.data) {
    tenon_buf_text(out, "  {\n");
    put_indented(out, x.body.data);
    tenon_buf_text(out, "  }\n");
  }
  tenon_buf_deinit(&x.lines);
  tenon_buf_deinit(&x.body);
  return status;
}
