// program/timeline.h - what the files that print a timeline hand to each other.
#ifndef TENON_PROGRAM_TIMELINE_H
#define TENON_PROGRAM_TIMELINE_H

#include "program/program.h"
#include "tenon/trace.h"

// A name as a frame or a row shows it: no ';', which separates frames.
void tenon_timeline_name(tenon_buf *out, const char *text, size_t size);
// "conv2d_3", or what the place says where the result has no name.
const char *tenon_timeline_node(const struct tenon_program *p, uint32_t step);

// Stacks, a line each; a picture of them.
void tenon_timeline_stacks(const struct tenon_program *p,
                           const tenon_timeline *t, tenon_buf *out);
void tenon_timeline_flame(const struct tenon_program *p,
                          const tenon_timeline *t, tenon_buf *out);

#endif  // TENON_PROGRAM_TIMELINE_H
