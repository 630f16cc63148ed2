// ir/text/parse_data.c - constants: elements, bytes, zeros, strings.
//
// What the type asks for is compared with how much text is left before anything
// is allocated, so a few bytes cannot ask for much.
#include "base/size.h"
#include "ir/text/element_text.h"
#include "ir/text/parser.h"

static size_t left(const tenon_parser *p) {
  return p->text.size - (size_t)(p->token.text.data - p->text.data);
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool tenon_parser_is_hex(const tenon_parser *p) {
  const char *next = p->text.data + p->at;
  return tenon_parser_is_word(p, "hex") && p->at < p->text.size && *next == '"';
}

// The digits of hex"..." and their number; steps over it.
static bool parse_data_take_digits(tenon_parser *p, const char **digits,
                                   size_t *count) {
  tenon_parser_next(p);
  if (!tenon_parser_is(p, TENON_TOKEN_STRING))
    return tenon_parser_expected(p, "bytes in quotes");
  *digits = p->token.text.data + 1;
  *count = p->token.text.size - 2;
  return true;
}

static bool parse_data_decode(tenon_parser *p, const char *digits,
                              unsigned char *out, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    int high = hex_digit(digits[2 * i]), low = hex_digit(digits[2 * i + 1]);
    if (high < 0 || low < 0)
      return tenon_parser_fail(p, &p->token,
                               "byte %zu is not two digits of "
                               "0-9 a-f",
                               i);
    out[i] = (unsigned char)(high * 16 + low);
  }
  tenon_parser_next(p);
  return true;
}

bool tenon_parser_bytes(tenon_parser *p, const void **data, size_t *size) {
  const char *text = NULL;
  size_t count = 0;
  if (!tenon_parser_is_hex(p)) {
    bool done = tenon_parser_string(p, &text, size);
    *data = text;
    return done;
  }
  if (!parse_data_take_digits(p, &text, &count)) return false;
  if (count % 2 != 0)
    return tenon_parser_fail(p, &p->token, "half a byte at the end");
  unsigned char *bytes = tenon_arena_alloc(&p->arena, count / 2 + 1, 1);
  if (!bytes) return tenon_parser_memory(p);
  *data = bytes;
  *size = count / 2;
  return parse_data_decode(p, text, bytes, *size);
}

// A rule that is only looked at: how many elements there have to be is known
// where there is a node.
static bool is_sized_later(const tenon_parser *p) {
  return p->host && p->is_sized_later;
}

static bool parse_hex(tenon_parser *p, size_t size, const void **data) {
  const char *digits = NULL;
  size_t count = 0;
  if (!parse_data_take_digits(p, &digits, &count)) return false;
  if (is_sized_later(p) && count % 2 == 0) size = count / 2;
  if (count % 2 != 0 || count / 2 != size)
    return tenon_parser_fail(
        p, &p->token, "the type has %zu bytes, found %zu digits", size, count);
  unsigned char *bytes = tenon_arena_alloc(&p->m->arena, size, 64);
  if (!bytes) return tenon_parser_memory(p);
  *data = bytes;
  return parse_data_decode(p, digits, bytes, size);
}

static bool parse_zeros(tenon_parser *p, size_t size, const void **data) {
  const tenon_token at = p->token;
  size_t total = 0;
  if (!tenon_size_add(p->n_zeros, size, &total) || total > TENON_TEXT_ZEROS)
    return tenon_parser_fail(p, &at, "more than %zu bytes of zeros",
                             TENON_TEXT_ZEROS);
  p->n_zeros = total;
  tenon_parser_next(p);
  *data = tenon_arena_zalloc(&p->m->arena, size, 64);
  return *data || tenon_parser_memory(p);
}

static bool wrong_count(tenon_parser *p, const tenon_token *at, uint64_t want) {
  return tenon_parser_fail(p, at, "the type has %llu elements, found %s",
                           (unsigned long long)want,
                           tenon_parser_is(p, '}') ? "fewer" : "more");
}

static bool parse_element(tenon_parser *p, tenon_dtype dtype, void *data,
                          size_t i) {
  const tenon_token at = p->token;
  tenon_text text;
  if (p->host && (tenon_parser_is(p, '$') || tenon_parser_is(p, '(')))
    return p->host->element(p, dtype, data, i);
  if (!tenon_parser_number(p, &text)) return false;
  if (tenon_element_read(dtype, text, data, i)) return true;
  return tenon_parser_fail(p, &at, "'%.*s' is no element of type '%s'",
                           text.size > 40 ? 40 : (int)text.size, text.data,
                           tenon_dtype_name(dtype));
}

static bool parse_elements(tenon_parser *p, const tenon_type *type,
                           uint64_t count, size_t size, const void **data) {
  const tenon_token at = p->token;
  tenon_parser_next(p);
  if (!tenon_element_has_text(type->dtype))
    return tenon_parser_fail(p, &at, "elements of type '%s' are written hex",
                             tenon_dtype_name(type->dtype));
  if (count > left(p))
    return tenon_parser_fail(p, &at, "the type has %llu elements, found fewer",
                             (unsigned long long)count);
  const bool is_open = is_sized_later(p);  // each goes where the first does
  unsigned char *bytes =
      tenon_arena_zalloc(&p->m->arena, is_open ? size + 16 : size, 64);
  if (!bytes) return tenon_parser_memory(p);
  *data = bytes;
  for (uint64_t i = 0; is_open || i < count; ++i) {
    if (is_open && tenon_parser_is(p, '}')) break;
    if (i > 0 && !tenon_parser_accept(p, ','))
      return is_open ? tenon_parser_expect(p, '}') : wrong_count(p, &at, count);
    if (tenon_parser_is(p, '}')) return wrong_count(p, &at, count);
    if (!parse_element(p, type->dtype, bytes, is_open ? 0 : (size_t)i))
      return false;
  }
  if (tenon_parser_is(p, ',')) return wrong_count(p, &at, count);
  return tenon_parser_expect(p, '}');
}

static bool parse_strings(tenon_parser *p, uint64_t count,
                          const tenon_text **texts) {
  const tenon_token at = p->token;
  if (!tenon_parser_expect(p, '{')) return false;
  if (count > left(p))
    return tenon_parser_fail(p, &at, "the type has %llu elements, found fewer",
                             (unsigned long long)count);
  tenon_text *list = tenon_arena_array(&p->arena, tenon_text, (size_t)count);
  if (!list) return tenon_parser_memory(p);
  *texts = list;
  for (uint64_t i = 0; i < count; ++i) {
    if (i > 0 && !tenon_parser_accept(p, ','))
      return wrong_count(p, &at, count);
    if (!tenon_parser_string(p, &list[i].data, &list[i].size)) return false;
  }
  return tenon_parser_expect(p, '}');
}

bool tenon_parser_data(tenon_parser *p, const tenon_type *type,
                       const void **data, const tenon_text **texts) {
  const tenon_token at = p->token;
  uint64_t count = 0;
  size_t size = 0;
  *data = NULL;
  *texts = NULL;
  if (tenon_parser_is(p, TENON_TOKEN_ELLIPSIS))
    return tenon_parser_fail(p, &at, "constants were left out of this text");
  if (!tenon_type_count(type, &count))
    return tenon_parser_fail(p, &at, "the elements cannot be counted");
  if (type->dtype == TENON_STR) return parse_strings(p, count, texts);
  if (!tenon_type_size(type, &size))
    return tenon_parser_fail(p, &at, "the elements cannot be counted");
  if (tenon_parser_accept_word(p, "apart")) return true;
  if (tenon_parser_is_word(p, "zeros")) return parse_zeros(p, size, data);
  if (tenon_parser_is_hex(p)) return parse_hex(p, size, data);
  if (tenon_parser_is(p, '{'))
    return parse_elements(p, type, count, size, data);
  return tenon_parser_expected(p, "'{', 'zeros', 'apart' or 'hex'");
}

// Behind `const` of either form.
bool tenon_parser_constant(tenon_parser *p, const tenon_token *at,
                           const char *name, const char *key, bool is_item) {
  const void *data = NULL;
  const tenon_text *texts = NULL;
  tenon_type type;
  tenon_loc loc = 0;
  if (is_item && !tenon_parser_expect(p, ':')) return false;
  p->is_sized_later = false;
  if (!tenon_parser_type(p, &type)) return false;
  if (is_item && !tenon_parser_expect(p, '=')) return false;
  if (!tenon_parser_data(p, &type, &data, &texts) ||
      !tenon_parser_place(p, at, &loc))
    return false;
  if (p->host) name = "";  // names of values are the model's
  if (p->host && !data && !texts)
    return tenon_parser_fail(p, at, "a constant of a rule has its data");
  tenon_value *v = NULL;
  if (type.dtype == TENON_STR)
    v = tenon_build_strings(p->m, name, &type, texts, loc);
  else if (data)
    v = tenon_build_constant(p->m, name, &type, data, true, loc);
  else
    v = tenon_build_apart(p->m, name, &type, loc);
  if (!tenon_parser_built(p, v != NULL)) return false;
  if (p->host && !p->host->constant(p, v)) return false;
  return tenon_parser_define(p, at, key, v);
}
