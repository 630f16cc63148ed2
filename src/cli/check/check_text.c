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

static bool write_quant(const check_value *v, cli_bytes *out) {
  if (v->type.quant == 'q')
    return cli_bytes_format(out, "{%.10g:%d}", v->scale, v->zero);
  int n = v->dims[v->axis];
  bool ok = cli_bytes_format(out, "{[");
  for (int i = 0; ok && i < n; ++i)
    ok = cli_bytes_format(out, "%s%.10g", i ? "," : "",
                          v->scale * (1 + 0.25 * (double)(i % 4)));
  ok = ok && cli_bytes_format(out, "]:[");
  for (int i = 0; ok && i < n; ++i)
    ok = cli_bytes_format(out, "%s0", i ? "," : "");
  return ok && cli_bytes_format(out, "]@%d}", v->axis);
}

static bool write_type(const check_value *v, bool is_floating, cli_bytes *out) {
  bool drop = is_floating && v->type.quant;
  bool ok = cli_bytes_format(out, "%s[", drop ? "f32" : v->type.name);
  for (int i = 0; ok && i < v->rank; ++i)
    ok = cli_bytes_format(out, "%s%d", i ? "," : "", v->dims[i]);
  ok = ok && cli_bytes_add(out, "]", 1);
  return ok && (drop || !v->type.quant || write_quant(v, out));
}

static bool is_small_type(const check_value *v) {
  return tenon_element_bytes(check_text_find_dtype(v->type.name)) == 0;
}

bool check_row_is_input(const check_row *row, size_t i) {
  return !row->in[i].is_absent && !row->in[i].is_constant &&
         !is_small_type(&row->in[i]);
}

// Thousands of rows are written for each operator.
static bool write_hex(const unsigned char *bytes, size_t size, cli_bytes *out) {
  static const char digits[] = "0123456789abcdef";
  bool ok = true;
  for (size_t i = 0; ok && i < size; ++i) {
    const char two[] = {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
    ok = cli_bytes_add(out, two, sizeof two);
  }
  return ok;
}

static bool write_operand(const check_row *row, size_t i, check_form form,
                          cli_bytes *out) {
  const check_value *v = &row->in[i];
  bool is_floating = form == CHECK_FLOATING;
  bool is_constant = v->is_constant || is_small_type(v);
  if (v->is_absent) return true;
  bool ok = cli_bytes_format(out, "  %%x%zu = %s ", i,
                             is_constant ? "const" : "input") &&
            write_type(v, is_floating, out);
  if (ok && is_constant && is_floating && v->type.quant) {
    ok = cli_bytes_format(out, " zeros");
  } else if (ok && is_constant) {
    size_t size = 0;
    unsigned char *bytes = check_row_bytes(row, i, &size);
    ok = bytes && cli_bytes_format(out, " hex\"");
    ok = ok && write_hex(bytes, size, out);
    ok = ok && cli_bytes_add(out, "\"", 1);
    free(bytes);
  }
  ok = ok && cli_bytes_add(out, "\n", 1);
  return ok;
}

// to = from with its dimensions in reverse, which is its own inverse.
static bool write_turned(const char *to, size_t i, const char *from, int rank,
                         cli_bytes *out) {
  bool ok = cli_bytes_format(out, "  %%%s%zu = core::permute(%%%s%zu) [dims=[",
                             to, i, from, i);
  for (int d = rank; ok && d-- > 0;)
    ok = cli_bytes_format(out, "%d%s", d, d ? "," : "");
  return ok && cli_bytes_format(out, "]]\n");
}

static bool is_turned(const check_row *row, size_t i) {
  return !row->in[i].is_absent && row->in[i].rank > 0;
}

static bool write_copies(const check_row *row, check_form form,
                         cli_bytes *out) {
  bool ok = true;
  for (size_t i = 0; ok && i < row->n_in; ++i)
    if (form == CHECK_TURNED)
      ok =
          !is_turned(row, i) || write_turned("c", i, "x", row->in[i].rank, out);
    else if (check_row_is_input(row, i))
      ok = cli_bytes_format(out, "  %%c%zu = core::copy(%%x%zu)\n", i, i);
  return ok;
}

static bool is_copied(const check_row *row, size_t i, check_form form) {
  return form == CHECK_TURNED ? is_turned(row, i)
         : form == CHECK_DYING || form == CHECK_KEPT
             ? check_row_is_input(row, i)
             : false;
}

static bool write_list(const check_row *row, check_form form, cli_bytes *out) {
  const tenon_signature *s = row->op->signature;
  size_t at = 0, g = 0;
  bool ok = true;
  for (size_t i = 0; ok && i < s->n_args; ++i) {
    if (!(s->args[i].flags & TENON_ARGUMENT_TENSOR)) continue;
    bool is_list = (s->args[i].flags & TENON_ARGUMENT_LIST) != 0;
    ok = cli_bytes_format(out, "%s%s", g ? ", " : "", is_list ? "[" : "");
    for (int j = 0; ok && j < row->in_group[g]; ++j, ++at) {
      bool copied = is_copied(row, at, form);
      ok = row->in[at].is_absent
               ? cli_bytes_format(out, "%snone", j ? ", " : "")
               : cli_bytes_format(out, "%s%%%c%zu", j ? ", " : "",
                                  copied ? 'c' : 'x', at);
    }
    ok = ok && cli_bytes_format(out, is_list ? "]" : "");
    ++g;
  }
  return ok;
}

static bool write_results(const check_row *row, const char *name,
                          cli_bytes *out) {
  const tenon_signature *s = row->op->signature;
  size_t at = 0;
  bool ok = true;
  for (size_t g = 0; ok && g < row->n_out_groups; ++g) {
    bool is_list =
        g < s->n_results && (s->results[g].flags & TENON_ARGUMENT_LIST);
    ok = cli_bytes_format(out, "%s%s", g ? ", " : "", is_list ? "[" : "");
    for (int j = 0; ok && j < row->out_group[g]; ++j)
      ok = cli_bytes_format(out, "%s%%%s%zu", j ? ", " : "", name, at++);
    ok = ok && cli_bytes_format(out, is_list ? "]" : "");
  }
  return ok;
}

static bool write_attrs(const check_row *row, cli_bytes *out) {
  bool ok = true, any = false;
  for (size_t i = 0; ok && i < row->n_attrs; ++i) {
    if (!row->attrs[i][0]) continue;
    ok = cli_bytes_format(out, "%s%s", any ? ", " : " [", row->attrs[i]);
    any = true;
  }
  return ok && cli_bytes_add(out, "]", any ? 1 : 0);
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

bool check_row_text(const check_row *row, check_form form, cli_bytes *out) {
  bool is_back = form == CHECK_TURNED;
  bool has_copies = is_back || form == CHECK_DYING || form == CHECK_KEPT;
  int rank = 0;  // of the result
  for (size_t i = 0; i < row->n_in; ++i)
    rank = row->in[i].rank > rank ? row->in[i].rank : rank;
  if (row->given) return cli_bytes_add(out, row->given, strlen(row->given));
  bool ok = cli_bytes_format(out, "module {\n");
  for (size_t i = 0; ok && i < row->n_in; ++i)
    ok = write_operand(row, i, form, out);
  if (ok && has_copies) ok = write_copies(row, form, out);
  ok = ok && cli_bytes_add(out, "  ", 2) &&
       write_results(row, is_back ? "z" : "y", out) &&
       cli_bytes_format(out, "%s%s(", row->n_out ? " = " : "",
                        row->op->op.name) &&
       write_list(row, form, out) && cli_bytes_add(out, ")", 1) &&
       write_attrs(row, out);
  if (ok && needs_word(row)) ok = cli_bytes_format(out, " functional");
  if (ok && row->types[0] && form != CHECK_FLOATING)
    ok = cli_bytes_format(out, " : %s", row->types);
  ok = ok && cli_bytes_add(out, "\n", 1);
  if (ok && is_back) ok = write_turned("y", 0, "z", rank, out);
  ok = ok && cli_bytes_format(out, "  return ");
  for (size_t i = 0; ok && i < row->n_out; ++i)
    ok = cli_bytes_format(out, "%s%%y%zu", i ? ", " : "", i);
  for (size_t i = 0; ok && form == CHECK_KEPT && i < row->n_in; ++i)
    if (check_row_is_input(row, i)) ok = cli_bytes_format(out, ", %%c%zu", i);
  return ok && cli_bytes_format(out, "\n}\n");
}
