// tests/unit/read/models.h - reading models of tests/models in tests.
#ifndef TENON_TESTS_READ_MODELS_H
#define TENON_TESTS_READ_MODELS_H

#include "harness/log.h"
#include "ir/graph.h"
#include "read/read.h"

struct tenon_plugin;

// The operators that the custom codes of tests/models stand for (test_ops.c).
extern const struct tenon_plugin test_plugin, test_builtin_plugin;

// A context with the sets of this build and the test plugin, and what was read
// last. Everything reported is in `log`.
typedef struct world {
  test_log log;
  tenon_diag last;  // texts and notes are gone
  tenon_place place;
  tenon_context *cx;
  char *data;
  size_t size;
  tenon_module *m;
  tenon_status status;
} world;

void world_open(world *w, const tenon_allocator *allocator);
void world_close(world *w);
// Reads bytes that are copied; what was read before is given back.
void world_read(world *w, const void *data, size_t size,
                const tenon_read_options *options);
// The whole file; fails the test when there is none.
void world_load(world *w, const char *folder, const char *name,
                const tenon_read_options *options);
// Reads these bytes again and again, one allocation failing each time.
void world_sweep(const void *data, size_t size);
char *read_file(const char *path, size_t *size);  // null: there is none

const tenon_node *node_at(const world *w, size_t function, int i);
const tenon_arg *arg_of(const tenon_node *n, const char *name);

#endif  // TENON_TESTS_READ_MODELS_H
