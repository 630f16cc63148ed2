// How: where a shape rule refuses a row and says of an operand what it should
// have been, the operand becomes that, and the rule is asked again. What is
// understood: "operand 2 has rank 4, expected 3", "operand 2 has 5 in dimension
// 0, not 4", "operand 2 must be '[4,3]'", where in place of the number the name
// of the argument may stand, "operand 0, 'shape', must hold [1, 5]", "operand 2
// is no constant of 3 integers", of numbers "'stride_h' is 0, expected 1 or
// more", and of lists of numbers "2 scales, expected 5". Of an operator without
// kernels nothing tells the types, so there also:
// "'x' is s64, expected c64", "operand 3, 'w', is absent", "the result has no
// declared type".
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"

// The operand that the text before `at` names; null: none.
static check_value *named_before(check_row *row, const char *text,
                                 const char *at) {
  static const char number[] = "operand ";
  const tenon_signature *s = row->op->signature;
  const char *word = at;
  while (word > text && word[-1] != ' ' && word[-1] != '\'')
    --word;
  const size_t size = sizeof number - 1, length = (size_t)(at - word);
  if (word - text >= (ptrdiff_t)size &&
      memcmp(word - size, number, size) == 0) {
    const size_t i = strtoul(word, NULL, 10);
    return i < row->n_in ? &row->in[i] : NULL;
  }
  // "operand 5, 'w',": names of a group of operands, the number says which.
  const char *numbered = strstr(text, "operand ");
  if (numbered && numbered < at && numbered[size] >= '0' &&
      numbered[size] <= '9') {
    const size_t i = strtoul(numbered + size, NULL, 10);
    return i < row->n_in ? &row->in[i] : NULL;
  }
  size_t flat = 0, group = 0;
  for (size_t i = 0; i < s->n_args; ++i) {
    if (!(s->args[i].flags & TENON_ARGUMENT_TENSOR)) continue;
    if (strlen(s->args[i].name) == length &&
        memcmp(s->args[i].name, word, length) == 0)
      return flat < row->n_in ? &row->in[flat] : NULL;
    flat += (size_t)row->in_group[group++];
  }
  return NULL;
}

static bool mend_is_size(long n) {
  return n >= 0 && n <= 4096;
}

static bool set_rank(checker *k, const check_row *row, check_value *v,
                     const char *text) {
  const char *expected = strstr(text, "expected ");
  const long rank = expected ? strtol(expected + 9, NULL, 10) : -1;
  if (rank < 0 || rank > CHECK_RANK || rank == v->rank) return false;
  for (int i = v->rank; i < rank; ++i)
    v->dims[i] = row->in[0].rank && row->in[0].dims[0] < 9
                     ? row->in[0].dims[0]
                     : 1 + check_below(&k->random, 4);
  v->rank = (int)rank;
  return true;
}

static bool set_dim(check_value *v, const char *text) {
  char *end = NULL;
  const long d = strtol(text, &end, 10);
  if (strncmp(end, ", not ", 6) != 0 || d < 0 || d >= v->rank) return false;
  const long n = strtol(end + 6, NULL, 10);
  if (!mend_is_size(n) || v->dims[d] == n) return false;
  v->dims[d] = (int)n;
  return true;
}

static bool mend_set_shape(check_value *v, const char *text) {
  int dims[CHECK_RANK] = {0}, rank = 0;
  char *end = NULL;
  for (; *text != ']'; text = end + (*end == ',')) {
    const long n = strtol(text, &end, 10);  // skips blanks
    if (end == text || rank == CHECK_RANK || !mend_is_size(n)) return false;
    dims[rank++] = (int)n;
  }
  if (rank == v->rank && memcmp(dims, v->dims, sizeof dims) == 0) return false;
  memcpy(v->dims, dims, sizeof dims);
  v->rank = rank;
  return true;
}

static bool mend_is_integer(const check_operand_type *t) {
  return !t->quant &&
         (strcmp(t->name, "s32") == 0 || strcmp(t->name, "s64") == 0);
}

// "is no list of 5 numbers", or integers.
static bool mend_set_line(check_value *v, const char *text) {
  char *end = NULL;
  const long n = strtol(text, &end, 10);
  bool is_new = v->rank != 1 || v->dims[0] != n;
  if (n < 1 || !mend_is_size(n)) return false;
  if (strncmp(end, " integers", 9) == 0 && !mend_is_integer(&v->type)) {
    snprintf(v->type.name, sizeof v->type.name, "s32");
    v->type.quant = 0;
    is_new = true;
  }
  v->rank = 1;
  v->dims[0] = (int)n;
  return is_new;
}

// "must hold [1, 5, 5, 5, 3]"; with a count alone, "is no constant of 3
// integers", of small ones.
static bool mend_set_numbers(checker *k, check_value *v, const char *text,
                             bool is_list) {
  int numbers[CHECK_NUMBERS] = {0}, n = 0;
  char *end = NULL;
  const long count = is_list ? CHECK_NUMBERS : strtol(text, NULL, 10);
  if (count < 1 || count > CHECK_NUMBERS) return false;
  for (; is_list && *text != ']'; text = end + (*end == ',')) {
    const long one = strtol(text, &end, 10);
    if (end == text || n == CHECK_NUMBERS || !mend_is_size(one)) return false;
    numbers[n++] = (int)one;
  }
  while (!is_list && n < count)
    numbers[n++] = 1 + check_below(&k->random, 2);
  if (!mend_is_integer(&v->type))
    snprintf(v->type.name, sizeof v->type.name, "s32");
  v->type.quant = 0;
  v->rank = 1;
  v->axis = 0;
  v->dims[0] = v->n_numbers = n;
  v->is_constant = true;
  memcpy(v->numbers, numbers, sizeof numbers);
  return n > 0;
}

// "2 scales, expected 5": small powers of two, or small integers.
static bool mend_set_list(check_row *row, const char *why) {
  const tenon_signature *s = row->op->signature;
  const char *expected = strstr(why, ", expected ");
  if (!expected) return false;
  const long n = strtol(expected + 11, NULL, 10);
  for (size_t i = 0, at = 0; i < s->n_args; ++i) {
    const tenon_argument_info *a = &s->args[i];
    const size_t length = strlen(a->name);
    if (a->flags & TENON_ARGUMENT_TENSOR) continue;
    char *out = row->attrs[at++];
    if (!(a->flags & TENON_ARGUMENT_LIST) || n < 1 || n > 12 ||
        expected - why <= (ptrdiff_t)length ||
        expected[-1 - (ptrdiff_t)length] != ' ' ||
        memcmp(expected - length, a->name, length) != 0)
      continue;
    size_t used = (size_t)snprintf(out, sizeof row->attrs[0], "%s=[", a->name);
    for (int k = 0; k < n && used < sizeof row->attrs[0]; ++k)
      used += (size_t)snprintf(
          out + used, sizeof row->attrs[0] - used, "%s%s", k ? "," : "",
          a->kind == TENON_KIND_FLOATS ? k % 2 ? "0.125" : "0.25"
          : k % 3                      ? "1"
                                       : "-2");
    if (used + 2 > sizeof row->attrs[0]) return false;
    memcpy(out + used, "]", 2);
    return true;
  }
  return false;
}

// "'stride_d', is 0, expected 1 or more", "'padding' is 9, expected 0".
static bool mend_set_attr(checker *k, check_row *row, const char *why) {
  const tenon_signature *s = row->op->signature;
  const char *expected = strstr(why, ", expected ");
  char *end = NULL;
  const long n = expected ? strtol(expected + 11, &end, 10) : 0;
  if (!expected || end == expected + 11) return false;
  for (size_t i = 0, at = 0; i < s->n_args; ++i) {
    const tenon_argument_info *a = &s->args[i];
    const size_t length = strlen(a->name);
    if (a->flags & TENON_ARGUMENT_TENSOR) continue;
    char *out = row->attrs[at++];
    const char *name = strstr(why, a->name);
    if (!name || name == why || name[-1] != '\'' || name > expected ||
        name[length] != '\'' || a->kind != TENON_KIND_INT)
      continue;
    const bool is_open = strncmp(end, " or more", 8) == 0;
    snprintf(out, sizeof row->attrs[0], "%s=%ld", a->name,
             n + (is_open ? check_below(&k->random, 2) : 0));
    return true;
  }
  return false;
}

// "s64, expected f32 or c64": one of the words that are types.
static bool mend_set_type(checker *k, check_operand_type *type,
                          const char *text) {
  const char *found[8] = {0};
  int n = 0;
  text = strstr(text, "expected ");
  for (text = text ? text + 9 : ""; *text && n < 8;) {
    const size_t size = strcspn(text, ", ;");
    for (int t = 1; t < TENON_STR && size; ++t) {
      const char *name = cli_dtype_name((tenon_dtype)t);
      if (strlen(name) == size && memcmp(name, text, size) == 0 && n < 8)
        found[n++] = name;
    }
    text += size + strspn(text + size, ", ;");
  }
  if (n == 0) return false;
  const char *name = found[check_below(&k->random, n)];
  if (strcmp(name, type->name) == 0 && !type->quant) return false;
  snprintf(type->name, sizeof type->name, "%s", name);
  type->quant = 0;
  return true;
}

// The refusals that tell what a kernel's types tell elsewhere.
static bool mend_unknown(checker *k, check_row *row, const char *why) {
  static const char undeclared[] = "no declared ";
  const char *at = strstr(why, "the result is ");
  if (at && row->n_out_groups) return mend_set_type(k, &row->out_types[0], at);
  if (strstr(why, undeclared)) {
    const bool is_new = !row->is_declared;
    row->is_declared = true;
    return is_new;
  }
  at = strstr(why, " is absent");
  if (at && strstr(why, "operand ")) {
    while (at > why && (at[-1] == ',' || at[-1] == '\''))
      --at;
    check_value *v = named_before(row, why, at);
    if (!v || !v->is_absent) return false;
    v->is_absent = false;
    return true;
  }
  at = strstr(why, "' is ");
  check_value *v = at ? named_before(row, why, at) : NULL;
  if (!v) return false;
  // "'x' is s64 but 'y' is s32": y as x.
  const char *but = strstr(at, " but '"),
             *end = but ? strchr(but + 6, '\'') : 0;
  check_value *other = end ? named_before(row, but, end) : NULL;
  if (other) {
    const bool is_new = strcmp(other->type.name, v->type.name) != 0;
    other->type = v->type;
    return is_new;
  }
  if (strncmp(at, "' is not one ", 13) == 0) {
    const bool is_new = v->rank != 0;
    v->rank = v->axis = 0;
    return is_new;
  }
  return mend_set_type(k, &v->type, at);
}

bool check_row_mend(checker *k, check_row *row, const char *why) {
  static const struct {
    const char *says;
    int how;
  } forms[] = {{" has rank ", 0},
               {" in dimension ", 1},
               {" must be '[", 2},
               {" must be [", 2},
               {" dimensions, expected ", 3},
               {" is no list of ", 4},
               {" must hold [", 5},
               {" is no constant of ", 6}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    const char *at = strstr(why, forms[i].says), *end = at;
    if (!at) continue;
    // "operand 2 has 5 in dimension 0"
    if (forms[i].how == 1)
      for (int words = 0; end > why && words < 2; --end)
        words += *end == ' ' && end != at;
    if (forms[i].how == 1) ++end;
    // "'x' has 4 dimensions"
    if (forms[i].how == 3) {
      while (end > why + 4 && memcmp(end - 4, " has", 4) != 0)
        --end;
      end -= 4;
    }
    // "operand 2, 'w', must be [4, 3]"
    while (end > why && (end[-1] == ',' || end[-1] == '\''))
      --end;
    check_value *v = named_before(row, why, end);
    if (!v) continue;
    check_value before = *v;
    const char *rest = at + strlen(forms[i].says);
    const bool is_set = forms[i].how == 0   ? set_rank(k, row, v, rest)
                        : forms[i].how == 3 ? set_rank(k, row, v, end)
                        : forms[i].how == 4 ? mend_set_line(v, rest)
                        : forms[i].how > 4
                            ? mend_set_numbers(k, v, rest, forms[i].how == 5)
                        : forms[i].how == 1 ? set_dim(v, rest)
                                            : mend_set_shape(v, rest);
    if (!is_set || check_value_count(v) > 4096) {
      *v = before;
      return false;
    }
    if (v->axis >= v->rank) v->axis = v->rank ? v->rank - 1 : 0;
    return v->type.quant != 'c' || v->rank > 0;
  }
  if (row->op->n_kernels == 0 && mend_unknown(k, row, why)) return true;
  return mend_set_list(row, why) || mend_set_attr(k, row, why);
}
