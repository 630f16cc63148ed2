// ops/aten/complex/complex_fourier.h - transforms of rows.
#ifndef TENON_OPS_ATEN_COMPLEX_FOURIER_H
#define TENON_OPS_ATEN_COMPLEX_FOURIER_H

#include "ops/aten/complex/complex_op.h"

// core::fourier and core::fourier_real, along the last dimension.
tenon_parts tenon_fourier_rows(tenon_rewriter *rw, tenon_parts z, bool inverse,
                               bool half, double scale);
tenon_value *tenon_fourier_real_rows(tenon_rewriter *rw, tenon_parts z,
                                     tenon_dim size, double scale);

#endif  // TENON_OPS_ATEN_COMPLEX_FOURIER_H
