// ops/tfl/tfl_options.h - the options tables of built-in operators.
//
// A table is one list: kind, name and slot of each member, and what FlatBuffers
// reads where a file leaves the member out. Everything else comes from it: the
// attribute struct here; fields, arguments of the schema and the reader of the
// slots in tfl.c. A name is the one in the schema of the format.
//
// Enumerations stay numbers, so that the text form says what the file says;
// tfl_op.h names those that mean something. A slot that no rule and no lowering
// asks for is left out where it is an opaque or deprecated one.
#ifndef TENON_OPS_TFL_TFL_OPTIONS_H
#define TENON_OPS_TFL_TFL_OPTIONS_H

#include "tenon/ext/plugin.h"

// No slot: what the intermediate tensors of the operator have.
#define TFL_INTERMEDIATES -1
// What the subgraph is that a slot names: an operator, or "second", of its two
// operands the second.
#define TFL_BODY(slot) (-2 - (slot))
// No slot: the reader works it out.
#define TFL_UNSTORED INT32_MIN

// Each list takes: what stands before the first member, the macro for a member,
// and the name of the struct, which is handed through.
#define TFL_TABLE_conv(BEGIN, X, S)                                        \
  BEGIN X(S, INT, padding, 0, 0) X(S, INT, stride_w, 1, 0)                 \
      X(S, INT, stride_h, 2, 0) X(S, INT, fused_activation_function, 3, 0) \
          X(S, INT, dilation_w_factor, 4, 1)                               \
              X(S, INT, dilation_h_factor, 5, 1)                           \
                  X(S, INT, quantized_bias_type, 6, 0)

#define TFL_TABLE_depthwise(BEGIN, X, S)                          \
  BEGIN X(S, INT, padding, 0, 0) X(S, INT, stride_w, 1, 0)        \
      X(S, INT, stride_h, 2, 0) X(S, INT, depth_multiplier, 3, 0) \
          X(S, INT, fused_activation_function, 4, 0)              \
              X(S, INT, dilation_w_factor, 5, 1)                  \
                  X(S, INT, dilation_h_factor, 6, 1)

#define TFL_TABLE_pool(BEGIN, X, S)                           \
  BEGIN X(S, INT, padding, 0, 0) X(S, INT, stride_w, 1, 0)    \
      X(S, INT, stride_h, 2, 0) X(S, INT, filter_width, 3, 0) \
          X(S, INT, filter_height, 4, 0)                      \
              X(S, INT, fused_activation_function, 5, 0)

#define TFL_TABLE_dense(BEGIN, X, S)                                      \
  BEGIN X(S, INT, fused_activation_function, 0, 0)                        \
      X(S, INT, weights_format, 1, 0) X(S, BOOL, keep_num_dims, 2, False) \
          X(S, BOOL, asymmetric_quantize_inputs, 3, False)                \
              X(S, INT, quantized_bias_type, 4, 0)

// ADD and SUB; the second member decides how 16-bit sums are rounded.
#define TFL_TABLE_sum(BEGIN, X, S)                 \
  BEGIN X(S, INT, fused_activation_function, 0, 0) \
      X(S, BOOL, pot_scale_int16, 1, True)

#define TFL_TABLE_fused(BEGIN, X, S) \
  BEGIN X(S, INT, fused_activation_function, 0, 0)

#define TFL_TABLE_softmax(BEGIN, X, S) BEGIN X(S, FLOAT, beta, 0, 0.0)
#define TFL_TABLE_leaky(BEGIN, X, S) BEGIN X(S, FLOAT, alpha, 0, 0.0)
#define TFL_TABLE_gelu(BEGIN, X, S) BEGIN X(S, BOOL, approximate, 0, False)
#define TFL_TABLE_reshape(BEGIN, X, S) BEGIN X(S, INTS, new_shape, 0, [])
#define TFL_TABLE_squeeze(BEGIN, X, S) BEGIN X(S, INTS, squeeze_dims, 0, [])
#define TFL_TABLE_shape(BEGIN, X, S) BEGIN X(S, INT, out_type, 0, 0)
#define TFL_TABLE_reduce(BEGIN, X, S) BEGIN X(S, BOOL, keep_dims, 0, False)
#define TFL_TABLE_mirror(BEGIN, X, S) BEGIN X(S, INT, mode, 0, 0)
#define TFL_TABLE_block(BEGIN, X, S) BEGIN X(S, INT, block_size, 0, 0)
#define TFL_TABLE_split(BEGIN, X, S) BEGIN X(S, INT, num_splits, 0, 0)

#define TFL_TABLE_concat(BEGIN, X, S) \
  BEGIN X(S, INT, axis, 0, 0) X(S, INT, fused_activation_function, 1, 0)

#define TFL_TABLE_pack(BEGIN, X, S) \
  BEGIN X(S, INT, values_count, 0, 0) X(S, INT, axis, 1, 0)

#define TFL_TABLE_unpack(BEGIN, X, S) \
  BEGIN X(S, INT, num, 0, 0) X(S, INT, axis, 1, 0)

#define TFL_TABLE_transpose_conv(BEGIN, X, S)                              \
  BEGIN X(S, INT, padding, 0, 0) X(S, INT, stride_w, 1, 0)                 \
      X(S, INT, stride_h, 2, 0) X(S, INT, fused_activation_function, 3, 0) \
          X(S, INT, quantized_bias_type, 4, 0)

#define TFL_TABLE_conv3d(BEGIN, X, S)                      \
  BEGIN X(S, INT, padding, 0, 0) X(S, INT, stride_d, 1, 0) \
      X(S, INT, stride_w, 2, 0) X(S, INT, stride_h, 3, 0)  \
          X(S, INT, fused_activation_function, 4, 0)       \
              X(S, INT, dilation_d_factor, 5, 1)           \
                  X(S, INT, dilation_w_factor, 6, 1)       \
                      X(S, INT, dilation_h_factor, 7, 1)

// The same members at two places.
#define TFL_TABLE_resize(BEGIN, X, S)       \
  BEGIN X(S, BOOL, align_corners, 0, False) \
      X(S, BOOL, half_pixel_centers, 1, False)
#define TFL_TABLE_resize_bilinear(BEGIN, X, S) \
  BEGIN X(S, BOOL, align_corners, 2, False)    \
      X(S, BOOL, half_pixel_centers, 3, False)

#define TFL_TABLE_lrn(BEGIN, X, S)                        \
  BEGIN X(S, INT, radius, 0, 0) X(S, FLOAT, bias, 1, 0.0) \
      X(S, FLOAT, alpha, 2, 0.0) X(S, FLOAT, beta, 3, 0.0)

#define TFL_TABLE_lstm(BEGIN, X, S)                                 \
  BEGIN X(S, INT, fused_activation_function, 0, 0)                  \
      X(S, FLOAT, cell_clip, 1, 0.0) X(S, FLOAT, proj_clip, 2, 0.0) \
          X(S, BOOL, time_major, 3, False)                          \
              X(S, BOOL, asymmetric_quantize_inputs, 4, False)      \
                  X(S, BOOL, diagonal_recurrent_tensors, 5, False)  \
                      X(S, FLOATS, scales, TFL_INTERMEDIATES, [])   \
                          X(S, INTS, zeros, TFL_INTERMEDIATES, [])

#define TFL_TABLE_cell(BEGIN, X, S)                                 \
  BEGIN X(S, INT, fused_activation_function, 0, 0)                  \
      X(S, FLOAT, cell_clip, 1, 0.0) X(S, FLOAT, proj_clip, 2, 0.0) \
          X(S, INT, kernel_type, 3, 0)                              \
              X(S, BOOL, asymmetric_quantize_inputs, 4, False)      \
                  X(S, FLOATS, scales, TFL_INTERMEDIATES, [])       \
                      X(S, INTS, zeros, TFL_INTERMEDIATES, [])

#define TFL_TABLE_rnn(BEGIN, X, S)                 \
  BEGIN X(S, INT, fused_activation_function, 0, 0) \
      X(S, BOOL, asymmetric_quantize_inputs, 1, False)
#define TFL_TABLE_sequence_rnn(BEGIN, X, S)      \
  BEGIN X(S, BOOL, time_major, 0, False)         \
      X(S, INT, fused_activation_function, 1, 0) \
          X(S, BOOL, asymmetric_quantize_inputs, 2, False)
#define TFL_TABLE_both_rnn(BEGIN, X, S)          \
  BEGIN X(S, BOOL, time_major, 0, False)         \
      X(S, INT, fused_activation_function, 1, 0) \
          X(S, BOOL, merge_outputs, 2, False)    \
              X(S, BOOL, asymmetric_quantize_inputs, 3, False)
#define TFL_TABLE_both_lstm(BEGIN, X, S)                                      \
  BEGIN X(S, INT, fused_activation_function, 0, 0)                            \
      X(S, FLOAT, cell_clip, 1, 0.0) X(S, FLOAT, proj_clip, 2, 0.0)           \
          X(S, BOOL, merge_outputs, 3, False) X(S, BOOL, time_major, 4, True) \
              X(S, BOOL, asymmetric_quantize_inputs, 5, False)

#define TFL_TABLE_svdf(BEGIN, X, S)                                      \
  BEGIN X(S, INT, rank, 0, 0) X(S, INT, fused_activation_function, 1, 0) \
      X(S, BOOL, asymmetric_quantize_inputs, 2, False)

#define TFL_TABLE_axis(BEGIN, X, S) BEGIN X(S, INT, axis, 0, 0)

#define TFL_TABLE_gather(BEGIN, X, S) \
  BEGIN X(S, INT, axis, 0, 0) X(S, INT, batch_dims, 1, 0)

#define TFL_TABLE_reverse_sequence(BEGIN, X, S) \
  BEGIN X(S, INT, seq_dim, 0, 0) X(S, INT, batch_dim, 1, 0)

#define TFL_TABLE_unique(BEGIN, X, S) BEGIN X(S, INT, idx_out_type, 0, 2)

#define TFL_TABLE_arg(BEGIN, X, S) BEGIN X(S, INT, output_type, 0, 0)

#define TFL_TABLE_cumsum(BEGIN, X, S) \
  BEGIN X(S, BOOL, exclusive, 0, False) X(S, BOOL, reverse, 1, False)

#define TFL_TABLE_batch_matmul(BEGIN, X, S)                     \
  BEGIN X(S, BOOL, adj_x, 0, False) X(S, BOOL, adj_y, 1, False) \
      X(S, BOOL, asymmetric_quantize_inputs, 2, False)

#define TFL_TABLE_cast(BEGIN, X, S) \
  BEGIN X(S, INT, in_data_type, 0, 0) X(S, INT, out_data_type, 1, 0)

#define TFL_TABLE_fake_quant(BEGIN, X, S)                 \
  BEGIN X(S, FLOAT, min, 0, 0.0) X(S, FLOAT, max, 1, 0.0) \
      X(S, INT, num_bits, 2, 0) X(S, BOOL, narrow_range, 3, False)

#define TFL_TABLE_bucketize(BEGIN, X, S) BEGIN X(S, FLOATS, boundaries, 0, [])

#define TFL_TABLE_stablehlo_pad(BEGIN, X, S) \
  BEGIN X(S, INTS, edge_padding_low, 0, [])  \
      X(S, INTS, edge_padding_high, 1, []) X(S, INTS, interior_padding, 2, [])

#define TFL_TABLE_stablehlo_gather(BEGIN, X, S)                                \
  BEGIN X(S, INTS, offset_dims, 0, []) X(S, INTS, collapsed_slice_dims, 1, []) \
      X(S, INTS, start_index_map, 2, []) X(S, INT, index_vector_dim, 3, 0)     \
          X(S, INTS, slice_sizes, 4, [])

#define TFL_TABLE_stablehlo_scatter(BEGIN, X, S)          \
  BEGIN X(S, INTS, update_window_dims, 1, [])             \
      X(S, INTS, inserted_window_dims, 2, [])             \
          X(S, INTS, scatter_dims_to_operand_dims, 3, []) \
              X(S, INT, index_vector_dim, 4, 0)           \
                  X(S, STR, body, TFL_BODY(6), "")

#define TFL_TABLE_stablehlo_window(BEGIN, X, S)                                \
  BEGIN X(S, INTS, window_dimensions, 0, []) X(S, INTS, window_strides, 1, []) \
      X(S, INTS, base_dilations, 2, []) X(S, INTS, window_dilations, 3, [])    \
          X(S, INTS, padding, 4, []) X(S, STR, body, TFL_BODY(5), "")

#define TFL_TABLE_window(BEGIN, X, S) BEGIN X(S, INT, reduce_function, 0, 0)

#define TFL_TABLE_stablehlo_reduce(BEGIN, X, S) \
  BEGIN X(S, INTS, dimensions, 0, []) X(S, STR, body, TFL_BODY(1), "")

#define TFL_TABLE_stablehlo_dot(BEGIN, X, S)            \
  BEGIN X(S, INTS, lhs_batching_dimensions, 0, [])      \
      X(S, INTS, rhs_batching_dimensions, 1, [])        \
          X(S, INTS, lhs_contracting_dimensions, 2, []) \
              X(S, INTS, rhs_contracting_dimensions, 3, [])

#define TFL_TABLE_case(BEGIN, X, S) \
  BEGIN X(S, INTS, branch_subgraph_indices, 0, [])

#define TFL_TABLE_stablehlo_slice(BEGIN, X, S)                            \
  BEGIN X(S, INTS, start_indices, 0, []) X(S, INTS, limit_indices, 1, []) \
      X(S, INTS, strides, 2, [])

#define TFL_TABLE_slice_sizes(BEGIN, X, S) BEGIN X(S, INTS, slice_sizes, 0, [])
#define TFL_TABLE_dimension(BEGIN, X, S) BEGIN X(S, INT, dimension, 0, 0)
#define TFL_TABLE_iota(BEGIN, X, S) BEGIN X(S, INT, iota_dimension, 0, 0)
#define TFL_TABLE_permutation(BEGIN, X, S) BEGIN X(S, INTS, permutation, 0, [])
#define TFL_TABLE_broadcast_in(BEGIN, X, S) \
  BEGIN X(S, INTS, broadcast_dimensions, 0, [])
#define TFL_TABLE_direction(BEGIN, X, S) \
  BEGIN X(S, INT, comparison_direction, 0, 0) X(S, INT, compare_type, 1, 0)
#define TFL_TABLE_algorithm(BEGIN, X, S) BEGIN X(S, INT, algorithm, 0, 0)
#define TFL_TABLE_random(BEGIN, X, S) \
  BEGIN X(S, INT, seed, 0, 0) X(S, INT, seed2, 1, 0)
#define TFL_TABLE_lsh(BEGIN, X, S) BEGIN X(S, INT, type, 0, 0)
#define TFL_TABLE_skip_gram(BEGIN, X, S)                           \
  BEGIN X(S, INT, ngram_size, 0, 0) X(S, INT, max_skip_size, 1, 0) \
      X(S, BOOL, include_all_ngrams, 2, False)

#define TFL_TABLE_strided_slice(BEGIN, X, S)                        \
  BEGIN X(S, INT, begin_mask, 0, 0) X(S, INT, end_mask, 1, 0)       \
      X(S, INT, ellipsis_mask, 2, 0) X(S, INT, new_axis_mask, 3, 0) \
          X(S, INT, shrink_axis_mask, 4, 0) X(S, BOOL, offset, 5, False)

#define TFL_TABLE_variable(BEGIN, X, S) \
  BEGIN X(S, STR, container, 0, "") X(S, STR, shared_name, 1, "")

#define TFL_TABLE_combiner(BEGIN, X, S) BEGIN X(S, INT, combiner, 0, 0)

#define TFL_TABLE_hashtable(BEGIN, X, S)                     \
  BEGIN X(S, INT, table_id, 0, 0) X(S, INT, key_dtype, 1, 0) \
      X(S, INT, value_dtype, 2, 0)
#define TFL_TABLE_once(BEGIN, X, S) BEGIN X(S, INT, init_subgraph_index, 0, 0)

#define TFL_TABLE_if(BEGIN, X, S)            \
  BEGIN X(S, INT, then_subgraph_index, 0, 0) \
      X(S, INT, else_subgraph_index, 1, 0)

#define TFL_TABLE_while(BEGIN, X, S)         \
  BEGIN X(S, INT, cond_subgraph_index, 0, 0) \
      X(S, INT, body_subgraph_index, 1, 0) X(S, INTS, grows, TFL_UNSTORED, [])

#define TFL_TABLE_composite(BEGIN, X, S)                                     \
  BEGIN X(S, STR, name, 0, "") X(S, INT, decomposition_subgraph_index, 1, 0) \
      X(S, INT, version, 4, 0)

#define TFL_TABLES(T)  \
  T(conv)              \
  T(depthwise)         \
  T(pool)              \
  T(dense)             \
  T(sum)               \
  T(fused)             \
  T(softmax)           \
  T(leaky)             \
  T(gelu)              \
  T(reshape)           \
  T(squeeze)           \
  T(shape)             \
  T(reduce)            \
  T(mirror)            \
  T(block)             \
  T(split)             \
  T(concat)            \
  T(pack)              \
  T(unpack)            \
  T(transpose_conv)    \
  T(conv3d)            \
  T(resize)            \
  T(resize_bilinear)   \
  T(lrn)               \
  T(lstm)              \
  T(cell)              \
  T(rnn)               \
  T(sequence_rnn)      \
  T(both_rnn)          \
  T(both_lstm)         \
  T(svdf)              \
  T(axis)              \
  T(gather)            \
  T(hashtable)         \
  T(combiner)          \
  T(reverse_sequence)  \
  T(unique)            \
  T(arg)               \
  T(cumsum)            \
  T(batch_matmul)      \
  T(cast)              \
  T(fake_quant)        \
  T(bucketize)         \
  T(stablehlo_pad)     \
  T(stablehlo_gather)  \
  T(stablehlo_scatter) \
  T(stablehlo_window)  \
  T(window)            \
  T(stablehlo_reduce)  \
  T(stablehlo_dot)     \
  T(case)              \
  T(stablehlo_slice)   \
  T(slice_sizes)       \
  T(dimension)         \
  T(iota)              \
  T(permutation)       \
  T(broadcast_in)      \
  T(direction)         \
  T(algorithm)         \
  T(random)            \
  T(lsh)               \
  T(skip_gram)         \
  T(strided_slice)     \
  T(variable)          \
  T(once)              \
  T(if)                \
  T(while)             \
  T(composite)

#define TFL_C_BOOL bool
#define TFL_C_INT int64_t
#define TFL_C_FLOAT double
#define TFL_C_STR const char *
#define TFL_C_INTS tenon_ints
#define TFL_C_FLOATS tenon_floats
#define TFL_MEMBER(S, kind, member, slot, absent) TFL_C_##kind member;
#define TFL_STRUCT(table)                    \
  typedef struct tenon_tfl_##table##_attrs { \
    TFL_TABLE_##table(, TFL_MEMBER, )        \
  } tenon_tfl_##table##_attrs;
TFL_TABLES(TFL_STRUCT)
#undef TFL_STRUCT
#undef TFL_MEMBER

#endif  // TENON_OPS_TFL_TFL_OPTIONS_H
