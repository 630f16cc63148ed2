// core/template.c - one pass over the text, cut at dollars.
//
// A reference is a word from the table below, or `in` or `out` with a number,
// then what the word takes in brackets. Nothing is copied: pieces are views of
// the template. With a schema, operands are counted and attributes looked up
// here, so a misspelt name is found when a plugin is loaded and not when a
// model is emitted.
#include "core/template.h"
#include "base/chars.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/attr.h"

typedef enum takes { NOTHING, TENSOR, AXIS, CHANNEL, VALUE, NUMBER } takes;

static const struct word {
  const char *name;
  uint32_t kind;
  takes takes;
} words[] = {{"count", TENON_PIECE_COUNT, TENSOR},
             {"rank", TENON_PIECE_RANK, TENSOR},
             {"dim", TENON_PIECE_DIM, AXIS},
             {"dims", TENON_PIECE_DIMS, TENSOR},
             {"stride", TENON_PIECE_STRIDE, AXIS},
             {"scale", TENON_PIECE_SCALE, CHANNEL},
             {"zero", TENON_PIECE_ZERO, CHANNEL},
             {"attr", TENON_PIECE_ATTR, VALUE},
             {"f32", TENON_PIECE_F32, NUMBER},
             {"f64", TENON_PIECE_F64, NUMBER},
             {"i32", TENON_PIECE_I32, NUMBER},
             {"i64", TENON_PIECE_I64, NUMBER},
             {"int", TENON_PIECE_INT, NUMBER},
             {"scratch", TENON_PIECE_SCRATCH, NOTHING},
             {"packed", TENON_PIECE_PACKED, NOTHING}};
enum { WORDS = sizeof words / sizeof *words };

void tenon_template_init(tenon_template *t, const char *text,
                         const tenon_schema *schema) {
  memset(t, 0, sizeof *t);
  t->at = text;
  t->schema = schema;
  t->line = 1;
}

static bool TENON_PRINTF(2, 3) fail(tenon_template *t, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  vsnprintf(t->error, sizeof t->error, fmt, args);
  va_end(args);
  t->has_failed = true;
  return false;
}

static tenon_text template_take_word(tenon_template *t) {
  tenon_text word = {t->at, 0};
  if (tenon_char_begins_name(*t->at)) {
    while (tenon_char_is_in_name(*t->at))
      ++t->at;
  }
  word.size = (size_t)(t->at - word.data);
  return word;
}

static void template_skip_blanks(tenon_template *t) {
  while (*t->at == ' ')
    ++t->at;
}

static bool template_take(tenon_template *t, char c) {
  template_skip_blanks(t);
  if (*t->at == c) {
    ++t->at;
    return true;
  }
  return false;
}

// Cuts `prefix` and a number of at most four digits.
static bool is_numbered(tenon_text word, const char *prefix, uint32_t *out) {
  size_t size = strlen(prefix);
  uint32_t value = 0;
  if (word.size <= size || word.size > size + 4) return false;
  if (memcmp(word.data, prefix, size) != 0) return false;
  for (size_t i = size; i < word.size; ++i) {
    if (!tenon_char_is_digit(word.data[i])) return false;
    value = value * 10 + (uint32_t)(word.data[i] - '0');
  }
  *out = value;
  return true;
}

uint32_t tenon_schema_results(const tenon_schema *s) {
  uint32_t n = s->n_written;
  for (uint16_t i = 0; i < s->n_returns; ++i)
    n += s->returns[i].base == TENON_BASE_TENSOR;
  return n;
}

static bool has_list(const tenon_schema *s, bool is_out) {
  const tenon_argument *args = is_out ? s->returns : s->args;
  uint16_t n = is_out ? s->n_returns : s->n_args;
  for (uint16_t i = 0; i < n; ++i) {
    if (args[i].base == TENON_BASE_TENSOR && args[i].is_list) return true;
  }
  for (uint16_t i = 0; is_out && i < s->n_args; ++i) {
    if (s->args[i].is_written && s->args[i].is_list) return true;
  }
  return false;
}

// in0, out1: how many there are is known unless one is a list.
static bool template_find_tensor(tenon_template *t, tenon_text word,
                                 tenon_piece *piece) {
  if (is_numbered(word, "out", &piece->tensor)) {
    piece->is_out = true;
  } else if (!is_numbered(word, "in", &piece->tensor)) {
    return false;
  }
  const tenon_schema *s = t->schema;
  if (!s || has_list(s, piece->is_out)) return true;
  uint32_t n = piece->is_out ? tenon_schema_results(s) : s->n_tensors;
  if (piece->tensor < n) return true;
  return fail(t, "'$%.*s' of an operator with %u %s", (int)word.size, word.data,
              (unsigned)n, piece->is_out ? "results" : "operands");
}

static bool take_tensor(tenon_template *t, const struct word *word,
                        tenon_piece *piece) {
  template_skip_blanks(t);
  tenon_text name = template_take_word(t);
  if (template_find_tensor(t, name, piece)) return true;
  if (t->has_failed) return false;
  return fail(t, "'$%s' takes in0, out0 or the like, found '%.*s'", word->name,
              (int)name.size, name.data);
}

static bool check_attr(tenon_template *t, const struct word *word,
                       const tenon_piece *piece) {
  const tenon_argument *a = piece->attr;
  bool is_list = tenon_kind_is_list(a->kind);
  if (piece->index >= 0 && !is_list)
    return fail(t, "'%s' is no list: '$%s(%s)'", a->name, word->name, a->name);
  if (word->takes != NUMBER) return true;
  if (is_list && piece->index < 0)
    return fail(t, "'%s' is a list: '$%s(%s, 0)' is its first element", a->name,
                word->name, a->name);
  if (a->kind == TENON_KIND_STR || a->kind == TENON_KIND_STRS)
    return fail(t, "'%s' is a text, '$%s' prints numbers", a->name, word->name);
  return true;
}

static bool find_attr(tenon_template *t, const struct word *word,
                      tenon_piece *piece) {
  tenon_nearest nearest;
  char name[96];
  if (!t->schema) return true;
  snprintf(name, sizeof name, "%.*s", (int)piece->name.size, piece->name.data);
  tenon_nearest_init(&nearest, name);
  for (int i = 0;; ++i) {
    const tenon_argument *a = tenon_schema_attr(t->schema, i);
    if (!a) break;
    if (tenon_text_is(piece->name, a->name)) {
      piece->attr = a;
      return check_attr(t, word, piece);
    }
    tenon_nearest_feed(&nearest, a->name);
  }
  if (nearest.best)
    return fail(t, "'$%s(%s)' names no attribute; did you mean '%s'?",
                word->name, name, nearest.best);
  return fail(t, "'$%s(%s)' names no attribute of '%s'", word->name, name,
              t->schema->name);
}

static bool take_index(tenon_template *t, const struct word *word,
                       tenon_piece *piece) {
  int64_t value = 0;
  template_skip_blanks(t);
  tenon_text digits = {t->at, 0};
  while (tenon_char_is_digit(*t->at))
    ++t->at;
  digits.size = (size_t)(t->at - digits.data);
  if (digits.size > 9 || !tenon_text_int(digits, &value))
    return fail(t, "'$%s' takes a number behind the comma", word->name);
  if (word->takes == AXIS && value >= TENON_MAX_RANK)
    return fail(t, "'$%s' of dimension %d, the last possible is %d", word->name,
                (int)value, TENON_MAX_RANK - 1);
  piece->index = value;
  return true;
}

static bool take_arguments(tenon_template *t, const struct word *word,
                           tenon_piece *piece) {
  bool is_tensor = word->takes <= CHANNEL;
  if (word->takes == NOTHING) return true;
  if (!template_take(t, '('))
    return fail(t, "expected '(' behind '$%s'", word->name);
  if (is_tensor) {
    if (!take_tensor(t, word, piece)) return false;
  } else {
    template_skip_blanks(t);
    piece->name = template_take_word(t);
  }
  if (word->takes != TENSOR && template_take(t, ',')) {
    if (!take_index(t, word, piece)) return false;
  } else if (word->takes == AXIS) {
    return fail(t, "'$%s' takes a dimension: '$%s(in0, 0)'", word->name,
                word->name);
  }
  if (!template_take(t, ')'))
    return fail(t, "expected ')' at the end of '$%s'", word->name);
  return is_tensor || find_attr(t, word, piece);
}

static bool fail_word(tenon_template *t, tenon_text text) {
  tenon_nearest nearest;
  char name[96];
  if (text.size == 0)
    return fail(t, "a '$' that refers to nothing; '$$' prints a dollar");
  snprintf(name, sizeof name, "%.*s", (int)text.size, text.data);
  tenon_nearest_init(&nearest, name);
  for (size_t i = 0; i < WORDS; ++i)
    tenon_nearest_feed(&nearest, words[i].name);
  tenon_nearest_feed(&nearest, "in0");
  tenon_nearest_feed(&nearest, "out0");
  if (nearest.best)
    return fail(t, "'$%s' refers to nothing; did you mean '$%s'?", name,
                nearest.best);
  return fail(t, "'$%s' refers to nothing", name);
}

static bool take_reference(tenon_template *t, tenon_piece *piece) {
  tenon_text text = template_take_word(t);
  if (template_find_tensor(t, text, piece)) {
    piece->kind = TENON_PIECE_DATA;
    return true;
  }
  if (t->has_failed) return false;
  for (size_t i = 0; i < WORDS; ++i) {
    if (!tenon_text_is(text, words[i].name)) continue;
    piece->kind = words[i].kind;
    return take_arguments(t, &words[i], piece);
  }
  return fail_word(t, text);
}

bool tenon_template_next(tenon_template *t, tenon_piece *piece) {
  memset(piece, 0, sizeof *piece);
  piece->index = -1;
  piece->line = t->line;
  piece->text.data = t->at;
  if (t->has_failed || *t->at == 0) return false;
  if (*t->at == '$' && t->at[1] != '$') {
    ++t->at;
    if (!take_reference(t, piece)) return false;
  } else {
    piece->kind = TENON_PIECE_TEXT;
    if (*t->at == '$') ++piece->text.data, ++t->at;
    do {
      t->line += *t->at++ == '\n';
    } while (*t->at != 0 && *t->at != '$');
  }
  piece->text.size = (size_t)(t->at - piece->text.data);
  return true;
}
