// How: a row as text IR: an input or a constant per operand, the node, and all
// results returned. Constants are written as bytes, drawn from the row's seed.
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"

static tenon_dtype check_text_find_dtype(const char *name) {
  for (int t = 1; t <= TENON_STR; ++t)
    if (strcmp(cli_dtype_name((tenon_dtype)t), name) == 0)
      return (tenon_dtype)t;
  return 0;
}

// Types below a byte: whole bytes at random, what is behind the end zero.
static unsigned char *packed_bytes(const check_value *v, uint64_t seed,
                                   size_t bits, size_t *size) {
  check_random r = {seed};
  size_t used = check_value_count(v) * bits;
  *size = (used + 7) / 8;
  unsigned char *p = (unsigned char *)malloc(*size + 1);
  for (size_t i = 0; p && i < *size; ++i)
    p[i] = (unsigned char)check_next(&r);
  if (p && used % 8) p[*size - 1] &= (unsigned char)((1u << used % 8) - 1);
  return p;
}

static bool check_text_is_integer(tenon_dtype t) {
  return t == TENON_S8 || t == TENON_S16 || t == TENON_S32 || t == TENON_S64 ||
         t == TENON_U8 || t == TENON_U16 || t == TENON_U32 || t == TENON_U64;
}

// Small integers are what indices and sizes are; floats reach beyond one, where
// limits are.
static void adjust(const check_value *v, tenon_dtype t, unsigned char *p,
                   size_t n, uint64_t seed) {
  check_random r = {seed};
  size_t unit = tenon_element_bytes(t);
  bool is_unsigned =
      t == TENON_U8 || t == TENON_U16 || t == TENON_U32 || t == TENON_U64;
  for (size_t i = 0; i < n; ++i, p += unit) {
    float f = 0;
    int64_t small = check_below(&r, v->fill == 1 || is_unsigned ? 4 : 17);
    if (v->fill == 2 && !is_unsigned) small -= 8;
    if (check_text_is_integer(t) && v->fill && !v->type.quant)
      memcpy(p, &small, unit);
    if (t != TENON_F32 && t != TENON_C64) continue;
    for (size_t k = 0; k < unit; k += 4) {
      if (t == TENON_C64) f = (float)check_below(&r, 200) / 50 - 2;
      if (t == TENON_F32) memcpy(&f, p, 4);
      if (t == TENON_F32 && v->fill) f *= v->fill == 1 ? 8 : 3;
      memcpy(p + k, &f, 4);
    }
  }
}

// 1, 2, 3, ... up to 7, as every type has it.
static void check_text_count_up(tenon_dtype t, unsigned char *p, size_t n) {
  size_t unit = tenon_element_bytes(t);
  for (size_t i = 0; i < n; ++i, p += unit) {
    uint64_t u = t == TENON_BOOL ? i % 2 : 1 + i % 7;
    float f = (float)u;
    double d = (double)u;
    uint16_t half = (uint16_t)(i % 2 ? 0x4000 : 0x3c00);  // 1 and 2
    uint16_t bfloat = (uint16_t)(i % 2 ? 0x4000 : 0x3f80);
    const void *from = t == TENON_F64 || t == TENON_C128  ? (const void *)&d
                       : t == TENON_F32 || t == TENON_C64 ? (const void *)&f
                       : t == TENON_F16                   ? (const void *)&half
                       : t == TENON_BF16 ? (const void *)&bfloat
                                         : (const void *)&u;
    size_t size = t == TENON_C64 ? 4 : unit < 8 ? unit : 8;
    memset(p, 0, unit);
    memcpy(p, from, size);
  }
}

// A list of integers that a refusal has told.
static void check_text_told(const check_value *v, tenon_dtype t,
                            unsigned char *p) {
  for (int i = 0; i < v->n_numbers; ++i) {
    const int64_t n = v->numbers[i];
    memcpy(p + (size_t)i * tenon_element_bytes(t), &n, tenon_element_bytes(t));
  }
}

unsigned char *check_row_bytes(const check_row *row, size_t i, size_t *size) {
  const check_value *v = &row->in[i];
  tenon_dtype t = check_text_find_dtype(v->type.name);
  cli_tensor tensor;
  int64_t dims[TENON_MAX_RANK];
  uint64_t seed = row->seed + 1000 * (i + 1);
  if (strcmp(v->type.name, "s4") == 0 || strcmp(v->type.name, "u4") == 0)
    return packed_bytes(v, seed, 4, size);
  if (strcmp(v->type.name, "s2") == 0) return packed_bytes(v, seed, 2, size);
  for (int d = 0; d < v->rank; ++d)
    dims[d] = v->dims[d];
  if (t == 0 || !cli_tensor_make(&tensor, t, dims, v->rank)) return NULL;
  cli_tensor_random(&tensor, seed);
  unsigned char *bytes = (unsigned char *)malloc(tensor.size + 16);
  if (bytes && tensor.size) memcpy(bytes, tensor.memory, tensor.size);
  *size = tensor.size;
  cli_tensor_free(&tensor);
  if (bytes && check_text_is_integer(t) && v->n_numbers &&
      check_value_count(v) == (size_t)v->n_numbers)
    check_text_told(v, t, bytes);
  else if (bytes && v->fill == CHECK_COUNTING)
    check_text_count_up(t, bytes, check_value_count(v));
  else if (bytes)
    adjust(v, t, bytes, check_value_count(v), seed);
  return bytes;
}

tenon_dtype check_row_dtype(const check_row *row, size_t i) {
  return check_text_find_dtype(row->in[i].type.name);
}

// --- text -------------------------------------------------------------------

// Floats as text IR has them.
static void put_scale(tenon_buf *out, const tenon_put_value *v) {
  tenon_buf_format(out, "%.10g", v->as.f);
}
TENON_PUT_AS(scale, double, f, put_scale)

static void write_quant(const check_value *v, tenon_buf *out) {
  if (v->type.quant == 'q') {
    tenon_put(out, "{$:$}", tenon_as_scale(v->scale), v->zero);
    return;
  }
  int n = v->dims[v->axis];
  tenon_buf_text(out, "{[");
  for (int i = 0; i < n; ++i)
    tenon_put(out, "$$", i ? "," : "",
              tenon_as_scale(v->scale * (1 + 0.25 * (double)(i % 4))));
  tenon_buf_text(out, "]:[");
  for (int i = 0; i < n; ++i)
    tenon_buf_text(out, i ? ",0" : "0");
  tenon_put(out, "]@$}", v->axis);
}

static void write_type(const check_value *v, bool is_floating, tenon_buf *out) {
  bool drop = is_floating && v->type.quant;
  tenon_put(out, "$[", drop ? "f32" : v->type.name);
  for (int i = 0; i < v->rank; ++i)
    tenon_put(out, "$$", i ? "," : "", v->dims[i]);
  tenon_buf_char(out, ']');
  if (!drop && v->type.quant) write_quant(v, out);
}

static bool is_small_type(const check_value *v) {
  return tenon_element_bytes(check_text_find_dtype(v->type.name)) == 0;
}

bool check_row_is_input(const check_row *row, size_t i) {
  return !row->in[i].is_absent && !row->in[i].is_constant &&
         !is_small_type(&row->in[i]);
}

// Thousands of rows are written for each operator.
static void write_hex(const unsigned char *bytes, size_t size, tenon_buf *out) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < size; ++i) {
    const char two[] = {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
    tenon_buf_add(out, two, sizeof two);
  }
}

static void write_operand(const check_row *row, size_t i, check_form form,
                          tenon_buf *out) {
  const check_value *v = &row->in[i];
  bool is_floating = form == CHECK_FLOATING;
  bool is_constant = v->is_constant || is_small_type(v);
  if (v->is_absent) return;
  tenon_put(out, "  %x$ = $ ", i, is_constant ? "const" : "input");
  write_type(v, is_floating, out);
  if (is_constant && is_floating && v->type.quant) {
    tenon_buf_text(out, " zeros");
  } else if (is_constant) {
    size_t size = 0;
    unsigned char *bytes = check_row_bytes(row, i, &size);
    tenon_buf_text(out, " hex\"");
    if (bytes)
      write_hex(bytes, size, out);
    else
      out->failed = true;
    tenon_buf_char(out, '"');
    free(bytes);
  }
  tenon_buf_char(out, '\n');
}

// to = from with its dimensions in reverse, which is its own inverse.
static void write_turned(const char *to, size_t i, const char *from, int rank,
                         tenon_buf *out) {
  tenon_put(out, "  %$$ = core::permute(%$$) [dims=[", to, i, from, i);
  for (int d = rank; d-- > 0;)
    tenon_put(out, "$$", d, d ? "," : "");
  tenon_buf_text(out, "]]\n");
}

static bool is_turned(const check_row *row, size_t i) {
  return !row->in[i].is_absent && row->in[i].rank > 0;
}

static void write_copies(const check_row *row, check_form form,
                         tenon_buf *out) {
  for (size_t i = 0; i < row->n_in; ++i)
    if (form == CHECK_TURNED && is_turned(row, i))
      write_turned("c", i, "x", row->in[i].rank, out);
    else if (form != CHECK_TURNED && check_row_is_input(row, i))
      tenon_put(out, "  %c$ = core::copy(%x$)\n", i, i);
}

static bool is_copied(const check_row *row, size_t i, check_form form) {
  return form == CHECK_TURNED ? is_turned(row, i)
         : form == CHECK_DYING || form == CHECK_KEPT
             ? check_row_is_input(row, i)
             : false;
}

static void write_list(const check_row *row, check_form form, tenon_buf *out) {
  const tenon_signature *s = row->op->signature;
  size_t at = 0, g = 0;
  for (size_t i = 0; i < s->n_args; ++i) {
    if (!(s->args[i].flags & TENON_ARGUMENT_TENSOR)) continue;
    bool is_list = (s->args[i].flags & TENON_ARGUMENT_LIST) != 0;
    tenon_put(out, "$$", g ? ", " : "", is_list ? "[" : "");
    for (int j = 0; j < row->in_group[g]; ++j, ++at) {
      if (j) tenon_buf_text(out, ", ");
      if (row->in[at].is_absent)
        tenon_buf_text(out, "none");
      else
        tenon_put(out, "%$$", is_copied(row, at, form) ? "c" : "x", at);
    }
    tenon_buf_text(out, is_list ? "]" : "");
    ++g;
  }
}

static void write_results(const check_row *row, const char *name,
                          tenon_buf *out) {
  const tenon_signature *s = row->op->signature;
  size_t at = 0;
  for (size_t g = 0; g < row->n_out_groups; ++g) {
    bool is_list =
        g < s->n_results && (s->results[g].flags & TENON_ARGUMENT_LIST);
    tenon_put(out, "$$", g ? ", " : "", is_list ? "[" : "");
    for (int j = 0; j < row->out_group[g]; ++j)
      tenon_put(out, "$%$$", j ? ", " : "", name, at++);
    tenon_buf_text(out, is_list ? "]" : "");
  }
}

static void write_attrs(const check_row *row, tenon_buf *out) {
  bool any = false;
  for (size_t i = 0; i < row->n_attrs; ++i) {
    if (!row->attrs[i][0]) continue;
    tenon_put(out, "$$", any ? ", " : " [", row->attrs[i]);
    any = true;
  }
  tenon_buf_text(out, any ? "]" : "");
}

// Written arguments whose value afterwards is a declared result: nothing else
// tells the parser that the node has been made functional.
static bool needs_word(const check_row *row) {
  const tenon_signature *s = row->op->signature;
  bool any = false;
  for (size_t i = 0; i < s->n_args; ++i) {
    if (s->args[i].written >= (int32_t)s->n_results) return false;
    any = any || s->args[i].written >= 0;
  }
  return any;
}

bool check_row_text(const check_row *row, check_form form, tenon_buf *out) {
  bool is_back = form == CHECK_TURNED;
  bool has_copies = is_back || form == CHECK_DYING || form == CHECK_KEPT;
  int rank = 0;  // of the result
  for (size_t i = 0; i < row->n_in; ++i)
    rank = row->in[i].rank > rank ? row->in[i].rank : rank;
  if (row->given) {
    tenon_buf_text(out, row->given);
    return !out->failed;
  }
  tenon_buf_text(out, "module {\n");
  for (size_t i = 0; i < row->n_in; ++i)
    write_operand(row, i, form, out);
  if (has_copies) write_copies(row, form, out);
  tenon_buf_text(out, "  ");
  write_results(row, is_back ? "z" : "y", out);
  tenon_put(out, "$$(", row->n_out ? " = " : "", row->op->op.name);
  write_list(row, form, out);
  tenon_buf_char(out, ')');
  write_attrs(row, out);
  if (needs_word(row)) tenon_buf_text(out, " functional");
  if (row->types[0] && form != CHECK_FLOATING)
    tenon_put(out, " : $", row->types);
  tenon_buf_char(out, '\n');
  if (is_back) write_turned("y", 0, "z", rank, out);
  tenon_buf_text(out, "  return ");
  for (size_t i = 0; i < row->n_out; ++i)
    tenon_put(out, "$%y$", i ? ", " : "", i);
  for (size_t i = 0; form == CHECK_KEPT && i < row->n_in; ++i)
    if (check_row_is_input(row, i)) tenon_put(out, ", %c$", i);
  tenon_buf_text(out, "\n}\n");
  return !out->failed;
}
