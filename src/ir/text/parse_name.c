// ir/text/parse_name.c - names of values, and what they mean where one stands.
#include <stdio.h>

#include "ir/text/parser.h"

// `%x`, `%"a b"~2`, `%0`. `*name` is the file's own; the key tells values
// apart: what stands before the colon cannot be part of a name.
bool tenon_parser_name(tenon_parser *p, const char **name, const char **key) {
  char prefix[32] = "1:";
  int64_t number = 0;
  if (!tenon_parser_expect(p, '%')) return false;
  const tenon_token t = p->token;
  if (!t.is_glued) return tenon_parser_expected(p, "a name behind '%'");
  *name = "";
  if (t.kind == TENON_TOKEN_NUMBER) {
    if (!tenon_parser_int(p, &number)) return false;
    snprintf(prefix, sizeof prefix, "#%lld:", (long long)number);
  } else if (t.kind == TENON_TOKEN_WORD &&
             !memchr(t.text.data, ':', t.text.size)) {
    *name = tenon_arena_text(&p->arena, t.text.data, t.text.size);
    if (!*name) return tenon_parser_memory(p);
    tenon_parser_next(p);
  } else if (t.kind != TENON_TOKEN_STRING) {
    return tenon_parser_expected(p, "a name behind '%'");
  } else if (!tenon_parser_text(p, name)) {
    return false;
  }
  if (tenon_parser_is(p, '~') && p->token.is_glued) {
    tenon_parser_next(p);
    if (!tenon_parser_int(p, &number)) return false;
    snprintf(prefix, sizeof prefix, "%lld:", (long long)number);
  }
  tenon_buf_clear(&p->key);
  tenon_buf_text(&p->key, prefix);
  tenon_buf_text(&p->key, *name);
  if (p->key.failed) return tenon_parser_memory(p);
  *key = p->key.data;
  return true;
}

// The key is the arena's.
bool tenon_parser_define(tenon_parser *p, const tenon_token *at,
                         const char *key, tenon_value *value) {
  tenon_binding binding = {key, value};
  uint64_t *slot = tenon_map_put_text(&p->scope, key, 0, NULL);
  if (!slot) return tenon_parser_memory(p);
  if (*slot != 0)
    return tenon_parser_fail(p, at, "a value of this name is defined already");
  *slot = p->bindings.count + 1;
  return tenon_vec_push(&p->bindings, binding) || tenon_parser_memory(p);
}

void tenon_parser_leave(tenon_parser *p, size_t n_bindings) {
  while (p->bindings.count > n_bindings) {
    tenon_binding binding = tenon_vec_pop(&p->bindings);
    uint64_t *slot = tenon_map_find_text(&p->scope, binding.key);
    if (slot) *slot = 0;
  }
}
