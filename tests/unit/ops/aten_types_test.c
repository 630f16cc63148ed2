// Types of results that a text leaves out: an operator that is computed in
// wider elements has those of its operand again.
#include "core/dtype.h"
#include "harness/model.h"

#define INPUTS                                                       \
  "module { %a = input bf16[2,3]\n%b = input bf16[3,4]\n%h = input " \
  "f16[2,3]\n%c = input s8[2,3]\n%d = input s8[3,4]\n%i = input "    \
  "bf16[1,2,4,4]\n%w = input bf16[3,2,3,3]\n%o = input f32[3]\n%y = "

static void as_the_operand(void **state) {
  static const struct {
    const char *node, *type;
  } rows[] = {
      {"aten::mm(%a, %b)", "bf16[2,4]"},
      {"aten::mm(%c, %d)", "s8[2,4]"},
      {"aten::_int_mm(%c, %d)", "s32[2,4]"},
      {"aten::softmax.int(%a) [dim=1]", "bf16[2,3]"},
      {"aten::softmax.int(%a) [dim=1, dtype=f32]", "f32[2,3]"},
      {"aten::log_softmax.int(%h) [dim=1]", "f16[2,3]"},
      {"aten::conv2d(%i, %w)", "bf16[1,3,2,2]"},
      {"aten::avg_pool2d(%i) [kernel_size=[2,2]]", "bf16[1,2,2,2]"},
      {"aten::layer_norm(%a, none, none) [normalized_shape=[3]]", "bf16[2,3]"},
      {"aten::layer_norm(%h, %o, %o) [normalized_shape=[3]]", "f16[2,3]"},
      {"aten::mse_loss(%a, %a)", "bf16[]"},
      {"aten::scaled_dot_product_attention(%i, %i, %i)", "bf16[1,2,4,4]"},
      {"aten::logsumexp(%a) [dim=[1]]", "bf16[2]"}};
  test_model t;
  tenon_buf text;
  (void)state;
  model_open(&t, NULL);
  tenon_buf_init(&text, tenon_heap());
  EACH_ROW(i, rows) {
    tenon_buf_clear(&text);
    tenon_buf_format(&text, "%s%s\nreturn %%y }", INPUTS, rows[i].node);
    tenon_program *p = model_compile(&t, text.data, NULL);
    tenon_io y;
    assert_int_equal(tenon_program_io(p, 0, TENON_IO_OUTPUTS, &y, 1), 1);
    tenon_buf_clear(&text);
    tenon_buf_format(&text, "%s[", tenon_dtype_name(y.dtype));
    for (int d = 0; d < y.rank; ++d)
      tenon_buf_format(&text, "%s%d", d ? "," : "", (int)y.dims[d]);
    tenon_buf_format(&text, "]");
    CHECK(strcmp(text.data, rows[i].type) == 0, "row %zu: %s", i, text.data);
    tenon_program_destroy(p);
  }
  tenon_buf_deinit(&text);
  model_close(&t);
}

TEST_GROUP(aten_types, cmocka_unit_test(as_the_operand))
