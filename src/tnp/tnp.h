// tnp/tnp.h - program files: a plan in bytes that any machine with the kernels
// can run, without compiling again.
//
//   "TNP1" | version | bytes in all | bytes of the body | hash of the body
//   body: tables of the program, numbers as LEB128, nothing aligned
//   constants, each at a multiple of 64, with 64 bytes behind; the tables say
//   where, and have a hash of each
//
// Nothing in it is an address: kernels go by symbol, attributes by kind and
// name, operators by name.
//
// What kernels have packed stands in the file, where they say how to tell that
// such a block does no harm (tenon_kernel_desc.pack_check), and is used where
// it lies if the kernel that the loader has packs in that form and version.
// Otherwise it is packed again from the constants that it was made of: these
// are in the file as well, behind all that a run reads, so that they are not
// even read. A file without blocks (TENON_SAVE_UNPACKED) is about half as
// large. Where the machine lacks an instruction set that a step's kernel needs,
// another kernel of its operator takes the step, if it has room for what it
// needs beside.
//
// Loading looks up all kernels and names every one that is missing; then asks
// each operator's shape rule, each kernel's types and `match`, and the bounds
// of every place. So bytes from anywhere lead to a program that stays within
// its memory or to a refusal. Places that overlap otherwise are not looked for:
// they give other numbers, as another constant would. How a target's C is
// written comes from the context's target of that name, not from the file.
//
// An operator without a shape rule has the shapes that the file says, as in a
// model: its lowering cannot be asked, since a runtime with few kernels lacks
// what that is made of. Its kernel has to go by its results.
//
// Of a program with open sizes the file has its numbers, ranges and conditions,
// and each tensor's dimensions as numbers. Shape rules are asked with symbols
// for them, so that what holds, holds for all sizes: what a rule requires has
// to be among the file's conditions. No step reads a number before an input or
// another step has given it its value.
#ifndef TENON_TNP_TNP_H
#define TENON_TNP_TNP_H

#include "base/bytes.h"
#include "program/program.h"
#include "reg/context.h"

// 1: without memories and ports; up to 3: without open sizes; up to 5: without
// which tensors are Python numbers; up to 6: without blocks, one hash of all;
// up to 7: without strings. Still read.
#define TENON_TNP_VERSION 8u
#define TENON_TNP_HEAD 32u  // bytes before the body

// Bytes of a constant that is compared with its hash although no step reads it.
#define TENON_TNP_SMALL (64u << 10)

// For fuzzers, beside TENON_LOAD_*: constants with other hashes are taken, too.
#define TENON_TNP_ANY_CONTENT (1u << 31)

bool tenon_tnp_is(tenon_bytes file);
// `flags`: TENON_SAVE_*.
tenon_status tenon_tnp_save(const struct tenon_program *p, uint32_t flags,
                            tenon_write_fn *write, void *self);
// `name` is of the file, for places. `flags`: TENON_LOAD_*.
tenon_status tenon_tnp_load(tenon_context *cx, tenon_bytes file,
                            const char *name, uint32_t flags,
                            struct tenon_program **out);
// What the file says of itself, kernels that are not here included.
tenon_status tenon_tnp_info(tenon_context *cx, tenon_bytes file,
                            const char *name, uint32_t format,
                            tenon_write_fn *write, void *self);

#endif  // TENON_TNP_TNP_H
