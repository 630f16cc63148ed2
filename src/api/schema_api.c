// How: the parser's schema lies in an arena of its own, which lies in the same
// arena; what the public struct says is copied from it.
#include "base/buf.h"
#include "core/cursor.h"
#include "read/flexbuf.h"
#include "reg/context.h"
#include "tenon/tenon.h"

typedef struct signature {
  tenon_signature open;  // first: what the caller sees
  tenon_arena arena;     // holds this as well
} signature;

static const char *schema_api_take_text(tenon_arena *arena, tenon_buf *buf) {
  const char *text = tenon_arena_string(arena, buf->data ? buf->data : "");
  if (buf->failed) arena->failed = true;
  tenon_buf_deinit(buf);
  return text;
}

static tenon_argument_info schema_api_describe(tenon_arena *arena,
                                               const tenon_argument *a) {
  tenon_argument_info info = {.name = a->name,
                              .type = a->type_text,
                              .kind = a->kind,
                              .length = a->length,
                              .written = -1};
  if (a->base == TENON_BASE_TENSOR) info.flags |= TENON_ARGUMENT_TENSOR;
  if (a->is_list) info.flags |= TENON_ARGUMENT_LIST;
  if (a->is_optional || a->has_optional_elements)
    info.flags |= TENON_ARGUMENT_OPTIONAL;
  if (a->is_keyword_only) info.flags |= TENON_ARGUMENT_KEYWORD_ONLY;
  if (a->has_default) {
    tenon_buf text;
    tenon_buf_init(&text, arena->allocator);
    tenon_default_print(a, &text);
    info.standard = schema_api_take_text(arena, &text);
  }
  return info;
}

// The result that holds tensor argument `index` after it was written.
static int32_t find_after(const tenon_schema *s, int index) {
  for (int i = 0; i < s->n_returns; ++i)
    if (tenon_schema_return_of(s, i) == index) return i;
  for (int i = 0; i < s->n_written; ++i)
    if (s->written[i] == index) return s->n_returns + i;
  return -1;
}

static bool schema_api_fill(signature *out, const tenon_schema *s) {
  tenon_arena *arena = &out->arena;
  tenon_argument_info *args =
      tenon_arena_array(arena, tenon_argument_info, s->n_args + 1u);
  tenon_argument_info *results =
      tenon_arena_array(arena, tenon_argument_info, s->n_returns + 1u);
  int tensor = 0;
  if (!args || !results) return false;
  for (uint32_t i = 0; i < s->n_args; ++i) {
    args[i] = schema_api_describe(arena, &s->args[i]);
    if (s->args[i].base != TENON_BASE_TENSOR) continue;
    if (s->args[i].is_written) args[i].written = find_after(s, tensor);
    ++tensor;
  }
  for (uint32_t i = 0; i < s->n_returns; ++i)
    results[i] = schema_api_describe(arena, &s->returns[i]);
  tenon_buf text;
  tenon_buf_init(&text, arena->allocator);
  tenon_schema_print(s, &text);
  tenon_signature *open = &out->open;
  open->name = s->name;
  open->set = s->set;
  open->base = s->base;
  open->overload = s->overload;
  open->text = schema_api_take_text(arena, &text);
  open->args = args;
  open->results = results;
  open->n_args = s->n_args;
  open->n_results = s->n_returns;
  return !arena->failed;
}

tenon_status tenon_signature_read(tenon_context *cx, const char *schema,
                                  const tenon_signature **out) {
  tenon_arena arena;
  tenon_schema *s = NULL;
  char error[256];
  size_t at = 0;
  *out = NULL;
  tenon_arena_init(&arena, cx->allocator);
  signature *made = tenon_arena_new(&arena, signature);
  bool is_read =
      made &&
      tenon_schema_parse(&arena, schema, &s, error, sizeof error, &at) &&
      tenon_schema_check_types(s, schema, error, sizeof error, &at);
  if (is_read) {
    made->arena = arena;
    if (schema_api_fill(made, s)) {
      *out = &made->open;
      return TENON_OK;
    }
    arena = made->arena;
  }
  bool has_failed = arena.failed;
  tenon_arena_deinit(&arena);
  if (has_failed) return tenon_fail_memory(&cx->report, "reading a schema");
  return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "schema-syntax", NULL,
                    "at character %zu of the schema: %s", at + 1, error);
}

void tenon_signature_destroy(const tenon_signature *s) {
  if (!s) return;
  tenon_arena arena = ((const signature *)(const void *)s)->arena;
  tenon_arena_deinit(&arena);
}

bool tenon_options_key(const void *data, size_t size, size_t i,
                       const char **key, const char **type) {
  const tenon_bytes bytes = {(const uint8_t *)data, size};
  tenon_flex map;
  tenon_flex_error error;
  if (!tenon_flex_verify(bytes, &map, &error) ||
      tenon_flex_look(&map) != TENON_FLEX_MAP)
    return false;
  const tenon_flex value = tenon_flex_item(&map, i);
  *key = i < tenon_flex_count(&map) ? tenon_flex_key(&map, i).data : NULL;
  *type = tenon_flex_type(&value);
  return true;
}
