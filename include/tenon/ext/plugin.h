// tenon/ext/plugin.h - a set of descriptors with a version, built in or loaded.
//
// A plugin is data: it exports one function returning one constant. The host
// reads magic, sizes and ABI before it runs anything else from the image, and
// takes either all of a plugin's descriptors or none.
//
// `--plugin F.c` compiles F.c with CC, "-std=c11 -O2 -ffp-contract=off" and
// these headers, links -lm, and loads it; what is built elsewhere is a shared
// library that links against nothing. Descriptors live as long as the image.
// Callbacks may be called by several threads at once, and have no state but
// what they are given. A whole file, which `tenon check` tests:
//
//   #include "tenon/tensor.h"
//   typedef struct acme_gain { double gain; } acme_gain;
//   TENON_KERNEL(acme_gain_f32) {  // const tenon_call *c
//     const acme_gain *a = (const acme_gain *)c->attrs;
//     for (size_t i = 0; i < tenon_count(&c->out[0]); ++i)
//       ((float *)c->out[0].data)[i] =
//           (float)a->gain * ((const float *)c->in[0].data)[i];
//     return TENON_OK;
//   }
//   #ifndef TENON_EMITTED  // emitted C has what stands above
//   #include "tenon/ext/plugin.h"
//   static tenon_status infer(tenon_infer *c) {
//     return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
//   }
//   static const tenon_op_desc gain = {TENON_OP(TENON_OP_PURE),
//     .doc = "x times gain",
//     .schema = "acme::gain(Tensor x, *, float gain=1.0) -> Tensor",
//     TENON_OP_MEMBERS(acme_gain, gain), .infer = infer,
//     TENON_OP_KERNEL(acme_gain_f32, .types = "f32 -> f32")};
//   TENON_PLUGIN_OPS(acme, "1.0.0", &gain);
//   #endif
#ifndef TENON_EXT_PLUGIN_H
#define TENON_EXT_PLUGIN_H

#include "tenon/ext/catalog.h"
#include "tenon/ext/op.h"

#define TENON_PLUGIN_MAGIC 0x314E5450u  // "PTN1" on little endian
// Layouts are compatible within one major version. 0: nothing is frozen yet,
// and a plugin must be built against the very headers of the library that loads
// it.
#define TENON_ABI_MAJOR 0
#define TENON_ABI_MINOR 1  // appended members; informative

typedef struct tenon_plugin {
  uint32_t struct_size;
  uint32_t magic;
  uint16_t abi_major, abi_minor;
  uint16_t pointer_size, call_size;  // catch layouts that magic cannot
  const char *name, *version;
  const tenon_op_desc *const *ops;  // each list null-terminated, or null
  const tenon_kernel_desc *const
      *kernels;  // more kernels for other plugins' ops
  const tenon_lowering_desc *const *lowerings;       // the same
  const struct tenon_pass_desc *const *passes;       // tenon/ext/pass.h
  const struct tenon_reader_desc *const *readers;    // tenon/ext/reader.h
  const struct tenon_target_desc *const *targets;    // tenon/ext/target.h
  const struct tenon_package_desc *const *packages;  // tenon/ext/package.h
  const tenon_catalog_desc *const *catalogs;         // tenon/ext/catalog.h
} tenon_plugin;

TENON_NO_TAIL_PADDING(tenon_plugin, catalogs);

#define TENON_PLUGIN_HEADER                                         \
  .struct_size = sizeof(tenon_plugin), .magic = TENON_PLUGIN_MAGIC, \
  .abi_major = TENON_ABI_MAJOR, .abi_minor = TENON_ABI_MINOR,       \
  .pointer_size = sizeof(void *), .call_size = sizeof(tenon_call)

// The name of the entry point ends in the ABI major from 2 on, and the host
// looks for those of other majors too, to say which one it found. In a loadable
// image the entry point is `tenon_plugin_entry`; linked statically it is
// `tenon_plugin_entry_<ident>`, so that many fit in one program.
#ifdef TENON_STATIC_PLUGINS
#define TENON_PLUGIN_ENTRY(ident) tenon_plugin_entry_##ident
#else
#define TENON_PLUGIN_ENTRY(ident) tenon_plugin_entry
#endif
#define TENON_PLUGIN_EXPORT(ident, plugin)                                   \
  TENON_EXTERN_C TENON_EXPORT const tenon_plugin *TENON_PLUGIN_ENTRY(ident)( \
      void);                                                                 \
  const tenon_plugin *TENON_PLUGIN_ENTRY(ident)(void) {                      \
    return &(plugin);                                                        \
  }                                                                          \
  TENON_STATIC_ASSERT(1, "so that a semicolon follows")

// The end of most files: a plugin of operators, exported under its own name.
//   TENON_PLUGIN_OPS(acme, "1.0.0", &gain, &mix);
#define TENON_PLUGIN_OPS(ident, its_version, ...)                         \
  static const tenon_op_desc *const ident##_ops[] = {__VA_ARGS__, NULL};  \
  static const tenon_plugin ident = {TENON_PLUGIN_HEADER, .name = #ident, \
                                     .version = its_version,              \
                                     .ops = ident##_ops};                 \
  TENON_PLUGIN_EXPORT(ident, ident)

// Of a plugin in C whose kernels `tenon select` is to link one by one
// (docs/select.md), the descriptors have names by a rule, `TENON_PART
// tenon_kernel_desc <symbol>_desc` and `TENON_PART tenon_op_desc
// tenon_op_<name>`, and the kernels of an operator stand in `TENON_PARTS
// tenon_op_<name>_kernels[]`: in a program they are seen from outside, and the
// list may be defined anew.
#ifdef TENON_STATIC_PLUGINS
#define TENON_PART const
#define TENON_PARTS __attribute__((weak)) const tenon_kernel_desc *const
#else
#define TENON_PART static const
#define TENON_PARTS static const tenon_kernel_desc *const
#endif

#endif  // TENON_EXT_PLUGIN_H
