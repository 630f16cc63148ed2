// bind/target.h - what a module is compiled for: features that kernels may
// need.
#ifndef TENON_BIND_TARGET_H
#define TENON_BIND_TARGET_H

#include "bind/features.h"
#include "program/program.h"
#include "reg/context.h"

typedef struct tenon_target {
  const char *name;                      // "host", "c", "cortex-m55"
  const char *features;                  // words; null: those in `host`
  char host[TENON_FEATURES_SIZE];        // what this processor has
  char lacks[TENON_FEATURES_SIZE];       // what it could have and has not
  const char *macros, *cflags;           // or null; see tenon/ext/target.h
  const char *memories;                  // the same
  const struct tenon_target_desc *desc;  // null: part of the library
} tenon_target;

// "host": what this processor has; "c": nothing; else a registered target.
// Reports an unknown name with the nearest one.
tenon_status tenon_target_find(const tenon_context *cx, const char *name,
                               tenon_target *out);
const char *tenon_target_features(const tenon_target *target);
// At what emitted C has memory, unless a kernel wants more.
uint32_t tenon_target_align(const tenon_target *target);
// Gives a program what its C is written with, in its own memory; its alignment
// is that of the target, or of a kernel or a memory that wants more.
void tenon_target_describe(const tenon_target *target, struct tenon_program *p);
// Whether all words of `needs` are features; null needs nothing.
bool tenon_target_has(const tenon_target *target, const char *needs);

#endif  // TENON_BIND_TARGET_H
