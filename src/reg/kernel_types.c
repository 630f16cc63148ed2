// reg/kernel_types.c - one split per separator: "->", then ",", then "|".
//
//   types  = [list] "->" [list]        list = entry {"," entry}
//   entry  = kind ["?"] ["..."]        kind = dtype {"|" dtype} | T | U | b1
//   ...
//
// A kind becomes a bit set per quantisation suffix, so choosing a kernel is a
// test of bits per operand.
#include "reg/kernel_types.h"

#include <stdio.h>

#include "core/dtype.h"
#include "core/template.h"

enum { ENTRIES_MOST = 64 };

typedef struct parser {
  char *error;
  size_t size;
} parser;

static bool TENON_PRINTF(2, 3) fail(const parser *p, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  vsnprintf(p->error, p->size, fmt, args);
  va_end(args);
  return false;
}

static bool cut_end(tenon_text *t, const char *suffix) {
  size_t size = strlen(suffix);
  if (t->size < size || memcmp(t->data + t->size - size, suffix, size) != 0)
    return false;
  t->size -= size;
  *t = tenon_text_trim(*t);
  return true;
}

// "s8", "s8q", "s8qc", "s8qb". No name of a dtype ends like a suffix.
static bool parse_dtype(const parser *p, tenon_text word,
                        tenon_kernel_type *out) {
  static const char *const suffixes[] = {"", "q", "qc", "qb"};
  for (size_t k = 0; k < 4; ++k) {
    tenon_text name = word;
    if (!cut_end(&name, suffixes[k])) continue;
    tenon_dtype d = tenon_dtype_find(name);
    const tenon_dtype_info *info = tenon_dtype_look(d);
    // By our name only: "float32" reads like a type of a schema.
    if (!info || !tenon_text_is(name, info->name)) continue;
    out->dtypes[k] |= UINT64_C(1) << d;
    return true;
  }
  return fail(p, "'%.*s' is no element type", (int)word.size, word.data);
}

static bool parse_kind(const parser *p, tenon_text word,
                       tenon_kernel_type *out) {
  tenon_text rest = word, piece = {NULL, 0};
  if (tenon_text_is(word, "T") || tenon_text_is(word, "U")) {
    out->variable = (uint8_t)word.data[0];
    for (size_t k = 0; k < 4; ++k)
      out->dtypes[k] = ~UINT64_C(0);
    return true;
  }
  if (word.size == 2 && word.data[0] == 'b' && strchr("1248", word.data[1])) {
    out->bytes = (uint8_t)(word.data[1] - '0');
    return true;
  }
  if (word.size == 0) return fail(p, "an entry without a type");
  while (tenon_text_next(&rest, '|', &piece)) {
    if (!parse_dtype(p, tenon_text_trim(piece), out)) return false;
  }
  return word.data[word.size - 1] != '|' || fail(p, "nothing behind '|'");
}

static bool parse_entry(const parser *p, tenon_text word,
                        tenon_kernel_type *out) {
  memset(out, 0, sizeof *out);
  word = tenon_text_trim(word);
  out->is_list = cut_end(&word, "...");
  out->is_optional = cut_end(&word, "?");
  return parse_kind(p, word, out);
}

// Entries of a list; an empty one, or "()", has none.
static bool count_list(tenon_text list, size_t *count) {
  tenon_text piece;
  *count = 0;
  if (list.size == 0 || tenon_text_is(list, "()")) return true;
  while (tenon_text_next(&list, ',', &piece))
    ++*count;
  return list.data[-1] != ',';
}

static bool kernel_types_parse_list(const parser *p, tenon_arena *arena,
                                    tenon_text list,
                                    const tenon_kernel_type **out,
                                    uint8_t *n_out) {
  size_t count = 0;
  tenon_text piece;
  if (!count_list(list, &count)) return fail(p, "nothing behind the last ','");
  if (count > ENTRIES_MOST)
    return fail(p, "%zu entries, at most %d are possible", count, ENTRIES_MOST);
  tenon_kernel_type *types = tenon_arena_array(arena, tenon_kernel_type, count);
  if (!types) return false;
  for (size_t i = 0; i < count; ++i) {
    (void)tenon_text_next(&list, ',', &piece);
    if (!parse_entry(p, piece, &types[i])) return false;
  }
  *out = types;
  *n_out = (uint8_t)count;
  return true;
}

// Splits at "->", which stands once.
static bool kernel_types_split(const parser *p, const char *text,
                               tenon_text *left, tenon_text *right) {
  const char *arrow = strstr(text, "->");
  if (!arrow) return fail(p, "'->' is missing in '%s'", text);
  if (strstr(arrow + 2, "->")) return fail(p, "'->' twice in '%s'", text);
  left->data = text;
  left->size = (size_t)(arrow - text);
  *left = tenon_text_trim(*left);
  *right = tenon_text_trim(tenon_text_of(arrow + 2));
  return true;
}

// `*`, `-`, or every digit below the rank once, outermost first.
static bool check_permutation(const parser *p, tenon_text word) {
  unsigned seen = 0;
  if (tenon_text_is(word, "*") || tenon_text_is(word, "-")) return true;
  for (size_t i = 0; i < word.size; ++i) {
    unsigned digit = (unsigned)(unsigned char)word.data[i] - '0';
    if (digit >= word.size || digit >= TENON_MAX_RANK || (seen & 1u << digit))
      return fail(
          p, "'%.*s' in the order is neither '*' nor '-' nor a permutation",
          (int)word.size, word.data);
    seen |= 1u << digit;
  }
  return true;
}

static bool check_order_list(const parser *p, tenon_text list, uint8_t n,
                             const char *what) {
  size_t count = 0;
  tenon_text piece, choice;
  if (!count_list(list, &count) || count != n)
    return fail(p, "the order names %zu %s, the types %u", count, what,
                (unsigned)n);
  for (size_t i = 0; i < count; ++i) {
    (void)tenon_text_next(&list, ',', &piece);
    piece = tenon_text_trim(piece);
    if (piece.size == 0) return fail(p, "an empty entry in the order");
    while (tenon_text_next(&piece, '|', &choice)) {
      if (!check_permutation(p, tenon_text_trim(choice))) return false;
    }
  }
  return true;
}

bool tenon_kernel_types_parse(tenon_arena *arena, tenon_kernel *kernel,
                              char *error, size_t size) {
  parser p = {error, size};
  tenon_text in, out;
  const tenon_kernel_desc *desc = kernel->desc;
  error[0] = 0;
  if (desc->types) {
    if (!kernel_types_split(&p, desc->types, &in, &out) ||
        !kernel_types_parse_list(&p, arena, in, &kernel->in, &kernel->n_in) ||
        !kernel_types_parse_list(&p, arena, out, &kernel->out,
                                 &kernel->n_out)) {
      return false;
    }
  }
  if (!desc->order) return true;
  return kernel_types_split(&p, desc->order, &in, &out) &&
         check_order_list(&p, in, kernel->n_in, "operands") &&
         check_order_list(&p, out, kernel->n_out, "results");
}

static bool fit_one(const parser *p, const tenon_kernel_type *type,
                    const tenon_argument *a, const char *what, unsigned i) {
  bool may_be_absent = a->is_optional || a->has_optional_elements;
  if (type->is_list != a->is_list)
    return fail(p, "%s %u is '%s' in the schema, %s '...' in the types", what,
                i, a->type_text, type->is_list ? "with" : "without");
  if (type->is_optional && !may_be_absent)
    return fail(p,
                "%s %u is '%s' in the schema, never absent: '?' in the types",
                what, i, a->type_text);
  return true;
}

// Whether the operands that the types do not name can all be absent.
static bool may_lack(const tenon_kernel *kernel, const tenon_schema *schema) {
  for (int i = 0; i < schema->n_tensors; ++i) {
    const tenon_argument *a = tenon_schema_tensor(schema, i);
    if (a->is_list || (i >= kernel->n_in && !a->is_optional)) return false;
  }
  return !kernel->desc->order;
}

bool tenon_kernel_types_fit(const tenon_kernel *kernel,
                            const tenon_schema *schema, char *error,
                            size_t size) {
  parser p = {error, size};
  unsigned results = tenon_schema_results(schema), at = 0;
  error[0] = 0;
  if (!kernel->desc->types) return true;
  if (kernel->n_in > schema->n_tensors ||
      (kernel->n_in < schema->n_tensors && !may_lack(kernel, schema)))
    return fail(&p, "types '%s' have %u operands, the schema %u",
                kernel->desc->types, (unsigned)kernel->n_in,
                (unsigned)schema->n_tensors);
  if (kernel->n_out != results)
    return fail(&p, "types '%s' have %u results, the schema %u%s",
                kernel->desc->types, (unsigned)kernel->n_out, results,
                schema->n_written ? " (written arguments included)" : "");
  for (unsigned i = 0; i < kernel->n_in; ++i) {
    const tenon_argument *a = tenon_schema_tensor(schema, (int)i);
    if (!fit_one(&p, &kernel->in[i], a, "operand", i)) return false;
  }
  for (unsigned i = 0; i < schema->n_returns; ++i) {
    if (schema->returns[i].base != TENON_BASE_TENSOR) continue;
    if (!fit_one(&p, &kernel->out[at], &schema->returns[i], "result", at))
      return false;
    ++at;
  }
  for (unsigned i = 0; i < schema->n_written; ++i, ++at) {
    const tenon_argument *a = tenon_schema_tensor(schema, schema->written[i]);
    if (!fit_one(&p, &kernel->out[at], a, "result", at)) return false;
  }
  return true;
}
