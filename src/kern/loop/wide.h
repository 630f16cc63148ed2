// kern/loop/wide.h - loops that a compiler may make vectors of.
//
// TENON_WIDE_LOOPS, which the library's own build defines and emitted C for a
// host may, asks for such loops beside the general one: faster, and larger than
// a microcontroller wants. Each element is computed as it is without, so its
// bits are the same.
//
// TENON_INDEPENDENT stands before a loop whose turns do not depend on each
// other: an element is written where its own operand was read, or nobody reads.
#ifndef TENON_KERN_WIDE_H
#define TENON_KERN_WIDE_H

#include "tenon/tensor.h"

#if defined(TENON_WIDE_LOOPS) && defined(__GNUC__) && !defined(__clang__)
#define TENON_INDEPENDENT _Pragma("GCC ivdep")
#else
#define TENON_INDEPENDENT
#endif

// What is packed for a kernel, as such loops declare it.
#define TENON_PACKED(T, p) const T *p = (const T *)c->packed;

#endif  // TENON_KERN_WIDE_H
