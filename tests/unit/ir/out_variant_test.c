// Out variants that are served by the functional operator.
#include "ir/out_variant.h"

#include "world.h"

static void finds_the_functional_operator(void **state) {
  (void)state;
  static const struct {
    const char *name, *of;  // null: none
  } rows[] = {
      {"acme::gain.out", "acme::gain"},
      {"core::mul.out", "core::mul"},
      {"acme::gain", NULL},        // no overload
      {"acme::gain.other", NULL},  // not an out variant
      {"acme::nobody.out", NULL},  // nobody describes it
      {"acme::bump.out", NULL},    // it writes its operand
      {"acme::push.out", NULL},
      {"acme::split.out", NULL},  // a result is a list
      {"acme::gain.x_out", NULL},
  };
  world w;
  world_init(&w);
  EACH_ROW(i, rows) {
    const tenon_op *op = tenon_out_variant_of(w.cx, rows[i].name);
    CHECK((op != NULL) == (rows[i].of != NULL), "%s", rows[i].name);
    if (op) CHECK_TEXT(op->name, rows[i].of, i);
  }
  world_deinit(&w);
}

static void has_a_schema_that_says_what_is_written(void **state) {
  (void)state;
  static const struct {
    const char *name, *of, *out, *schema;
  } rows[] = {
      {"acme::gain.out", "acme::gain", "out",
       "acme::gain.out(Tensor x, *, float gain=1., bool relu=False, "
       "Tensor(out0!) out) -> Tensor(out0!)"},
      {"core::relu.out", "core::relu", "result",
       "core::relu.out(Tensor x, *, Tensor(out0!) result) -> Tensor(out0!)"},
  };
  world w;
  world_init(&w);
  tenon_module *m = world_read(&w,
                               "module {\n  %x = input f32[2]\n"
                               "  return %x\n}\n");
  EACH_ROW(i, rows) {
    const char *outs[] = {rows[i].out};
    const tenon_op *functional = tenon_out_variant_of(w.cx, rows[i].name);
    assert_non_null(functional);
    const tenon_op *op =
        tenon_out_variant_make(m, rows[i].name, functional, outs);
    assert_non_null(op);
    CHECK_TEXT(op->desc->schema, rows[i].schema, i);
    CHECK_TEXT(op->name, rows[i].name, i);
    CHECK(op->n_lowerings == 1 && op->owner == functional->owner, "row %zu", i);
    // The next call of it is the same operator.
    CHECK(tenon_out_variant_make(m, rows[i].name, functional, outs) == op,
          "row %zu", i);
    CHECK(tenon_module_op(m, rows[i].name) == op, "row %zu", i);
  }
  tenon_module_destroy(m);
  world_deinit(&w);
}

TEST_GROUP(out_variant, cmocka_unit_test(finds_the_functional_operator),
           cmocka_unit_test(has_a_schema_that_says_what_is_written))
