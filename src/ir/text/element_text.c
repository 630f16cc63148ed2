// ir/text/element_text.c - elements between memory and text.
//
// Reading rounds a decimal once, to double, and from there to the type. That is
// not exact for every decimal, so whoever prints reads back what was printed
// and writes bytes instead where it differs; NaNs with a payload end up there
// as well.
#include "ir/text/element_text.h"

#include <string.h>

#include "core/dtype.h"
#include "ir/scalar.h"

bool tenon_element_has_text(tenon_dtype dtype) {
  unsigned char data[16];
  return dtype != TENON_C64 && dtype != TENON_C128 &&
         tenon_scalar_store(dtype, 0, data);
}

static uint64_t element_load(const void *data, size_t i, size_t size) {
  const unsigned char *p = (const unsigned char *)data + i * size;
  uint64_t bits = 0;
  for (size_t k = 0; k < size; ++k)
    bits |= (uint64_t)p[k] << (8 * k);
  return bits;
}

static int64_t element_extend(uint64_t bits, unsigned width) {
  uint64_t sign = (uint64_t)1 << (width - 1);
  if (width < 64) bits &= (sign << 1) - 1;
  return (int64_t)((bits ^ sign) - sign);
}

static void print_float(tenon_dtype dtype, uint64_t bits, tenon_buf *out) {
  uint32_t bits32 = (uint32_t)bits;
  float narrow = 0;
  double wide = 0;
  if (dtype == TENON_F64) {
    memcpy(&wide, &bits, sizeof wide);
    tenon_buf_double(out, wide);
    return;
  }
  memcpy(&narrow, &bits32, sizeof narrow);
  if (dtype == TENON_F16) narrow = tenon_scalar_f16((uint16_t)bits);
  if (dtype == TENON_BF16) narrow = tenon_scalar_bf16((uint16_t)bits);
  tenon_buf_float(out, narrow);
}

// The bits of element i, packed or not.
static uint64_t bits_at(const tenon_dtype_info *info, const void *data,
                        size_t i) {
  if (info->bits >= 8) return element_load(data, i, info->bits / 8u);
  size_t at = i * info->bits;
  return (uint64_t)((const unsigned char *)data)[at / 8] >> (at % 8);
}

void tenon_element_print(tenon_dtype dtype, const void *data, size_t i,
                         tenon_buf *out) {
  const tenon_dtype_info *info = tenon_dtype_look(dtype);
  uint64_t bits = bits_at(info, data, i);
  if (info->kind == 'f') {
    print_float(dtype, bits, out);
  } else if (dtype == TENON_BOOL) {
    tenon_buf_text(out, bits ? "true" : "false");
  } else if (info->kind == 'i') {
    tenon_buf_format(out, "%lld", (long long)element_extend(bits, info->bits));
  } else {
    if (info->bits < 8) bits &= (1u << info->bits) - 1;
    tenon_buf_format(out, "%llu", (unsigned long long)bits);
  }
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
