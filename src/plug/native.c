// plug/native.c - passes, readers and targets that are part of the library, as
// descriptors: so that they are listed, found, replaced and removed like those
// of plugins. What they do stays where it is (pass/, read/, bind/), which asks
// tenon_registry_is_native whether it still counts.
#include "plug/load.h"
#include "tenon/ext/pass.h"
#include "tenon/ext/reader.h"
#include "tenon/ext/target.h"

#define DESC(ident, is_optional, keys, text)            \
  static const tenon_pass_desc pass_##ident = {         \
      .struct_size = sizeof(tenon_pass_desc),           \
      .flags = (is_optional) ? TENON_PASS_OPTIONAL : 0, \
      .name = #ident,                                   \
      .doc = text,                                      \
      .options = keys};
#define PASS DESC
#define TRADE(ident, keys, text) DESC(ident, true, keys, text)
#include "pass/passes.def"
#undef PASS
#undef TRADE

static const tenon_reader_desc
    tflite = {.struct_size = sizeof tflite,
              .name = "tflite",
              .doc = ".tflite, FlatBuffers with identifier TFL3"},
    pt2 = {.struct_size = sizeof pt2,
           .name = "pt2",
           .doc = ".pt2 of torch.export"},
    json = {.struct_size = sizeof json,
            .name = "json",
            .doc = "a module as JSON"},
    text = {
        .struct_size = sizeof text, .name = "text", .doc = "text IR, .tenon"};

#define TARGET(ident, its_name, text, words, its_macros, flags, bits, \
               its_align)                                             \
  static const tenon_target_desc target_##ident = {                   \
      .struct_size = sizeof(tenon_target_desc),                       \
      .name = its_name,                                               \
      .doc = text,                                                    \
      .features = words,                                              \
      .macros = its_macros,                                           \
      .cflags = flags,                                                \
      .pointer_bits = bits,                                           \
      .int_bits = 32,                                                 \
      .block_align = its_align};
#define TENON_TARGET_ROW(ident, name, text, words, macros, flags) \
  TARGET(ident, name, text, words, macros, flags, 32, 16)
#define TENON_WIDE_TARGET_ROW(ident, name, text, words, macros, flags) \
  TARGET(ident, name, text, words, macros, flags, 64, 64)
#include "bind/targets.def"
#undef TENON_TARGET_ROW
#undef TENON_WIDE_TARGET_ROW

static const tenon_target_desc
    host = {.struct_size = sizeof host,
            .name = "host",
            .doc = "this machine, with what its processor has"},
    c = {.struct_size = sizeof c,
         .name = "c",
         .doc = "portable C: no kernel that needs a feature"};

const tenon_plugin tenon_native_plugin = {
    TENON_PLUGIN_HEADER,
    .name = "tenon",
    .version = TENON_VERSION,
    .passes =
        (const tenon_pass_desc *const[]){
#define PASS(ident, is_optional, keys, text) &pass_##ident,
#define TRADE(ident, keys, text) &pass_##ident,
#include "pass/passes.def"
#undef PASS
#undef TRADE
            NULL},
    .readers =
        (const tenon_reader_desc *const[]){&tflite, &pt2, &json, &text, NULL},
    .targets = (const tenon_target_desc *const[]){&host, &c,
#define TENON_TARGET_ROW(ident, its_name, text, words, its_macros, flags) \
  &target_##ident,
#define TENON_WIDE_TARGET_ROW TENON_TARGET_ROW
#include "bind/targets.def"
#undef TENON_TARGET_ROW
#undef TENON_WIDE_TARGET_ROW
                                                  NULL},
};
