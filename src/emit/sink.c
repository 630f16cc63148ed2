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

void tenon_sink_uint(tenon_sink *s, uint64_t value) {
  char text[TENON_C_NUMBER];
  tenon_sink_add(s, text, tenon_c_put_uint(text, value));
}

void tenon_sink_buf(tenon_sink *s, const tenon_buf *buf) {
  if (buf->failed) s->is_short = true;
  if (buf->size) tenon_sink_add(s, buf->data, buf->size);
}

tenon_status tenon_sink_close(tenon_sink *s) {
  flush(s);
  return s->status;
}

void tenon_sink_number(tenon_sink *s, const char *text, size_t size) {
  if (s->column == 0 || s->column + 2 + size > LINE_MOST) {
    tenon_sink_text(s, s->column == 0 ? "\n    " : ",\n    ");
    s->column = 4;
  } else {
    tenon_sink_text(s, ", ");
    s->column += 2;
  }
  tenon_sink_add(s, text, size);
  s->column += (uint32_t)size;
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
static size_t put_element(char *to, const char *type, const char *at) {
  uint64_t bits = 0;
  uint32_t width = sink_width_of(type);
  memcpy(&bits, at, width);  // little-endian, as every host of this library
  if (type[0] == 'f') {
    float x;
    memcpy(&x, at, sizeof x);
    return tenon_c_put_float(to, x);
  }
  if (type[0] == 'd') {
    double x;
    memcpy(&x, at, sizeof x);
    return tenon_c_put_double(to, x);
  }
  if (type[0] == 'i') {
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
  char text[TENON_C_NUMBER];
  const char *type = tenon_sink_array_type(dtype, data, size);
  uint64_t count = tenon_sink_array_count(type, size);
  uint32_t width = sink_width_of(type);
  s->column = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const char *at = (const char *)data + i * width;
    tenon_sink_number(s, text, put_element(text, type, at));
  }
}

void tenon_sink_words(tenon_sink *s, const void *data, uint64_t size) {
  char text[TENON_C_NUMBER];
  s->column = 0;
  for (uint64_t at = 0; at < size; at += 4) {
    uint32_t word = 0;
    memcpy(&word, (const char *)data + at, size - at < 4 ? size - at : 4);
    tenon_sink_number(s, text, tenon_c_put_hex(text, word));
  }
}
