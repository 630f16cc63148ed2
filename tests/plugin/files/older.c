// As if built with headers in which an operator ended at `lower` and a kernel
// at `items`: what came later is not there at all.
#include "tenon/ext/plugin.h"

TENON_KERNEL(older_f32) {
  float *y = (float *)c->out[0].data;
  y[0] = 2 * ((const float *)c->in[0].data)[0];
  return TENON_OK;
}

static const struct older_kernel {
  uint32_t struct_size, flags;
  int32_t priority;
  uint32_t align, in_place, packs, pack_version, grain;
  const char *op, *symbol, *types, *needs, *order;
  bool (*match)(const tenon_call *call);
  size_t (*scratch)(const tenon_call *call, int64_t items);
  const char *pack_name;
  size_t (*pack_size)(const tenon_call *call);
  tenon_status (*pack)(const tenon_call *call, void *packed);
  tenon_run_fn *run;
  tenon_run_range_fn *run_range;
  int64_t (*items)(const tenon_call *call);
} kernel = {.struct_size = sizeof(struct older_kernel),
            .symbol = "older_f32",
            .types = "f32 -> f32",
            .run = older_f32};
TENON_STATIC_ASSERT(offsetof(struct older_kernel, items) ==
                        offsetof(tenon_kernel_desc, items),
                    "the beginning never changes");

static const tenon_kernel_desc *const kernels[] = {
    (const tenon_kernel_desc *)(const void *)&kernel, NULL};

static const struct older_op {
  uint32_t struct_size, flags;
  const char *schema, *doc;
  size_t attrs_size;
  const tenon_field *fields;
  const char *attrs_type;
  tenon_status (*infer)(tenon_infer *c);
  tenon_status (*fold)(const tenon_call *call);
  bool (*view)(const tenon_call *call, tenon_view *view);
  const tenon_kernel_desc *const *kernels;
  tenon_lower_fn *lower;
} op = {.struct_size = sizeof(struct older_op),
        .schema = "older::twice(Tensor x) -> Tensor",
        .doc = "Doubles the first element.",
        .kernels = kernels};
TENON_STATIC_ASSERT(offsetof(struct older_op, lower) ==
                        offsetof(tenon_op_desc, lower),
                    "the beginning never changes");

static const tenon_op_desc *const ops[] = {
    (const tenon_op_desc *)(const void *)&op, NULL};

static const struct older_plugin {
  uint32_t struct_size, magic;
  uint16_t abi_major, abi_minor, pointer_size, call_size;
  const char *name, *version;
  const tenon_op_desc *const *ops;
} older = {.struct_size = sizeof(struct older_plugin),
           .magic = TENON_PLUGIN_MAGIC,
           .abi_major = TENON_ABI_MAJOR,
           .pointer_size = sizeof(void *),
           .call_size = sizeof(tenon_call),
           .name = "older",
           .version = "0.9",
           .ops = ops};

TENON_EXTERN_C TENON_EXPORT const tenon_plugin *tenon_plugin_entry(void);
const tenon_plugin *tenon_plugin_entry(void) {
  return (const tenon_plugin *)(const void *)&older;
}
