// base/bytes.h - little-endian reads that cannot leave their range.
//
// Every reader of a file goes through these. A read outside returns false and
// leaves *out alone; nothing here is undefined for any offset.
#ifndef TENON_BASE_BYTES_H
#define TENON_BASE_BYTES_H

#include <string.h>

#include "tenon/base.h"

typedef struct tenon_bytes {
  const uint8_t *data;
  size_t size;
} tenon_bytes;

TENON_INLINE bool tenon_bytes_has(tenon_bytes b, uint64_t at, uint64_t size) {
  return at <= b.size && size <= b.size - at;
}
TENON_INLINE bool tenon_bytes_slice(tenon_bytes b, uint64_t at, uint64_t size,
                                    tenon_bytes *out) {
  if (!tenon_bytes_has(b, at, size)) return false;
  out->data = b.data + at;
  out->size = (size_t)size;
  return true;
}
TENON_INLINE bool tenon_bytes_u8(tenon_bytes b, uint64_t at, uint8_t *out) {
  if (!tenon_bytes_has(b, at, 1)) return false;
  *out = b.data[at];
  return true;
}
TENON_INLINE bool tenon_bytes_u16(tenon_bytes b, uint64_t at, uint16_t *out) {
  if (!tenon_bytes_has(b, at, 2)) return false;
  *out = (uint16_t)(b.data[at] | b.data[at + 1] << 8);
  return true;
}
TENON_INLINE bool tenon_bytes_u32(tenon_bytes b, uint64_t at, uint32_t *out) {
  if (!tenon_bytes_has(b, at, 4)) return false;
  const uint8_t *p = b.data + at;
  *out = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
         (uint32_t)p[3] << 24;
  return true;
}
TENON_INLINE bool tenon_bytes_u64(tenon_bytes b, uint64_t at, uint64_t *out) {
  uint32_t low = 0, high = 0;
  if (!tenon_bytes_has(b, at, 8)) return false;
  (void)tenon_bytes_u32(b, at, &low);
  (void)tenon_bytes_u32(b, at + 4, &high);
  *out = (uint64_t)high << 32 | low;
  return true;
}
TENON_INLINE bool tenon_bytes_f32(tenon_bytes b, uint64_t at, float *out) {
  uint32_t bits = 0;
  if (!tenon_bytes_u32(b, at, &bits)) return false;
  memcpy(out, &bits, sizeof bits);
  return true;
}
TENON_INLINE bool tenon_bytes_f64(tenon_bytes b, uint64_t at, double *out) {
  uint64_t bits = 0;
  if (!tenon_bytes_u64(b, at, &bits)) return false;
  memcpy(out, &bits, sizeof bits);
  return true;
}

// Of a width that is known only when the file is read, 1 to 8 bytes: 0 outside.
TENON_INLINE uint64_t tenon_bytes_uint(tenon_bytes b, uint64_t at,
                                       uint32_t width) {
  uint64_t value = 0;
  if (!tenon_bytes_has(b, at, width)) return 0;
  for (uint32_t i = width; i-- > 0;)
    value = value << 8 | b.data[at + i];
  return value;
}
TENON_INLINE int64_t tenon_bytes_int(tenon_bytes b, uint64_t at,
                                     uint32_t width) {
  const uint64_t sign = UINT64_C(1) << (8 * width - 1);
  return (int64_t)((tenon_bytes_uint(b, at, width) ^ sign) - sign);
}
// Of 4 or 8 bytes.
TENON_INLINE double tenon_bytes_float(tenon_bytes b, uint64_t at,
                                      uint32_t width) {
  float narrow = 0;
  double wide = 0;
  if (width == 4 && tenon_bytes_f32(b, at, &narrow)) return (double)narrow;
  if (width == 8) (void)tenon_bytes_f64(b, at, &wide);
  return wide;
}

#endif  // TENON_BASE_BYTES_H
