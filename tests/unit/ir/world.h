// tests/unit/ir/world.h - a small context for the tests of this layer.
//
// Two plugins: `core`, built in, with a handful of operators under the names
// that this layer knows (cond, while, call, states), and `acme`, with an
// operator for each thing a shape rule or lowering can do right or wrong.
#ifndef TENON_TESTS_WORLD_H
#define TENON_TESTS_WORLD_H

#include "base/buf.h"
#include "harness/harness.h"
#include "harness/log.h"
// cmocka defines it, and it is a member of the tables given to callbacks.
#undef fail
#include "ir/build.h"
#include "ir/text/print.h"

// The lowering of acme::asked; null: one that asks for x alone.
extern tenon_lower_fn *world_asks;

typedef struct world {
  test_log log;
  tenon_context *cx;
  tenon_buf text;  // what world_print printed
  bool is_quiet;   // failures are expected: allocation sweeps
} world;

// `allocator` null: the heap. False when memory ran out.
bool world_try(world *w, const tenon_allocator *allocator);
void world_init(world *w);
void world_deinit(world *w);

// Parses; null when it failed.
tenon_module *world_parse(world *w, const char *text);
// Parses, infers and verifies: the module must be fine.
tenon_module *world_read(world *w, const char *text);
// The text of a module; null when memory ran out. Valid until the next call.
const char *world_print(world *w, const tenon_module *m, uint32_t flags);
// The first node of that operator, in any function or region.
tenon_node *world_find(tenon_module *m, const char *op);

#endif  // TENON_TESTS_WORLD_H
