// How: integers are LEB128, signed ones zigzag, floats their bits; a list is
// its count and its elements. A count can be no larger than the bytes that are
// left divided by the least an element takes, so memory is bounded by the file.
#include "tnp/coder.h"

#include <string.h>

#include "core/template.h"

static void coder_fail(tenon_coder *c, const char *what) {
  if (!c->error) c->error = what;
  c->at = c->file.size;
}

static void *coder_take(tenon_coder *c, size_t count, size_t size,
                        size_t align) {
  void *p = tenon_arena_calloc(c->arena, count, size, align);
  if (!p) {
    c->no_memory = true;
    coder_fail(c, "memory ran out");
  }
  return p;
}

// ---------------------------------------------------------------------------
// Numbers and texts
// ---------------------------------------------------------------------------

static void coder_put(tenon_coder *c, uint64_t v) {
  for (; v >= 0x80; v >>= 7)
    tenon_buf_char(c->out, (char)(v | 0x80));
  tenon_buf_char(c->out, (char)v);
}

static uint64_t coder_get(tenon_coder *c) {
  uint64_t v = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (c->at >= c->file.size) break;
    uint8_t byte = c->file.data[c->at++];
    v |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return v;
  }
  coder_fail(c, "a number without end");
  return 0;
}

static uint64_t code(tenon_coder *c, uint64_t v, uint64_t most) {
  if (c->is_writing) {
    coder_put(c, v);
    return v;
  }
  v = coder_get(c);
  if (v <= most) return v;
  coder_fail(c, "a number that is too large");
  return 0;
}

static void code_u64(tenon_coder *c, uint64_t *v) {
  *v = code(c, *v, UINT64_MAX);
}
static void code_u32(tenon_coder *c, uint32_t *v) {
  *v = (uint32_t)code(c, *v, UINT32_MAX);
}
static void code_u16(tenon_coder *c, uint16_t *v) {
  *v = (uint16_t)code(c, *v, UINT16_MAX);
}
static void code_u8(tenon_coder *c, uint8_t *v) {
  *v = (uint8_t)code(c, *v, UINT8_MAX);
}
static void code_bool(tenon_coder *c, bool *v) {
  *v = code(c, *v, 1) != 0;
}
// An index that may be TENON_NO_INDEX, which takes one byte.
static void code_index(tenon_coder *c, uint32_t *v) {
  uint32_t next = *v + 1;
  code_u32(c, &next);
  *v = next - 1;
}
static void code_i64(tenon_coder *c, int64_t *v) {
  uint64_t u = ((uint64_t)*v << 1) ^ (*v < 0 ? UINT64_MAX : 0);
  code_u64(c, &u);
  *v = (int64_t)((u >> 1) ^ (u & 1 ? UINT64_MAX : 0));
}
static void code_i32(tenon_coder *c, int32_t *v) {
  int64_t wide = *v;
  code_i64(c, &wide);
  if (wide < INT32_MIN || wide > INT32_MAX) {
    coder_fail(c, "a number that is too large");
    wide = 0;
  }
  *v = (int32_t)wide;
}
static void code_f64(tenon_coder *c, double *v) {
  uint64_t bits = 0;
  memcpy(&bits, v, sizeof bits);
  for (int i = 0; i < 8; ++i) {
    uint8_t byte = (uint8_t)(bits >> 8 * i);
    if (c->is_writing)
      tenon_buf_char(c->out, (char)byte);
    else if (c->at < c->file.size)
      byte = c->file.data[c->at++];
    else
      coder_fail(c, "a number without end");
    if (!c->is_writing) {
      bits &= ~((uint64_t)0xff << 8 * i);
      bits |= (uint64_t)byte << 8 * i;
    }
  }
  memcpy(v, &bits, sizeof bits);
}
static void code_f32(tenon_coder *c, float *v) {
  uint32_t bits = 0;
  memcpy(&bits, v, sizeof bits);
  code_u32(c, &bits);
  memcpy(v, &bits, sizeof bits);
}

// A null is told from an empty text.
static void code_text(tenon_coder *c, const char **text) {
  uint64_t size = *text ? strlen(*text) + 1 : 0;
  if (c->is_writing) {
    coder_put(c, size);
    if (size) tenon_buf_add(c->out, *text, (size_t)size - 1);
    return;
  }
  size = coder_get(c);
  *text = NULL;
  if (size == 0) return;
  if (size - 1 > c->file.size - c->at) {
    coder_fail(c, "a text without end");
    *text = "";
    return;
  }
  const char *from = (const char *)c->file.data + c->at;
  bool has_zero = memchr(from, 0, (size_t)size - 1) != NULL;
  *text = has_zero ? NULL : tenon_arena_text(c->arena, from, (size_t)size - 1);
  if (!*text) {
    c->no_memory = !has_zero;
    coder_fail(c, has_zero ? "a zero byte in a text" : "memory ran out");
    *text = "";
  }
  c->at += (size_t)size - 1;
}

// A text that is there.
static void code_name(tenon_coder *c, const char **text) {
  code_text(c, text);
  if (!*text) {
    coder_fail(c, "a text is missing");
    *text = "";
  }
}

typedef void code_fn(tenon_coder *c, void *element);

// A list: `least` is how many bytes an element takes at least.
static void *code_list(tenon_coder *c, const void *list, size_t *count,
                       size_t least, size_t size, size_t align, code_fn *fn) {
  uint64_t n = *count;
  if (c->is_writing) {
    coder_put(c, n);
  } else {
    n = coder_get(c);
    if (n > (c->file.size - c->at) / least) {
      coder_fail(c, "a list that is longer than the file");
      n = 0;
    }
  }
  char *elements = c->is_writing
                       ? (char *)(uintptr_t)list
                       : (char *)coder_take(c, (size_t)n, size, align);
  if (!elements) n = 0;
  for (uint64_t i = 0; i < n && (c->is_writing || !c->error); ++i)
    fn(c, elements + i * size);
  *count = (size_t)n;
  return elements;
}

#define LIST(c, T, list, n, least, fn) \
  ((list) =                            \
       (T *)code_list((c), (list), &(n), (least), sizeof(T), _Alignof(T), fn))
#define TABLE(c, T, p, name, least, fn)                 \
  do {                                                  \
    size_t n_ = (p)->n_##name;                          \
    LIST(c, T, (p)->name, n_, least, fn);               \
    if (n_ > UINT32_MAX / 2) coder_fail(c, "too many"); \
    (p)->n_##name = (uint32_t)n_;                       \
  } while (0)

// The same as elements of lists: indices may be TENON_NO_INDEX.
#define EACH(name, code_one)                         \
  static void each_##name(tenon_coder *c, void *v) { \
    code_one(c, v);                                  \
  }
EACH(u16, code_u16)
EACH(u32, code_index)
EACH(i32, code_i32)
EACH(i64, code_i64)
EACH(f32, code_f32)
EACH(f64, code_f64)
EACH(bool, code_bool)
EACH(name, code_name)
#undef EACH
static void code_dim(tenon_coder *c, void *element) {
  tenon_dim *d = element;
  code_u32(c, &d->symbol);
  code_i64(c, &d->value);
}
// Members of a record, up to 8 in turn, each by its type.
#define CODE(c, p, ...)                                                        \
  CODE_OF(__VA_ARGS__, CODE_8, CODE_7, CODE_6, CODE_5, CODE_4, CODE_3, CODE_2, \
          CODE_1, 0)                                                           \
  (c, p, __VA_ARGS__)
#define CODE_OF(a, b, d, e, f, g, h, i, which, ...) which
#define CODE_1(c, p, m) \
  _Generic(&(p)->m, bool *: code_bool, uint8_t *: code_u8,           \
           uint16_t *: code_u16, uint32_t *: code_u32,               \
           uint64_t *: code_u64, int32_t *: code_i32,                \
           int64_t *: code_i64, tenon_dim *: code_dim)(c, &(p)->m)
#define CODE_2(c, p, m, ...) CODE_1(c, p, m), CODE_1(c, p, __VA_ARGS__)
#define CODE_3(c, p, m, ...) CODE_1(c, p, m), CODE_2(c, p, __VA_ARGS__)
#define CODE_4(c, p, m, ...) CODE_1(c, p, m), CODE_3(c, p, __VA_ARGS__)
#define CODE_5(c, p, m, ...) CODE_1(c, p, m), CODE_4(c, p, __VA_ARGS__)
#define CODE_6(c, p, m, ...) CODE_1(c, p, m), CODE_5(c, p, __VA_ARGS__)
#define CODE_7(c, p, m, ...) CODE_1(c, p, m), CODE_6(c, p, __VA_ARGS__)
#define CODE_8(c, p, m, ...) CODE_1(c, p, m), CODE_7(c, p, __VA_ARGS__)

// ---------------------------------------------------------------------------
// Attributes
// ---------------------------------------------------------------------------

static void code_scalar(tenon_coder *c, void *element) {
  tenon_scalar *s = element;
  code_u32(c, &s->kind);
  if (s->kind == TENON_KIND_FLOAT)
    code_f64(c, &s->as.f);
  else if (s->kind != 0)
    code_i64(c, &s->as.i);
}

static void code_value(tenon_coder *c, tenon_arg *a) {
  switch (a->kind) {
    case 0:
      return;
    case TENON_KIND_BOOL:
    case TENON_KIND_INT:
    case TENON_KIND_DTYPE:
      code_i64(c, &a->as.i);
      return;
    case TENON_KIND_FLOAT:
      code_f64(c, &a->as.f);
      return;
    case TENON_KIND_STR:
      code_name(c, &a->as.s);
      return;
    case TENON_KIND_INTS:
      LIST(c, int64_t, a->as.ints.data, a->as.ints.count, 1, each_i64);
      return;
    case TENON_KIND_FLOATS:
      LIST(c, double, a->as.floats.data, a->as.floats.count, 8, each_f64);
      return;
    case TENON_KIND_BOOLS:
      LIST(c, bool, a->as.bools.data, a->as.bools.count, 1, each_bool);
      return;
    case TENON_KIND_SCALAR:
      code_scalar(c, &a->as.scalar);
      return;
    case TENON_KIND_SCALARS:
      LIST(c, tenon_scalar, a->as.scalars.data, a->as.scalars.count, 1,
           code_scalar);
      return;
    case TENON_KIND_STRS:
      LIST(c, const char *, a->as.strs.data, a->as.strs.count, 1, each_name);
      return;
    default:
      coder_fail(c, "an attribute of unknown kind");
  }
}

static void code_arg(tenon_coder *c, void *element) {
  tenon_arg *a = element;
  code_name(c, &a->name);
  code_u32(c, &a->kind);
  code_value(c, a);
}

static void code_attrs(tenon_coder *c, void *element) {
  tenon_program_attrs *a = element;
  tenon_arg *args = (tenon_arg *)(uintptr_t)a->args;
  uint32_t n = 0;
  while (c->is_writing && args && args[n].name)
    ++n;
  code_u32(c, &n);
  if (!c->is_writing) {
    if (n > c->file.size - c->at) {
      coder_fail(c, "a list that is longer than the file");
      n = 0;
    }
    args = coder_take(c, (size_t)n + 1, sizeof *args, _Alignof(tenon_arg));
    if (!args) return;
    a->args = args;
  }
  for (uint32_t i = 0; i < n; ++i)
    code_arg(c, &args[i]);
}

// ---------------------------------------------------------------------------
// Tables
// ---------------------------------------------------------------------------

static void code_quant(tenon_coder *c, const tenon_quant **quant) {
  bool is_there = *quant != NULL, has_zero = is_there && (*quant)->zero;
  code_bool(c, &is_there);
  if (!is_there) {
    *quant = NULL;
    return;
  }
  tenon_quant *q = c->is_writing
                       ? (tenon_quant *)(uintptr_t)*quant
                       : coder_take(c, 1, sizeof *q, _Alignof(tenon_quant));
  if (!q) return;
  size_t n = c->is_writing ? (size_t)q->channels : 0, zeros = n;
  CODE(c, q, axis, block);
  LIST(c, float, q->scale, n, 1, each_f32);
  code_bool(c, &has_zero);
  if (has_zero) LIST(c, int32_t, q->zero, zeros, 1, each_i32);
  if (n > INT32_MAX || n == 0 || (has_zero && zeros != n))
    coder_fail(c, "a quantisation of another number of channels");
  q->channels = c->is_writing ? q->channels : (int32_t)n;
  *quant = q;
}

static void code_tensor(tenon_coder *c, void *element) {
  tenon_program_tensor *t = element;
  size_t rank = t->rank, strides = t->strides ? rank : 0;
  CODE(c, t, slot.place, slot.index, slot.offset, size);
  LIST(c, int32_t, t->dims, rank, 1, each_i32);
  LIST(c, int32_t, t->strides, strides, 1, each_i32);
  if (rank > TENON_MAX_RANK || (strides > 0 && strides != rank))
    coder_fail(c, "a tensor of another rank");
  t->rank = (uint8_t)rank;
  if (!c->is_writing && strides == 0) t->strides = NULL;
  code_quant(c, &t->quant);
  CODE(c, t, dtype, span, span_offset);
  code_name(c, &t->name);
  if (c->version < 4) return;
  size_t sizes = t->sizes ? t->rank : 0;
  LIST(c, tenon_dim, t->sizes, sizes, 2, code_dim);
  if (sizes > 0 && sizes != rank) coder_fail(c, "a tensor of another rank");
  if (!c->is_writing && sizes == 0) t->sizes = NULL;
  if (c->version >= 6) code_bool(c, &t->is_number);
}

static void code_string(tenon_coder *c, tenon_string *s) {
  code_u64(c, &s->size);
  if (c->is_writing) {
    if (s->size) tenon_buf_add(c->out, s->at.data, (size_t)s->size);
    return;
  }
  s->at.data = "";
  if (s->size > c->file.size - c->at) {
    coder_fail(c, "a string without end");
    s->size = 0;
  }
  if (s->size == 0) return;
  char *bytes = coder_take(c, (size_t)s->size, 1, 1);
  if (!bytes) {
    s->size = 0;
    return;
  }
  memcpy(bytes, c->file.data + c->at, (size_t)s->size);
  s->at.data = bytes;
  c->at += (size_t)s->size;
}

// Kernels may read 64 bytes past the end.
static void code_strings(tenon_coder *c, tenon_program_constant *k) {
  const uint64_t n = k->size / sizeof(tenon_string);
  tenon_string *list = (tenon_string *)(uintptr_t)k->data;
  if (!c->is_writing) {
    if (c->version < 8 || k->size % sizeof *list != 0 ||
        n > c->file.size - c->at) {
      coder_fail(c, "strings that do not hold together");
      k->size = 0;
      return;
    }
    list = coder_take(c, (size_t)n + TENON_ARENA_TAIL / sizeof *list,
                      sizeof *list, TENON_ARENA_ALIGN);
    k->data = list;
  }
  for (uint64_t i = 0; list && i < n && !c->error; ++i)
    code_string(c, &list[i]);
}

static void code_constant(tenon_coder *c, void *element) {
  tenon_program_constant *k = element;
  CODE(c, k, size, align, is_packed, dtype);
  code_name(c, &k->name);
  if (!c->is_writing && c->version < 8 && k->dtype == TENON_STR)
    coder_fail(c, "strings in a file that has none");
  if (c->version < 2) return;
  CODE(c, k, bank, is_cold, image_offset);
  if (k->dtype == TENON_STR && !k->is_packed) code_strings(c, k);
}

static void code_content(tenon_coder *c, void *element) {
  tenon_tnp_content *k = element;
  CODE(c, k, is_there, at, hash);
  code_text(c, &k->layout);
  code_u32(c, &k->layout_version);
}

static void code_kernel(tenon_coder *c, void *element) {
  tenon_tnp_kernel *k = element;
  code_name(c, &k->symbol);
  code_name(c, &k->owner);
}

// How many entries the groups of a step have; 0: nobody knows the operator.
static size_t group_size(const tenon_coder *c, const tenon_step *s,
                         bool is_out) {
  const tenon_op *op = c->error ? NULL : tenon_registry_find_op(c->cx, s->op);
  if (!op || !op->schema) return 0;
  return (is_out ? tenon_schema_results(op->schema)
                 : (size_t)op->schema->n_tensors) +
         1;
}

// Groups rise from 0 to the number of tensors, one entry per argument.
static void code_group(tenon_coder *c, const tenon_step *s, bool is_out,
                       const uint16_t **group, uint16_t n) {
  size_t expected = group_size(c, s, is_out);
  size_t count = *group ? expected : 0;
  LIST(c, uint16_t, *group, count, 1, each_u16);
  if (c->is_writing) return;
  const uint16_t *g = *group;
  if (count == 0) *group = NULL;
  if (count == 0 || c->error) return;
  bool is_right =
      (!expected || count == expected) && g[0] == 0 && g[count - 1] == n;
  for (size_t i = 1; is_right && i < count; ++i)
    is_right = g[i] >= g[i - 1];
  if (!is_right) coder_fail(c, "groups that are not those of the operator");
}

static void code_place(tenon_coder *c, const tenon_place **place) {
  tenon_place *p =
      c->is_writing ? NULL : coder_take(c, 1, sizeof *p, _Alignof(tenon_place));
  tenon_place copy = {0};
  if (c->is_writing && *place && !c->strips) copy = **place;
  code_text(c, &copy.file);
  code_text(c, &copy.where);
  code_text(c, &copy.origin);
  code_u64(c, &copy.offset);
  code_u64(c, &copy.size);
  if (p) *p = copy;
  if (!c->is_writing) *place = p;
}

static void code_step(tenon_coder *c, void *element) {
  tenon_step *s = element;
  code_name(c, &s->op);
  code_u8(c, &s->kind);
  code_index(c, &s->kernel);
  code_index(c, &s->attrs);
  CODE(c, s, in, out, n_in, n_out);
  code_group(c, s, false, &s->in_group, s->n_in);
  code_group(c, s, true, &s->out_group, s->n_out);
  code_index(c, &s->packed);
  CODE(c, s, scratch, scratch_size, items, macs);
  code_index(c, &s->blocks[0]);
  code_index(c, &s->blocks[1]);
  CODE(c, s, span, time);
  code_place(c, &s->place);
  if (c->version < 3) return;
  code_bool(c, &s->is_ahead);
  if (c->version < 4) return;
  CODE(c, s, decided, n_decided);
}

static void code_block(tenon_coder *c, void *element) {
  tenon_block *b = element;
  CODE(c, b, first, count);
}

static void code_write(tenon_coder *c, void *element) {
  tenon_program_write *w = element;
  CODE(c, w, input, tensor);
}

// Of an input, output or state: its type is that of its tensor.
static void code_io(tenon_coder *c, void *element) {
  tenon_io *io = element;
  code_name(c, &io->name);
  code_u16(c, &io->flags);
}

static void code_entry(tenon_coder *c, void *element) {
  tenon_program_entry *e = element;
  size_t in = e->n_in, out = e->n_out, writes = e->n_writes;
  size_t inputs = in, outputs = out;
  code_name(c, &e->name);
  code_u32(c, &e->block);
  LIST(c, uint32_t, e->in, in, 1, each_u32);
  LIST(c, uint32_t, e->out, out, 1, each_u32);
  LIST(c, tenon_io, e->inputs, inputs, 2, code_io);
  LIST(c, tenon_io, e->outputs, outputs, 2, code_io);
  LIST(c, tenon_program_write, e->writes, writes, 2, code_write);
  if (in > UINT16_MAX || out > UINT16_MAX || writes > in || inputs != in ||
      outputs != out) {
    coder_fail(c, "an entry point that does not hold together");
    in = out = writes = 0;
  }
  e->n_in = (uint16_t)in;
  e->n_out = (uint16_t)out;
  e->n_writes = (uint16_t)writes;
  if (c->version < 2) return;
  size_t steps = e->steps ? out : 0;
  LIST(c, double, e->steps, steps, 8, each_f64);
  if (steps != 0 && steps != out)
    coder_fail(c, "steps of another number of outputs");
  if (!c->is_writing && steps == 0) e->steps = NULL;
}

static void code_port(tenon_coder *c, void *element) {
  tenon_program_port *port = element;
  CODE(c, port, entry, index, is_output, align, size);
}

static void code_bank(tenon_coder *c, void *element) {
  tenon_program_bank *m = element;
  code_name(c, &m->name);
  CODE(c, m, capacity, is_rom, is_cold, base, arena);
  CODE(c, m, arena_bound, state, constants, state_base, peak_time);
  if (c->version < 3) return;
  CODE(c, m, is_prefetch, align);
}

static void code_state(tenon_coder *c, void *element) {
  tenon_program_state *s = element;
  code_name(c, &s->name);
  code_u32(c, &s->tensor);
  code_index(c, &s->initial);
}

static void code_span(tenon_coder *c, void *element) {
  tenon_span_record *s = element;
  code_name(c, &s->name);
  CODE(c, s, first, last, offset, size, is_scratch, align, entry);
  code_index(c, &s->step);
  CODE(c, s, group, inner);
  if (c->version < 2) return;
  CODE(c, s, bank, rule, is_input, is_output);
  if (c->version < 4) return;
  code_dim(c, &s->bytes);
}

// Who stated a size or a condition: a place, as of a step.
static void code_author(tenon_coder *c, const char **said_by) {
  const char *none = NULL;
  code_text(c, c->is_writing && c->strips ? &none : said_by);
}

static void code_number(tenon_coder *c, void *element) {
  tenon_program_number *n = element;
  code_name(c, &n->name);
  CODE(c, n, op, a, b, min, max, kind, most, typical);
  if (c->version >= 5) code_author(c, &n->said_by);
}

static void code_guard(tenon_coder *c, void *element) {
  tenon_program_guard *g = element;
  CODE(c, g, relation, a, b);
  code_name(c, &g->text);
  if (c->version >= 5) code_author(c, &g->said_by);
}

static void code_patch(tenon_coder *c, void *element) {
  tenon_tnp_patch *p = element;
  code_u32(c, &p->attrs);
  code_name(c, &p->name);
  CODE(c, p, element, value);
}

static void code_ordering(tenon_coder *c, void *element) {
  tenon_program_ordering *o = element;
  CODE(c, o, given, peak, bound);
  code_text(c, &o->kept);
  if (c->version < 2) return;
  CODE(c, o, plain, n_over, n_orders);
}

// What a run finds out. The other tables refer to it.
static void code_open(tenon_coder *c, struct tenon_program *p,
                      tenon_tnp_rows *rows) {
  size_t n_patches = p->n_patches;
  TABLE(c, tenon_program_number, p, numbers, 13, code_number);
  TABLE(c, tenon_program_guard, p, guards, 6, code_guard);
  TABLE(c, uint32_t, p, decided, 1, each_u32);
  LIST(c, tenon_tnp_patch, rows->patches, n_patches, 5, code_patch);
  p->n_patches = (uint32_t)n_patches;
  code_bool(c, &p->is_bounded);
}

void tenon_tnp_code(tenon_coder *c, struct tenon_program *p,
                    tenon_tnp_rows *rows) {
  size_t n_kernels = p->n_kernels, n_orderings = p->n_entries;
  code_name(c, &p->name);
  code_name(c, &p->target);
  code_text(c, &p->target_features);
  code_name(c, &p->remarks);
  LIST(c, tenon_tnp_kernel, rows->kernels, n_kernels, 2, code_kernel);
  p->n_kernels = (uint32_t)n_kernels;
  TABLE(c, tenon_program_constant, p, constants, 5, code_constant);
  TABLE(c, tenon_program_tensor, p, tensors, 10, code_tensor);
  TABLE(c, tenon_program_attrs, p, attrs, 1, code_attrs);
  TABLE(c, tenon_step, p, steps, 20, code_step);
  TABLE(c, uint32_t, p, operands, 1, each_u32);
  TABLE(c, uint32_t, p, order, 1, each_u32);
  TABLE(c, tenon_block, p, blocks, 2, code_block);
  TABLE(c, tenon_program_entry, p, entries, 7, code_entry);
  TABLE(c, tenon_program_state, p, states, 3, code_state);
  TABLE(c, tenon_span_record, p, spans, 11, code_span);
  LIST(c, tenon_program_ordering, p->orderings, n_orderings, 4, code_ordering);
  if (n_orderings != p->n_entries) coder_fail(c, "orders of another number");
  CODE(c, p, arena_size, arena_bound, arena_is_optimal, state_size,
       scratch_most, times);
  if (c->version >= 2) {
    TABLE(c, tenon_program_port, p, ports, 5, code_port);
    TABLE(c, tenon_program_bank, p, banks, 11, code_bank);
    TABLE(c, const char *, p, rules, 1, each_name);
  }
  if (c->version >= 4) code_open(c, p, rows);
  if (c->version >= 7) {
    size_t n_contents = p->n_constants;
    LIST(c, tenon_tnp_content, rows->contents, n_contents, 5, code_content);
    if (n_contents != p->n_constants)
      coder_fail(c, "contents of another number of constants");
  }
  if (!c->is_writing && !c->error && c->at != c->file.size)
    c->error = "bytes behind the end";
}
