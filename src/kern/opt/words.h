// kern/opt/words.h - half registers of 16-bit integers, and integers that are
// stored in as many bytes as a constant says.
#ifndef TENON_KERN_OPT_WORDS_H
#define TENON_KERN_OPT_WORDS_H

#include "kern/opt/vectors.h"

typedef int16_t tenon_vw __attribute__((vector_size(TENON_VB / 2)));
typedef int16_t tenon_vw_at
    __attribute__((vector_size(TENON_VB / 2), aligned(2), may_alias));

// A register of integers of `size` bytes, 1 or 2, and one of them.
TENON_FLAT tenon_vi tenon_stored_load(const int size, const char *p) {
  return size == 1 ? tenon_vi_widen((const int8_t *)p)
                   : __builtin_convertvector(*(const tenon_vw_at *)p, tenon_vi);
}
TENON_FLAT void tenon_stored_store(const int size, char *p, tenon_vi x) {
  if (size == 1)
    *(tenon_vb_at *)p = __builtin_convertvector(x, tenon_vb);
  else
    *(tenon_vw_at *)p = __builtin_convertvector(x, tenon_vw);
}
TENON_FLAT int32_t tenon_stored_get(const int size, const char *p) {
  return size == 1 ? *(const int8_t *)p : *(const int16_t *)(const void *)p;
}
TENON_FLAT void tenon_stored_put(const int size, char *p, int32_t x) {
  if (size == 1)
    *(int8_t *)p = (int8_t)x;
  else
    *(int16_t *)(void *)p = (int16_t)x;
}

#endif  // TENON_KERN_OPT_WORDS_H
