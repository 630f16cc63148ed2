// read/flexbuf.h - FlexBuffers: the options of custom operators.
//
// A buffer is verified whole (tenon_flex_verify), then read through values: a
// value is a place in the buffer with its type. As written by every builder, a
// value lies wholly before what refers to it; anything else is refused, so
// nothing can contain itself. Values may be shared, so the values walked are
// limited to a small multiple of the buffer's bytes, and their nesting to
// TENON_FLEX_DEPTH.
//
// All of the format is read: numbers of any width, inline and indirect, strings
// and keys, blobs, maps, vectors of anything, of one type, of two to four
// numbers, and the old vector of strings. Nothing is copied and nothing
// allocated.
#ifndef TENON_READ_FLEXBUF_H
#define TENON_READ_FLEXBUF_H

#include "base/bytes.h"
#include "base/text.h"

#define TENON_FLEX_DEPTH 64

// What a value is, whatever its encoding.
typedef enum tenon_flex_kind {
  TENON_FLEX_NULL = 1,
  TENON_FLEX_BOOL,
  TENON_FLEX_INT,
  TENON_FLEX_UINT,
  TENON_FLEX_FLOAT,
  TENON_FLEX_STRING,  // also a key used as a value
  TENON_FLEX_BLOB,
  TENON_FLEX_VECTOR,
  TENON_FLEX_MAP
} tenon_flex_kind;

typedef struct tenon_flex {
  tenon_bytes bytes;
  uint64_t at;     // of the value itself, or of the offset to it
  uint8_t width;   // bytes at `at`
  uint8_t type;    // number in the format
  uint8_t target;  // width of what an offset refers to
} tenon_flex;

// What is wrong, and which bytes of the buffer are concerned.
typedef struct tenon_flex_error {
  const char *text;  // a constant
  uint64_t at, size;
} tenon_flex_error;

// False and `error` when anything in the buffer is not as it should be.
bool tenon_flex_verify(tenon_bytes bytes, tenon_flex *root,
                       tenon_flex_error *error);

tenon_flex_kind tenon_flex_look(const tenon_flex *v);
const char *tenon_flex_kind_name(tenon_flex_kind kind);  // "a string"
// Of numbers and booleans; 0 for others. An unsigned one gives its bits, a
// float is cut.
int64_t tenon_flex_int(const tenon_flex *v);
double tenon_flex_float(const tenon_flex *v);
// Of strings, keys and blobs; null data for others. Strings and keys are
// followed by a zero.
tenon_text tenon_flex_text(const tenon_flex *v);
// Of vectors and maps; 0 for others.
uint64_t tenon_flex_count(const tenon_flex *v);
tenon_flex tenon_flex_item(const tenon_flex *v, uint64_t i);  // null beyond
tenon_text tenon_flex_key(const tenon_flex *v, uint64_t i);   // of a map
// The type of a schema that has such values; null: there is none.
const char *tenon_flex_type(const tenon_flex *v);

#endif  // TENON_READ_FLEXBUF_H
