// ops/quant/fold/quant_fold.h - integers in place of floats between what is
// dequantised and what is quantised again.
#ifndef TENON_OPS_QUANT_QUANT_FOLD_H
#define TENON_OPS_QUANT_QUANT_FOLD_H

#include "tenon/ext/lower.h"

// Changes numbers: a result may be one step of its scale apart. Ended by null.
extern const tenon_lowering_desc *const tenon_quant_folds[];

#define TENON_QUANT_FOLD_BUILDS                                          \
  "core::reinterpret core::quantize core::dequantize core::reshape "     \
  "core::permute core::pad core::clamp core::conv core::depthwise_conv " \
  "core::conv_transpose3d "                                              \
  "core::fully_connected core::add core::sub core::mul core::avg_pool "  \
  "core::max_pool core::concat core::cast core::table core::slice "      \
  "core::expand core::index core::gather core::matmul core::mean "       \
  "core::sum core::amax core::amin core::maximum core::minimum"

// Replaces what quantises a float to all of s8 or u8, with one scale, where
// integers can compute that float; `idle` are its arguments that change nothing
// then. Does nothing otherwise.
tenon_status tenon_quant_fold_result(tenon_rewriter *rw, const tenon_node *n,
                                     double scale, int64_t zero,
                                     const char *idle);
// Replaces what dequantises integers of 8 bits by core::dequantize.
tenon_status tenon_quant_as_core(tenon_rewriter *rw, const tenon_node *n,
                                 const tenon_quant *quant, const char *idle);

// In quant_affine.c.
extern const tenon_lowering_desc tenon_quant_fold_quantize_affine,
    tenon_quant_fold_dequantize_affine;

#endif  // TENON_OPS_QUANT_QUANT_FOLD_H
