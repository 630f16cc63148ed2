// emit/sink.h - where emitted text goes: the caller's writer, in pieces.
//
// Constants may be hundreds of megabytes as text, so they are never held in
// memory: pieces of a fixed size go to the writer as they fill. Once the writer
// has failed, the rest is dropped and tenon_sink_close says so.
#ifndef TENON_EMIT_SINK_H
#define TENON_EMIT_SINK_H

#include "base/buf.h"
#include "tenon/tenon.h"

typedef struct tenon_sink {
  tenon_write_fn *write;
  void *self;
  const char *file;
  tenon_status status;  // of the writer
  bool is_short;        // a text came incomplete: memory ran out
  size_t used;
  uint32_t column;  // of tenon_sink_number
  char data[8192];
} tenon_sink;

void tenon_sink_open(tenon_sink *s, tenon_write_fn *write, void *self,
                     const char *file);
void tenon_sink_add(tenon_sink *s, const char *text, size_t size);
void tenon_sink_text(tenon_sink *s, const char *text);
void tenon_sink_buf(tenon_sink *s, const tenon_buf *buf);
// One entry of a list, behind a comma, or a new line where it would not fit.
void tenon_sink_number(tenon_sink *s, const char *text, size_t size);
tenon_status tenon_sink_close(tenon_sink *s);

// The numbers of an array between the braces of its initialiser, in lines. Data
// is as the program holds it: dense, at the alignment of its elements or not.
void tenon_sink_array(tenon_sink *s, tenon_dtype dtype, const void *data,
                      uint64_t size);
// The type such an array must have: tenon_c_type, or words of bits where a
// float is not finite.
const char *tenon_sink_array_type(tenon_dtype dtype, const void *data,
                                  uint64_t size);
// Elements of that type in so many bytes.
uint64_t tenon_sink_array_count(const char *type, uint64_t size);
// The same bytes as 32-bit words, the last one filled up with zeros.
void tenon_sink_words(tenon_sink *s, const void *data, uint64_t size);

#endif  // TENON_EMIT_SINK_H
