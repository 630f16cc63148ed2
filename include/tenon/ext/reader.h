// tenon/ext/reader.h - a file format: bytes to a module.
//
// A reader says whether bytes are of its format, and builds what they say: one
// function at a time, operators under the names that they have in the file.
// Formats that are part of the library are asked first, but for JSON and text,
// and for one that a plugin's reader replaces by its name; bytes that two
// plugins take for theirs are refused. Like a lowering, a reader need not check
// what it builds: given a failed value, a builder returns one, and the first
// cause has been reported; the reading fails whatever `read` returns then. What
// a file holds is hostile until it is checked: numbers in it may lie at any
// byte, and are little-endian only where the format says so. Types, names,
// attributes and texts that are passed in are copied.
#ifndef TENON_EXT_READER_H
#define TENON_EXT_READER_H

#include "tenon/ext/lower.h"

typedef struct tenon_reading tenon_reading;
typedef struct tenon_reading_api {
  uint32_t struct_size;
  uint32_t reserved;
  // The next input of the function; inputs and outputs have the order in which
  // they are given.
  tenon_value *(*input)(tenon_reading *, const char *name, const tenon_type *);
  // Dense data of a type without open sizes, in the byte order of the machine.
  // `is_borrowed`: it lies in the file, and is used there where its address is
  // a multiple of 64; else it is copied.
  tenon_value *(*constant)(tenon_reading *, const char *name,
                           const tenon_type *, const void *data,
                           bool is_borrowed);
  // One node; regions are not taken. `names` of its n_out results, or null;
  // `where` is its place in the file, "layer 3". An operator that nobody
  // describes needs types. Returns the first result; null: it has none.
  tenon_value *(*node)(tenon_reading *, const tenon_build *,
                       const char *const *names, const char *where);
  tenon_status (*output)(tenon_reading *, const char *name, tenon_value *);
  // Ends the function: an entry point of this name, with its inputs and
  // outputs. Another may follow; constants are shared.
  tenon_status (*entry)(tenon_reading *, const char *name);
  // A size that the file leaves open, at least `min`; `max` TENON_UNKNOWN: no
  // bound. The same name is the same size.
  tenon_dim (*open)(tenon_reading *, const char *name, int64_t min,
                    int64_t max);
  // What is wrong with the file, and at which byte.
  tenon_status (*fail)(tenon_reading *, size_t offset, const char *fmt, ...)
      TENON_PRINTF(3, 4);
} tenon_reading_api;
struct tenon_reading {
  const tenon_reading_api *api;
  const uint8_t *data;  // outlives the module
  size_t size;
  const char *name;  // of the file, for messages
  const void *user;  // of the descriptor
};

enum {
  TENON_READER_OVERRIDES = 1u << 0  // instead of another one of its name
};

typedef struct tenon_reader_desc {
  uint32_t struct_size;
  uint32_t flags;    // TENON_READER_*
  const char *name;  // "acme-net"; also the module's format
  const char *doc;   // first line is a summary
  // Pure; of any bytes, also of none.
  bool (*recognise)(const void *data, size_t size);
  // Makes at least one entry, or fails.
  tenon_status (*read)(tenon_reading *);
  const void *user;
} tenon_reader_desc;

TENON_NO_TAIL_PADDING(tenon_reader_desc, user);

#endif  // TENON_EXT_READER_H
