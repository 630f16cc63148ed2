// ops.h - how fast the kernels of operators are that are not convolutions.
#ifndef TENON_BENCH_OPS_H
#define TENON_BENCH_OPS_H

#include <stdbool.h>

// Null: all. `filter` is a part of a row's name, `kernel` of a kernel's.
void bench_ops(const char *filter, const char *kernel, bool csv);

#endif  // TENON_BENCH_OPS_H
