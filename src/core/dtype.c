// core/dtype.c - the rows of dtype.def as a table by number.
//
// A row lands at its enumerator, so the order of the file does not matter and a
// number without a row is found by its null name. Names are looked up by
// walking the table: two dozen comparisons, once per tensor of a file.
#include "core/dtype.h"

static const tenon_dtype_info infos[] = {
#define DTYPE(ENUM, name, bits, kind, torch, numpy) \
  [TENON_##ENUM] = {#name, torch, numpy, bits, kind},
#include "core/dtype.def"
#undef DTYPE
};

enum { INFO_COUNT = sizeof infos / sizeof infos[0] };

const tenon_dtype_info *tenon_dtype_look(tenon_dtype t) {
  return t < INFO_COUNT && infos[t].name ? &infos[t] : NULL;
}

const char *tenon_dtype_name(tenon_dtype t) {
  const tenon_dtype_info *info = tenon_dtype_look(t);
  if (t == 0) return "none";
  return info ? info->name : "?";
}

tenon_dtype tenon_dtype_find(tenon_text name) {
  if (name.size == 0) return 0;
  for (size_t i = 1; i < INFO_COUNT; ++i) {
    const tenon_dtype_info *info = &infos[i];
    if (!info->name) continue;
    if (name.data[0] != info->name[0] && name.data[0] != info->torch[0])
      continue;
    if (tenon_text_is(name, info->name) || tenon_text_is(name, info->torch))
      return (tenon_dtype)i;
  }
  return 0;
}

bool tenon_dtype_size(tenon_dtype t, uint64_t count, size_t *out) {
  const tenon_dtype_info *info = tenon_dtype_look(t);
  if (!info || info->bits == 0) return false;
  uint64_t bytes = 0;
  if (info->bits >= 8) {
    uint64_t each = info->bits / 8;
    if (count > UINT64_MAX / each) return false;
    bytes = count * each;
  } else {
    uint64_t per_byte = 8 / info->bits;
    bytes = count / per_byte + (count % per_byte != 0);
  }
  if (bytes > SIZE_MAX) return false;
  *out = (size_t)bytes;
  return true;
}
