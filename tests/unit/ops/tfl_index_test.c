// Operators that read and write at indices, go along an axis or multiply
// matrices: what a file may say of them, and what is not served. That what is
// served gives LiteRT's numbers is recorded in tests/cases/tfl.cases.
#include "harness/harness.h"
#include "tfl_mock.h"

static void indices_select(void **state) {
  static const tfl_row rows[] = {
      {"GATHER", "axis=1", "f32[4,3,5]; s32[2,2]", "f32[4,2,2,5]",
       "f32[4,2,2,5]"},
      {"GATHER", "axis=-1 batch_dims=1", "f32[4,3,5]; s32[4,2]", "f32[4,3,2]",
       "f32[4,3,2]"},
      {"GATHER", "axis=0", "f32[?0,3]; s16[7]", "f32[7,3]", "f32[7,3]"},
      {"GATHER", "", "f32[4]; s32[]", "f32[]", "f32[]"},
      {"GATHER_ND", "", "f32[4,3,5]; s32[7,2]", "f32[7,5]", "f32[7,5]"},
      {"GATHER_ND", "", "f32[4,3]; s64[2]=3,2", "f32[]", "f32[]"},
      {"EMBEDDING_LOOKUP", "", "s32[6]; f32[9,4]", "f32[6,4]", "f32[6,4]"},
      {"EMBEDDING_LOOKUP", "", "s32[6]; s8[9,4]{0.5:0}", "f32[6,4]",
       "f32[6,4]"},
      {"ONE_HOT", "axis=-1", "s32[3]; s32[]=5; f32[]; f32[]", "f32[3,5]",
       "f32[3,5]"},
      {"ONE_HOT", "axis=0", "s64[3,2]; s32[]=5; s32[]; s32[]", "s32[5,3,2]",
       "s32[5,3,2]"},
      {"ONE_HOT", "", "s32[3]; s32[]; f32[]; f32[]", "f32[?3,3]", "f32[?9,3]"},
      {"REVERSE_SEQUENCE", "seq_dim=1", "f32[4,3]; s32[4]", "f32[4,3]",
       "f32[4,3]"},
      {"SCATTER_ND", "", "s32[2,1]; f32[2,3]; s32[2]=4,3", "f32[4,3]",
       "f32[4,3]"},
      {"SCATTER_ND", "", "s32[2,1]; f32[2]; s32[1]", "f32[?4]", "f32[?9]"},
      {"SEGMENT_SUM", "", "f32[4,3]; s32[4]=0,0,1,3", "f32[?1,3]", "f32[4,3]"},
      {"SEGMENT_SUM", "", "f32[4,3]; s32[4]", "f32[?1,3]", "f32[?9,3]"},
      {"UNSORTED_SEGMENT_MAX", "", "f32[4,3,2]; s32[4,3]; s32[]=5", "f32[5,2]",
       "f32[5,2]"},
      {"DYNAMIC_UPDATE_SLICE", "", "f32[4,3]; f32[2,3]; s32[2]", "f32[4,3]",
       "f32[4,3]"},
  };
  (void)state;
  TFL_INFER_ALL(rows);
}

static void indices_are_refused(void **state) {
  static const tfl_row rows[] = {
      {"GATHER", "axis=3", "f32[4,3,5]; s32[2]", "f32[4]",
       "! axis 3 of 3 dimensions"},
      {"GATHER", "axis=0 batch_dims=1", "f32[4,3]; s32[4,2]", "f32[4,2]",
       "! 1 batch dimensions before axis 0"},
      {"GATHER", "axis=1 batch_dims=1", "f32[4,3]; s32[5,2]", "f32[4,2]",
       "! batches of 4 and 5"},
      {"GATHER", "", "f32[4]; f32[2]", "f32[2]",
       "! 'indices' is f32, expected integers"},
      {"GATHER", "", "f32[4]; s32[2]=1,4", "f32[2]", "! index 4 of 4 elements"},
      {"GATHER", "", "f32[4]; s32[2]=1,-1", "f32[2]",
       "! index -1 of 4 elements"},
      {"GATHER", "", "f32[?0]; s32[2]=1,-1", "f32[2]",
       "! index -1 of 0 elements"},
      {"GATHER_ND", "", "f32[4]; s32[2,2]", "f32[2]",
       "! rows of 2 indices for 1 dimensions"},
      {"GATHER_ND", "", "f32[4,3]; s32[2]=3,3", "f32[]",
       "! index 3 of 3 elements"},
      {"EMBEDDING_LOOKUP", "", "s32[1]=9; f32[9,4]", "f32[1,4]",
       "! index 9 of 9 elements"},
      {"ONE_HOT", "axis=2", "s32[3]; s32[]=5; f32[]; f32[]", "f32[3,5]",
       "! axis 2 of 2 dimensions"},
      {"ONE_HOT", "axis=0", "s32[3]; s32[]=-5; f32[]; f32[]", "f32[3,5]",
       "! depth -5 of 1 dimensions"},
      {"ONE_HOT", "axis=0", "s32[3]; s32[]=5; f32[]; s32[]", "f32[3,5]",
       "! 'on' is f32 but 'off' is s32"},
      {"REVERSE_SEQUENCE", "", "f32[4,3]; s32[4]", "f32[4,3]",
       "! 4 lengths for axis 0, along axis 0"},
      {"REVERSE_SEQUENCE", "seq_dim=1", "f32[4,3]; s32[3]", "f32[4,3]",
       "! 3 lengths for axis 0, along axis 1"},
      {"SCATTER_ND", "", "s32[2,3]; f32[2]; s32[2]=4,3", "f32[4,3]",
       "! rows of 3 indices for 2 dimensions"},
      {"SCATTER_ND", "", "s32[2,1]; f32[2,4]; s32[2]=4,3", "f32[4,3]",
       "! 'updates' is not what the indices select"},
      {"SCATTER_ND", "", "s32[2,1]; f32[2]; s32[1]=-4", "f32[4]",
       "! size 0 of 'shape' is -4"},
      {"SCATTER_ND", "", "s32[1,1]=4; f32[1]; s32[1]=4", "f32[4]",
       "! index 4 of 4 elements"},
      {"SEGMENT_SUM", "", "f32[2]; s32[2]=1,0", "f32[2]",
       "! 'ids' are no integers in ascending order"},
      {"SEGMENT_SUM", "", "f32[2]; s32[3]", "f32[2]",
       "! 'ids' is no index of 'x' by its axes"},
      {"UNSORTED_SEGMENT_SUM", "", "f32[2]; s32[2]=1,2; s32[]=2", "f32[2]",
       "! index 2 of 2 elements"},
      {"DYNAMIC_UPDATE_SLICE", "", "f32[4,3]; f32[2,4]; s32[2]", "f32[4,3]",
       "! an update of 4 in dimension 1 of 3"},
  };
  (void)state;
  TFL_INFER_ALL(rows);
}

static void axes_and_matrices(void **state) {
  static const tfl_row rows[] = {
      {"ARG_MAX", "output_type=2", "f32[2,3,4]; s32[]=-2", "s32[2,4]",
       "s32[2,4]"},
      {"ARG_MIN", "", "s8[2,3]{0.5:3}; s32[1]=0", "s64[3]", "s64[3]"},
      {"ARG_MAX", "", "f32[2,2]; s32[]", "s32[?1]", "s32[?9]"},
      {"ARG_MAX", "", "f32[2]; s32[]=1", "s32[]", "! axis 1 of 1 dimensions"},
      {"ARG_MAX", "", "f32[2]; s32[2]=0,1", "s32[]",
       "! 'axis' is not one integer"},
      {"ARG_MAX", "", "f32[2]; s32[]=0", "f32[]",
       "! the result is f32, expected s32 or s64"},
      {"CUMSUM", "reverse=1", "f32[2,3]; s32[]=1", "f32[2,3]", "f32[2,3]"},
      {"CUMSUM", "", "f32[2,3]; s32[]=2", "f32[2,3]",
       "! axis 2 of 2 dimensions"},
      {"TOPK_V2", "", "f32[2,3]; s32[]=2", "f32[2,2]; s32[2,2]",
       "f32[2,2]; s32[2,2]"},
      {"TOPK_V2", "", "f32[2,3]; s32[]=4", "f32[2,2]; s32[2,2]",
       "! the 4 largest of 3"},
      {"TOPK_V2", "", "f32[2,3]; s32[]=-1", "f32[2,2]; s32[2,2]",
       "! the -1 largest of 3"},
      {"BATCH_MATMUL", "", "f32[2,1,4,6]; f32[3,6,5]", "f32[2,3,4,5]",
       "f32[2,3,4,5]"},
      {"BATCH_MATMUL", "adj_x=1 adj_y=1", "f32[6,4]; f32[2,5,6]", "f32[2,4,5]",
       "f32[2,4,5]"},
      {"BATCH_MATMUL", "", "f32[4,6]; f32[5,6]", "f32[4,5]",
       "! rows of 6 and columns of 5"},
      {"BATCH_MATMUL", "", "f32[4]; f32[4,6]", "f32[6]",
       "! 1 and 2 dimensions, expected at least 2"},
      {"BATCH_MATMUL", "", "s32[4,4]; f32[4,6]", "f32[6]",
       "! 'a' is s32 but 'b' is f32"},
      {"WHERE", "", "bool[2,3]", "s64[?9,2]", "s64[?9,2]"},
      {"UNIQUE", "idx_out_type=4", "f32[5]", "f32[?9]; s64[5]",
       "f32[?9]; s64[5]"},
      {"WHERE", "", "s8[2]{1:0}", "s64[?9,1]", "s64[?9,1]"},
      {"UNIQUE", "", "s32[2,3]", "s32[?0]; s32[6]",
       "! operand 0, 'x', has rank 2, expected 1"},
      {"UNIQUE", "idx_out_type=0", "s32[3]", "s32[?0]; s32[3]",
       "! idx_out_type is 0, expected INT32 or INT64"},
      {"RFFT2D", "", "f32[?0,5,6]; s32[2]=4,8", "c64[2,4,5]", "c64[?0,4,5]"},
      {"RFFT2D", "", "f32[4,8]; s32[2]=4,6", "c64[4,4]",
       "! 'fft_length' 6 is no power of two"},
      {"RFFT2D", "", "f32[8]; s32[2]=4,8", "c64[4,5]",
       "! 'x' has 1 dimensions, expected at least 2"},
      {"RFFT2D", "", "f16[4,8]; s32[2]=4,8", "c64[4,5]",
       "! 'x' is f16, expected f32"},
      {"RFFT2D", "", "f32[4,8]; s32[3]=4,8,1", "c64[4,5]",
       "! 'fft_length' is no two s32"},
      {"REAL", "", "c64[2,3]", "f32[2,3]", "f32[2,3]"},
      {"IMAG", "", "f32[2,3]", "f32[2,3]", "! 'x' is f32, expected c64"},
      {"MATRIX_DIAG", "", "f32[2,3]", "f32[2,3,3]", "f32[2,3,3]"},
      {"MATRIX_SET_DIAG", "", "f32[2,3,4]; f32[2,3]", "f32[2,3,4]",
       "f32[2,3,4]"},
      {"MATRIX_SET_DIAG", "", "f32[2,3,4]; f32[2,4]", "f32[2,3,4]",
       "! a diagonal of 4 for [3, 4]"},
      {"LOG_SOFTMAX", "", "f32[2,3]", "f32[2,3]", "f32[2,3]"},
      {"LOG_SOFTMAX", "", "f32[]", "f32[]", "! 'x' has no dimension"},
  };
  (void)state;
  TFL_INFER_ALL(rows);
}

static void what_is_not_served(void **state) {
  static const tfl_row rows[] = {
      {"GATHER", "axis=1 batch_dims=1", "f32[?0,3]; s32[?0,2]", "f32[?0,2]",
       "! batches of open sizes are not supported"},
      {"EMBEDDING_LOOKUP", "", "s32[1]; s8[2,2]{1,2@1}", "f32[1,2]",
       "! a table with several scales is not supported"},
      {"SCATTER_ND", "", "s32[2,1]; f32[2]; s32[1]", "f32[?4]",
       "core::slice(c; begin=0 size=1 step=1) -> s32[1]\n"
       "core::reshape(0; shape=) -> s32[]\n"
       "core::slice(a; begin=0,0 size=2,1 step=1,1) -> s32[2,1]\n"
       "core::reshape(2; shape=2) -> s32[2]\n"
       "core::expand(#0; shape=?9) -> \n"
       "core::index_put(5, b, 3; mode=1 wrap=0) -> \n"
       "= 6"},
      {"UNSORTED_SEGMENT_MIN", "", "s64[2]; s32[2]; s32[]=2", "s64[2]",
       "! s64 operands are not supported"},
      {"DYNAMIC_UPDATE_SLICE", "", "s8[2]{1:0}; s8[1]{2:0}; s32[1]",
       "s8[2]{1:0}", "! an update of another scale is not supported"},
      {"ARG_MAX", "", "f32[2]; s32[?0]", "s32[]",
       "! so many axes that a run computes are not supported"},
      {"CUMSUM", "reverse=1", "f32[?0]; s32[]=0", "f32[?0]",
       "! an open size along the axis is not supported"},
      {"CUMSUM", "", "s8[2]{1:0}; s32[]=0", "s8[2]{1:0}",
       "! s8 operands with a scale are not supported"},
      {"BATCH_MATMUL", "", "f32[?0,6]; s8[6,5]{1:0}", "f32[?0,5]",
       "! a product of floats and bytes of open sizes is not supported"},
      {"BATCH_MATMUL", "adj_x=1", "f32[2,3,6,4]; s8[6,5]{1:0}", "f32[2,3,4,5]",
       "! matrices along several axes, of which LiteRT mistakes the scales, "
       "are "
       "not supported"},
      {"BATCH_MATMUL", "", "f32[4,6]; s8[6,5]{1:0}", "f32[4,5]",
       "core::permute(b; dims=1,0) -> \n"
       "core::fully_connected(a, 0, -; asymmetric=0) -> \n"
       "core::reshape(1; shape=4,5) -> f32[4,5]\n"
       "= 2"},
      {"MATRIX_SET_DIAG", "", "f32[?0,3]; f32[3]", "f32[?0,3]",
       "! matrices of open sizes are not supported"},
  };
  (void)state;
  TFL_LOWER_ALL(rows);
}

TEST_GROUP(tfl_index, cmocka_unit_test(indices_select),
           cmocka_unit_test(indices_are_refused),
           cmocka_unit_test(axes_and_matrices),
           cmocka_unit_test(what_is_not_served))
