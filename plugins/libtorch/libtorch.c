// libtorch.c - a plugin that runs ATen operators which Tenon has no other way
// to compute, through a libtorch that is found when it is loaded.
//
// One kernel serves `aten::*`, after everything else: kernels and lowerings of
// others come first. The call's schema says which operator it is; operands and
// attributes go on torch's stack in its order, results are copied back. What is
// computed is torch's: other bits than Tenon's own, and those of the torch that
// is there.
#include "call.h"
#include "schema.h"
#include "tenon/ext/plugin.h"

// Whether all of the schema can go through the C interface, as it is called.
static bool can_pass(const tenon_call *c, const char *schema) {
  argument a;
  const char *at = schema_arguments(schema);
  while (schema_next(&at, &a)) {
    bool can = a.kind != ARGUMENT_OTHER;
    if (a.kind == ARGUMENT_NUMBER && !a.is_list && call_takes_numbers(c))
      continue;
    can &= a.kind != ARGUMENT_NUMBER;
    // What takes its place is None.
    if (!can && a.is_optional) can = call_is_none(c, a.name);
    if (!can) return false;
  }
  if (!at) return false;
  at = schema_results(schema);
  while (schema_next(&at, &a))
    if (a.kind != ARGUMENT_TENSOR || a.is_optional) return false;
  return at != NULL;
}

// Sizes that data decide are open while all operands are of known sizes.
static bool has_known_sizes(const tenon_call *c) {
  bool is_open = false;
  for (int i = 0; i < c->n_in; ++i)
    for (int k = 0; k < c->in[i].rank; ++k)
      is_open |= c->in[i].dims[k] < 0;
  for (int i = 0; i < c->n_out && !is_open; ++i)
    for (int k = 0; k < c->out[i].rank; ++k)
      if (c->out[i].dims[k] < 0) return false;
  return true;
}

static bool has_known_types(const tenon_call *c) {
  int32_t torch = 0;
  for (int i = 0; i < c->n_in + c->n_out; ++i) {
    const tenon_tensor *t = i < c->n_in ? &c->in[i] : &c->out[i - c->n_in];
    if (t->quant || (t->dtype && !call_dtype(t->dtype, &torch))) return false;
  }
  return true;
}

static bool match(const tenon_call *c) {
  return c->schema && shims_get() && can_pass(c, c->schema) &&
         has_known_types(c) && has_known_sizes(c);
}

static tenon_status run(const tenon_call *c) {
  return call_run(c);
}

static const int tied_to_this_process;
static const tenon_kernel_desc every = {
    .struct_size = sizeof(tenon_kernel_desc),
    .priority = -1,
    .op = "aten::*",
    .symbol = "libtorch",
    .match = match,
    .run = run,
    .user = &tied_to_this_process,
};

// In place of the kernel, so that whoever lists operators reads why.
static bool never(const tenon_call *c) {
  (void)c;
  return false;
}
static const tenon_kernel_desc none = {
    .struct_size = sizeof(tenon_kernel_desc),
    .priority = -1,
    .op = "aten::*",
    .symbol = "libtorch_was_not_found_set_TENON_LIBTORCH",
    .match = never,
    .run = run,
    .user = &tied_to_this_process,
};

static tenon_plugin libtorch = {
    TENON_PLUGIN_HEADER,
    .name = "libtorch",
    .version = "1.0.0",
    .kernels = (const tenon_kernel_desc *const[]){&every, NULL},
};

TENON_EXTERN_C TENON_EXPORT const tenon_plugin *TENON_PLUGIN_ENTRY(libtorch)(
    void);
const tenon_plugin *TENON_PLUGIN_ENTRY(libtorch)(void) {
  static const tenon_kernel_desc *const without[] = {&none, NULL};
  if (!shims_get()) libtorch.kernels = without;
  return &libtorch;
}
