// Out variants that are served by the functional operator.
#include "ir/out_variant.h"

#include "world.h"

// "x" a tensor, "xs*" a list, "n#" neither; "!" behind: written.
typedef struct call {
  tenon_out_call of;
  tenon_out_arg args[8];
  char names[8][16];
} call;

static void read_call(const char *name, const char *args, uint32_t n_returns,
                      bool says_written, call *out) {
  memset(out, 0, sizeof *out);
  for (uint32_t n = 0; *args; ++n) {
    size_t size = strcspn(args, " "), word = strcspn(args, " *#!");
    memcpy(out->names[n], args, word);
    tenon_out_arg *a = &out->args[n];
    a->name = out->names[n];
    a->is_list = word < size && memchr(args + word, '*', size - word);
    a->is_tensor =
        !a->is_list && !(word < size && memchr(args + word, '#', size - word));
    a->is_written = args[size - 1] == '!';
    args += size + strspn(args + size, " ");
    out->of.n_args = n + 1;
  }
  out->of.name = name;
  out->of.args = out->args;
  out->of.n_returns = n_returns;
  out->of.says_written = says_written;
}

static void finds_the_functional_operator(void **state) {
  (void)state;
  static const struct {
    const char *name, *args;
    int n_returns;
    bool says_written;
    const char *of;  // null: none
  } rows[] = {
      {"acme::gain.out", "x out", 1, false, "acme::gain"},
      {"acme::gain.out", "x gain# where", 1, false, "acme::gain"},
      {"acme::gain.out", "x where", 0, false, "acme::gain"},
      {"acme::gain.into", "x where", 0, false, "acme::gain"},
      {"acme::gain.into", "where x", 0, false, "acme::gain"},
      {"acme::gain.into", "where! x", 1, true, "acme::gain"},
      {"acme::gain.into", "x out", 1, false, "acme::gain"},
      // Nothing tells one that is written from one that is read.
      {"acme::gain.into", "x where", 1, false, NULL},
      {"acme::gain.into", "x outer", 1, false, NULL},
      {"core::mul.out", "a b out", 1, false, "core::mul"},
      {"acme::gain.x_out", "x out", 0, false, "acme::gain"},
      {"acme::gain.x_out", "x where", 1, false, "acme::gain"},
      {"acme::split.out", "x parts* n", 0, false, "acme::split"},
      {"acme::split.out", "x parts*! n!", 0, true, "acme::split"},
      {"acme::split.out", "x n parts*", 0, false, NULL},  // a list is first
      {"acme::gain", "x out", 0, false, NULL},            // no overload
      {"acme::gain.out", "x", 1, false, NULL},            // nothing to write
      {"acme::gain.out", "x", 0, false, "acme::gain"},    // which torch lets
      {"acme::gain.into", "x", 0, false, NULL},           // of its own names
      {"acme::gain.out", "x a b", 0, false, NULL},        // too much
      {"acme::gain.out", "out", 1, false, NULL},          // x is missing
      {"acme::gain.out", "x out#", 1, false, NULL},       // no tensor
      {"acme::gain.out", "x* out", 1, false, NULL},       // x is no list
      {"acme::gain.out", "x out", 2, false, NULL},        // results
      {"acme::gain.out", "x! out!", 1, true, NULL},       // x is written, too
      {"acme::gain.out", "x out", 1, true, NULL},         // out is not
      {"acme::gain.out", "x a-b", 1, false, NULL},        // a hostile name
      {"acme::nobody.out", "x out", 1, false, NULL},      // nobody describes it
      {"acme::bump.out", "x out", 1, false, NULL},        // it writes
      {"acme::push.out", "buf x out", 1, false, NULL},
  };
  world w;
  world_init(&w);
  tenon_module *m = world_read(&w, "module {\n  return\n}\n");
  EACH_ROW(i, rows) {
    call c;
    tenon_out_match match;
    read_call(rows[i].name, rows[i].args, (uint32_t)rows[i].n_returns,
              rows[i].says_written, &c);
    tenon_out_variant_find(w.cx, &c.of, &match);
    const char *found = match.functional ? match.functional->name : "none";
    CHECK_TEXT(found, rows[i].of ? rows[i].of : "none", i);
    CHECK(!match.other && !match.is_crossed, "row %zu", i);
  }
  tenon_module_destroy(m);
  world_deinit(&w);
}

static void has_a_schema_that_says_what_is_written(void **state) {
  (void)state;
  static const struct {
    const char *name, *args;
    int n_returns;
    const char *schema;
  } rows[] = {
      {"acme::gain.out", "x out", 1,
       "acme::gain.out(Tensor x, *, float gain=1., bool relu=False, "
       "Tensor(out0!) out) -> Tensor(out0!)"},
      {"core::relu.out", "x result", 1,
       "core::relu.out(Tensor x, *, Tensor(out0!) result) -> Tensor(out0!)"},
      {"core::relu.into", "result x", 0,
       "core::relu.into(Tensor x, *, Tensor(out0!) result) -> ()"},
  };
  world w;
  world_init(&w);
  tenon_module *m = world_read(&w,
                               "module {\n  %x = input f32[2]\n"
                               "  return %x\n}\n");
  EACH_ROW(i, rows) {
    call c;
    tenon_out_match match;
    read_call(rows[i].name, rows[i].args, (uint32_t)rows[i].n_returns, false,
              &c);
    tenon_out_variant_find(w.cx, &c.of, &match);
    assert_non_null(match.functional);
    const tenon_op *op = tenon_out_variant_make(m, &c.of, &match);
    assert_non_null(op);
    CHECK_TEXT(op->desc->schema, rows[i].schema, i);
    CHECK_TEXT(op->name, rows[i].name, i);
    // What may not be dropped or merged may not be under another name.
    bool is_pure = (op->desc->flags & TENON_OP_PURE) != 0;
    CHECK(is_pure == (strncmp(rows[i].name, "core::relu", 10) == 0), "row %zu",
          i);
    CHECK(op->n_lowerings == 1 && op->owner == match.functional->owner,
          "row %zu", i);
    // The next call of it is the same operator.
    CHECK(tenon_out_variant_make(m, &c.of, &match) == op, "row %zu", i);
    CHECK(tenon_module_op(m, rows[i].name) == op, "row %zu", i);
  }
  CHECK(m->metadata.count == 3, "%zu schemas are kept", m->metadata.count);
  tenon_module_destroy(m);
  world_deinit(&w);
}

// A text brings it back by the schema that it has of it.
static void is_read_from_text(void **state) {
  (void)state;
  static const struct {
    const char *schema;
    bool is_served;
  } rows[] = {
      {"acme::gain.into(Tensor(a!) to, Tensor x, *, float gain=1., bool "
       "relu=False) -> Tensor(a!)",
       true},
      {"acme::gain.into(Tensor(a!) to, Tensor x) -> ()", true},
      {"acme::gain.into(Tensor(a!) to, Tensor x) -> Tensor", false},
      {"acme::gain.into(Tensor(a!)? to, Tensor x) -> ()", true},
      {"acme::gain.into(Tensor(a!)[]? to, Tensor x) -> ()", false},
      {"acme::gain.into(Tensor to, Tensor x) -> ()", false},
      {"acme::gain.into is no schema", false},
  };
  world w;
  world_init(&w);
  EACH_ROW(i, rows) {
    char text[400];
    snprintf(text, sizeof text,
             "module {\n  metadata \"schema acme::gain.into\" = \"%s\"\n"
             "  %%x = input f32[2]\n  return %%x\n}\n",
             rows[i].schema);
    tenon_module *m = world_read(&w, text);
    const tenon_op *op = tenon_module_op(m, "acme::gain.into");
    CHECK((op->desc != NULL) == rows[i].is_served, "row %zu", i);
    if (op->desc) CHECK_TEXT(op->desc->schema, rows[i].schema, i);
    tenon_module_destroy(m);
  }
  world_deinit(&w);
}

TEST_GROUP(out_variant, cmocka_unit_test(finds_the_functional_operator),
           cmocka_unit_test(has_a_schema_that_says_what_is_written),
           cmocka_unit_test(is_read_from_text))
