// tenon/ext/target.h - what a program is compiled for.
//
// `features` decide which kernels there are: a kernel `needs` words that its
// author and the target's agree on, of instructions ("mve") or of what is worth
// it ("fast_f64"); without any there are those that need nothing. `memories`
// decide where things lie unless a command line says so: written as in
// tenon_compile_options.memories (tenon.h), in bytes, K is 1024 of them, M 1024
// K. All below is for emitted C: each is the default of a macro that the
// emitted header names, so whoever compiles has the last word.
#ifndef TENON_EXT_TARGET_H
#define TENON_EXT_TARGET_H

#include "tenon/base.h"

enum {
  TENON_TARGET_OVERRIDES = 1u << 0  // instead of another one of its name, but
                                    // for "host"
};

typedef struct tenon_target_desc {
  uint32_t struct_size;
  uint32_t flags;        // TENON_TARGET_*
  const char *name;      // "cortex-m55"
  const char *doc;       // first line is a summary
  const char *features;  // words that kernels' `needs` may ask: "armv8.1-m mve"
  const char *macros;    // what a compiler for it defines, tested by #error in
                         // emitted C: "__ARM_FEATURE_MVE"; null: nothing
  const char *cflags;    // said in the first comment of emitted C; null: none
  const char *memories;  // "dtcm=64K:align=32 sram=512K flash=2M:rom
                         // ext=8M:cold:prefetch", in order of preference, as
                         // docs/planning.md has it; null: one without a limit
  const char *sections;  // "sram=.sram_bss flash=.model": where what lies in a
                         // memory goes; null: where the compiler puts it
  const char *section;   // how its compiler writes a section, % the name; null:
                         // __attribute__((section("%")))
  const char *constant;  // stands in front of constants: "__flash"; null:
                         // nothing
  const char *align;     // how its compiler aligns what is declared, % bytes:
                         // "__align(%)"; null: as gcc, clang, MSVC and C11 do
  uint32_t pointer_bits;  // 16, 32 or 64: blocks that it cannot address are
                          // refused; 0: not said
  uint32_t int_bits;      // the same of an int; kernels need 32
  uint32_t integer_bits;  // of its widest integer, 16, 32 or 64: emitted C
                          // counts with 64, and is refused for fewer
  uint32_t double_bits;   // of a double, 32 or 64: with 32, each step that has
                          // or computes with doubles is refused by its place
  uint64_t block_align;   // at what emitted C has memory of a run, constants
                          // that kernels packed, and how many bytes its kernels
                          // may read behind these: 16, 32 or 64, or what a
                          // kernel wants if that is more; 0: 64
} tenon_target_desc;

TENON_NO_TAIL_PADDING(tenon_target_desc, block_align);

#endif  // TENON_EXT_TARGET_H
