// A caller of shape rules and lowerings without a graph: types and attributes
// come from text, and what a lowering builds goes to text. So a test is a row.
//
//   types      "f32[1,?0,3]", "s8[4]{0.5:-3}", "s8[4,2]{0.5,0.25@0}", "-"
//   absent;
//              several with "; ", a list with "| " between tensor arguments
//   constants  "s32[2]=1,784"; "~=" when the lowering alone knows it
//   attributes "padding=1 new_shape=-1,4"; the others have their defaults
//
// ?0 and ?1 are open sizes of inputs; what is computed from them prints as
// "(?0*4)".
#ifndef TENON_TESTS_TFL_MOCK_H
#define TENON_TESTS_TFL_MOCK_H

#include "ops/tfl/tfl.h"

// The descriptor of "CONV_2D"; ends the test if there is none.
const tenon_op_desc *tfl_find(const char *name);

// Runs the shape rule. Returns the types of the results, or "! " and what was
// said. The text lives until the next call.
const char *tfl_infer(const char *name, const char *attrs, const char *in,
                      const char *declared);
// Runs the rule, then the lowering, and returns what it built, one node a line:
//   "core::add(a, b; lo=0) -> f32[2]\n"
// Operands are a, b, c ...; built values 0, 1, 2 ...; "= 3, 4" is what
// replaces.
const char *tfl_lower(const char *name, const char *attrs, const char *in,
                      const char *declared);
// One call of tfl_infer or tfl_lower, and what it must return.
typedef struct tfl_row {
  const char *op, *attrs, *in, *declared, *want;
} tfl_row;

// Hold every row of an array against what it wants.
#define TFL_INFER_ALL(rows) \
  tfl_hold_all(tfl_infer, (rows), COUNT(rows), __FILE__, __LINE__)
#define TFL_LOWER_ALL(rows) \
  tfl_hold_all(tfl_lower, (rows), COUNT(rows), __FILE__, __LINE__)
void tfl_hold_all(const char *(*call)(const char *, const char *, const char *,
                                      const char *),
                  const tfl_row *rows, size_t n, const char *file, int line);

// Reads options of these slots, "0=1 3=2,5 4='text'", and returns all
// attributes that are not zero.
const char *tfl_read(const char *name, const char *slots);

#endif  // TENON_TESTS_TFL_MOCK_H
