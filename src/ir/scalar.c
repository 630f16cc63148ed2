// ir/scalar.c - rounding a double to each element type, once.
//
// Half formats are rounded from the double itself: going through float would
// round twice. The significand is cut at the format's precision with ties to
// even; subnormals are the same cut at a fixed exponent.
#include "ir/scalar.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "core/dtype.h"

// `bits` of significand behind the point, exponents from 1 - bias.
static uint16_t round_half(double value, int bits, int bias) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  uint16_t infinity = (uint16_t)((2 * bias + 1) << bits);
  int exponent = 0;
  if (isnan(value)) return (uint16_t)(sign | infinity | 1u << (bits - 1));
  if (isinf(value)) return (uint16_t)(sign | infinity);
  value = fabs(value);
  if (value == 0) return sign;
  (void)frexp(value, &exponent);
  exponent -= 1;  // value is 1.xxx times 2 to the power of it
  if (exponent < 1 - bias) exponent = 1 - bias;
  // In units of the last place; below 2^53, so nearbyint is exact.
  double units = ldexp(value, bits - exponent);
  double whole = floor(units), rest = units - whole;
  if (rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0)) whole += 1;
  uint32_t steps = (uint32_t)whole;
  // A carry out of the significand lands in the exponent, as it should.
  uint32_t result = ((uint32_t)(exponent + bias - 1) << bits) + steps;
  return (uint16_t)(sign | (result > infinity ? infinity : result));
}

static float widen_half(uint16_t half, int bits, int bias) {
  uint32_t mask = (1u << bits) - 1, most = (uint32_t)(2 * bias + 1);
  uint32_t exponent = (uint32_t)(half & 0x7fff) >> bits, digits = half & mask;
  double value = 0;
  if (exponent == most) {
    value = digits ? (double)NAN : (double)INFINITY;
  } else if (exponent == 0) {
    value = ldexp((double)digits, 1 - bias - bits);
  } else {
    value = ldexp((double)(digits + mask + 1), (int)exponent - bias - bits);
  }
  return (float)(half & 0x8000 ? -value : value);
}

tenon_scalar tenon_scalar_load(tenon_dtype dtype, const void *data) {
  const tenon_dtype_info *info = tenon_dtype_look(dtype);
  tenon_scalar s = {0, {0}};
  if (!info || !strchr("fiub", info->kind)) return s;
  const uint32_t size = (info->bits + 7u) / 8u;
  const tenon_bytes bytes = {data, size};
  uint64_t bits = tenon_bytes_uint(bytes, 0, size);
  if (info->kind == 'f' && size > 1) {
    s.kind = TENON_KIND_FLOAT;
    s.as.f = dtype == TENON_F16    ? (double)widen_half((uint16_t)bits, 10, 15)
             : dtype == TENON_BF16 ? (double)widen_half((uint16_t)bits, 7, 127)
                                   : tenon_bytes_float(bytes, 0, size);
  } else if (info->kind != 'f') {
    const uint64_t sign = UINT64_C(1) << (info->bits - 1);
    bits &= sign | (sign - 1);
    s.kind = info->kind == 'b' ? TENON_KIND_BOOL : TENON_KIND_INT;
    s.as.i = (int64_t)(info->kind == 'i' ? (bits ^ sign) - sign : bits);
  }
  return s;
}

// Little-endian, as every element in memory that we write.
static bool scalar_store(void *data, uint64_t bits, int size) {
  for (int i = 0; i < size; ++i)
    ((unsigned char *)data)[i] = (unsigned char)(bits >> (8 * i));
  return true;
}

bool tenon_scalar_store_int(tenon_dtype dtype, int64_t value, void *data) {
  const tenon_dtype_info *info = tenon_dtype_look(dtype);
  if (!info || !strchr("iub", info->kind))
    return tenon_scalar_store(dtype, (double)value, data);
  const bool is_signed = info->kind == 'i';
  const int bits = info->kind == 'b' ? 1 : info->bits;
  const int64_t most = bits - is_signed >= 63
                           ? INT64_MAX
                           : ((int64_t)1 << (bits - is_signed)) - 1;
  if (value > most || value < (is_signed ? -most - 1 : 0)) return false;
  // Of a type of less than a byte the bits above it stay zero.
  if (bits < 8) value &= (1 << bits) - 1;
  return scalar_store(data, (uint64_t)value, (info->bits + 7) / 8);
}

static bool store_float(tenon_dtype dtype, double value, void *data) {
  float narrow = (float)value;
  uint32_t bits32 = 0;
  uint64_t bits64 = 0;
  memcpy(&bits32, &narrow, sizeof bits32);
  memcpy(&bits64, &value, sizeof bits64);
  switch (dtype) {
    case TENON_F32:
      return scalar_store(data, bits32, 4);
    case TENON_F64:
      return scalar_store(data, bits64, 8);
    case TENON_F16:
      return scalar_store(data, round_half(value, 10, 15), 2);
    case TENON_BF16:
      return scalar_store(data, round_half(value, 7, 127), 2);
    case TENON_C64:
      return scalar_store(data, bits32, 8);
    case TENON_C128:
      return scalar_store(data, bits64, 8) &&
             scalar_store((char *)data + 8, 0, 8);
    default:
      return false;
  }
}

bool tenon_scalar_store(tenon_dtype dtype, double value, void *data) {
  const tenon_dtype_info *info = tenon_dtype_look(dtype);
  if (!info || info->kind == 's') return false;
  if (info->kind == 'f' || info->kind == 'c')
    return store_float(dtype, value, data);
  if (dtype == TENON_BOOL) return scalar_store(data, value != 0, 1);
  if (!(value >= -0x1p63 && value < 0x1p63) || floor(value) != value)
    return false;
  return tenon_scalar_store_int(dtype, (int64_t)value, data);
}
