// reg/context.h - the context: allocator, sink, names, registries, freezing.
//
// Two phases. Configuring: one thread adds plugins. Frozen, from the first
// module read: immutable, hence shared by threads without locks (only the
// reference count is written, atomically). Modules and programs hold a
// reference, so a context that was destroyed by its owner lives until the last
// of them ends.
#ifndef TENON_REG_CONTEXT_H
#define TENON_REG_CONTEXT_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/intern.h"
#include "core/report.h"
#include "reg/registry.h"
#include "tenon/tenon.h"

typedef struct tenon_registry tenon_registry;  // reg/registry.c

// What a registry, or a graph that is built, needs of lowerings at work: those
// written as text need the graph's text form (ir/rule/rule.h), and to run one
// is to build a graph (ir/rewrite/rewrite.h).
struct tenon_probe;  // ir/graph_link.h
typedef struct tenon_rules_api {
  // Parses the texts of an admitted descriptor; fills its `lower` and `user`.
  tenon_status (*admit)(tenon_context *cx, const tenon_owner *owner,
                        tenon_lowering_desc *desc);
  // Whether it can replace this operator, when all operators are known.
  tenon_status (*check)(const tenon_context *cx, const tenon_owner *owner,
                        const tenon_lowering_desc *desc, const tenon_op *op);
  // Runs a lowering of `n` beside it, to learn what types its results would
  // have; what was built is gone afterwards.
  tenon_status (*probe)(struct tenon_node *n, tenon_lower_fn *lower,
                        const void *user, const tenon_owner *owner,
                        struct tenon_probe *probe);
} tenon_rules_api;

struct tenon_context {
  tenon_allocator allocator;
  tenon_report report;
  tenon_arena arena;
  tenon_intern names;
  tenon_registry *registry;
  struct tenon_catalog_state *catalogs;
  const tenon_rules_api *rules;  // null with runs_only
  const char *const *overrides;  // copied; ends with null
  const char *compiler, *cache_dir;
  const char *features;  // of the host: no others; null: all it has
  uint32_t flags;
  bool runs_only;  // leaves out what of a plugin is for compiling
  bool is_frozen;
  bool has_failed_freeze;
  // Loaded images and temporary folders; closed, last first, when the context
  // ends (plug/load.c adds them).
  struct tenon_context_end *ends;
  atomic_uint references;
};

typedef struct tenon_context_end {
  void (*close)(void *self);
  void *self;
  struct tenon_context_end *next;
} tenon_context_end;

// An empty context, without any operator set.
tenon_status tenon_context_init(const tenon_context_options *options,
                                tenon_context **out);
// What it knows from the start, then the customisers of its options.
tenon_status tenon_context_fill(tenon_context *cx,
                                const tenon_context_options *options,
                                tenon_plugins_fn *plugins);
void tenon_context_retain(tenon_context *cx);
void tenon_context_release(tenon_context *cx);
// Adds all descriptors or none, as tenon_context_add, for a known owner.
// `origin` and `source` may be null. Built-in plugins may use reserved names.
typedef struct tenon_plugin_origin {
  const char *path;    // null: linked in
  const char *source;  // text of a C source plugin
  bool is_builtin;
} tenon_plugin_origin;
tenon_status tenon_context_add_plugin(tenon_context *cx,
                                      const struct tenon_plugin *plugin,
                                      const tenon_plugin_origin *origin);
bool tenon_context_at_end(tenon_context *cx, void (*close)(void *self),
                          void *self);

#endif  // TENON_REG_CONTEXT_H
