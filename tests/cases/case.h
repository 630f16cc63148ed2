// tests/cases/case.h - what the files of the case runner share.
//
// A case is one node: its operator, operands with data, attributes, and the
// results that PyTorch gives. README.md has the grammar of a line.
#ifndef TENON_TESTS_CASE_H
#define TENON_TESTS_CASE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/heap.h"
#include "tenon/tenon.h"

enum { CASE_TENSORS = 24 };

typedef struct case_tensor {
  tenon_tensor view;  // dims and data are the arena's
  const char *type;   // "f32[2,3]"
  const char *text;   // its elements, for constants
  bool is_constant;
} case_tensor;

typedef struct test_case {
  size_t line;
  const char *source;  // the line
  const char *module;  // text IR of one function
  case_tensor in[CASE_TENSORS], out[CASE_TENSORS];
  size_t n_in, n_out;
  const char *refused;  // a part of the message; null: it computes
  double rel, abs;      // of floats; negative: by element type
  bool is_close_ok;     // integers may be one apart
} test_case;

// Reads one line; false with an error. Everything is the arena's.
bool case_read(tenon_arena *arena, const char *line, test_case *out,
               const char **error);
size_t case_bytes(const tenon_tensor *t);
// Compares output i with what is expected; false: `detail` says where.
bool case_agrees(const test_case *c, size_t i, const void *got, char *detail,
                 size_t size);

// Whether an element is a float that is no number.
bool case_is_nan(const tenon_tensor *t, const void *element);

// A case that ran: module and what it gave, for the emitted way.
typedef struct case_done {
  const test_case *c;
  void *got[CASE_TENSORS];
} case_done;
// Emits all as one program, compiles and runs it, and compares bits with what
// running gave. Returns how many differ; -1: no compiler.
int case_emitted(tenon_context *cx, const case_done *list, size_t n);

#endif  // TENON_TESTS_CASE_H
