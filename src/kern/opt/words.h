// kern/opt/words.h - half registers of 16-bit integers.
#ifndef TENON_KERN_OPT_WORDS_H
#define TENON_KERN_OPT_WORDS_H

#include "kern/opt/vectors.h"

typedef int16_t tenon_vw __attribute__((vector_size(TENON_VB / 2)));
typedef int16_t tenon_vw_at
    __attribute__((vector_size(TENON_VB / 2), aligned(2), may_alias));

#endif  // TENON_KERN_OPT_WORDS_H
