#include "ops/tfl/tfl_options.h"

#include "harness/harness.h"
#include "tfl_mock.h"

// Slots are those of the format's schema, by member.
static void slots_are_read_into_members(void **state) {
  static const struct {
    const char *op, *slots, *want;
  } rows[] = {
      {"CONV_2D", "", "dilation_w_factor=1 dilation_h_factor=1"},
      {"CONV_2D", "0=1 1=2 2=3 3=4 4=5 5=6 6=7",
       "padding=1 stride_w=2 stride_h=3 fused_activation_function=4 "
       "dilation_w_factor=5 dilation_h_factor=6 quantized_bias_type=7"},
      {"CONV_2D", "1=-1",
       "stride_w=-1 dilation_w_factor=1 dilation_h_factor=1"},
      {"DEPTHWISE_CONV_2D", "0=1 1=2 2=3 3=4 4=5 5=6 6=7",
       "padding=1 stride_w=2 stride_h=3 depth_multiplier=4 "
       "fused_activation_function=5 dilation_w_factor=6 dilation_h_factor=7"},
      {"MAX_POOL_2D", "0=1 1=2 2=3 3=4 4=5 5=6",
       "padding=1 stride_w=2 stride_h=3 filter_width=4 filter_height=5 "
       "fused_activation_function=6"},
      {"FULLY_CONNECTED", "0=1 1=2 2=1 3=1 4=5",
       "fused_activation_function=1 weights_format=2 keep_num_dims "
       "asymmetric_quantize_inputs quantized_bias_type=5"},
      {"ADD", "", "pot_scale_int16"},
      {"ADD", "0=3 1=0", "fused_activation_function=3"},
      {"SUB", "0=3 1=0", "fused_activation_function=3"},
      {"MUL", "0=3", "fused_activation_function=3"},
      {"SOFTMAX", "", ""},
      {"SOFTMAX", "0=0.5", "beta=0.5"},
      {"RESHAPE", "0=-1,49,40,1", "new_shape-1,49,40,1"},
      {"RESHAPE", "", ""},
      {"SQUEEZE", "0=-2", "squeeze_dims-2"},
      {"MEAN", "0=1", "keep_dims"},
      {"CONCATENATION", "0=-1 1=2", "axis=-1 fused_activation_function=2"},
      {"PACK", "0=2 1=1", "values_count=2 axis=1"},
      {"UNPACK", "0=2 1=1", "num=2 axis=1"},
      {"SPLIT", "0=3", "num_splits=3"},
      {"CAST", "0=1 1=2", "in_data_type=1 out_data_type=2"},
      {"STRIDED_SLICE", "0=1 1=2 2=3 3=4 4=5 5=1",
       "begin_mask=1 end_mask=2 ellipsis_mask=3 new_axis_mask=4 "
       "shrink_axis_mask=5 offset"},
      {"LEAKY_RELU", "0=0.25", "alpha=0.25"},
      {"GELU", "0=1", "approximate"},
      {"DEPTH_TO_SPACE", "0=2", "block_size=2"},
      {"MIRROR_PAD", "0=1", "mode=1"},
      {"IF", "0=2 1=1", "then_subgraph_index=2 else_subgraph_index=1"},
      {"WHILE", "0=2 1=1", "cond_subgraph_index=2 body_subgraph_index=1"},
      {"STABLEHLO_COMPOSITE", "0=x 1=2 4=1",
       "name='some' decomposition_subgraph_index=2 version=1"},
  };
  (void)state;
  EACH_ROW(i, rows)
  CHECK_TEXT(tfl_read(rows[i].op, rows[i].slots), rows[i].want, i);
}

static void rows_hold_together(void **state) {
  (void)state;
  for (const tenon_op_desc *const *op = tenon_tfl_plugin.ops; *op; ++op) {
    const char *s = (*op)->schema;
    CHECK(strncmp(s, "tfl::", 5) == 0, "%s", s);
    CHECK((*op)->struct_size == sizeof **op, "%s", s);
    CHECK((*op)->infer && (*op)->lower && *(*op)->doc, "%s", s);
    CHECK((*op)->version_min >= 1, "%s", s);
    CHECK((*op)->version_min <= (*op)->version_max, "%s", s);
    CHECK(!(*op)->fields == !(*op)->attrs_size, "%s", s);
    CHECK(!(*op)->fields == !(*op)->read_tflite, "%s", s);
    for (const tenon_op_desc *const *other = op + 1; *other; ++other)
      CHECK(strcmp(s, (*other)->schema) != 0, "%s", s);
  }
}

TEST_GROUP(tfl_options, cmocka_unit_test(slots_are_read_into_members),
           cmocka_unit_test(rows_hold_together))
