// tnp/extent.c - the bytes that a tensor of a program file spans.
#include "base/size.h"
#include "core/dtype.h"
#include "core/strided.h"
#include "tnp/coder.h"

bool tenon_tnp_extent(const tenon_program_tensor *t, uint64_t *low,
                      uint64_t *high) {
  const tenon_dtype_info *info = tenon_dtype_look(t->dtype);
  size_t count = 1, bytes = 0;
  int64_t least = 0, most = 0;
  if (!info) return false;
  for (int i = 0; i < t->rank; ++i) {
    if (t->dims[i] < 0 || !tenon_size_mul(count, (size_t)t->dims[i], &count))
      return false;
  }
  if (!tenon_dtype_size(t->dtype, count, &bytes) || bytes != t->size)
    return false;
  *low = 0;
  *high = bytes;
  if (!t->strides || count == 0) return true;
  if (info->bits % 8) return false;
  for (int i = 0; i < t->rank; ++i) {
    int64_t by = (int64_t)t->strides[i] * (t->dims[i] - 1);
    // 8 dimensions of 2^62 at most each: sums are bounded step by step.
    if (by > INT64_MAX / 16 || by < -(INT64_MAX / 16)) return false;
    tenon_strided_widen(t->dims[i], t->strides[i], &least, &most);
    if (least < -(INT64_MAX / 16) || most > INT64_MAX / 16) return false;
  }
  *low = (uint64_t)(-least) * (info->bits / 8u);
  *high = ((uint64_t)most + 1) * (info->bits / 8u);
  return true;
}
