// How: a buffer that is handed on when full. Numbers are written straight into
// it, so a model of some hundred kilobytes takes milliseconds.
#include "emit/sink.h"

#include <string.h>

#include "emit/cprint.h"

#define LINE_MOST 78

void tenon_sink_open(tenon_sink *s, tenon_write_fn *write, void *self,
                     const char *file) {
  s->write = write;
  s->self = self;
  s->file = file;
  s->status = TENON_OK;
  s->is_short = false;
  s->used = 0;
  s->column = 0;
}

static void flush(tenon_sink *s) {
  if (s->used && s->status == TENON_OK && !s->is_short)
    s->status = s->write(s->self, s->file, s->data, s->used);
  s->used = 0;
}

void tenon_sink_add(tenon_sink *s, const char *text, size_t size) {
  if (size > sizeof s->data - s->used) flush(s);
  if (size > sizeof s->data) {
    if (s->status == TENON_OK && !s->is_short)
      s->status = s->write(s->self, s->file, text, size);
    return;
  }
  memcpy(s->data + s->used, text, size);
  s->used += size;
}

void tenon_sink_text(tenon_sink *s, const char *text) {
  tenon_sink_add(s, text, strlen(text));
}

void tenon_sink_buf(tenon_sink *s, const tenon_buf *buf) {
  if (buf->failed) s->is_short = true;
  if (buf->size) tenon_sink_add(s, buf->data, buf->size);
}

tenon_status tenon_sink_close(tenon_sink *s) {
  flush(s);
  return s->status;
}

// Where the next entry of a list is written: two bytes are left for what stands
// in front of it.
static char *sink_room(tenon_sink *s) {
  if (sizeof s->data - s->used < TENON_C_NUMBER + 6) flush(s);
  return s->data + s->used + 2;
}

// So many bytes there are the next entry.
static void sink_entry(tenon_sink *s, size_t size) {
  char *to = s->data + s->used;
  if (s->column != 0 && s->column + 2 + size <= LINE_MOST) {
    memcpy(to, ", ", 2);
    s->used += 2 + size;
    s->column += (uint32_t)(2 + size);
    return;
  }
  size_t lead = s->column != 0;
  memmove(to + lead + 5, to + 2, size);
  if (lead) to[0] = ',';
  memcpy(to + lead, "\n    ", 5);
  s->used += lead + 5 + size;
  s->column = (uint32_t)(4 + size);
}

void tenon_sink_number(tenon_sink *s, const char *text, size_t size) {
  memcpy(sink_room(s), text, size);
  sink_entry(s, size);
}

// --- arrays -----------------------------------------------------------------

static bool sink_is_float(tenon_dtype dtype) {
  return dtype == TENON_F32 || dtype == TENON_C64;
}
static bool sink_is_double(tenon_dtype dtype) {
  return dtype == TENON_F64 || dtype == TENON_C128;
}

static bool sink_is_finite(tenon_dtype dtype, const char *data, uint64_t size) {
  if (sink_is_float(dtype)) {
    for (uint64_t at = 0; at + 4 <= size; at += 4) {
      float x;
      memcpy(&x, data + at, sizeof x);
      if (x - x != 0) return false;
    }
  } else if (sink_is_double(dtype)) {
    for (uint64_t at = 0; at + 8 <= size; at += 8) {
      double x;
      memcpy(&x, data + at, sizeof x);
      if (x - x != 0) return false;
    }
  }
  return true;
}

const char *tenon_sink_array_type(tenon_dtype dtype, const void *data,
                                  uint64_t size) {
  if (sink_is_finite(dtype, (const char *)data, size))
    return tenon_c_type(dtype);
  return sink_is_float(dtype) ? "uint32_t" : "uint64_t";
}

static uint32_t sink_width_of(const char *type) {
  if (strcmp(type, "float") == 0) return 4;
  if (strcmp(type, "double") == 0) return 8;
  if (strcmp(type, "tenon_string") == 0) return sizeof(tenon_string);
  return strchr(type, '8')      ? 1
         : strstr(type, "16")   ? 2
         : strstr(type, "32_t") ? 4
                                : 8;
}

uint64_t tenon_sink_array_count(const char *type, uint64_t size) {
  return size / sink_width_of(type);
}

// The element at `at` as a number in C.
static size_t put_element(char *to, char kind, uint32_t width, const char *at) {
  uint64_t bits = 0;
  if (kind == 'f') {
    float x;
    memcpy(&x, at, sizeof x);
    return tenon_c_put_float(to, x);
  }
  if (kind == 'd') {
    double x;
    memcpy(&x, at, sizeof x);
    return tenon_c_put_double(to, x);
  }
  if (width == 1)
    bits = (unsigned char)*at;
  else
    memcpy(&bits, at, width);  // little-endian, as every host of this library
  if (kind == 'i') {
    uint64_t sign = UINT64_C(1) << (8 * width - 1);
    uint64_t value = (bits ^ sign) - sign;
    return tenon_c_put_int(to, (int64_t)value);
  }
  size_t n = tenon_c_put_uint(to, bits);
  if (width >= 4) to[n++] = 'u';
  return n;
}

void tenon_sink_array(tenon_sink *s, tenon_dtype dtype, const void *data,
                      uint64_t size) {
  const char *type = tenon_sink_array_type(dtype, data, size);
  uint64_t count = tenon_sink_array_count(type, size);
  uint32_t width = sink_width_of(type);
  s->column = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const char *at = (const char *)data + i * width;
    sink_entry(s, put_element(sink_room(s), type[0], width, at));
  }
}

void tenon_sink_words(tenon_sink *s, const void *data, uint64_t size) {
  s->column = 0;
  for (uint64_t at = 0; at < size; at += 4) {
    uint32_t word = 0;
    if (size - at >= 4)
      memcpy(&word, (const char *)data + at, 4);
    else
      memcpy(&word, (const char *)data + at, size - at);
    sink_entry(s, tenon_c_put_hex(sink_room(s), word));
  }
}
