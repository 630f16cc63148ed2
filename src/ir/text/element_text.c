// ir/text/element_text.c - elements between memory and text.
//
// Reading rounds a decimal once, to double, and from there to the type. That is
// not exact for every decimal, so whoever prints reads back what was printed
// and writes bytes instead where it differs; NaNs with a payload end up there
// as well.
#include "ir/text/element_text.h"

#include <string.h>

#include "base/put.h"
#include "core/dtype.h"
#include "ir/scalar.h"

bool tenon_element_has_text(tenon_dtype dtype) {
  unsigned char data[16];
  return dtype != TENON_C64 && dtype != TENON_C128 &&
         tenon_scalar_store(dtype, 0, data);
}

// The bits of a packed element stand in a byte of their own for this.
void tenon_element_print(tenon_dtype dtype, const void *data, size_t i,
                         tenon_buf *out) {
  const tenon_dtype_info *info = tenon_dtype_look(dtype);
  const unsigned char *at = (const unsigned char *)data + i * info->bits / 8;
  const unsigned char packed = (unsigned char)(*at >> (i * info->bits % 8));
  const tenon_scalar s =
      tenon_scalar_load(dtype, info->bits < 8 ? &packed : at);
  if (s.kind == TENON_KIND_FLOAT && dtype == TENON_F64)
    tenon_buf_double(out, s.as.f);
  else if (s.kind == TENON_KIND_FLOAT)
    tenon_buf_float(out, (float)s.as.f);
  else if (s.kind == TENON_KIND_BOOL)
    tenon_buf_text(out, s.as.i ? "true" : "false");
  else if (info->kind == 'i')
    tenon_put(out, "$", s.as.i);
  else
    tenon_put(out, "$", (uint64_t)s.as.i);
}

static void store_packed(unsigned bits, unsigned char value, void *data,
                         size_t i) {
  size_t at = i * bits;
  unsigned char *p = (unsigned char *)data + at / 8;
  unsigned mask = ((1u << bits) - 1) << (at % 8);
  *p = (unsigned char)((*p & ~mask) | ((unsigned)value << (at % 8) & mask));
}

bool tenon_element_read(tenon_dtype dtype, tenon_text text, void *data,
                        size_t i) {
  const tenon_dtype_info *info = tenon_dtype_look(dtype);
  unsigned char bytes[16];
  int64_t whole = 0;
  double real = 0;
  bool done = false;
  if (!tenon_element_has_text(dtype)) return false;
  if (dtype == TENON_BOOL && tenon_text_is(text, "true")) {
    done = tenon_scalar_store_int(dtype, 1, bytes);
  } else if (dtype == TENON_BOOL && tenon_text_is(text, "false")) {
    done = tenon_scalar_store_int(dtype, 0, bytes);
  } else if (info->kind == 'f') {
    done = tenon_text_double(text, &real) &&
           tenon_scalar_store(dtype, real, bytes);
  } else {
    done = tenon_text_int(text, &whole) &&
           tenon_scalar_store_int(dtype, whole, bytes);
  }
  if (!done) return false;
  if (info->bits < 8) {
    store_packed(info->bits, bytes[0], data, i);
  } else {
    memcpy((char *)data + i * (info->bits / 8u), bytes, info->bits / 8u);
  }
  return true;
}
