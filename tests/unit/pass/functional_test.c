// Writes that become values: through views, of states, inputs and constants, in
// regions.
//
// Everything is s32. Element k of input i is 10 * (i + 1) + k. After a run, the
// inputs that it writes are printed behind the outputs.
#include "harness/model.h"
#include "tenon/ext/plugin.h"

// --- operators that write ----------------------------------------------------

// x += y, element by element or all by one.
static tenon_status accum_run(const tenon_call *c) {
  int32_t *to = (int32_t *)c->out[0].data;
  const int32_t *x = (const int32_t *)c->in[0].data;
  const int32_t *y = (const int32_t *)c->in[1].data;
  size_t n = tenon_count(&c->in[1]);
  for (size_t i = 0; i < tenon_count(&c->in[0]); ++i)
    to[i] = x[i] + y[n == 1 ? 0 : i];
  return TENON_OK;
}
static tenon_status nothing_infer(tenon_infer *c) {
  (void)c;
  return TENON_OK;
}
static const tenon_kernel_desc accum = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_accum",
    .types = "s32, s32 -> s32",
    .run = accum_run,
};
static const tenon_op_desc op_accum = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "Adds to x.",
    .schema = "acme::accum_(Tensor(a!) x, Tensor y) -> ()",
    .infer = nothing_infer,
    .kernels = (const tenon_kernel_desc *const[]){&accum, NULL},
};
static const tenon_op_desc op_add = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_DECLARED,
    .schema = "acme::add_(Tensor(a!) x, Tensor y) -> Tensor(a!)",
};
// Adds 1 to the first of the list, 2 to the second, and so on.
static tenon_status all_run(const tenon_call *c) {
  for (int i = 0; i < c->n_out; ++i) {
    int32_t *to = (int32_t *)c->out[i].data;
    for (size_t k = 0; k < tenon_count(&c->out[i]); ++k)
      to[k] += i + 1;
  }
  return TENON_OK;
}
static const tenon_kernel_desc all = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_all",
    .types = "s32... -> s32...",
    .run = all_run,
};
static const tenon_op_desc op_all = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "Counts.",
    .schema = "acme::all_(Tensor(a!)[] xs) -> ()",
    .kernels = (const tenon_kernel_desc *const[]){&all, NULL},
};
// Adds 5 to x if it is there, 1 to y, and gives y.
static tenon_status both_run(const tenon_call *c) {
  int32_t *x = (int32_t *)c->out[1].data, *y = (int32_t *)c->out[2].data;
  for (size_t k = 0; c->in[0].dtype && k < tenon_count(&c->out[1]); ++k)
    x[k] += 5;
  for (size_t k = 0; k < tenon_count(&c->out[2]); ++k)
    ((int32_t *)c->out[0].data)[k] = ++y[k];
  return TENON_OK;
}
static const tenon_kernel_desc both = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_both",
    .types = "s32?, s32 -> s32, s32?, s32",
    .run = both_run,
};
static const tenon_op_desc op_both = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "Adds to both.",
    .schema = "acme::both_(Tensor(a!)? x, Tensor(b!) y) -> Tensor",
    .kernels = (const tenon_kernel_desc *const[]){&both, NULL},
};

// --- operators that view -----------------------------------------------------

static tenon_value *window(tenon_rewriter *rw, tenon_value *x, int64_t first,
                           int64_t count) {
  const tenon_type *t = tenon_rw_type(rw, x);
  int64_t begin[2] = {first, 0}, size[2] = {count, 0}, step[2] = {1, 1};
  for (int i = 1; i < t->rank; ++i)
    size[i] = t->dims[i].value;
  const tenon_arg args[] = {tenon_arg_ints("begin", begin, t->rank),
                            tenon_arg_ints("size", size, t->rank),
                            tenon_arg_ints("step", step, t->rank),
                            TENON_END_ARGS};
  return tenon_rw_op(rw, "core::slice", &x, 1, args);
}

static tenon_value *shaped(tenon_rewriter *rw, const tenon_node *n,
                           tenon_value *x) {
  const tenon_type *t = rw->api->result(rw, n, 0);
  const tenon_arg args[] = {tenon_arg_dims("shape", t->dims, t->rank),
                            TENON_END_ARGS};
  return tenon_rw_op(rw, "core::reshape", &x, 1, args);
}

static tenon_status row_lower(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_arg *a = (const tenon_arg *)tenon_rw_attrs(rw, n);
  tenon_value *y = window(rw, tenon_rw_operand(rw, n, 0), a[0].as.i, 1);
  return tenon_rw_replace(rw, n, shaped(rw, n, y));
}
static tenon_status flat_lower(tenon_rewriter *rw, const tenon_node *n) {
  return tenon_rw_replace(rw, n, shaped(rw, n, tenon_rw_operand(rw, n, 0)));
}
static tenon_status turn_lower(tenon_rewriter *rw, const tenon_node *n) {
  static const int64_t dims[] = {1, 0};
  const tenon_arg args[] = {tenon_arg_ints("dims", dims, 2), TENON_END_ARGS};
  tenon_value *x = tenon_rw_operand(rw, n, 0);
  return tenon_rw_replace(rw, n, tenon_rw_op(rw, "core::permute", &x, 1, args));
}
static tenon_status rows_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = tenon_rw_operand(rw, n, 0);
  tenon_value *y[] = {window(rw, x, 0, 1), window(rw, x, 1, 1)};
  return rw->api->replace(rw, n, y, 2);
}

#define VIEW(name, its_schema)              \
  static const tenon_op_desc op_##name = {  \
      .struct_size = sizeof(tenon_op_desc), \
      .flags = TENON_OP_PURE,               \
      .doc = "A view.",                     \
      .schema = "acme::" its_schema,        \
      .lower = name##_lower}
VIEW(row, "row(Tensor(a) x, *, int index) -> Tensor(a)");
VIEW(flat, "flat(Tensor(a) x) -> Tensor(a)");
VIEW(turn, "turn(Tensor(a) x) -> Tensor(a)");
VIEW(rows, "rows(Tensor(a -> *) x) -> Tensor(a)[]");
#define reshape_lower flat_lower
VIEW(reshape, "reshape(Tensor(a) x) -> Tensor(a)");

static const tenon_plugin acme = {
    TENON_PLUGIN_HEADER,
    .name = "acme",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&op_accum, &op_add, &op_all, &op_both,
                                          &op_row, &op_flat, &op_turn, &op_rows,
                                          &op_reshape, NULL},
};

#define X "%x = input s32[2,3]\n"
#define OPEN "dim n = 4..32\n%x = input s32[?n,3]\n"
#define Y "%y = input s32[3]\n"
#define OWN "%b = core::copy(%x)\n"
#define AT(v, x, i) \
  "%" v " = aten::select.int(%" x ") [dim=0, index=" i "] : s32[3]\n"
#define CUT(v, x, how, type) \
  "%" v " = aten::slice.Tensor(%" x ") [dim=" how "] : s32[" type "]\n"
#define ROW(v, x, i) "%" v " = acme::row(%" x ") [index=" i "] : s32[3]\n"

// A variable of a .tflite, and what initialises it.
#define VARIABLE                                              \
  "module {\nfunc @0 \"main\" (%x: s32[2,3], %y: s32[3]) {\n" \
  "tfl::CALL_ONCE() [init_subgraph_index=1]\n"                \
  "%h = tfl::VAR_HANDLE() [shared_name=\"v\"] : s32[]\n"
#define INITIAL                                             \
  "}\nfunc @1 \"init\" () {\n%k = const s32[3] {1, 2, 3}\n" \
  "%i = tfl::VAR_HANDLE() [shared_name=\"v\"] : s32[]\n"
#define ENTRY "return }\nentry \"main\" = @0 (\"x\", \"y\") -> (\"z\") }"

// Wanted: outputs of two runs, then states.
static const struct {
  const char *text, *first, *second;
} rows[] = {
    // A view of what was written, and what a written view lies in.
    {"module {" X Y OWN ROW("r", "b", "1") "acme::accum_(%b, %x)\n"
                                           "return %r, %b }",
     "26 28 30|20 22 24 26 28 30", NULL},
    {"module {" X Y OWN ROW("r", "b", "1") "acme::accum_(%r, %y)\n"
                                           "return %r, %b }",
     "33 35 37|10 11 12 33 35 37", NULL},
    // A view of a view, and others of the same root before and behind it.
    {"module {" X Y OWN "%f = acme::flat(%b) : s32[6]\n"
     "%t = acme::turn(%b) : s32[3,2]\n"
     "%u = acme::row(%t) [index=1] : s32[2]\n"
     "%c = const s32[1] {100}\nacme::accum_(%u, %c)\n" ROW(
         "r", "b", "0") "return %f, %t, %r }",
     "10 111 12 13 114 15|10 13 111 114 12 15|10 111 12", NULL},
    // Several in turn.
    {"module {" X Y OWN ROW("r", "b", "0")
         ROW("s", "b", "1") "acme::accum_(%r, %y)\nacme::accum_(%s, %r)\n"
                            "acme::accum_(%r, %s)\nreturn %b }",
     "73 78 83 43 46 49", NULL},
    // Of a list of views; behind a reshape that cannot be a copy.
    {"module {" X Y OWN "%p, %q = acme::rows(%b) : s32[1,3], s32[1,3]\n"
     "%s = acme::reshape(%q) : s32[3]\n"
     "acme::accum_(%q, %p)\nreturn %b }",
     "10 11 12 23 25 27", NULL},
    {"module {" X Y OWN "%s = acme::reshape(%b) : s32[6]\n"
     "acme::accum_(%s, %s)\nreturn %b }",
     "20 22 24 26 28 30", NULL},
    // Nobody can tell whether that was a copy.
    {"module {" X Y OWN "%t = acme::turn(%b) : s32[3,2]\n"
     "%s = acme::reshape(%t) : s32[6]\n"
     "acme::accum_(%s, %s)\nreturn %s }",
     "20 26 22 28 24 30", NULL},
    // Inputs.
    {"module {" X Y ROW("r", "x", "0") "acme::accum_(%r, %y)\n"
                                       "%s = core::neg(%y)\nreturn %s }",
     "-20 -21 -22|30 32 34 13 14 15", "-20 -21 -22|50 53 56 13 14 15"},
    // A constant becomes a state under its name.
    {"module { %w = const s32[2,3] {1, 2, 3, 4, 5, 6}\n" X Y ROW(
         "r", "w", "1") "acme::accum_(%r, %y)\n%s = core::add(%w, %w)\n"
                        "return %s }",
     "2 4 6 48 52 56", "2 4 6 88 94 100"},
    // States, also in a branch, and read behind it.
    {"module { state \"s\" : s32[2,3] = {1, 2, 3, 4, 5, 6}\n"
     "func @0 \"main\" (%x: s32[2,3], %y: s32[3], %p: bool[]) {\n"
     "%w = core::state_read() [state=\"s\"] : s32[2,3]\n" ROW(
         "r", "w", "0") "%z = core::cond(%p, [%y]) : s32[3] {\n"
                        "(%t: s32[3]) { acme::accum_(%r, %t)\nreturn %r }\n"
                        "(%t: s32[3]) { return %t }\n}\n"
                        "return %z, %w, %r }\n"
                        "entry \"main\" = @0 (\"x\", \"y\", \"p\") -> (\"z\", "
                        "\"w\", \"r\") }",
     "21 23 25|21 23 25 4 5 6|21 23 25", "20 21 22|21 23 25 4 5 6|21 23 25"},
    {"module { state \"s\" : s32[2,3] = {1, 2, 3, 4, 5, 6}\n"
     "func @0 \"main\" (%x: s32[2,3], %y: s32[3], %p: bool[]) {\n"
     "%w = core::state_read() [state=\"s\"] : s32[2,3]\n" ROW(
         "r", "w", "0") "acme::accum_(%w, %x)\nacme::accum_(%r, %y)\n"
                        "return %w }\n"
                        "entry \"main\" = @0 (\"x\", \"y\", \"p\") -> (\"w\") "
                        "}",
     "31 34 37 17 19 21", "61 66 71 30 33 36"},
    // Variables of a .tflite; what was read before is what it was.
    {VARIABLE "%a = tfl::READ_VARIABLE(%h) : s32[3]\n"
              "%b = core::add(%a, %y)\n"
              "tfl::ASSIGN_VARIABLE(%h, %b)\n"
              "%c = tfl::READ_VARIABLE(%h) : s32[3]\n"
              "%d = core::add(%c, %a)\nreturn %d " INITIAL
              "tfl::ASSIGN_VARIABLE(%i, %k)\n" ENTRY,
     "22 25 28", "62 67 72"},
    {VARIABLE "tfl::ASSIGN_VARIABLE(%h, %y)\n"
              "%c = tfl::READ_VARIABLE(%h) : s32[3]\n"
              "tfl::ASSIGN_VARIABLE(%h, %c)\nreturn %c " INITIAL
              "tfl::ASSIGN_VARIABLE(%i, %k)\n" ENTRY,
     "20 21 22", NULL},
    // Lists: values, views of one root, inputs.
    {"module {" X Y OWN "%c = core::neg(%y)\nacme::all_([%b, %c])\n"
     "return %b, %c }",
     "11 12 13 14 15 16|-18 -19 -20", NULL},
    {"module {" X Y OWN AT("r", "b", "0")
         AT("s", "b", "1") "acme::all_([%r, %s])\nreturn %b, %s }",
     "11 12 13 15 16 17|15 16 17", NULL},
    // Columns; pieces of one operator; every other one; what repeats nothing.
    {"module {" X Y OWN CUT("r", "b", "1, start=0, end=2", "2,2")
         CUT("s", "b", "-1, start=-1", "2,1") "acme::all_([%r, %s])\n"
                                              "return %b }",
     "11 12 14 14 15 17", NULL},
    {"module {" X Y OWN "%r, %s = aten::unbind.int(%b) : s32[3], s32[3]\n"
     "acme::all_([%r, %s])\nreturn %b }",
     "11 12 13 15 16 17", NULL},
    {"module {" X Y OWN
     "%f = aten::view(%b) [size=[6]] : s32[6]\n" CUT("r", "f", "0, step=2", "3")
         CUT("s", "f", "0, start=1, step=2",
             "3") "acme::all_([%r, %s])\nreturn %b }",
     "11 13 13 15 15 17", NULL},
    {"module {" X Y OWN "%r = aten::as_strided(%b) [size=[2, 2], stride=[1, "
     "3]] : s32[2,2]\nacme::all_([%r])\nreturn %b }",
     "11 12 12 14 15 15", NULL},
    {"module {" X Y OWN "%r = aten::unfold(%y) [dimension=0, size=2, step=1] "
     ": s32[2,2]\n%z = aten::zero_(%r) : s32[2,2]\nreturn %z }",
     "0 0 0 0|0 0 0", NULL},
    {"module {" X Y ROW("r", "x", "0") "acme::all_([%r, %y])\nreturn %r }",
     "11 12 13|11 12 13 13 14 15|22 23 24",
     "12 13 14|12 13 14 13 14 15|24 25 26"},
    {"module {" X Y OWN "acme::all_([])\nreturn %b }", "10 11 12 13 14 15",
     NULL},
    // An operand that may be absent, of an operator without a rule.
    {"module {" X Y OWN "%z = acme::both_(none, %y) : s32[3]\n"
     "return %z, %b }",
     "21 22 23|10 11 12 13 14 15|21 22 23", NULL},
    {"module {" X Y OWN "%z = acme::both_(%b, %y) : s32[3]\nreturn %z, %b }",
     "21 22 23|15 16 17 18 19 20|21 22 23", NULL},
    // What is written in a call that only wraps is written outside.
    {"module {" X Y OWN
     "%z = higher_order::wrap_with_set_grad_enabled([%b, %y]) [enabled=false] "
     ": s32[3] {\n(%t: s32[2,3], %u: s32[3]) {\n" ROW(
         "r", "t", "1") "acme::accum_(%r, %u)\nreturn %u } }\n"
                        "return %b }",
     "10 11 12 33 35 37", NULL},
};

static void fill(const test_run *r, int run) {
  for (size_t i = 0; i < r->n_in; ++i) {
    if (r->in[i].dtype == TENON_BOOL) *(bool *)r->in[i].data = run == 0;
    int32_t *x = (int32_t *)r->in[i].data;
    for (size_t k = 0;
         r->in[i].dtype == TENON_S32 && k < tenon_count(&r->in[i]); ++k)
      x[k] = (int32_t)(10 * (i + 1) + k);
  }
}

static void print(tenon_buf *out, const tenon_tensor *t) {
  const int32_t *y = (const int32_t *)t->data;
  if (out->size) tenon_buf_char(out, '|');
  for (size_t k = 0; k < tenon_count(t); ++k)
    tenon_buf_format(out, k ? " %d" : "%d", (int)y[k]);
}

static void check(test_model *t, size_t i, const char *pipeline) {
  tenon_compile_options o = {.struct_size = sizeof o, .pipeline = pipeline};
  test_run r;
  tenon_io io[RUN_TENSORS];
  tenon_program *p = model_compile(t, rows[i].text, &o);
  (void)tenon_program_io(p, 0, TENON_IO_INPUTS, io, RUN_TENSORS);
  run_open(&r, p, 0, NULL);
  for (int k = 0; k < 2; ++k) {
    tenon_buf got;
    const char *want = k == 0 ? rows[i].first : rows[i].second;
    tenon_buf_init(&got, tenon_heap());
    // A written input goes on where the first run left it.
    if (k == 0 || !(io[0].flags & TENON_IO_WRITTEN)) fill(&r, k);
    CHECK(run_once(&r) == TENON_OK, "row %zu: %s", i, t->log.text);
    for (size_t n = 0; n < r.n_out; ++n)
      print(&got, &r.out[n]);
    for (size_t n = 0; n < r.n_in; ++n)
      if (io[n].flags & TENON_IO_WRITTEN) print(&got, &r.in[n]);
    CHECK(strcmp(got.data, want ? want : rows[i].first) == 0,
          "row %zu, run %d, '%s': %s", i, k, pipeline, got.data);
    tenon_buf_deinit(&got);
  }
  run_close(&r);
  tenon_program_destroy(p);
}

static void become_values(void **state) {
  test_model t;
  (void)state;
  model_open(&t, &acme);
  EACH_ROW(i, rows) {
    check(&t, i, NO_PASSES);
    check(&t, i, tenon_default_pipeline());
  }
  model_close(&t);
}

static const struct {
  const char *text, *id, *part;
} refused[] = {
    {VARIABLE "%a = tfl::READ_VARIABLE(%h) : s32[3]\nreturn %a " INITIAL ENTRY,
     "functional-variable", "without an initial value"},
    {VARIABLE "%a = tfl::READ_VARIABLE(%h) : s32[2]\nreturn %a " INITIAL
              "tfl::ASSIGN_VARIABLE(%i, %k)\n" ENTRY,
     "functional-variable", "another type than the initial one"},
    {VARIABLE "%a = tfl::READ_VARIABLE(%h) : s32[3]\nreturn %a " INITIAL
              "%n = core::neg(%k)\ntfl::ASSIGN_VARIABLE(%i, %n)\n" ENTRY,
     "functional-variable", "does more than assign constants"},
    {VARIABLE "%a = tfl::READ_VARIABLE(%y) : s32[3]\nreturn %a " INITIAL ENTRY,
     "functional-variable", "passed around"},
    // The other one may or may not see it.
    {"module {" X Y OWN "%t = acme::turn(%b) : s32[3,2]\n"
     "%s = acme::reshape(%t) : s32[6]\n"
     "acme::accum_(%s, %s)\nreturn %b }",
     "functional-view", "through a view that may be a copy"},
    {"module {" X Y OWN "%t = acme::turn(%b) : s32[3,2]\n"
     "%s = acme::reshape(%t) : s32[6]\n"
     "acme::accum_(%b, %x)\nreturn %s }",
     "functional-view", "through a view that another"},
    {"module { %x = input s32[?n,3]\n" Y OWN ROW(
         "r", "b", "1") "acme::accum_(%r, %y)\nreturn %b }",
     NULL, NULL},
    {"module {" X Y OWN "%c = acme::add_(%b, %y) : s32[6]\nreturn %b, %x }",
     NULL, NULL},
    {"module {" X Y "%r = acme::flat(%x) : s32[6]\n"
     "%c = acme::add_(%x, %y) : s32[6]\nreturn %r }",
     "functional-view", "changes its shape"},
    {"module { state \"s\" : s32[2,3]\n" Y
     "%x = core::state_read() [state=\"s\"] : s32[2,3]\n"
     "%r = acme::flat(%x) : s32[6]\n"
     "%c = acme::add_(%x, %y) : s32[6]\nreturn %r }",
     "functional-view",
     "writes s32[6] to the state 's', which is s32[2,3]: a state keeps"},
    {"module { state \"s\" : s32[2,3]\n" Y
     "%x = core::state_read() [state=\"s\"] : s32[2,3]\n"
     "%c = acme::add_(%x, %y) : f32[2,3]\nreturn %c }",
     "functional-type", "writes 's', expected s32[2,3]; found f32[2,3]"},
    {"module {" X Y OWN "acme::all_([%b, %b])\nreturn %b }",
     "functional-shared",
     "'acme::all_' writes 'b' through two of its arguments"},
    {"module {" X Y OWN ROW("r", "b", "1") "acme::all_([%r, %b])\n"
                                           "return %b }",
     "functional-shared", "writes 'b' through two"},
    // Of others' views nobody knows what they have; of these it is known.
    {"module {" X Y OWN ROW("r", "b", "0")
         ROW("s", "b", "1") "acme::all_([%r, %s])\nreturn %b }",
     "functional-shared", "writes 'b' through two"},
    {"module {" X Y OWN CUT("r", "b", "1, start=0, end=2", "2,2")
         CUT("s", "b", "1, start=1", "2,2") "acme::all_([%r, %s])\n"
                                            "return %b }",
     "functional-shared", "writes 'b' through two"},
    {"module {" X Y OWN AT("r", "b", "1")
         CUT("s", "b", "1, start=1", "2,2") "acme::all_([%r, %s])\n"
                                            "return %b }",
     "functional-shared", "writes 'b' through two"},
    {"module {" X Y OWN AT("r", "b", "1")
         AT("s", "b", "-1") "acme::all_([%r, %s])\nreturn %b }",
     "functional-shared", "writes 'b' through two"},
    // Of an open size, what is counted from the front is known.
    {"module {" OPEN OWN CUT("r", "b", "0, start=0, end=2", "2,3")
         CUT("s", "b", "0, start=2", "?n-2,3") "acme::all_([%r, %s])\n"
                                               "return %b }",
     NULL, NULL},
    {"module {" OPEN OWN AT("r", "b", "1")
         CUT("s", "b", "0, start=1, end=9", "?n-1,3") "acme::all_([%r, %s])\n"
                                                      "return %b }",
     "functional-shared", "writes 'b' through two"},
    {"module {" OPEN OWN CUT("r", "b", "0, start=0, end=-1", "?n-1,3")
         CUT("s", "b", "0, start=2", "?n-2,3") "acme::all_([%r, %s])\n"
                                               "return %b }",
     "functional-shared", "writes 'b' through two"},
    // The name is that of the memory, whatever wrote there before.
    {"module {" X Y OWN AT("q", "b", "1") "acme::accum_(%q, %y)\n" AT("r", "b",
                                                                      "1")
         CUT("s", "b", "1, start=1", "2,2") "acme::all_([%r, %s])\nreturn %b }",
     "functional-shared", "writes 'b' through two"},
    {"module {" X Y OWN "%e = aten::expand(%b) [size=[2, 2, 3]] : s32[2,2,3]\n"
     "%r, %s = aten::unbind.int(%e) : s32[2,3], s32[2,3]\n"
     "acme::all_([%r, %s])\nreturn %b }",
     "functional-shared", "writes 'b' through two"},
    {"module {" X Y OWN "%e = aten::expand(%b) [size=[2, 2, 3]] : s32[2,2,3]\n"
     "acme::all_([%e])\nreturn %b }",
     "functional-view", "elements of its base twice"},
    {"module {" X Y OWN "%r = aten::as_strided(%b) [size=[2, 3], stride=[1, "
     "1]] : s32[2,3]\nacme::all_([%r])\nreturn %b }",
     "functional-view", "elements of its base twice"},
    {"module {" X Y "%r = aten::unfold(%y) [dimension=0, size=2, step=1] "
     ": s32[2,2]\nacme::all_([%r])\nreturn %r }",
     "functional-view", "elements of its base twice"},
    {"module { func @0 \"main\" (%x: s32[3], %p: bool[]) {\n"
     "%b = core::copy(%x)\n%z = core::cond(%p, []) : s32[3] {\n"
     "() { acme::accum_(%b, %x)\nreturn %b }\n() { return %x }\n}\n"
     "return %z }\nentry \"main\" = @0 (\"x\", \"p\") -> (\"z\") }",
     "functional-region", "writes what is defined outside of its region"},
    {"module { func @0 \"main\" (%x: s32[3], %p: bool[]) {\n"
     "%z = higher_order::cond(%p, [%x]) : s32[3] {\n"
     "(%t: s32[3]) { acme::accum_(%t, %t)\nreturn %t }\n"
     "(%t: s32[3]) { return %t }\n}\n"
     "return %z }\nentry \"main\" = @0 (\"x\", \"p\") -> (\"z\") }",
     "functional-region", "writes what is defined outside of its region"},
    {"module { func @0 \"main\" (%x: s32[3]) {\n"
     "%z = core::call([%x]) [function=1] : s32[3]\nreturn %z }\n"
     "func @1 \"other\" (%x: s32[3]) { acme::accum_(%x, %x)\nreturn %x }\n"
     "entry \"main\" = @0 (\"x\") -> (\"z\") }",
     "functional-region", "passed into a function that is no entry point"},
};

static void are_refused(void **state) {
  test_model t;
  (void)state;
  model_open(&t, &acme);
  EACH_ROW(i, refused) {
    tenon_module *m = model_read(&t, refused[i].text);
    tenon_status status = tenon_module_transform(m, "functional", NULL, NULL);
    CHECK((status == TENON_OK) == !refused[i].id, "row %zu: %s", i, t.log.text);
    if (refused[i].id) CHECK_LOG(&t.log, refused[i].id, refused[i].part, i);
    test_log_clear(&t.log);
    tenon_module_destroy(m);
  }
  model_close(&t);
}

// --- memory ------------------------------------------------------------------

// Views, an input, a constant, a scan and a state in a branch.
static void survive_lack_of_memory(void **state) {
  static char text[] =
      "module { state \"s\" : s32[3] = {1, 2, 3}\n"
      "const %w : s32[3] = {4, 5, 6}\n"
      "func @0 \"main\" (%x: s32[2,3], %y: s32[3], %p: bool[]) {\n" ROW(
          "r", "x",
          "0") "acme::accum_(%r, %y)\nacme::accum_(%w, %r)\n"
               "%o = core::state_read() [state=\"s\"] : s32[3]\n"
               "%z = core::cond(%p, [%y]) : s32[3] {\n"
               "(%t: s32[3]) { acme::accum_(%o, %t)\nreturn %o }\n"
               "(%t: s32[3]) { return %t }\n}\n"
               "%a, %b = higher_order::scan([%z], [%x], []) : s32[3], "
               "s32[2,3] {\n(%c: s32[3], %d: s32[3]) {\n"
               "%e = core::add(%c, %d)\nreturn %e, %c } }\n"
               "return %a, %b, %o }\n"
               "entry \"main\" = @0 (\"x\", \"y\", \"p\") -> (\"a\", "
               "\"b\", \"o\") }";
  (void)state;
  model_sweep s = {.plugin = &acme, .text = text};
  test_sweep(model_compiles, &s);
}

TEST_GROUP(functional, cmocka_unit_test(survive_lack_of_memory),
           cmocka_unit_test(become_values), cmocka_unit_test(are_refused))
