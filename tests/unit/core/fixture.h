// unit/core/fixture.h - an arena, a text buffer and sizes, for one test.
#ifndef TENON_TESTS_UNIT_CORE_FIXTURE_H
#define TENON_TESTS_UNIT_CORE_FIXTURE_H

#include "base/arena.h"
#include "base/buf.h"
#include "core/schema/schema.h"
#include "core/symbol/symbol.h"
#include "harness/harness.h"

typedef struct fixture {
  tenon_arena arena;
  tenon_buf buf;
  tenon_symbols symbols;
  char error[200];
  size_t at;
} fixture;

TENON_INLINE void fixture_init(fixture *f, tenon_allocator allocator) {
  memset(f, 0, sizeof *f);
  tenon_arena_init(&f->arena, allocator);
  tenon_buf_init(&f->buf, allocator);
  tenon_symbols_init(&f->symbols, &f->arena, allocator);
}

TENON_INLINE void fixture_deinit(fixture *f) {
  tenon_symbols_deinit(&f->symbols);
  tenon_buf_deinit(&f->buf);
  tenon_arena_deinit(&f->arena);
}

// Null on failure, which `error` and `at` then describe.
TENON_INLINE tenon_schema *fixture_parse(fixture *f, const char *text) {
  tenon_schema *schema = NULL;
  bool is_fine = tenon_schema_parse(&f->arena, text, &schema, f->error,
                                    sizeof f->error, &f->at);
  return is_fine ? schema : NULL;
}

// An attribute-only operator: "acme::op(int a, float b=1) -> ()".
TENON_INLINE tenon_schema *fixture_attrs(fixture *f, const char *arguments) {
  char text[400];
  (void)snprintf(text, sizeof text, "acme::op(%s) -> ()", arguments);
  tenon_schema *schema = fixture_parse(f, text);
  CHECK(schema != NULL, "%s: %s", text, f->error);
  return schema;
}

#endif  // TENON_TESTS_UNIT_CORE_FIXTURE_H
