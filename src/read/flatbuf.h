// read/flatbuf.h - FlatBuffers, verified whole before anything is read.
//
// A schema is data: per table one letter a slot, and what child tables are. The
// file is walked once against it (tenon_fb_verify): every table, vtable,
// vector, string and union that the schema reaches lies within the bytes, is
// aligned, and is what the schema says. What is wrong is reported with the
// table, the way to it ("Tensor at Model.subgraphs[0].tensors[3].name"), and
// the bytes concerned.
//
// After that the accessors cannot fail: an absent field reads as the default
// that the caller gives, an absent table or vector as an empty one. They still
// read through base/bytes.h, so that a mistake here is a wrong number at worst.
// Nothing is copied; everything points into the caller's bytes.
//
// Tables may share bytes, as strings do in honest files. A hostile file could
// use that to be walked forever, so the bytes walked are limited to a small
// multiple of the file's: whoever walks a verified file in the same way needs
// no limits of its own.
#ifndef TENON_READ_FLATBUF_H
#define TENON_READ_FLATBUF_H

#include "base/bytes.h"
#include "base/text.h"
#include "core/report.h"

// Letters of tenon_fb_type.fields:
//   b c   8-bit integer, signed and unsigned (bool, type of a union)
//   i u   32-bit, l w 64-bit, f float
//   B C H I U L F   vectors of b, c, 16-bit unsigned, i, u, l, f
//   D     vector of bytes that nobody walks: data of a buffer
//   s     string
//   t T   table, vector of tables; their type is the next link
//   x     union, its types are the next link; the slot before is its type
//   -     deprecated: not looked at
typedef struct tenon_fb_type tenon_fb_type;

typedef struct tenon_fb_link {
  const tenon_fb_type *const *types;  // by number of the union; else one
  size_t n_types;
} tenon_fb_link;

struct tenon_fb_type {
  const char *name;    // "Tensor"
  const char *fields;  // a letter a slot
  const char *names;   // of the slots, with blanks between; for messages
  const tenon_fb_link *links;  // in order of the slots that have one
};

typedef struct tenon_fb {
  tenon_bytes bytes;
  const tenon_report *report;
  const char *file;  // in places
  const char *id;    // of diagnostics: "tflite-flatbuffer"
} tenon_fb;

typedef struct tenon_fb_table {
  const tenon_fb *fb;
  const tenon_fb_type *type;  // null: absent
  uint64_t at;
} tenon_fb_table;

typedef struct tenon_fb_vector {
  const tenon_fb *fb;
  const tenon_fb_type *type;  // of a vector of tables
  char element;               // letter of the element; 't': tables
  uint64_t at;                // of the first element
  uint32_t count;
} tenon_fb_vector;

// A file of this identifier (four characters) whose root is of type `root`.
tenon_status tenon_fb_verify(const tenon_fb *fb, const char *identifier,
                             const tenon_fb_type *root, tenon_fb_table *out);
bool tenon_fb_recognise(const void *data, size_t size, const char *identifier);

bool tenon_fb_has(const tenon_fb_table *t, int slot);
// A number of any integer width; of an unsigned 64-bit one the bits.
int64_t tenon_fb_int(const tenon_fb_table *t, int slot, int64_t absent);
double tenon_fb_float(const tenon_fb_table *t, int slot, double absent);
tenon_text tenon_fb_text(const tenon_fb_table *t, int slot);  // or null data
// A child table or the value of a union. A union of a type that the schema does
// not know reads as absent.
tenon_fb_table tenon_fb_child(const tenon_fb_table *t, int slot);
tenon_fb_vector tenon_fb_list(const tenon_fb_table *t, int slot);
// The bytes of a vector of bytes; null data: absent.
tenon_bytes tenon_fb_data(const tenon_fb_table *t, int slot);
// Items below `count`; else 0 or an absent table.
int64_t tenon_fb_item_int(const tenon_fb_vector *v, uint32_t i);
double tenon_fb_item_float(const tenon_fb_vector *v, uint32_t i);
tenon_fb_table tenon_fb_item(const tenon_fb_vector *v, uint32_t i);
// The bytes of the table itself, without what it refers to.
tenon_bytes tenon_fb_table_bytes(const tenon_fb_table *t);

#endif  // TENON_READ_FLATBUF_H
