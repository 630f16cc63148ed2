// tests/unit/emit/operators.c - an operator for each way a step can differ. The
// kernels are compiled here and, the same words, printed into what is emitted.
#include "build.h"

// `TEXT(id, code)` is the code and, as `id`, its text.
#define TEXT(id, ...)                    \
  static const char id[] = #__VA_ARGS__; \
  __VA_ARGS__

#define SOURCE(id, its_text, its_uses)                       \
  static const tenon_source id = {.struct_size = sizeof(id), \
                                  .name = "test/" #id ".c",  \
                                  .text = its_text,          \
                                  .uses = its_uses}

#define KERNEL(its_symbol, its_types)                              \
  .struct_size = sizeof(tenon_kernel_desc), .symbol = #its_symbol, \
  .types = its_types

#define KERNELS(...)                              \
  .kernels = (const tenon_kernel_desc *const[]) { \
    __VA_ARGS__, NULL                             \
  }

#define OP .struct_size = sizeof(tenon_op_desc)

static tenon_status like_x(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}
static int64_t elements(const tenon_call *c) {
  return (int64_t)tenon_count(&c->out[0]);
}

// --- attributes of all kinds ------------------------------------------------

TEXT(
    kinds_struct, typedef struct test_kinds {
      bool flag;
      int64_t whole;
      double real;
      const char *text;
      tenon_ints ints;
      tenon_floats floats;
      tenon_bools bools;
      tenon_dtype dtype;
      tenon_scalar scalar;
      tenon_scalars scalars;
      tenon_strs strs;
      tenon_opt_bool opt_flag;
      tenon_opt_int opt_whole;
      tenon_opt_float opt_real;
    } test_kinds;)

// Every bit of every attribute is in the result.
TEXT(
    kinds_sum,
    static inline uint32_t test_mix(uint32_t h, const void *data, size_t size) {
      const unsigned char *p = (const unsigned char *)data;
      for (size_t i = 0; i < size; ++i)
        h = (h ^ p[i]) * UINT32_C(16777619);
      return h;
    } static inline uint32_t test_mix_scalar(uint32_t h, tenon_scalar s) {
      h = test_mix(h, &s.kind, sizeof s.kind);
      return s.kind ? test_mix(h, &s.as.i, sizeof s.as.i) : h;
    } static inline uint32_t test_mix_list(uint32_t h, const void *data,
                                           size_t count, size_t size) {
      h = test_mix(h, &count, sizeof count);
      h = h * 2 + (data != NULL);
      return data ? test_mix(h, data, count * size) : h;
    } static inline uint32_t test_mix_texts(uint32_t h, tenon_strs l) {
      h = test_mix_list(h, l.data, l.data ? l.count : 0, 0);
      for (size_t i = 0; i < l.count; ++i) {
        const char *text = l.data[i];
        while (*text)
          h = test_mix(h, text++, 1);
        h = test_mix(h, text, 1);
      }
      return h;
    })

TEXT(
    kinds_text, TENON_KERNEL(test_kinds_s32) {
      const test_kinds *a = (const test_kinds *)c->attrs;
      uint32_t h = UINT32_C(2166136261);
      uint32_t *y = (uint32_t *)c->out[0].data;
      const char *text = a->text ? a->text : "none";
      h = h * 2 + a->flag;
      h = test_mix(h, &a->whole, sizeof a->whole);
      h = test_mix(h, &a->real, sizeof a->real);
      while (*text)
        h = test_mix(h, text++, 1);
      h = test_mix_list(h, a->ints.data, a->ints.count, sizeof(int64_t));
      h = test_mix_list(h, a->floats.data, a->floats.count, sizeof(double));
      h = test_mix_list(h, a->bools.data, a->bools.count, sizeof(bool));
      h = test_mix(h, &a->dtype, sizeof a->dtype);
      h = test_mix_scalar(h, a->scalar);
      for (size_t i = 0; i < a->scalars.count; ++i)
        h = test_mix_scalar(h, a->scalars.data[i]);
      h = test_mix_texts(h, a->strs);
      h = h * 4 + a->opt_flag.has + (a->opt_flag.has && a->opt_flag.value);
      h = h * 2 + a->opt_whole.has;
      if (a->opt_whole.has) h = test_mix(h, &a->opt_whole.value, 8);
      h = h * 2 + a->opt_real.has;
      if (a->opt_real.has) h = test_mix(h, &a->opt_real.value, 8);
      for (size_t i = 0; i < tenon_count(&c->out[0]); ++i)
        y[i] = h ^ ((const uint32_t *)c->in[0].data)[i];
      return TENON_OK;
    })

SOURCE(kinds_struct_source, kinds_struct, NULL);
SOURCE(kinds_sum_source, kinds_sum, NULL);
SOURCE(kinds_source, kinds_text,
       ((const tenon_source *const[]){&kinds_struct_source, &kinds_sum_source,
                                      NULL}));

static const tenon_field kinds_fields[] = {TENON_FIELD(test_kinds, flag),
                                           TENON_FIELD(test_kinds, whole),
                                           TENON_FIELD(test_kinds, real),
                                           TENON_FIELD(test_kinds, text),
                                           TENON_FIELD(test_kinds, ints),
                                           TENON_FIELD(test_kinds, floats),
                                           TENON_FIELD(test_kinds, bools),
                                           TENON_FIELD(test_kinds, dtype),
                                           TENON_FIELD(test_kinds, scalar),
                                           TENON_FIELD(test_kinds, scalars),
                                           TENON_FIELD(test_kinds, opt_flag),
                                           TENON_FIELD(test_kinds, opt_whole),
                                           TENON_FIELD(test_kinds, opt_real),
                                           TENON_FIELD(test_kinds, strs),
                                           TENON_END_FIELDS};

#define KINDS_SCHEMA                                                        \
  "(Tensor x, *, bool flag=False, int whole=0, float real=0., str? "        \
  "text=None, int[]? ints=None, float[]? floats=None, bool[]? bools=None, " \
  "ScalarType? dtype=None, Scalar? scalar=None, Scalar[]? scalars=None, "   \
  "bool? opt_flag=None, int? opt_whole=None, float? opt_real=None, "        \
  "str[]? strs=None) -> Tensor"

static const tenon_kernel_desc kinds_kernel = {
    KERNEL(test_kinds_s32, "s32 -> s32"),
    .run = test_kinds_s32,
    .source = &kinds_source,
};
// The struct's name is in the kernel's text.
static const tenon_op_desc kinds = {
    OP,
    .schema = "test::kinds" KINDS_SCHEMA,
    .doc = "Attributes of all kinds.",
    .attrs_size = sizeof(test_kinds),
    .fields = kinds_fields,
    .attrs_type = "test_kinds",
    .infer = like_x,
    KERNELS(&kinds_kernel),
};

// Nobody says what the struct is called: it is declared from the fields.
TEXT(
    pair_text, TENON_KERNEL(test_pair_f32) {
      struct pair {
        bool minus;
        double by;
      };
      const struct pair *a = (const struct pair *)c->attrs;
      const float *x = (const float *)c->in[0].data;
      float *y = (float *)c->out[0].data;
      for (size_t i = 0; i < tenon_count(&c->in[0]); ++i)
        y[i] = x[i] * (float)(a->minus ? -a->by : a->by);
      return TENON_OK;
    })
typedef struct pair_attrs {
  bool minus;
  double by;
} pair_attrs;
static const tenon_field pair_fields[] = {TENON_FIELD(pair_attrs, by),
                                          TENON_FIELD(pair_attrs, minus),
                                          TENON_END_FIELDS};
SOURCE(pair_source, pair_text, NULL);
static const tenon_kernel_desc pair_kernel = {
    KERNEL(test_pair_f32, "f32 -> f32"),
    .run = test_pair_f32,
    .in_place = TENON_IN_PLACE(0, 0),
    .source = &pair_source,
};
static const tenon_op_desc pair = {
    OP,
    .schema = "test::pair(Tensor x, *, float by, bool minus=False) -> Tensor",
    .doc = "A struct without a name.",
    .attrs_size = sizeof(pair_attrs),
    .fields = pair_fields,
    .infer = like_x,
    KERNELS(&pair_kernel),
};

// As an array of tenon_arg.
TEXT(
    args_text, TENON_KERNEL(test_args_s32) {
      const tenon_arg *a = (const tenon_arg *)c->attrs;
      uint32_t h = 7;
      uint32_t *y = (uint32_t *)c->out[0].data;
      for (; a->name; ++a) {
        const char *text = a->kind == TENON_KIND_STR ? a->as.s : a->name;
        while (*text)
          h = test_mix(h, text++, 1);
        h = test_mix(h, &a->kind, sizeof a->kind);
        if (a->kind == TENON_KIND_BOOL || a->kind == TENON_KIND_INT ||
            a->kind == TENON_KIND_DTYPE)
          h = test_mix(h, &a->as.i, sizeof a->as.i);
        if (a->kind == TENON_KIND_FLOAT)
          h = test_mix(h, &a->as.f, sizeof a->as.f);
        if (a->kind == TENON_KIND_INTS)
          h = test_mix_list(h, a->as.ints.data, a->as.ints.count, 8);
        if (a->kind == TENON_KIND_FLOATS)
          h = test_mix_list(h, a->as.floats.data, a->as.floats.count, 8);
        if (a->kind == TENON_KIND_BOOLS)
          h = test_mix_list(h, a->as.bools.data, a->as.bools.count,
                            sizeof(bool));
        if (a->kind == TENON_KIND_SCALAR) h = test_mix_scalar(h, a->as.scalar);
        if (a->kind == TENON_KIND_SCALARS)
          for (size_t i = 0; i < a->as.scalars.count; ++i)
            h = test_mix_scalar(h, a->as.scalars.data[i]);
        if (a->kind == TENON_KIND_STRS) h = test_mix_texts(h, a->as.strs);
      }
      for (size_t i = 0; i < tenon_count(&c->out[0]); ++i)
        y[i] = h ^ ((const uint32_t *)c->in[0].data)[i];
      return TENON_OK;
    })
SOURCE(args_source, args_text,
       ((const tenon_source *const[]){&kinds_sum_source, NULL}));
static const tenon_kernel_desc args_kernel = {
    KERNEL(test_args_s32, "s32 -> s32"),
    .run = test_args_s32,
    .source = &args_source,
};
static const tenon_op_desc args = {
    OP,
    .schema = "test::args" KINDS_SCHEMA,
    .doc = "Attributes without a struct.",
    .infer = like_x,
    KERNELS(&args_kernel),
};

// For kernels that want scratch and something packed: a float per column.
static int64_t rows_items(const tenon_call *c) {
  return c->in[0].dims[0];
}
static size_t rows_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return (size_t)c->in[0].dims[1] * sizeof(float);
}
static tenon_status rows_pack(const tenon_call *c, void *packed) {
  for (int32_t i = 0; i < c->in[0].dims[1]; ++i)
    ((float *)packed)[i] = (float)i * 0.5f;
  return TENON_OK;
}
static size_t rows_pack_size(const tenon_call *c) {
  return rows_scratch(c, 1);
}
// --- templates --------------------------------------------------------------

typedef struct scale_attrs {
  double gain;
  int64_t most;
  tenon_ints steps;
  bool relu;
  const char *name;
  tenon_scalar offset;
  tenon_strs words;
} scale_attrs;
static const tenon_field scale_fields[] = {
    TENON_FIELD(scale_attrs, gain),  TENON_FIELD(scale_attrs, most),
    TENON_FIELD(scale_attrs, steps), TENON_FIELD(scale_attrs, relu),
    TENON_FIELD(scale_attrs, name),  TENON_FIELD(scale_attrs, offset),
    TENON_FIELD(scale_attrs, words), TENON_END_FIELDS};
#define SCALE_SCHEMA                                                \
  "(Tensor x, Tensor? z=None, *, float gain=1., int most=5, int[] " \
  "steps=[1, 2], bool relu=False, str name='a', Scalar offset=0, "  \
  "str[] words=['b', 'c\"']) -> Tensor"

TENON_KERNEL(test_scale_f32) {
  const scale_attrs *a = (const scale_attrs *)c->attrs;
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  float offset = a->offset.kind == TENON_KIND_FLOAT ? (float)a->offset.as.f
                                                    : (float)a->offset.as.i;
  for (size_t i = 0; i < tenon_count(&c->in[0]); ++i) {
    float v = (float)a->gain * x[i] + offset + (float)a->steps.data[1];
    if (a->relu && v < 0) v = 0;
    y[i] = v + (float)a->most + (float)a->name[0] + (float)c->in[0].rank +
           (float)c->in[0].dims[1] + (float)a->words.data[0][0] +
           (float)a->words.data[1][1];
  }
  return TENON_OK;
}

static const char scale_template[] =
    "#define TWICE 1\n"
    "const int32_t *dims = $dims(in0);\n"
    "const int64_t *steps = $attr(steps);\n"
    "const char *name = $attr(name);\n"
    "const char *const *words = $attr(words);\n"
    "const char *word = $attr(words, 1);\n"
    "(void)$scratch;\n"
    "(void)$packed;\n"
    "for (size_t i = 0; i < $count(out0); ++i) {\n"
    "  float v = $f32(gain) * $in0[i] + $f32(offset) + (float)steps[1];\n"
    "  if ($attr(relu) && v < 0) v = 0;\n"
    "  $out0[i] = v + (float)$attr(most) + (float)name[0] +\n"
    "             (float)($rank(in0)) + (float)dims[1] +\n"
    "             (float)words[0][0] + (float)word[1];\n"
    "}\n"
    "/* $$ $i32(most) $i64(most) $int(relu) $f64(gain) $stride(in0, 0)\n"
    "   $dim(in0, 0) $attr(steps, 1) $i64(steps, 0) */";

static const tenon_kernel_desc scale_kernel = {
    KERNEL(test_scale_f32, "f32, f32? -> f32"),
    .run = test_scale_f32,
    .scratch = rows_scratch,
    .pack_size = rows_pack_size,
    .pack = rows_pack,
    .emit_template = scale_template,
};
static const tenon_op_desc scale = {
    OP,
    .schema = "test::scale" SCALE_SCHEMA,
    .doc = "Text in the place of a call.",
    .attrs_size = sizeof(scale_attrs),
    .fields = scale_fields,
    .infer = like_x,
    KERNELS(&scale_kernel),
};

static tenon_status emit_scale(tenon_emitter *e, const tenon_call *c) {
  const scale_attrs *a = (const scale_attrs *)c->attrs;
  if (a->most < 0) return TENON_UNSUPPORTED;
  return e->api->text(e, scale_template);
}
static const tenon_kernel_desc written_kernel = {
    KERNEL(test_written_f32, "f32, f32? -> f32"),
    .run = test_scale_f32,
    .scratch = rows_scratch,
    .pack_size = rows_pack_size,
    .pack = rows_pack,
    .emit = emit_scale,
};
static const tenon_op_desc written = {
    OP,
    .schema = "test::written" SCALE_SCHEMA,
    .doc = "Text from a function.",
    .attrs_size = sizeof(scale_attrs),
    .fields = scale_fields,
    .infer = like_x,
    KERNELS(&written_kernel),
};

// A template that asks for what some calls do not have.
static const tenon_kernel_desc picky_kernel = {
    KERNEL(test_picky_f32, "f32, f32? -> f32"),
    .run = test_scale_f32,
    .scratch = rows_scratch,
    .pack_size = rows_pack_size,
    .pack = rows_pack,
    .emit_template = "(void)$in0;\n$out0[0] = $scale(in0);\n",
};
static const tenon_op_desc picky = {
    OP,
    .schema = "test::picky" SCALE_SCHEMA,
    .doc = "A template that does not fit.",
    .attrs_size = sizeof(scale_attrs),
    .fields = scale_fields,
    .infer = like_x,
    KERNELS(&picky_kernel),
};

// --- what a kernel may ask --------------------------------------------------

// Items of rows, scratch of its own, something packed.
TEXT(
    rows_text, TENON_KERNEL_RANGE(test_rows_f32) {
      const float *factor = (const float *)c->packed;
      const float *x = (const float *)c->in[0].data;
      const float *w = (const float *)c->in[1].data;
      float *y = (float *)c->out[0].data;
      float *line = (float *)c->scratch;
      const int64_t n = c->in[0].dims[1];
      for (int64_t r = begin; r < end; ++r) {
        for (int64_t i = 0; i < n; ++i)
          line[i] = x[r * n + i] * factor[i] + w[i];
        for (int64_t i = 0; i < n; ++i)
          y[r * n + i] = line[n - 1 - i];
      }
      return TENON_OK;
    })
SOURCE(rows_source, rows_text, NULL);
static const tenon_kernel_desc rows_kernel = {
    KERNEL(test_rows_f32, "f32, f32 -> f32"),
    .flags = TENON_KERNEL_NOFAIL,
    .grain = 2,
    .align = 32,
    .run_range = test_rows_f32,
    .items = rows_items,
    .scratch = rows_scratch,
    .pack_size = rows_pack_size,
    .pack = rows_pack,
    .source = &rows_source,
};
static const tenon_op_desc rows = {
    OP,
    .schema = "test::rows(Tensor x, Tensor w) -> Tensor",
    .doc = "Rows of a matrix, divided among threads.",
    .infer = like_x,
    KERNELS(&rows_kernel),
};

// Fails on a number it does not like.
TEXT(
    guard_text, TENON_KERNEL_RANGE(test_guard_s32) {
      const int32_t *x = (const int32_t *)c->in[0].data;
      int32_t *y = (int32_t *)c->out[0].data;
      for (int64_t i = begin; i < end; ++i) {
        if (x[i] == 1000) return tenon_call_fail(c, "{0} at {1}", x[i], i);
        y[i] = x[i] + 1;
      }
      return TENON_OK;
    })
SOURCE(guard_source, guard_text, NULL);
static const tenon_kernel_desc guard_kernel = {
    KERNEL(test_guard_s32, "s32 -> s32"),
    .run_range = test_guard_s32,
    .items = elements,
    .source = &guard_source,
};
static const tenon_op_desc guard = {
    OP,
    .schema = "test::guard(Tensor x) -> Tensor",
    .doc = "Fails on 1000.",
    .infer = like_x,
    KERNELS(&guard_kernel),
};

// Wants zeros, and lists of operands of which some are empty or absent.
TEXT(
    sum_text, TENON_KERNEL(test_sum_f32) {
      float *y = (float *)c->out[0].data;
      for (int list = 0; list < 3; ++list)
        for (int i = c->in_group[list]; i < c->in_group[list + 1]; ++i) {
          const float *x = (const float *)c->in[i].data;
          if (c->in[i].dtype == 0) continue;
          for (size_t k = 0; k < tenon_count(&c->in[i]); ++k)
            y[k] += x[k] * (float)(list + 1);
        }
      return TENON_OK;
    })
SOURCE(sum_source, sum_text, NULL);
static const tenon_kernel_desc sum_kernel = {
    KERNEL(test_sum_f32, "f32..., f32?, f32... -> f32"),
    .flags = TENON_KERNEL_NOFAIL | TENON_KERNEL_ZERO_OUT,
    .run = test_sum_f32,
    .source = &sum_source,
};
static const tenon_op_desc sum = {
    OP,
    .schema = "test::sum(Tensor[] a, Tensor? b, Tensor[] c) -> Tensor",
    .doc = "Adds lists.",
    .infer = like_x,
    KERNELS(&sum_kernel),
};

// Scales of a quantised operand, which it reads during the run.
TEXT(
    real_text, TENON_KERNEL(test_real_f32) {
      const tenon_quant *q = c->in[0].quant;
      const int8_t *x = (const int8_t *)c->in[0].data;
      float *y = (float *)c->out[0].data;
      for (size_t i = 0; i < tenon_count(&c->in[0]); ++i) {
        size_t k = q->channels > 1 ? i % (size_t)q->channels : 0;
        y[i] = q->scale[k] * (float)(x[i] - (q->zero ? q->zero[k] : 0)) +
               (float)q->axis;
      }
      return TENON_OK;
    })
SOURCE(real_source, real_text, NULL);
static const tenon_kernel_desc real_kernel = {
    KERNEL(test_real_f32, "s8q|s8qc -> f32"),
    .run = test_real_f32,
    .source = &real_source,
};
static const tenon_op_desc real = {
    OP,
    .schema = "test::real(Tensor x) -> Tensor",
    .doc = "Real numbers.",
    KERNELS(&real_kernel),
};

// --- what cannot be emitted -------------------------------------------------

static const tenon_kernel_desc bare_kernel = {
    KERNEL(test_bare_f32, "f32 -> f32"),
    .run = test_pair_f32,
};
static const tenon_op_desc bare = {
    OP,
    .schema = "test::bare(Tensor x) -> Tensor",
    .doc = "A kernel without a text.",
    .infer = like_x,
    KERNELS(&bare_kernel),
};

static const int secret = 1;
static const tenon_kernel_desc user_kernel = {
    KERNEL(test_user_f32, "f32 -> f32"),
    .run = test_pair_f32,
    .source = &pair_source,
    .user = &secret,
};
static const tenon_op_desc user = {
    OP,
    .schema = "test::user(Tensor x) -> Tensor",
    .doc = "A kernel with data of its own.",
    .infer = like_x,
    KERNELS(&user_kernel),
};

SOURCE(lost_source, "#include \"lost.h\"\n", NULL);
static const tenon_kernel_desc lost_kernel = {
    KERNEL(test_lost_f32, "f32 -> f32"),
    .run = test_pair_f32,
    .source = &lost_source,
};
static const tenon_op_desc lost = {
    OP,
    .schema = "test::lost(Tensor x) -> Tensor",
    .doc = "A text that includes what is nowhere.",
    .infer = like_x,
    KERNELS(&lost_kernel),
};

SOURCE(hollow_source,
       "#ifndef TENON_EMITTED\nTENON_KERNEL(test_hollow_f32) {}\n#endif\n",
       NULL);
static const tenon_kernel_desc hollow_kernel = {
    KERNEL(test_hollow_f32, "f32 -> f32"),
    .run = test_pair_f32,
    .source = &hollow_source,
};
static const tenon_op_desc hollow = {
    OP,
    .schema = "test::hollow(Tensor x) -> Tensor",
    .doc = "A text whose kernel is not for emission.",
    .infer = like_x,
    KERNELS(&hollow_kernel),
};

// --- sizes that a run finds out ---------------------------------------------

static tenon_status kept_infer(tenon_infer *c) {
  tenon_dim n = c->api->decided(c, tenon_infer_in(c, 0)->dims[0]);
  tenon_type y = *tenon_infer_in(c, 0);
  y.dims = &n;
  return tenon_infer_out(c, 0, &y);
}
TEXT(
    kept_text, TENON_KERNEL(test_kept_f32) {
      const float *x = (const float *)c->in[0].data;
      float *y = (float *)c->out[0].data;
      int64_t n = 0;
      for (int32_t i = 0; i < c->in[0].dims[0]; ++i)
        if (x[i] > 0) y[n++] = x[i];
      c->sizes[0] = n;
      return TENON_OK;
    })
SOURCE(kept_source, kept_text, NULL);
static const tenon_kernel_desc kept_kernel = {
    KERNEL(test_kept_f32, "f32 -> f32"),
    .flags = TENON_KERNEL_NOFAIL,
    .run = test_kept_f32,
    .source = &kept_source,
};
static const tenon_op_desc kept = {
    OP,
    .schema = "test::kept(Tensor x) -> Tensor",
    .doc = "Elements above zero.",
    .infer = kept_infer,
    KERNELS(&kept_kernel),
};

static tenon_status item_infer(tenon_infer *c) {
  (void)c->api->number(c, TENON_KIND_FLOAT);
  return TENON_OK;
}
TEXT(
    item_text, TENON_KERNEL(test_item_f32) {
      double x = *(const float *)c->in[0].data;
      memcpy(&c->sizes[0], &x, sizeof x);
      return TENON_OK;
    })
SOURCE(item_source, item_text, NULL);
static const tenon_kernel_desc item_kernel = {
    KERNEL(test_item_f32, "f32 -> "),
    .run = test_item_f32,
    .source = &item_source,
};
static const tenon_op_desc item = {
    OP,
    .schema = "test::item(Tensor x) -> ()",
    .doc = "A number.",
    .infer = item_infer,
    KERNELS(&item_kernel),
};

// In pairs, which only its own function counts.
TEXT(
    twos_text,
    typedef struct test_twos {
      tenon_scalar by;
      tenon_ints list;
      int64_t plus;
      tenon_opt_int most;
    } test_twos;
    int64_t test_twos_f32_items(const tenon_call *c);
    int64_t test_twos_f32_items(const tenon_call *c) {
      return ((int64_t)tenon_count(&c->in[0]) + 1) / 2;
    } TENON_KERNEL_RANGE(test_twos_f32) {
      const test_twos *a = (const test_twos *)c->attrs;
      const float *x = (const float *)c->in[0].data;
      float *y = (float *)c->out[0].data;
      const int64_t n = (int64_t)tenon_count(&c->in[0]);
      const double by =
          a->by.kind == TENON_KIND_FLOAT ? a->by.as.f : (double)a->by.as.i;
      for (int64_t i = 2 * begin; i < 2 * end && i < n; ++i)
        y[i] = (float)((double)x[i] * by + (double)a->list.data[0] +
                       (double)(10 * a->list.data[1] + 100 * a->plus) +
                       (double)(a->most.has ? a->most.value : 0));
      return TENON_OK;
    })
SOURCE(twos_source, twos_text, NULL);
static const tenon_field twos_fields[] = {
    TENON_FIELD(test_twos, by), TENON_FIELD(test_twos, list),
    TENON_FIELD(test_twos, plus), TENON_FIELD(test_twos, most),
    TENON_END_FIELDS};
static const tenon_kernel_desc twos_kernel = {
    KERNEL(test_twos_f32, "f32 -> f32"),
    .run_range = test_twos_f32,
    .items = test_twos_f32_items,
    .source = &twos_source,
};
static const tenon_op_desc twos = {
    OP,
    .schema =
        "test::twos(Tensor x, *, Scalar by=1, SymInt[] list, SymInt "
        "plus=0, SymInt? most=None) -> Tensor",
    .doc = "Numbers from attributes.",
    .attrs_size = sizeof(test_twos),
    .fields = twos_fields,
    .attrs_type = "test_twos",
    .infer = like_x,
    KERNELS(&twos_kernel),
};

// Counts as no product does, without a function of its own.
static int64_t odd_items(const tenon_call *c) {
  return (int64_t)tenon_count(&c->out[0]) / 2 + 1;
}
TEXT(
    odd_text, TENON_KERNEL_RANGE(test_odd_f32) {
      (void)c;
      return begin < end ? TENON_OK : TENON_BAD_INPUT;
    })
SOURCE(odd_source, odd_text, NULL);
static const tenon_kernel_desc odd_kernel = {
    KERNEL(test_odd_f32, "f32 -> f32"),
    .run_range = test_odd_f32,
    .items = odd_items,
    .source = &odd_source,
};
static const tenon_op_desc odd = {
    OP,
    .schema = "test::odd(Tensor x) -> Tensor",
    .doc = "Counts in its own way.",
    .infer = like_x,
    KERNELS(&odd_kernel),
};

const tenon_plugin test_operators = {
    TENON_PLUGIN_HEADER,
    .name = "test",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&kinds, &pair, &args, &scale,
                                          &written, &picky, &rows, &guard, &sum,
                                          &real, &bare, &user, &lost, &hollow,
                                          &kept, &item, &twos, &odd, NULL},
};
