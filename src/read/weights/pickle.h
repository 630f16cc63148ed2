// read/weights/pickle.h - what torch.save has pickled, as plain values.
//
// A parser, never an interpreter: the operations of a pickle build values here
// and call nothing. The names it may mention are a list (below in pickle.c) of
// what tensors are made of; any other is an error that says which. Everything
// lives in the arena and may contain itself.
#ifndef TENON_READ_PICKLE_H
#define TENON_READ_PICKLE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "core/report.h"
#include "tenon/tensor.h"

typedef enum tenon_pickle_kind {
  TENON_PICKLE_NONE = 1,
  TENON_PICKLE_INT,  // also bool
  TENON_PICKLE_FLOAT,
  TENON_PICKLE_TEXT,
  TENON_PICKLE_LIST,  // also a tuple
  TENON_PICKLE_DICT,  // items are keys and values in turn
  TENON_PICKLE_NAME,
  TENON_PICKLE_STORAGE,
  TENON_PICKLE_TENSOR,
  TENON_PICKLE_OTHER  // something that no tensor is made of
} tenon_pickle_kind;

typedef struct tenon_pickle_value tenon_pickle_value;
struct tenon_pickle_value {
  tenon_pickle_kind kind;
  tenon_dtype dtype;           // STORAGE (0: bytes), TENSOR, and NAME of a type
  uint8_t does;                // NAME: what a call of it makes
  int64_t i;                   // INT; TENSOR: offset in elements
  double f;                    // FLOAT
  const char *text;            // TEXT, NAME; STORAGE: its key
  tenon_pickle_value **items;  // LIST, DICT
  size_t count, capacity;
  const tenon_pickle_value *storage;  // TENSOR; STORAGE: the one before it
  const tenon_pickle_value *sizes, *strides;  // TENSOR: lists of INT
};

typedef struct tenon_pickle {
  const tenon_pickle_value *root;
  const tenon_pickle_value *storages;  // the last that was named, or null
  uint64_t size;                       // bytes of the pickle
} tenon_pickle;

// Operations and nesting marks of one pickle, and items of its memo.
#define TENON_PICKLE_MEMO (1u << 20)

// `base` is where the bytes stand in the file; what is behind the pickle is not
// looked at.
tenon_status tenon_pickle_parse(tenon_bytes bytes, uint64_t base,
                                tenon_arena *arena, const tenon_report *report,
                                const char *file, const char *where,
                                tenon_pickle *out);
// The value of the last of equal keys of a dictionary; null: there is none.
const tenon_pickle_value *tenon_pickle_get(const tenon_pickle_value *dict,
                                           const char *key);

#endif  // TENON_READ_PICKLE_H
