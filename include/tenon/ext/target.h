// tenon/ext/target.h - what a program is compiled for.
#ifndef TENON_EXT_TARGET_H
#define TENON_EXT_TARGET_H

#include "tenon/base.h"

typedef struct tenon_target_desc {
  uint32_t struct_size;
  uint32_t flags;        // 0
  const char *name;      // "cortex-m55"
  const char *doc;       // first line is a summary
  const char *features;  // words that kernels' `needs` may ask: "armv8.1-m mve"
  const char *macros;    // what a compiler for it defines, tested by #error in
                         // emitted C: "__ARM_FEATURE_MVE"; null: nothing
  const char *cflags;    // said in the first comment of emitted C; null: none
  const char *memories;  // "dtcm=64K sram=512K flash=2M:rom", in order of
                         // preference; null: one without a limit
} tenon_target_desc;

TENON_NO_TAIL_PADDING(tenon_target_desc, memories);

#endif  // TENON_EXT_TARGET_H
