// tnp/coder.h - one walk over the tables of a program that writes or reads
// them.
//
// Each function codes one thing in both directions, so that what is written and
// what is read cannot part. Reading, everything comes from the arena, and a
// fault is latched: what follows it codes zeros.
#ifndef TENON_TNP_CODER_H
#define TENON_TNP_CODER_H

#include "base/buf.h"
#include "tnp/tnp.h"

typedef struct tenon_coder {
  bool is_writing, strips;
  uint32_t version;  // of the file
  tenon_buf *out;    // writing
  tenon_bytes file;  // reading: the body
  size_t at;
  tenon_arena *arena;
  const tenon_context *cx;
  const char *error;  // reading: the first fault, at `at`
  bool no_memory;
} tenon_coder;

// A kernel as the file has it.
typedef struct tenon_tnp_kernel {
  const char *symbol, *owner;
} tenon_tnp_kernel;

// A number of an attribute that a run finds out, as the file has it. Those of
// one row of attributes lie side by side.
typedef struct tenon_tnp_patch {
  uint32_t attrs;
  const char *name;  // of the attribute
  uint32_t element;  // of a list
  tenon_dim value;
} tenon_tnp_patch;

// Where a constant stands in the file. Of blocks: in which form.
typedef struct tenon_tnp_content {
  bool is_there;  // else it is packed again, or of strings, which the tables
                  // have
  uint64_t at;    // behind the first multiple of 64 that follows the body
  uint64_t hash;
  const char *layout;  // null: a plain one
  uint32_t layout_version;
  bool is_checked;  // not in the file: its hash is the head's
} tenon_tnp_content;

// Parallel to p->kernels, p->patches and p->constants, which coding only
// counts.
typedef struct tenon_tnp_rows {
  tenon_tnp_kernel *kernels;
  tenon_tnp_patch *patches;
  tenon_tnp_content *contents;
} tenon_tnp_rows;

// Where the first constant may lie.
TENON_INLINE size_t tenon_tnp_base(size_t body) {
  return (TENON_TNP_HEAD + body + TENON_ARENA_ALIGN - 1) &
         ~(size_t)(TENON_ARENA_ALIGN - 1);
}

void tenon_tnp_code(tenon_coder *c, struct tenon_program *p,
                    tenon_tnp_rows *rows);

// Gives each constant that the file has its data; `constants` is what begins
// where the first may lie, `is_old` before version 7, which has no places.
// Null: they are there, or the arena has failed; else what is wrong with
// constant *constant.
const char *tenon_tnp_place(struct tenon_program *p, tenon_tnp_rows *rows,
                            tenon_bytes constants, bool is_old, bool stays,
                            uint32_t *constant);
// Of constants p->constants[which[i]]; false: memory ran out.
bool tenon_tnp_hash(const struct tenon_program *p, const uint32_t *which,
                    uint32_t n, uint64_t *hashes);
// That these are what was written, as far as nobody has looked. Answers as
// tenon_tnp_place.
const char *tenon_tnp_check_contents(struct tenon_program *p,
                                     const uint32_t *which, uint32_t n,
                                     uint32_t *constant);

// Of an index into p->operands; null: absent.
TENON_INLINE const tenon_program_tensor *tenon_tnp_operand(
    const struct tenon_program *p, uint32_t i) {
  return p->operands[i] == TENON_NO_INDEX ? NULL : &p->tensors[p->operands[i]];
}
// Bytes that a tensor touches: from *low below its place to *high behind it.
// False: it does not hold together.
bool tenon_tnp_extent(const tenon_program_tensor *t, uint64_t *low,
                      uint64_t *high);
// Whether a step writes nothing that its kernel relies on being left alone.
bool tenon_tnp_is_apart(const struct tenon_program *p, const tenon_step *s);
// Whether a step reads or writes any byte of a tensor, or has scratch there.
bool tenon_tnp_meets(const struct tenon_program *p, const tenon_step *s,
                     const tenon_program_tensor *t);
// Whether operand 0, where result 0 lies over it, begins `distance` bytes
// behind it at least (tenon_kernel_desc.overlap).
bool tenon_tnp_is_behind(const struct tenon_program *p, const tenon_step *s,
                         uint64_t distance);
// What tables refer to is there, and places are within their memories.
// Null: it holds; else what does not.
const char *tenon_tnp_bounds(const struct tenon_program *p, uint32_t *step);
// The same of several memories, and of inputs and outputs that the caller has;
// these behind the bounds. Without memory null, and the arena has failed.
const char *tenon_tnp_banks(const struct tenon_program *p);
const char *tenon_tnp_ports(struct tenon_program *p);

// Of a program with open sizes. Makes p->patches of what the file has, once
// attributes are bound; then what follows from the tables: bindings, what is
// open and what is measured. Null: it holds together.
const char *tenon_tnp_patches(struct tenon_program *p,
                              const tenon_tnp_patch *patches);
// Null also when memory ran out, and the arena has failed.
const char *tenon_tnp_open(struct tenon_program *p, uint32_t *step);

// That no step can take for a string what is none (tnp_strings.c), once numbers
// are known to have steps. Null: it holds, or the arena has failed.
const char *tenon_tnp_strings(const struct tenon_program *p,
                              tenon_arena *arena);
bool tenon_tnp_has_strings(const struct tenon_program *p);

// Each step's operator, types, attributes and kernel hold together, whatever
// the sizes; kernels pack what is not there as they would. `rows` are of the
// file.
tenon_status tenon_tnp_check_steps(tenon_context *cx, struct tenon_program *p,
                                   const tenon_tnp_rows *rows);

#endif  // TENON_TNP_CODER_H
