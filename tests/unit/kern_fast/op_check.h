// Any fast kernel against the reference kernel, bit for bit.
#ifndef TENON_TESTS_OP_CHECK_H
#define TENON_TESTS_OP_CHECK_H

#include "harness/harness.h"
//
#include "harness/op_case.h"

// Runs every kernel of `op` whose types begin with `types`, that matches and
// that this machine can run, in ranges of random sizes, and compares all
// results with those of the reference. Fails with the case's `name`. Returns
// how many kernels there were.
int test_op_check(const op_case *c, const char *op, const char *types,
                  const char *name);

#endif  // TENON_TESTS_OP_CHECK_H
