// core/attr_value.c - comparing, hashing and printing canonical attributes.
//
// Floats are equal when their bits are: a NaN is itself, and 0 is not -0, since
// both matter to whoever merges two nodes. The hash goes over the same bits.
#include <string.h>

#include "base/hash.h"
#include "base/put.h"
#include "core/attr.h"

static uint64_t attr_value_bits_of(double f) {
  uint64_t bits = 0;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

// ---------------------------------------------------------------------------
// Equality and hash
// ---------------------------------------------------------------------------

static bool same_scalar(tenon_scalar a, tenon_scalar b) {
  if (a.kind != b.kind) return false;
  if (a.kind == TENON_KIND_FLOAT)
    return attr_value_bits_of(a.as.f) == attr_value_bits_of(b.as.f);
  return a.kind == 0 || a.as.i == b.as.i;
}

static bool same_elements(const tenon_arg *a, const tenon_arg *b) {
  size_t count = tenon_attr_count(a);
  if (count != tenon_attr_count(b)) return false;
  for (size_t i = 0; i < count; ++i) {
    if (a->kind == TENON_KIND_STRS) {
      if (strcmp(a->as.strs.data[i], b->as.strs.data[i]) != 0) return false;
    } else if (a->kind == TENON_KIND_DIMS) {
      if (!tenon_dim_equals(a->as.dims.data[i], b->as.dims.data[i]))
        return false;
    } else if (!same_scalar(tenon_attr_scalar(a, i), tenon_attr_scalar(b, i))) {
      return false;
    }
  }
  return true;
}

static bool same_value(const tenon_arg *a, const tenon_arg *b) {
  if (a->kind != b->kind) return false;
  switch (a->kind) {
    case 0:
      return true;
    case TENON_KIND_STR:
      return strcmp(a->as.s, b->as.s) == 0;
    case TENON_KIND_DTYPE:
      return a->as.i == b->as.i;
    default:
      return same_elements(a, b);
  }
}

bool tenon_args_equal(const tenon_arg *a, const tenon_arg *b) {
  static const tenon_arg none[1];
  if (!a) a = none;
  if (!b) b = none;
  for (; a->name && b->name; ++a, ++b) {
    if (strcmp(a->name, b->name) != 0 || !same_value(a, b)) return false;
  }
  return a->name == b->name;  // both ended
}

static uint64_t hash_word(uint64_t word, uint64_t seed) {
  return tenon_hash(&word, sizeof word, seed);
}

static uint64_t attr_value_hash_text(const char *text, uint64_t seed) {
  return tenon_hash(text, strlen(text) + 1, seed);
}

static uint64_t hash_element(const tenon_arg *arg, size_t i, uint64_t seed) {
  if (arg->kind == TENON_KIND_DIMS) {
    seed = hash_word(arg->as.dims.data[i].symbol, seed);
    return hash_word((uint64_t)arg->as.dims.data[i].value, seed);
  }
  if (arg->kind == TENON_KIND_STRS)
    return attr_value_hash_text(arg->as.strs.data[i], seed);
  tenon_scalar s = tenon_attr_scalar(arg, i);
  seed = hash_word(s.kind, seed);
  if (s.kind == 0) return seed;
  return hash_word(s.kind == TENON_KIND_FLOAT ? attr_value_bits_of(s.as.f)
                                              : (uint64_t)s.as.i,
                   seed);
}

uint64_t tenon_args_hash(const tenon_arg *args, uint64_t seed) {
  for (; args && args->name; ++args) {
    seed = attr_value_hash_text(args->name, seed);
    seed = hash_word(args->kind, seed);
    if (args->kind == TENON_KIND_STR) {
      seed = attr_value_hash_text(args->as.s, seed);
    } else if (args->kind == TENON_KIND_DTYPE) {
      seed = hash_word((uint64_t)args->as.i, seed);
    } else {
      size_t count = tenon_attr_count(args);
      seed = hash_word(count, seed);
      for (size_t i = 0; i < count; ++i)
        seed = hash_element(args, i, seed);
    }
  }
  return seed;
}

// ---------------------------------------------------------------------------
// Text
// ---------------------------------------------------------------------------

// What has no number is said in these.
typedef struct words {
  const char *none, *no, *yes;
} words;

static void attr_value_print_scalar(tenon_scalar s, const words *w,
                                    tenon_buf *out) {
  if (s.kind == 0)
    tenon_buf_text(out, w->none);
  else if (s.kind == TENON_KIND_BOOL)
    tenon_buf_text(out, s.as.i ? w->yes : w->no);
  else if (s.kind == TENON_KIND_FLOAT)
    tenon_buf_double(out, s.as.f);
  else
    tenon_put(out, "$", s.as.i);
}

static void attr_value_print(const tenon_arg *arg, const words *w,
                             const tenon_symbols *symbols, tenon_buf *out) {
  const size_t count = tenon_attr_count(arg);
  const bool is_list = tenon_kind_is_list(arg->kind);
  if (is_list) tenon_buf_char(out, '[');
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) tenon_buf_text(out, ", ");
    if (arg->kind == TENON_KIND_STRS)
      tenon_buf_quote(out, arg->as.strs.data[i], strlen(arg->as.strs.data[i]));
    else if (arg->kind == TENON_KIND_DIMS)
      tenon_symbols_print(symbols, arg->as.dims.data[i], out);
    else
      attr_value_print_scalar(tenon_attr_scalar(arg, i), w, out);
  }
  if (is_list) tenon_buf_char(out, ']');
}

void tenon_arg_print(const tenon_arg *arg, const tenon_symbols *symbols,
                     tenon_buf *out) {
  static const words own = {"none", "false", "true"};
  if (arg->kind == 0)
    tenon_buf_text(out, own.none);
  else if (arg->kind == TENON_KIND_STR)
    tenon_buf_quote(out, arg->as.s, strlen(arg->as.s));
  else if (arg->kind == TENON_KIND_DTYPE)
    tenon_buf_text(out, tenon_dtype_name((tenon_dtype)arg->as.i));
  else
    attr_value_print(arg, &own, symbols, out);
}

void tenon_arg_print_python(const tenon_arg *arg, tenon_buf *out) {
  static const words python = {"None", "False", "True"};
  if (arg->kind == 0)
    tenon_buf_text(out, python.none);
  else
    attr_value_print(arg, &python, NULL, out);
}

bool tenon_arg_is_default(const tenon_arg *arg, const tenon_schema *schema) {
  const tenon_argument *a = schema ? tenon_schema_find(schema, arg->name) : 0;
  return a && a->has_default && same_value(arg, &a->value);
}

void tenon_args_print(const tenon_arg *args, const tenon_schema *schema,
                      const tenon_symbols *symbols, tenon_buf *out) {
  const char *before = "[";
  for (; args && args->name; ++args) {
    if (tenon_arg_is_default(args, schema)) continue;
    tenon_buf_text(out, before);
    before = ", ";
    tenon_buf_text(out, args->name);
    tenon_buf_char(out, '=');
    tenon_arg_print(args, symbols, out);
  }
  if (before[0] == ',') tenon_buf_char(out, ']');
}
