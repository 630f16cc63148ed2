// The operators that the models of tests/models use: one per way of importing
// a custom operator. They have no meaning, only schemas and readers.
#include "tenon/ext/plugin.h"

// As in models.h, which cannot stand here: cmocka has a macro `fail`.
extern const tenon_plugin test_plugin, test_builtin_plugin;

// Result 0 is like operand 0, whatever the file says.
static tenon_status like_x(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}

typedef struct gain_attrs {
  double gain;
  bool relu;
} gain_attrs;
static const tenon_field gain_fields[] = {TENON_FIELD(gain_attrs, gain),
                                          TENON_FIELD(gain_attrs, relu),
                                          TENON_END_FIELDS};
static const tenon_op_desc gain = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_DECLARED,
    .schema =
        "test::gain(Tensor x, *, float gain=1.0, bool relu=False)"
        " -> Tensor",
    .doc = "Options are a map.",
    .attrs_size = sizeof(gain_attrs),
    .fields = gain_fields,
    .infer = like_x,
    .tflite_name = "TestGain",
    .version_min = 1,
    .version_max = 1,
};

typedef struct gain2_attrs {
  double gain, offset;
} gain2_attrs;
static const tenon_field gain2_fields[] = {TENON_FIELD(gain2_attrs, gain),
                                           TENON_FIELD(gain2_attrs, offset),
                                           TENON_END_FIELDS};
static const tenon_op_desc gain2 = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_DECLARED,
    .schema =
        "test::gain2(Tensor x, *, float gain=1.0, float offset=0.0)"
        " -> Tensor",
    .doc = "The second version of the same code.",
    .attrs_size = sizeof(gain2_attrs),
    .fields = gain2_fields,
    .tflite_name = "TestGain",
    .version_min = 2,
    .version_max = 2,
};

typedef struct kinds_attrs {
  int64_t i;
  double f;
  bool b;
  const char *s;
  tenon_ints ints;
  tenon_floats floats;
  tenon_bools bools;
  tenon_dtype t;
  tenon_scalar scalar;
  tenon_opt_int maybe, none;
  tenon_ints pair;
} kinds_attrs;
static const tenon_field kinds_fields[] = {TENON_FIELD(kinds_attrs, i),
                                           TENON_FIELD(kinds_attrs, f),
                                           TENON_FIELD(kinds_attrs, b),
                                           TENON_FIELD(kinds_attrs, s),
                                           TENON_FIELD(kinds_attrs, ints),
                                           TENON_FIELD(kinds_attrs, floats),
                                           TENON_FIELD(kinds_attrs, bools),
                                           TENON_FIELD(kinds_attrs, t),
                                           TENON_FIELD(kinds_attrs, scalar),
                                           TENON_FIELD(kinds_attrs, maybe),
                                           TENON_FIELD(kinds_attrs, none),
                                           TENON_FIELD(kinds_attrs, pair),
                                           TENON_END_FIELDS};
static const tenon_op_desc kinds = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_DECLARED,
    .schema =
        "test::kinds(Tensor x, *, int i=0, float f=0.0, bool b=False,"
        " str s='', int[] ints=[], float[] floats=[], bool[] bools=[],"
        " ScalarType t=float32, Scalar scalar=0, int? maybe=None,"
        " int? none=3, int[2] pair=1) -> Tensor",
    .doc = "An attribute of every kind.",
    .attrs_size = sizeof(kinds_attrs),
    .fields = kinds_fields,
    .tflite_name = "TestKinds",
};

typedef struct raw_attrs {
  int64_t n, unset;
  double f;
  const char *s;
  tenon_ints list;
  tenon_dtype t;
  bool b;
} raw_attrs;
static const tenon_field raw_fields[] = {
    TENON_FIELD(raw_attrs, n),    TENON_FIELD(raw_attrs, unset),
    TENON_FIELD(raw_attrs, f),    TENON_FIELD(raw_attrs, s),
    TENON_FIELD(raw_attrs, list), TENON_FIELD(raw_attrs, t),
    TENON_FIELD(raw_attrs, b),    TENON_END_FIELDS};

// Four bytes are n; anything longer than five is a map. Slots of a table are
// absent for custom options.
static tenon_status read_raw(tenon_options *o, void *attrs) {
  raw_attrs *a = (raw_attrs *)attrs;
  if (o->size > 5) return tenon_options_map(o, attrs);
  if (o->size != 4 || o->op_version != 1)
    return tenon_options_fail(o, 1, "expected 4 bytes, found %zu", o->size);
  a->n = o->data[0] + o->api->integer(o, 0, 0);
  a->unset += o->api->ints(o, 0).data || o->api->floats(o, 0).data ||
              o->api->text(o, 0) || o->api->real(o, 0, 0) != 0;
  return TENON_OK;
}
static const tenon_op_desc raw = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_DECLARED,
    .schema =
        "test::raw(Tensor x, *, int n, int unset=0, float f=0.5,"
        " str s='s', int[] list=[], ScalarType t=float32, bool b=True)"
        " -> Tensor",
    .doc = "Options are bytes.",
    .attrs_size = sizeof(raw_attrs),
    .fields = raw_fields,
    .tflite_name = "TestRaw",
    .version_min = 1,
    .version_max = 1,
    .read_tflite = read_raw,
};

// Without fields the attributes are an array; all of them are required.
static tenon_status read_bare(tenon_options *o, void *attrs) {
  tenon_arg *args = (tenon_arg *)attrs;
  if (o->size > 1) return tenon_options_map(o, attrs);
  if (o->size == 1) args[0].as.i = o->data[0];
  return TENON_OK;
}
static const tenon_op_desc bare = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_DECLARED,
    .schema =
        "test::bare(Tensor x, *, int n, str name, int[] list,"
        " ScalarType t, bool b, float? f) -> Tensor",
    .doc = "Attributes without a struct.",
    .tflite_name = "TestBare",
    .read_tflite = read_bare,
};

typedef struct list_attrs {
  int64_t n;
} list_attrs;
static const tenon_field list_fields[] = {TENON_FIELD(list_attrs, n),
                                          TENON_END_FIELDS};
static const tenon_op_desc list = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_DECLARED,
    .schema =
        "test::list(Tensor[] xs, Tensor? bias=None, *, int n)"
        " -> Tensor[]",
    .doc = "As many tensors as there are.",
    .attrs_size = sizeof(list_attrs),
    .fields = list_fields,
    .tflite_name = "TestList",
};

#define PLAIN(id, code, text)                  \
  static const tenon_op_desc id = {            \
      .struct_size = sizeof(tenon_op_desc),    \
      .flags = TENON_OP_DECLARED,              \
      .schema = text,                          \
      .doc = "Has operands and nothing else.", \
      .tflite_name = code,                     \
  }
PLAIN(lists, "TestLists", "test::lists(Tensor[] a, Tensor[] b) -> Tensor");
PLAIN(remembers, "TestState", "test::state(Tensor x, Tensor(a!) s) -> Tensor");
PLAIN(twin_a, "Test-Twin", "test::twin_a(Tensor x) -> Tensor");
PLAIN(twin_b, "test_twin", "test::twin_b(Tensor x) -> Tensor");

static tenon_status read_mute(tenon_options *o, void *attrs) {
  (void)o, (void)attrs;
  return TENON_BAD_MODEL;
}
static const tenon_op_desc mute = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_DECLARED,
    .schema = "test::mute(Tensor x) -> Tensor",
    .doc = "Its reader fails without a word.",
    .tflite_name = "TestMute",
    .read_tflite = read_mute,
};

// A builtin operator, for the one member of the schema that is a list of
// floats. It is added as a part of the build would be.
typedef struct bucketize_attrs {
  tenon_floats boundaries;
} bucketize_attrs;
static const tenon_field bucketize_fields[] = {
    TENON_FIELD(bucketize_attrs, boundaries), TENON_END_FIELDS};
static tenon_status read_bucketize(tenon_options *o, void *attrs) {
  ((bucketize_attrs *)attrs)->boundaries = o->api->floats(o, 0);
  return TENON_OK;
}
static const tenon_op_desc bucketize = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_DECLARED,
    .schema = "tfl::BUCKETIZE(Tensor x, *, float[] boundaries) -> Tensor",
    .doc = "Finds the range of each element.",
    .attrs_size = sizeof(bucketize_attrs),
    .fields = bucketize_fields,
    .read_tflite = read_bucketize,
};
const tenon_plugin test_builtin_plugin = {
    TENON_PLUGIN_HEADER,
    .name = "test_builtin",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&bucketize, NULL},
};

const tenon_plugin test_plugin = {
    TENON_PLUGIN_HEADER,
    .name = "test",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&gain, &gain2, &kinds, &raw, &bare,
                                          &list, &lists, &remembers, &twin_a,
                                          &twin_b, &mute, NULL},
};
