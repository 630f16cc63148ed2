// tests/unit/reg/reg_fixture.h - descriptors that hold together, to be spoiled,
// and a context to add them to.
#ifndef TENON_TESTS_REG_FIXTURE_H
#define TENON_TESTS_REG_FIXTURE_H

#include "harness/log.h"
#include "reg/context.h"
#include "tenon/ext/pass.h"
#include "tenon/ext/reader.h"
#include "tenon/ext/target.h"

TENON_INLINE tenon_status fixture_run(const tenon_call *c) {
  (void)c;
  return TENON_OK;
}
TENON_INLINE tenon_status fixture_range(const tenon_call *c, int64_t begin,
                                        int64_t end) {
  (void)c;
  (void)begin;
  (void)end;
  return TENON_OK;
}
TENON_INLINE int64_t fixture_items(const tenon_call *c) {
  (void)c;
  return 1;
}
TENON_INLINE size_t fixture_size(const tenon_call *c) {
  (void)c;
  return 8;
}
TENON_INLINE size_t fixture_scratch(const tenon_call *c, int64_t items) {
  (void)c;
  (void)items;
  return 8;
}
TENON_INLINE tenon_status fixture_pack(const tenon_call *c, void *packed) {
  (void)c;
  (void)packed;
  return TENON_OK;
}
TENON_INLINE tenon_status fixture_lower(tenon_rewriter *rw,
                                        const tenon_node *n) {
  (void)rw;
  (void)n;
  return TENON_OK;
}
TENON_INLINE tenon_status fixture_pass(tenon_pass_context *p) {
  (void)p;
  return TENON_OK;
}

typedef struct fixture_attrs {
  double gain;
  bool relu;
} fixture_attrs;
static const tenon_field fixture_fields[] = {TENON_FIELD(fixture_attrs, gain),
                                             TENON_FIELD(fixture_attrs, relu),
                                             TENON_END_FIELDS};

// A kernel, an operator and a plugin with room to change them. `make` fills
// them in; lists point into the same struct.
typedef struct fixture {
  tenon_kernel_desc kernel;
  tenon_op_desc op;
  tenon_lowering_desc lowering;
  tenon_plugin plugin;
  const tenon_kernel_desc *op_kernels[2];
  const tenon_op_desc *ops[2];
  const tenon_kernel_desc *kernels[2];
  const tenon_lowering_desc *lowerings[2];
} fixture;

TENON_INLINE void fixture_make(fixture *f, const char *plugin) {
  tenon_kernel_desc kernel = {.struct_size = sizeof kernel,
                              .symbol = "acme_gain_f32",
                              .types = "f32 -> f32",
                              .run = fixture_run};
  tenon_op_desc op = {.struct_size = sizeof op,
                      .schema =
                          "acme::gain(Tensor x, *, float gain=1.0, bool "
                          "relu=False) -> Tensor",
                      .doc = "Multiplies.",
                      .attrs_size = sizeof(fixture_attrs),
                      .fields = fixture_fields};
  tenon_lowering_desc lowering = {.struct_size = sizeof lowering,
                                  .name = "gain to mul",
                                  .op = "acme::gain",
                                  .lower = fixture_lower};
  tenon_plugin manifest = {TENON_PLUGIN_HEADER, .name = plugin,
                           .version = "1.0.0"};
  memset(f, 0, sizeof *f);
  f->kernel = kernel;
  f->op = op;
  f->lowering = lowering;
  f->plugin = manifest;
  f->op_kernels[0] = &f->kernel;
  f->op.kernels = f->op_kernels;
  f->ops[0] = &f->op;
  f->kernels[0] = &f->kernel;
  f->lowerings[0] = &f->lowering;
}

// A plugin of the operator alone, of a kernel alone, of a lowering alone.
TENON_INLINE void fixture_op(fixture *f, const char *plugin, const char *schema,
                             const char *symbol) {
  fixture_make(f, plugin);
  if (schema) {
    f->op.schema = schema;
    f->op.fields = NULL;
    f->op.attrs_size = 0;
  }
  if (symbol) f->kernel.symbol = symbol;
  f->plugin.ops = f->ops;
}
TENON_INLINE void fixture_kernel(fixture *f, const char *plugin, const char *op,
                                 const char *symbol, int32_t priority) {
  fixture_make(f, plugin);
  f->kernel.op = op;
  f->kernel.symbol = symbol;
  f->kernel.priority = priority;
  f->plugin.kernels = f->kernels;
}
TENON_INLINE void fixture_lowering(fixture *f, const char *plugin,
                                   const char *op, const char *name,
                                   int32_t priority) {
  fixture_make(f, plugin);
  f->lowering.op = op;
  f->lowering.name = name;
  f->lowering.priority = priority;
  f->plugin.lowerings = f->lowerings;
}

TENON_INLINE tenon_context *fixture_context(test_log *log,
                                            const char *const *overrides) {
  tenon_context_options o = {.struct_size = sizeof o,
                             .diag = test_log_sink(log),
                             .overrides = overrides};
  tenon_context *cx = NULL;
  memset(log, 0, sizeof *log);
  assert_int_equal(tenon_context_init(&o, &cx), TENON_OK);
  return cx;
}

TENON_INLINE tenon_status fixture_add_builtin(tenon_context *cx,
                                              const fixture *f) {
  const tenon_plugin_origin origin = {.is_builtin = true};
  return tenon_context_add_plugin(cx, &f->plugin, &origin);
}

#endif  // TENON_TESTS_REG_FIXTURE_H
