// One descriptor per row of tfl.def, and per options table its fields and the
// reader of its slots. Both tables are expanded here, so that none of what they
// say is written twice.
#include "ops/tfl/tfl.h"

#include "ops/tfl/tfl_examples.h"
#include "ops/tfl/tfl_op.h"
#include "ops/tfl/tfl_options.h"

// ---------------------------------------------------------------------------
// Options
// ---------------------------------------------------------------------------

typedef struct slot {
  uint32_t offset;  // of the member in the struct
  uint32_t kind;    // tenon_kind
  int slot;
} slot;

// Scales or zero points of the intermediate tensors.
static tenon_status read_intermediates(tenon_options *o, uint32_t kind,
                                       char *member) {
  float scale;
  int32_t zero;
  size_t n = 0;
  while (n < TFL_MAX_TENSORS && o->api->intermediate(o, (int)n, &scale, &zero))
    ++n;
  if (n == 0) return TENON_OK;
  double *scales = (double *)o->api->memory(o, n * sizeof *scales);
  int64_t *zeros = (int64_t *)o->api->memory(o, n * sizeof *zeros);
  if (!scales || !zeros) return TENON_NO_MEMORY;
  for (size_t i = 0; i < n; ++i) {
    (void)o->api->intermediate(o, (int)i, &scale, &zero);
    scales[i] = (double)scale;
    zeros[i] = zero;
  }
  if (kind == TENON_KIND_FLOATS)
    *(tenon_floats *)member = (tenon_floats){scales, n};
  else
    *(tenon_ints *)member = (tenon_ints){zeros, n};
  return TENON_OK;
}

// The struct holds the defaults, so a slot that a file leaves out changes
// nothing; the last entry has kind 0.
static tenon_status read_slots(tenon_options *o, void *attrs, const slot *s) {
  for (; s->kind; ++s) {
    char *member = (char *)attrs + s->offset;
    if (s->slot == TFL_UNSTORED) continue;
    if (s->slot == TFL_INTERMEDIATES) {
      TENON_TRY(read_intermediates(o, s->kind, member));
      continue;
    }
    if (s->slot < TFL_INTERMEDIATES) {
      const char *body =
          o->api->body(o, o->api->integer(o, TFL_BODY(s->slot), 0));
      if (body) *(const char **)member = *body ? body : "second";
      continue;
    }
    switch (s->kind) {
      case TENON_KIND_BOOL:
        *(bool *)member = o->api->integer(o, s->slot, *(bool *)member) != 0;
        break;
      case TENON_KIND_INT:
        *(int64_t *)member = o->api->integer(o, s->slot, *(int64_t *)member);
        break;
      case TENON_KIND_FLOAT:
        *(double *)member = o->api->real(o, s->slot, *(double *)member);
        break;
      case TENON_KIND_STR: {
        const char *text = o->api->text(o, s->slot);
        if (text) *(const char **)member = text;
        break;
      }
      case TENON_KIND_FLOATS: {
        tenon_floats floats = o->api->floats(o, s->slot);
        if (floats.data) *(tenon_floats *)member = floats;
        break;
      }
      default: {
        tenon_ints ints = o->api->ints(o, s->slot);
        if (ints.data) *(tenon_ints *)member = ints;
        break;
      }
    }
  }
  return TENON_OK;
}

#define TFL_FIELD(S, kind, member, slot, absent) TENON_FIELD(S, member),
#define TFL_SLOT(S, kind, member, slot, absent) \
  {(uint32_t)offsetof(S, member), TENON_KIND_##kind, slot},
#define TFL_READER(table)                                                 \
  enum { table##_size = sizeof(tenon_tfl_##table##_attrs) };              \
  static const tenon_field table##_fields[] = {TFL_TABLE_##table(         \
      , TFL_FIELD, tenon_tfl_##table##_attrs) TENON_END_FIELDS};          \
  static const slot table##_slots[] = {                                   \
      TFL_TABLE_##table(, TFL_SLOT, tenon_tfl_##table##_attrs){0, 0, 0}}; \
  static tenon_status table##_read(tenon_options *o, void *attrs) {       \
    return read_slots(o, attrs, table##_slots);                           \
  }
TFL_TABLES(TFL_READER)

// ---------------------------------------------------------------------------
// Operators
// ---------------------------------------------------------------------------

// Behind the operands, all by name: ", *, int padding=0, int stride_w=0".
#define TFL_T_BOOL "bool"
#define TFL_T_INT "int"
#define TFL_T_FLOAT "float"
#define TFL_T_STR "str"
#define TFL_T_INTS "int[]"
#define TFL_T_FLOATS "float[]"
#define TFL_ARGUMENT(S, kind, member, slot, absent) \
  ", " TFL_T_##kind " " #member "=" #absent
#define TFL_TABLE_none(BEGIN, X, S) ""

// The columns of a row without attributes.
#define none_size 0
#define none_fields NULL
#define none_read NULL

// Each has a lowering of its own, which first asks for unsigned bytes, and
// whether scales mean anything.
#define TFL_OP(name, first, last, core, table, rule, lowering, ...)           \
  static tenon_status name##_lower(tenon_rewriter *rw, const tenon_node *n) { \
    if (tenon_tfl_is_unsigned(rw, n, #name))                                  \
      return tenon_tfl_as_signed(rw, n, "tfl::" #name);                       \
    if (tenon_tfl_is_stored(rw, n, #name))                                    \
      return tenon_tfl_as_stored(rw, n, "tfl::" #name);                       \
    return tenon_tfl_##lowering##_lower(rw, n);                               \
  }
#define TFL_OTHER(name, first, last, core, table, rule, lowering, ...)        \
  static tenon_status name##_lower(tenon_rewriter *rw, const tenon_node *n) { \
    return tenon_tfl_##lowering##_lower(rw, n);                               \
  }
#define TFL_CALL(...) TFL_OTHER(__VA_ARGS__)
#define TFL_ALONE(...) TFL_OTHER(__VA_ARGS__)
#include "ops/tfl/tfl.def"
#undef TFL_OP
#undef TFL_CALL
#undef TFL_ALONE

#define TFL_DESC(name, purity, begin, first, last, core, table, rule, \
                 lowering, operands, results, what)                   \
  static tenon_status name##_infer(tenon_infer *c) {                  \
    TENON_TRY(tenon_tfl_check_operands(c, operands));                 \
    return tenon_tfl_##rule##_infer(c);                               \
  }                                                                   \
  static const tenon_op_desc name##_desc = {                          \
      .struct_size = sizeof(tenon_op_desc),                           \
      .flags = purity,                                                \
      .schema = "tfl::" #name "(" operands TFL_TABLE_##table(         \
          begin, TFL_ARGUMENT, ) ") -> " results,                     \
      .doc = what,                                                    \
      .attrs_size = table##_size,                                     \
      .fields = table##_fields,                                       \
      .infer = name##_infer,                                          \
      .lower = name##_lower,                                          \
      .version_min = first,                                           \
      .version_max = last,                                            \
      .read_tflite = table##_read,                                    \
      .user = core,                                                   \
  };
#define TFL_OP(name, ...) TFL_DESC(name, TENON_OP_PURE, ", *", __VA_ARGS__)
#define TFL_CALL(name, ...) TFL_DESC(name, 0, ", *", __VA_ARGS__)
#define TFL_ALONE(name, ...) TFL_DESC(name, 0, "*", __VA_ARGS__)
#include "ops/tfl/tfl.def"
#undef TFL_OP
#undef TFL_CALL
#undef TFL_ALONE

#define TFL_OP(name, ...) &name##_desc,
#define TFL_CALL(name, ...) &name##_desc,
#define TFL_ALONE(name, ...) &name##_desc,
static const tenon_op_desc *const ops[] = {
#include "ops/tfl/tfl.def"
    NULL};

const tenon_plugin tenon_tfl_plugin = {
    TENON_PLUGIN_HEADER,
    .name = "tfl",
    .version = TENON_VERSION,
    .ops = ops,
    .lowerings = tenon_tfl_roundings,
    .passes = (const tenon_pass_desc *const[]){&tenon_tfl_tflm, NULL},
};
