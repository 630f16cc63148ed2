// ethos_u.c - ethos-u, what Arm's compiler Vela leaves of the operators that an
// Ethos-U NPU computes: its commands and its constants, which pass through as
// they are, and one call of Arm's driver in emitted C.
//
// Vela writes the operands commands, constants, an arena, a fast memory (the
// arena again where there is none) and then those of the network. All but
// constants and fast memory have their places in the arena, which the commands
// name and OfflineMemoryAllocation tells. Here the arena is this operator's
// own: operands are copied to their places before the call, results from theirs
// after it.
//
// Facts: the files of Vela 5.2, ethosu_driver.h of ethos-u-core-driver, and how
// TensorFlow Lite for Microcontrollers calls it. Regions 0, 1 and 2 of a stream
// in the format COP1 are constants, arena and fast memory, each at 16 bytes.
#include <string.h>

#include "tenon/tensor.h"

typedef struct ethos_u_attrs {
  int64_t arena_bytes, fast_bytes;           // no fast memory of its own: 0
  tenon_ints input_offsets, output_offsets;  // in the arena
} ethos_u_attrs;

enum { ETHOS_U_COMMANDS, ETHOS_U_CONSTANTS, ETHOS_U_ARENA, ETHOS_U_FAST };
enum { ETHOS_U_REGIONS = 3, ETHOS_U_OPERANDS = 4, ETHOS_U_ALIGN = 16 };

static size_t ethos_u_round(int64_t bytes) {
  return ((size_t)bytes + ETHOS_U_ALIGN - 1) / ETHOS_U_ALIGN * ETHOS_U_ALIGN;
}

#ifdef TENON_EMITTED
struct ethosu_driver;
struct ethosu_driver *ethosu_reserve_driver(void);
void ethosu_release_driver(struct ethosu_driver *driver);
int ethosu_invoke_v3(struct ethosu_driver *driver, const void *commands,
                     const int size, uint64_t *const bases, const size_t *sizes,
                     const int n, void *user);

static size_t ethos_u_bytes(const tenon_tensor *t) {
  size_t wide = t->dtype == TENON_S32 ? 4 : t->dtype == TENON_S16 ? 2 : 1;
  return tenon_count(t) * wide;
}

TENON_KERNEL(tflite_ethos_u) {
  const ethos_u_attrs *a = (const ethos_u_attrs *)c->attrs;
  unsigned char *arena = (unsigned char *)c->scratch;
  unsigned char *fast = arena;
  size_t sizes[ETHOS_U_REGIONS];
  uint64_t bases[ETHOS_U_REGIONS];
  struct ethosu_driver *driver;
  int status;
  if (a->fast_bytes > 0) fast += ethos_u_round(a->arena_bytes);
  bases[0] = (uint64_t)(uintptr_t)c->in[ETHOS_U_CONSTANTS].data;
  bases[1] = (uint64_t)(uintptr_t)arena;
  bases[2] = (uint64_t)(uintptr_t)fast;
  sizes[0] = ethos_u_bytes(&c->in[ETHOS_U_CONSTANTS]);
  sizes[1] = (size_t)a->arena_bytes;
  sizes[2] = (size_t)(a->fast_bytes > 0 ? a->fast_bytes : a->arena_bytes);
  for (size_t i = 0; i < a->input_offsets.count; ++i) {
    const tenon_tensor *t = &c->in[ETHOS_U_OPERANDS + i];
    memcpy(arena + a->input_offsets.data[i], t->data, ethos_u_bytes(t));
  }
  driver = ethosu_reserve_driver();
  if (!driver) return tenon_call_fail(c, "no Ethos-U driver is there", 0, 0);
  status = ethosu_invoke_v3(driver, c->in[ETHOS_U_COMMANDS].data,
                            (int)ethos_u_bytes(&c->in[ETHOS_U_COMMANDS]), bases,
                            sizes, ETHOS_U_REGIONS, NULL);
  ethosu_release_driver(driver);
  if (status != 0)
    return tenon_call_fail(c, "the Ethos-U driver failed ({0})", status, 0);
  for (size_t i = 0; i < a->output_offsets.count; ++i) {
    const tenon_tensor *t = &c->out[i];
    memcpy(t->data, arena + a->output_offsets.data[i], ethos_u_bytes(t));
  }
  return TENON_OK;
}
#endif

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

typedef bool ethos_u_look(const tenon_options *o, int i,
                          tenon_file_tensor *out);

// Where the file plans what the NPU reads or writes, from the arena's start.
static tenon_status place(tenon_options *o, const tenon_file_tensor *arena,
                          ethos_u_look *look, int first, tenon_ints *out) {
  tenon_file_tensor t;
  int n = first;
  while (look(o, n, &t))
    ++n;
  int64_t *offsets =
      (int64_t *)o->api->memory(o, (size_t)(n - first) * sizeof *offsets);
  if (!offsets) return TENON_NO_MEMORY;
  for (int i = first; look(o, i, &t); ++i) {
    int64_t at = t.planned - arena->planned;
    if (t.is_variable)
      return tenon_options_fail(
          o, 0,
          "tensor %u is a variable, which the NPU changes in place: "
          "that is not supported",
          t.index);
    if (t.planned < 0 || arena->planned < 0)
      return tenon_options_fail(
          o, 0,
          "expected the place of tensor %u in the arena, but the file's "
          "OfflineMemoryAllocation has none",
          t.index);
    if (at < 0 || t.bytes < 0 || t.bytes > arena->bytes ||
        at > arena->bytes - t.bytes)
      return tenon_options_fail(
          o, 0, "tensor %u has %lld bytes at %lld of an arena of %lld", t.index,
          (long long)t.bytes, (long long)at, (long long)arena->bytes);
    offsets[i - first] = at;
  }
  out->data = offsets;
  out->count = (size_t)(n - first);
  return TENON_OK;
}

static tenon_status check_commands(tenon_options *o) {
  tenon_file_tensor t;
  if (o->size != 3 || memcmp(o->data, "\x01\x04\x01", 3) != 0)
    return tenon_options_fail(
        o, 0, "expected the options of Ethos-U, a FlexBuffers 1");
  if (!o->api->operand(o, ETHOS_U_COMMANDS, &t) || !t.data || t.bytes < 4)
    return tenon_options_fail(o, 0, "expected commands as operand 0");
  if (memcmp(t.data, "COP1", 4) != 0)
    return tenon_options_fail(
        o, 0,
        "expected commands in the format COP1, found '%.4s'; Vela writes "
        "it with --cop-format COP1",
        (const char *)t.data);
  return TENON_OK;
}

// Vela names the arena twice where there is no memory besides.
static tenon_status ethos_u_read(tenon_options *o, void *attrs) {
  ethos_u_attrs *a = (ethos_u_attrs *)attrs;
  tenon_file_tensor arena, fast;
  TENON_TRY(check_commands(o));
  if (!o->api->operand(o, ETHOS_U_ARENA, &arena) ||
      !o->api->operand(o, ETHOS_U_FAST, &fast) || arena.bytes < 0 ||
      fast.bytes < 0)
    return tenon_options_fail(
        o, 0, "expected an arena and a fast memory as operands 2 and 3");
  TENON_TRY(o->api->workspace(o, ETHOS_U_ARENA));
  TENON_TRY(o->api->workspace(o, ETHOS_U_FAST));
  a->arena_bytes = arena.bytes;
  a->fast_bytes = fast.index == arena.index ? 0 : fast.bytes;
  TENON_TRY(
      place(o, &arena, o->api->operand, ETHOS_U_OPERANDS, &a->input_offsets));
  return place(o, &arena, o->api->result, 0, &a->output_offsets);
}

static size_t ethos_u_scratch(const tenon_call *c, int64_t items) {
  const ethos_u_attrs *a = (const ethos_u_attrs *)c->attrs;
  (void)items;
  return ethos_u_round(a->arena_bytes) + ethos_u_round(a->fast_bytes);
}

static const tenon_kernel_desc ethos_u_emitted = {
    .struct_size = sizeof(tenon_kernel_desc),
    .align = ETHOS_U_ALIGN,
    .symbol = "tflite_ethos_u",
    .types =
        "u8, u8, u8?, u8?, u8|s8|s16|s32|u8q|s8q|s16q... -> "
        "u8|s8|s16|s32|u8q|s8q|s16q...",
    .scratch = ethos_u_scratch,
};

static const tenon_op_desc ethos_u = {
    .struct_size = sizeof(tenon_op_desc),
    .schema =
        "tflite::ethos_u(Tensor commands, Tensor constants, "
        "Tensor? arena, Tensor? fast, Tensor[] inputs, *, "
        "int arena_bytes, int fast_bytes=0, int[] input_offsets, "
        "int[] output_offsets) -> Tensor[]",
    .doc =
        "Commands of an Ethos-U NPU, as Vela compiled them.\n"
        "Emitted C calls Arm's driver; nothing runs on the host.",
    TENON_OP_MEMBERS(ethos_u_attrs, arena_bytes, fast_bytes, input_offsets,
                     output_offsets),
    .kernels = (const tenon_kernel_desc *const[]){&ethos_u_emitted, NULL},
    .tflite_name = "ethos-u",
    .read_tflite = ethos_u_read,
};

static const tenon_plugin plugin = {
    TENON_PLUGIN_HEADER,
    .name = "ethos_u",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&ethos_u, NULL},
};
TENON_PLUGIN_EXPORT(ethos_u, plugin);
#endif
