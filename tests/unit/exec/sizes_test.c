// Sizes that a run finds out: binding, ranges, guards, what data decide, and
// that a session allocates only for sizes beyond the largest it has seen.
#include "harness/model.h"
#include "tenon/ext/plugin.h"

// --- operators whose sizes depend on data -----------------------------------

static tenon_status kept_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim n = c->api->decided(c, x->dims[0]);
  tenon_type y = *x;
  y.dims = &n;
  return tenon_infer_out(c, 0, &y);
}

// Those above zero.
static tenon_status kept_run(const tenon_call *c) {
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  int64_t n = 0;
  if (c->out[0].dims[0] != c->in[0].dims[0])
    return tenon_call_fail(c, "{0} is not the bound", c->out[0].dims[0], 0);
  for (int32_t i = 0; i < c->in[0].dims[0]; ++i)
    if (x[i] > 0) y[n++] = x[i];
  c->sizes[0] = n;
  return TENON_OK;
}

static const tenon_kernel_desc kept = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_kept",
    .types = "f32 -> f32",
    .run = kept_run,
};
static const tenon_op_desc op_kept = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "Elements above zero.",
    .schema = "acme::kept(Tensor x) -> Tensor",
    .infer = kept_infer,
    .kernels = (const tenon_kernel_desc *const[]){&kept, NULL},
};

static tenon_status many_infer(tenon_infer *c) {
  tenon_dim n = c->api->decided(c, (tenon_dim){TENON_UNKNOWN, 0});
  tenon_type y = *tenon_infer_in(c, 0);
  y.dims = &n;
  y.rank = 1;
  return tenon_infer_out(c, 0, &y);
}

static tenon_status many_measure(const tenon_call *c) {
  const float *x = (const float *)c->in[0].data;
  c->sizes[0] = 0;
  for (int32_t i = 0; i < c->in[0].dims[0]; ++i)
    c->sizes[0] += (int64_t)x[i];
  return TENON_OK;
}

// Each element as often as it says.
static tenon_status many_run(const tenon_call *c) {
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  int32_t n = 0;
  for (int32_t i = 0; i < c->in[0].dims[0]; ++i)
    for (int k = 0; k < (int)x[i]; ++k)
      y[n++] = x[i];
  if (n != c->out[0].dims[0]) return tenon_call_fail(c, "not measured", n, 0);
  return TENON_OK;
}

static const tenon_kernel_desc many = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_many",
    .types = "f32 -> f32",
    .run = many_run,
    .measure = many_measure,
};
static const tenon_op_desc op_many = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "Repeats.",
    .schema = "acme::many(Tensor x) -> Tensor",
    .infer = many_infer,
    .kernels = (const tenon_kernel_desc *const[]){&many, NULL},
};
static const tenon_kernel_desc wild = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_wild",
    .types = "f32 -> f32",
    .run = many_run,
};
static const tenon_op_desc op_wild = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "Repeats, and nobody knows how often.",
    .schema = "acme::wild(Tensor x) -> Tensor",
    .infer = many_infer,
    .kernels = (const tenon_kernel_desc *const[]){&wild, NULL},
};

// Those above zero and where they are, [2,n]. Without a rule: what sizes it
// has is the model's to say.
static tenon_status places_measure(const tenon_call *c) {
  const float *x = (const float *)c->in[0].data;
  int64_t n = 0;
  for (int32_t i = 0; i < c->in[0].dims[0]; ++i)
    n += x[i] > 0;
  c->sizes[0] = n;
  c->sizes[1] = 2;
  c->sizes[2] = n;
  return TENON_OK;
}
static tenon_status places_run(const tenon_call *c) {
  const float *x = (const float *)c->in[0].data;
  int32_t n = c->out[0].dims[0], at = 0;
  for (int32_t i = 0; i < c->in[0].dims[0]; ++i) {
    if (x[i] <= 0) continue;
    ((float *)c->out[0].data)[at] = x[i];
    ((float *)c->out[1].data)[at] = ((float *)c->out[1].data)[n + at] =
        (float)i;
    ++at;
  }
  return TENON_OK;
}
static const tenon_kernel_desc places = {
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_MEASURES_ALL,
    .symbol = "acme_places",
    .types = "f32 -> f32, f32",
    .run = places_run,
    .measure = places_measure,
};
static const tenon_op_desc op_places = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "Elements above zero, and where they are.",
    .schema = "acme::places(Tensor x) -> (Tensor kept, Tensor places)",
    .kernels = (const tenon_kernel_desc *const[]){&places, NULL},
};

static tenon_status item_infer(tenon_infer *c) {
  (void)c->api->number(c, TENON_KIND_FLOAT);
  return TENON_OK;
}
static tenon_status item_run(const tenon_call *c) {
  double v = *(const float *)c->in[0].data;
  memcpy(&c->sizes[0], &v, sizeof v);
  return TENON_OK;
}
static const tenon_kernel_desc item = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_item",
    .types = "f32 -> ",
    .run = item_run,
};
static const tenon_op_desc op_item = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "A number.",
    .schema = "acme::item(Tensor x) -> ()",
    .infer = item_infer,
    .kernels = (const tenon_kernel_desc *const[]){&item, NULL},
};

typedef struct scaled_attrs {
  tenon_scalar by;
  tenon_ints list;
  int64_t plus;
} scaled_attrs;
static const tenon_field scaled_fields[] = {
    TENON_FIELD(scaled_attrs, by), TENON_FIELD(scaled_attrs, list),
    TENON_FIELD(scaled_attrs, plus), TENON_END_FIELDS};

static tenon_status same_infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}

// x * by + list[0] + 10 * list[1] + 100 * plus, through scratch as large as x.
static tenon_status scaled_range(const tenon_call *c, int64_t begin,
                                 int64_t end) {
  const scaled_attrs *a = (const scaled_attrs *)c->attrs;
  float *room = (float *)c->scratch;
  double by = a->by.kind == TENON_KIND_FLOAT ? a->by.as.f : (double)a->by.as.i;
  for (int64_t i = begin; i < end; ++i)
    room[i] = ((const float *)c->in[0].data)[i];
  for (int64_t i = begin; i < end; ++i)
    ((float *)c->out[0].data)[i] =
        (float)(room[i] * by + (double)a->list.data[0] +
                10 * (double)a->list.data[1] + 100 * (double)a->plus);
  return TENON_OK;
}
static int64_t scaled_items(const tenon_call *c) {
  return c->in[0].data ? -1 : (int64_t)tenon_count(&c->in[0]);
}
static size_t scaled_scratch(const tenon_call *c, int64_t items) {
  (void)c;
  return (size_t)items * sizeof(float);
}
static bool scaled_match(const tenon_call *c) {
  return c->in[0].dims[0] == -1 || c->in[0].dims[0] > 0;
}
static const tenon_kernel_desc scaled = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_scaled",
    .types = "f32 -> f32",
    .match = scaled_match,
    .items = scaled_items,
    .scratch = scaled_scratch,
    .run_range = scaled_range,
};
static const tenon_op_desc op_scaled = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "Numbers from attributes.",
    .schema =
        "acme::scaled(Tensor x, *, Scalar by=1, SymInt[] list, SymInt "
        "plus=0) -> Tensor",
    .attrs_size = sizeof(scaled_attrs),
    .fields = scaled_fields,
    .infer = same_infer,
    .kernels = (const tenon_kernel_desc *const[]){&scaled, NULL},
};

static const tenon_plugin acme = {
    TENON_PLUGIN_HEADER,
    .name = "acme",
    .version = "1.0.0",
    .ops =
        (const tenon_op_desc *const[]){&op_kept, &op_many, &op_wild, &op_item,
                                       &op_scaled, &op_places, NULL},
};

// --- a session at several sizes ---------------------------------------------

typedef struct sized {
  test_model t;
  tenon_program *p;
  tenon_session *s;
  tenon_heap_probe probe;
  tenon_allocator grow;
  void *memory[3];
} sized;

static void open_sized(sized *z, const char *text, bool grows) {
  tenon_memory list[3];
  memset(z, 0, sizeof *z);
  model_open(&z->t, &acme);
  z->p = model_compile(&z->t, text, NULL);
  z->probe.below = tenon_heap();
  z->grow = tenon_heap_probed(&z->probe);
  tenon_session_options o = {.struct_size = sizeof o, .memory = z->memory};
  if (grows) o.grow = &z->grow;
  size_t n = tenon_program_memory(z->p, 1, list, 3);
  for (size_t i = 0; i < n; ++i) {
    z->memory[i] = tenon_heap_take(list[i].size, 64);
    memset(z->memory[i], 0xA5, list[i].size);
  }
  assert_int_equal(tenon_session_init(z->p, &o, &z->s), TENON_OK);
}

static void close_sized(sized *z) {
  tenon_session_deinit(z->s);
  assert_int_equal(z->probe.live, 0);
  for (int i = 0; i < 3; ++i)
    tenon_heap_give(z->memory[i]);
  tenon_program_destroy(z->p);
  model_close(&z->t);
}

static tenon_tensor matrix(float *data, int32_t dims[2], int32_t rows,
                           int32_t columns) {
  tenon_tensor t = {0};
  dims[0] = rows;
  dims[1] = columns;
  t.data = data;
  t.dims = dims;
  t.dtype = TENON_F32;
  t.rank = columns < 0 ? 1 : 2;
  return t;
}

#define CHAIN                                 \
  "%a = core::relu(%x)\n%b = core::exp(%a)\n" \
  "%c = core::reshape(%b) [shape=[?n*2]]\n"   \
  "%d = acme::scaled(%c) [by=2, list=[?n, 7], plus=?n*?n]\nreturn %d }"

static void run_chain(sized *z, int32_t n) {
  float x[512];
  int32_t dims[2];
  tenon_tensor in = matrix(x, dims, n, 2), out = {0};
  for (int i = 0; i < 2 * n; ++i)
    x[i] = 0.25f * (float)(i % 5) - 0.5f;
  tenon_status status = tenon_session_run(z->s, 0, &in, 1, &out, 1);
  CHECK(status == TENON_OK, "%d: %s", (int)n, z->t.log.text);
  assert_int_equal(out.rank, 1);
  assert_int_equal(out.dims[0], 2 * n);
  for (int i = 0; i < 2 * n; ++i) {
    double want = exp(x[i] > 0 ? (double)x[i] : 0) * 2 + n + 70 + 100.0 * n * n;
    CHECK(near(((const float *)out.data)[i], (float)want, 1e-2f * (float)n),
          "%d: [%d] %g, not %g", (int)n, i,
          (double)((const float *)out.data)[i], want);
  }
}

static void bounded_sizes_never_allocate(void **state) {
  static const int32_t sizes[] = {3, 64, 1, 17, 64};
  sized z;
  (void)state;
  open_sized(&z, "module { dim n = 1..64\n%x = input f32[?n,2]\n" CHAIN, true);
  EACH_ROW(i, sizes) run_chain(&z, sizes[i]);
  assert_int_equal(z.probe.calls, 0);
  close_sized(&z);
}

static void only_larger_sizes_allocate(void **state) {
  static const struct {
    int32_t n;
    bool grows;
  } rows[] = {{2, true},  {40, true},  {3, false},  {40, false},
              {1, false}, {200, true}, {90, false}, {200, false}};
  sized z;
  (void)state;
  open_sized(&z, "module { %x = input f32[?n,2]\n" CHAIN, true);
  EACH_ROW(i, rows) {
    size_t before = z.probe.calls;
    run_chain(&z, rows[i].n);
    CHECK(rows[i].grows || z.probe.calls == before, "row %zu", i);
    CHECK(rows[i].n < 40 || !rows[i].grows || z.probe.calls == before + 1,
          "row %zu", i);
  }
  close_sized(&z);
}

// Whatever the program is made of: the largest size is the last that may
// allocate.
static void models_allocate_for_the_largest_only(void **state) {
  static const char *const texts[] = {
      "module { %x = input f32[40]\n%a = core::exp(%x)\n"
      "%b = core::add(%a, %x)\nreturn %b }",
      "module { dim n = 1..64\n%x = input f32[?n]\n%a = core::exp(%x)\n"
      "%b = core::add(%a, %x)\nreturn %b }",
      "module { %x = input f32[?n]\n%a = core::exp(%x)\n"
      "%b = core::reshape(%a) [shape=[?n, 1]]\n"
      "%c = core::reshape(%x) [shape=[1, ?n]]\n%d = core::mul(%b, %c)\n"
      "return %d }",
      // A loop over what is open.
      "module { const %k : s32[] = {3}\nconst %one : s32[] = {1}\n"
      "func @0 \"main\" (%x: f32[?n]) {\n"
      "%i, %r = core::while([%k, %x]) : s32[], f32[?n] {\n"
      "(%a: s32[], %u: f32[?n]) {\n"
      "%f = core::cast(%a) [dtype=bool] : bool[]\nreturn %f }\n"
      "(%b: s32[], %v: f32[?n]) {\n%d = core::sub(%b, %one) : s32[]\n"
      "%e = core::relu(%v)\n%g = core::add(%e, %v)\nreturn %d, %g }\n}\n"
      "return %r\n}\nentry \"main\" = @0 (\"x\") -> (\"y\") }",
      // Branches over what is open, beside a state.
      "module { const %p : bool[] = {true}\nstate \"s\" : f32[1] = {0}\n"
      "func @0 \"main\" (%x: f32[?n]) {\n"
      "%s = core::state_read() [state=\"s\"] : f32[1]\n"
      "%c = core::exp(%x)\n%r = core::cond(%p, [%x, %s]) : f32[?n] {\n"
      "(%u: f32[?n], %a: f32[1]) {\n%d = core::relu(%u)\n"
      "%e = core::add(%d, %u)\n%f = core::add(%e, %a)\nreturn %f }\n"
      "(%v: f32[?n], %b: f32[1]) {\n%g = core::exp(%v)\nreturn %g }\n}\n"
      "%h = core::add(%s, %s)\ncore::state_write(%h) [state=\"s\"]\n"
      "%y = core::add(%r, %c)\nreturn %y\n}\n"
      "entry \"main\" = @0 (\"x\") -> (\"y\") }",
      // What data decide, within a bound of the run and without one.
      "module { %x = input f32[?n]\n%k = acme::kept(%x) decides ?u : f32[?u]\n"
      "%e = core::add(%k, %k)\n%z = core::exp(%x)\nreturn %e, %z }",
      "module { %x = input f32[?n]\n%a = core::exp(%x)\n"
      "%k = acme::many(%x) : f32[?u]\n%e = core::add(%k, %k)\n"
      "return %e, %a }",
  };
  static const int32_t sizes[] = {2, 40, 3, 40, 1, 17, 40, 39};
  EACH_ROW(m, texts) {
    sized z;
    size_t calls = 0;
    open_sized(&z, texts[m], true);
    EACH_ROW(i, sizes) {
      float x[64];
      int32_t dims[2], n = m == 0 ? 40 : sizes[i];
      for (int32_t k = 0; k < n; ++k)
        x[k] = 3;
      tenon_tensor in = matrix(x, dims, n, -1), out[2] = {{0}, {0}};
      tenon_status status =
          tenon_session_run(z.s, 0, &in, 1, out, m < 5 ? 1 : 2);
      CHECK(status == TENON_OK, "model %zu, %d: %s", m, (int)n, z.t.log.text);
      CHECK(i < 2 || z.probe.calls == calls, "model %zu, %d allocates", m,
            (int)n);
      calls = z.probe.calls;
      CHECK(m > 1 || calls == 0, "model %zu has bounds and allocates", m);
    }
    close_sized(&z);
  }
  (void)state;
}

// Python's int(0.3 * n), round(n / 1.3) and int(n / 3 * 3), which are not what
// exact arithmetic gives: 0.3 is less than three tenths, and 0.3 * 10 is 3.
static void sizes_are_rounded_as_floats(void **state) {
  static const char text[] =
      "module { dim n = 1..300\n%x = input f32[?n]\n"
      "%a = core::slice(%x) [begin=[0], "
      "size=[floor(fmul(float(?n),0.3))], step=[1]]\n"
      "%b = core::slice(%x) [begin=[0], "
      "size=[round(fdiv(float(?n),1.3))], step=[1]]\n"
      "%c = core::slice(%x) [begin=[0], "
      "size=[floor(fmul(fdiv(float(?n),3.0),3.0))], step=[1]]\n"
      "return %a, %b, %c }";
  sized z;
  (void)state;
  open_sized(&z, text, true);
  for (int32_t n = 1; n <= 300; ++n) {
    static float x[300];
    int32_t dims[2];
    tenon_tensor in = matrix(x, dims, n, -1), out[3] = {{0}, {0}, {0}};
    tenon_status status = tenon_session_run(z.s, 0, &in, 1, out, 3);
    CHECK(status == TENON_OK, "%d: %s", (int)n, z.t.log.text);
    volatile double product = 0.3 * n, part = n / 1.3, third = n / 3.0;
    volatile double whole = third * 3.0;
    CHECK(out[0].dims[0] == (int32_t)product &&
              out[1].dims[0] == (int32_t)nearbyint(part) &&
              out[2].dims[0] == (int32_t)whole,
          "%d: %d, %d, %d", (int)n, (int)out[0].dims[0], (int)out[1].dims[0],
          (int)out[2].dims[0]);
  }
  assert_int_equal(z.probe.calls, 0);
  close_sized(&z);
}

static void without_grow_there_is_no_space(void **state) {
  float x[512] = {0};
  int32_t dims[2];
  sized z;
  (void)state;
  open_sized(&z, "module { %x = input f32[?n,2]\n" CHAIN, false);
  run_chain(&z, 1);
  tenon_tensor in = matrix(x, dims, 200, 2), out = {0};
  assert_int_equal(tenon_session_run(z.s, 0, &in, 1, &out, 1), TENON_NO_SPACE);
  CHECK_LOG(&z.t.log, "run-space", "give it `grow`", 0);
  run_chain(&z, 1);
  close_sized(&z);
}

// --- what is refused --------------------------------------------------------

static void wrong_sizes_are_refused(void **state) {
  static const char text[] =
      "module { dim n = 2..8\nguard eq(?n%2, 0) \"n is even\"\n"
      "guard le(?n, ?m)\n"
      "%x = input f32[?n,?m]\n%y = input f32[?n*2,?m]\n"
      "%z = core::reshape(%x) [shape=[?m,?n]]\nreturn %z, %y }";
  static const struct {
    int32_t x[2], y[2];
    const char *id, *words;
  } rows[] = {
      {{9, 9},
       {18, 9},
       "run-size",
       "input 'x': dimension 0 ('n') is 2 to 8, found 9; stated by "},
      {{4, 5},
       {8, 6},
       "run-size",
       "'m' is 5 in dimension 1 of input 'x' and 6 in dimension 1 of input "
       "'y'"},
      {{4, 5}, {7, 5}, "run-size", "dimension 0 ('?n*2') is 8 by the other"},
      {{3, 5},
       {6, 5},
       "run-guard",
       "n is even: eq(?n%2, 0); found 1 and 0; stated by "},
      {{4, 2}, {8, 2}, "run-guard", "le(?n, ?m); found 4 and 2"},
  };
  float data[256] = {0};
  sized z;
  (void)state;
  open_sized(&z, text, true);
  tenon_io io[2];
  assert_int_equal(tenon_program_io(z.p, 0, TENON_IO_INPUTS, io, 2), 2);
  assert_true(io[0].dims[0] == -1 && io[1].dims[0] == -1);
  EACH_ROW(i, rows) {
    int32_t dims[2][2];
    tenon_tensor out[2] = {{0}, {0}};
    tenon_tensor in[] = {matrix(data, dims[0], rows[i].x[0], rows[i].x[1]),
                         matrix(data, dims[1], rows[i].y[0], rows[i].y[1])};
    CHECK(tenon_session_run(z.s, 0, in, 2, out, 2) == TENON_BAD_INPUT,
          "row %zu", i);
    CHECK_LOG(&z.t.log, rows[i].id, rows[i].words, i);
  }
  int32_t dims[3][2];
  tenon_tensor in[] = {matrix(data, dims[0], 4, 6),
                       matrix(data, dims[1], 8, 6)};
  tenon_tensor out[] = {matrix(data, dims[2], 6, 5), {0}};
  assert_int_equal(tenon_session_run(z.s, 0, in, 2, out, 2), TENON_BAD_INPUT);
  CHECK_LOG(&z.t.log, "run-output", "dimension 1 is 4, found memory for 5", 0);
  dims[2][1] = 4;
  out[0].dims = dims[2];
  assert_int_equal(tenon_session_run(z.s, 0, in, 2, out, 2), TENON_OK);
  close_sized(&z);
}

// What a rule cannot know is checked before a kernel relies on it.
static void operands_that_do_not_fit_are_refused(void **state) {
  static const char text[] =
      "module { %x = input f32[?n,2]\n%y = input f32[?m,2]\n"
      "%a = core::add(%x, %y)\n%b = core::reshape(%x) [shape=[?m*2]]\n"
      "%c = core::slice(%x) [begin=[?m-2,0], size=[2,2], step=[1,1]]\n"
      "return %a, %b, %c }";
  static const struct {
    int32_t n, m;
    const char *words;
  } rows[] = {{4, 4, NULL}, {4, 5, "core::add"}, {1, 1, "core::slice: le(0"}};
  float data[64] = {0};
  sized z;
  (void)state;
  open_sized(&z, text, true);
  EACH_ROW(i, rows) {
    int32_t dims[2][2];
    tenon_tensor out[3] = {{0}, {0}, {0}};
    tenon_tensor in[] = {matrix(data, dims[0], rows[i].n, 2),
                         matrix(data, dims[1], rows[i].m, 2)};
    tenon_status status = tenon_session_run(z.s, 0, in, 2, out, 3);
    CHECK((status == TENON_OK) == !rows[i].words, "row %zu: %s", i,
          z.t.log.text);
    if (rows[i].words) CHECK_LOG(&z.t.log, "run-guard", rows[i].words, i);
  }
  close_sized(&z);
}

static void plans_are_refused(void **state) {
  static const struct {
    const char *text, *id, *words;
  } rows[] = {
      {"module { %x = input f32[3]\n%y = acme::wild(%x)\nreturn %y }",
       "plan-unbounded", "bound it with --dim"},
      {"module { %x = input f32[3]\n%y = a::b(%x) : f32[?k]\nreturn %y }", "",
       ""},
      {"module { %x = input f32[3]\n%y = acme::scaled(%x) [list=[1, ?k]]\n"
       "return %y }",
       "plan-open-size", "attribute 'list' is 'k', and neither"},
  };
  (void)state;
  EACH_ROW(i, rows) {
    test_model t;
    tenon_program *p = NULL;
    model_open(&t, &acme);
    tenon_module *m = model_read(&t, rows[i].text);
    const tenon_entry entry = {NULL, m, NULL};
    CHECK(tenon_program_compile(&entry, 1, NULL, &p) == TENON_UNSUPPORTED,
          "row %zu", i);
    if (*rows[i].id) CHECK_LOG(&t.log, rows[i].id, rows[i].words, i);
    tenon_module_destroy(m);
    model_close(&t);
  }
}

// --- what data decide -------------------------------------------------------

static void data_decide_within_a_bound(void **state) {
  static const char text[] =
      "module { %x = input f32[?n]\n%k = acme::kept(%x) decides ?u : f32[?u]\n"
      "%e = core::add(%k, %k)\n"
      "%z = acme::scaled(%e) [list=[?u, ?n]]\nreturn %k, %z }";
  sized z;
  (void)state;
  open_sized(&z, text, true);
  for (int32_t n = 1; n < 30; n += 7) {
    float x[32], room[32];
    int32_t dims[2], room_dims[2], kept_count = 0;
    tenon_tensor in = matrix(x, dims, n, -1), out[2] = {{0}, {0}};
    for (int32_t i = 0; i < n; ++i) {
      x[i] = i % 3 ? (float)i : -1;
      kept_count += x[i] > 0;
    }
    out[0] = matrix(room, room_dims, n, -1);
    tenon_status status = tenon_session_run(z.s, 0, &in, 1, out, 2);
    CHECK(status == TENON_OK, "%s", z.t.log.text);
    assert_int_equal(out[0].dims[0], kept_count);
    assert_int_equal(out[1].dims[0], kept_count);
    for (int32_t i = 0; i < kept_count; ++i) {
      assert_true(near(room[i], (float)(i / 2 * 3 + i % 2 + 1), 0));
      assert_true(near(((float *)out[1].data)[i],
                       2 * room[i] + (float)kept_count + 10 * (float)n, 0));
    }
  }
  close_sized(&z);
}

static void data_decide_without_a_bound(void **state) {
  static const char text[] =
      "module { %x = input f32[3]\n%a = core::exp(%x)\n"
      "%k = acme::many(%x) : f32[?u]\n%e = core::add(%k, %k)\n"
      "return %e, %a }";
  static const float counts[][3] = {
      {1, 0, 2}, {100, 50, 3}, {0, 0, 0}, {4, 4, 4}, {100, 50, 3}};
  sized z;
  size_t calls = 0;
  (void)state;
  open_sized(&z, text, true);
  EACH_ROW(i, counts) {
    float x[3];
    int32_t dims[2];
    tenon_tensor in = matrix(x, dims, 3, -1), out[2] = {{0}, {0}};
    memcpy(x, counts[i], sizeof x);
    tenon_status status = tenon_session_run(z.s, 0, &in, 1, out, 2);
    CHECK(status == TENON_OK, "%s", z.t.log.text);
    int32_t n = (int32_t)(x[0] + x[1] + x[2]), at = 0;
    assert_int_equal(out[0].dims[0], n);
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < (int)x[k]; ++j)
        assert_true(near(((float *)out[0].data)[at++], 2 * x[k], 0));
    // What lived through the growing.
    for (int k = 0; k < 3; ++k)
      assert_true(near(((float *)out[1].data)[k] / expf(x[k]), 1, 1e-5f) ||
                  x[k] > 80);
    if (i > 1) assert_int_equal(z.probe.calls, calls);
    calls = z.probe.calls;
  }
  close_sized(&z);
}

// No input is open, and of two numbers that data decide one has a bound: what
// is as large as that has a place of its own before it is known.
static void data_decide_with_and_without(void **state) {
  static const char text[] =
      "module { %x = input f32[3]\n%k = acme::kept(%x) decides ?u : f32[?u]\n"
      "%d = core::add(%k, %k)\n%m = acme::many(%x) : f32[?v]\n"
      "%e = core::add(%m, %m)\nreturn %d, %e }";
  sized z;
  (void)state;
  open_sized(&z, text, true);
  for (int turn = 0; turn < 3; ++turn) {
    float x[] = {turn == 1 ? 0 : 2, 3, 1};
    int32_t dims[2], at = 0, kept_count = turn == 1 ? 2 : 3;
    tenon_tensor in = matrix(x, dims, 3, -1), out[2] = {{0}, {0}};
    tenon_status status = tenon_session_run(z.s, 0, &in, 1, out, 2);
    CHECK(status == TENON_OK, "%s", z.t.log.text);
    assert_int_equal(out[0].dims[0], kept_count);
    for (int i = 0; i < kept_count; ++i)
      assert_true(
          near(((float *)out[0].data)[i], 2 * x[3 - kept_count + i], 0));
    assert_int_equal(out[1].dims[0], (int32_t)(x[0] + x[1] + x[2]));
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < (int)x[k]; ++j)
        assert_true(near(((float *)out[1].data)[at++], 2 * x[k], 0));
  }
  close_sized(&z);
}

// What is decided follows from the dimensions, also where they are expressions.
static void results_say_their_sizes(void **state) {
  static const char *const texts[] = {
      "module { %x = input f32[?n]\n%k, %p = acme::places(%x) decides ?u : "
      "f32[?u], f32[2,?u]\n%e = core::add(%k, %k)\nreturn %e, %p }",
      "module { dim u = -1..\n%x = input f32[?n]\n%k, %p = acme::places(%x) "
      "decides ?u : f32[?u+1], f32[2,?u+1]\n%e = core::add(%k, %k)\nreturn "
      "%e, %p }"};
  EACH_ROW(i, texts) {
    sized z;
    open_sized(&z, texts[i], true);
    for (int32_t n = 1; n < 40; n += 13) {
      float x[40];
      int32_t dims[2];
      tenon_tensor in = matrix(x, dims, n, -1), out[2] = {{0}, {0}};
      for (int32_t k = 0; k < n; ++k)
        x[k] = k % 2 ? -1.0f : (float)k;
      tenon_status status = tenon_session_run(z.s, 0, &in, 1, out, 2);
      CHECK(status == TENON_OK, "%zu: %s", i, z.t.log.text);
      assert_int_equal(out[0].dims[0], (n - 1) / 2);
      assert_int_equal(out[1].dims[1], (n - 1) / 2);
      for (int32_t k = 0; k < out[0].dims[0]; ++k)
        assert_true(near(((float *)out[0].data)[k], 4 * (float)(k + 1), 0) &&
                    near(((float *)out[1].data)[k], 2 * (float)(k + 1), 0));
    }
    close_sized(&z);
  }
  (void)state;
}

static void results_contradict_the_model(void **state) {
  static const struct {
    const char *dims, *types, *words;
  } rows[] = {
      {"", "f32[?u], f32[3,?u]", "dimension 0 of 'p' is 2, but it is 3 to 3"},
      {"dim u = 0..1\n", "f32[?u], f32[2,?u]",
       "dimension 0 of 'k' is 2, but it is 0 to 1"},
      {"", "f32[?u], f32[2,?u+1]", "dimension 1 of 'p' is 2, but it is 3 to 3"},
      {"", "f32[2*?u+1], f32[2,2*?u+1]", "dimension 0 of 'k' is 2"},
  };
  EACH_ROW(i, rows) {
    char text[256];
    sized z;
    float x[3] = {1, -1, 2};
    int32_t dims[2];
    tenon_tensor in = matrix(x, dims, 3, -1), out[2] = {{0}, {0}};
    snprintf(text, sizeof text,
             "module { %s%%x = input f32[3]\n%%k, %%p = acme::places(%%x) "
             "decides ?u : %s\nreturn %%k, %%p }",
             rows[i].dims, rows[i].types);
    open_sized(&z, text, true);
    CHECK(tenon_session_run(z.s, 0, &in, 1, out, 2) == TENON_BAD_INPUT, "%zu",
          i);
    CHECK_LOG(&z.t.log, "run-decided", rows[i].words, i);
    close_sized(&z);
  }
  (void)state;
}

static void numbers_are_attributes(void **state) {
  static const char text[] =
      "module { dim f = float\n%x = input f32[4]\n%s = input f32[]\n"
      "acme::item(%s) decides ?f\n"
      "%y = acme::scaled(%x) [by=[?f], list=[0, 0]]\nreturn %y }";
  sized z;
  (void)state;
  open_sized(&z, text, false);
  for (int k = 0; k < 3; ++k) {
    float x[4] = {1, 2, 3, 4}, by = 1.5f * (float)k;
    int32_t dims[2];
    tenon_tensor in[2] = {matrix(x, dims, 4, -1), {0}}, out = {0};
    in[1].data = &by;
    in[1].dtype = TENON_F32;
    tenon_status status = tenon_session_run(z.s, 0, in, 2, &out, 1);
    CHECK(status == TENON_OK, "%s", z.t.log.text);
    for (int i = 0; i < 4; ++i)
      assert_true(near(((float *)out.data)[i], by * x[i], 0));
  }
  close_sized(&z);
}

TEST_GROUP(sizes, cmocka_unit_test(bounded_sizes_never_allocate),
           cmocka_unit_test(only_larger_sizes_allocate),
           cmocka_unit_test(models_allocate_for_the_largest_only),
           cmocka_unit_test(sizes_are_rounded_as_floats),
           cmocka_unit_test(without_grow_there_is_no_space),
           cmocka_unit_test(wrong_sizes_are_refused),
           cmocka_unit_test(operands_that_do_not_fit_are_refused),
           cmocka_unit_test(plans_are_refused),
           cmocka_unit_test(data_decide_within_a_bound),
           cmocka_unit_test(data_decide_without_a_bound),
           cmocka_unit_test(data_decide_with_and_without),
           cmocka_unit_test(results_say_their_sizes),
           cmocka_unit_test(results_contradict_the_model),
           cmocka_unit_test(numbers_are_attributes))
