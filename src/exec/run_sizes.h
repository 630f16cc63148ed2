// exec/run_sizes.h - a run's sizes: binding, checking, materialising.
//
// The sizes of the inputs give numbers, numbers give dimensions and attributes.
// Kernels see plain numbers: dims of open tensors and copies of attribute
// structs lie in the session block and are filled before the step that reads
// them. What data decide is known behind its step, or measured before it.
#ifndef TENON_EXEC_RUN_SIZES_H
#define TENON_EXEC_RUN_SIZES_H

#include "exec/session_state.h"

// Lays out what the session block holds for sizes behind `at`; the return value
// is the end. `s` may be null: then nothing but that is found out.
size_t tenon_sizes_lay_out(const struct tenon_program *p, size_t at,
                           unsigned char *base, tenon_session *s);
// Copies attributes, so that there is something to fill.
void tenon_sizes_init(tenon_session *s);
// Binds the sizes of a run's inputs, checks ranges and guards, and that outputs
// with memory fit; makes room for what they need.
tenon_status tenon_sizes_begin(tenon_session *s, uint32_t entry,
                               const tenon_tensor *in, const tenon_tensor *out);
// Before a step that is open: its dims and attributes; measures. *items: of a
// kernel with ranges.
tenon_status tenon_sizes_step(tenon_session *s, uint32_t index, int64_t *items);
// Behind it: what it found out, its results' dims.
tenon_status tenon_sizes_found(tenon_session *s, uint32_t index);
// What a loop carries in sizes that change, before its first round or behind a
// round (carried.c): the sizes are known from now on, and it is in its place.
tenon_status tenon_carried_take(tenon_session *s, const tenon_step *step,
                                bool is_first);
// Numbers that steps from `time` on decide are as open as before the run, and
// the step's are as many as given, one for each that it decides; places follow.
tenon_status tenon_sizes_renew(tenon_session *s, const tenon_step *step,
                               const int64_t *found);
// Dims of a tensor as far as they are known, at most otherwise.
tenon_status tenon_sizes_tensor(tenon_session *s,
                                const tenon_program_tensor *t);
// A call with shapes and constants alone. Its attributes are as last filled.
tenon_call tenon_sizes_blank(tenon_session *s, const tenon_step *step);
void tenon_sizes_attrs(tenon_session *s, const tenon_step *step);

// grow.c: places the spans of the entry for what is known now, those that begin
// before `time` where they are; allocates only if the block is too small.
tenon_status tenon_grow_place(tenon_session *s, uint32_t entry, uint32_t time);
void tenon_grow_free(tenon_session *s);
// Memory of `grow` for anything; null: there is none. 0 bytes are some. And
// giving it back, of the size that was asked for; `block` may be null.
void *tenon_grow_take(const tenon_session *s, size_t size);
void tenon_grow_give(const tenon_session *s, void *block, size_t size);

#endif  // TENON_EXEC_RUN_SIZES_H
