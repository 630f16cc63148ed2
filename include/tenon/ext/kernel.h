// tenon/ext/kernel.h - describing one way to compute an operator.
//
// A kernel is a C function over a tenon_call, or C text for emission, or both.
// What a kernel may do (work in place, read strides, leave operands to `pack`)
// is said here and not of the operator: the next kernel may not be able to.
#ifndef TENON_EXT_KERNEL_H
#define TENON_EXT_KERNEL_H

#include "tenon/tensor.h"

typedef tenon_status tenon_run_fn(const tenon_call *call);

// Does items begin <= i < end of a call. Ranges of one call may run at the same
// time on several threads, each with a scratch area of its own; who splits the
// work, and on how many threads, is not the kernel's business. What is stored
// for an item must not depend on which range it came in. Where items fall into
// turns (`turns`), ranges that run at the same time are of one turn.
typedef tenon_status tenon_run_range_fn(const tenon_call *call, int64_t begin,
                                        int64_t end);

// C text that emission copies, once per name however many kernels use it; two
// texts of one name are an error. The text defines kernels with TENON_KERNEL
// and everything else as static, needs C99, and includes nothing but
// tenon/tensor.h, the freestanding headers, <math.h> and <string.h> (each
// printed once, first). Another header of a compiler, such as <immintrin.h>, is
// printed too; whoever compiles must have it.
//
// A plugin that is loaded as a C file needs none of these: the file is the text
// of each of its kernels without `source` and `user`, but for what stands
// between `#ifndef TENON_EMITTED` and `#endif`: there descriptors and
// tenon/ext/plugin.h belong. Emitted C is one file with the texts of several
// plugins: names in a text begin with the author's.
typedef struct tenon_source {
  uint32_t struct_size;
  uint32_t flags;    // 0
  const char *name;  // "kern/ref/conv_s8_ref.c", "acme/gain.c"
  const char *text;
  const struct tenon_source *const *uses;  // printed before; null-terminated
} tenon_source;

typedef struct tenon_emitter tenon_emitter;
typedef struct tenon_emitter_api {
  uint32_t struct_size;
  tenon_status (*text)(tenon_emitter *,
                       const char *templ);  // expands $-references
} tenon_emitter_api;
struct tenon_emitter {
  const tenon_emitter_api *api;
};

enum {
  TENON_KERNEL_NOFAIL = 1u << 0,  // returns TENON_OK: emitted C drops the check
  TENON_KERNEL_OVERRIDES = 1u << 1,  // replaces the kernel of this symbol
  TENON_KERNEL_ZERO_OUT = 1u << 2,   // wants its outputs filled with zero bytes
  TENON_KERNEL_ALONE = 1u << 3,  // of those of its priority that say so too,
                                 // and need as many features, one may fit a
                                 // call: two are an error of the model
  TENON_KERNEL_MEASURES_ALL = 1u << 4,  // `measure` writes what it finds out of
                                        // results, whose sizes it knows by
                                        // their places only: see there
  TENON_KERNEL_PACKS_STRIDED = 1u << 5,  // operands of `packs` come to `match`
                                         // and the pack functions as they lie
                                         // in the model, with any strides
  TENON_KERNEL_DENSE_FIRST = 1u << 6     // slower where a `*` of `order` has
                                         // strides: a plan gives it none, but a
                                         // program made for another machine may
};

// Result `out` may be at the address of operand `in`, if both have as many
// bytes.
#define TENON_IN_PLACE(out, in) (1u << ((out)*8 + (in)))  // out < 4, in < 8

// In `match`, `scratch`, `items` and the pack functions the call has shapes,
// strides, quantisation, attributes and constant operands; other data is null.
// They are pure. `match` may say why not with tenon_call_fail, in words without
// numbers that last. They are called on the machine that compiles, for the
// machine that runs; so for a kernel that cannot be compiled here they live in
// a file of their own. A size that is a symbol reads as TENON_UNKNOWN's int32
// counterpart, -1, in `match`, and as its upper bound, or the value of this
// run, in `scratch` and `items`; of a larger size scratch is not smaller. What
// `pack` makes must not depend on such a size: it is called with several, and
// an operator for which it does is refused. Large blocks are packed side by
// side, on several threads.
//
// With sizes that change at run time, emitted C has the scratch of the largest,
// and counts items by `<symbol>_items` if `source` has a function of that name.
// Without one the count must be a product of neighbouring dimensions of one
// operand or result, which is found by asking `items`.
typedef struct tenon_kernel_desc {
  uint32_t struct_size;
  uint32_t flags;     // TENON_KERNEL_*
  int32_t priority;   // larger wins among those that match; reference: 0.
                      // Below 0: after lowerings, for what these leave
  uint32_t align;     // of data, packed and scratch; 0: of the element
  uint32_t in_place;  // TENON_IN_PLACE(0, 0) | ...
  uint32_t packs;     // bit i: with `packed`, operand i is not read in a run
  uint32_t pack_version;  // raised when the packed form changes: program files
                          // hold blocks
  uint32_t
      grain;  // ranges begin at multiples of it (a register tile's rows); 0: 1
  const char *op;      // null inside a tenon_op_desc; else which op it serves:
                       // "aten::add.Tensor", "aten::*" with generic attributes.
                       // Attributes are the struct of that op's author: its
                       // `fields` (tenon_context_find) say what lies where
  const char *symbol;  // C symbol; also the kernel's name in plans and dumps
  // "f32, f32 -> f32". `|` separates alternatives, T and U stand for any type,
  // b1 b2 b4 b8 for any of so many bytes, `?` may be absent, `...` follows a
  // Tensor[]. s8 is plain integers, s8q has one scale, s8qc one per channel,
  // s8qb blocks. Operands at the end that may be absent can be left out: such a
  // kernel serves calls without them, and does not see that there could be
  // more.
  const char *types;
  // Target features, all of them, "avx2 fma", "mve"; null: plain C. A plugin
  // given as C source is compiled without flags for them, so its function says
  // __attribute__((target("avx2"))); emitted C names the flags.
  const char *needs;
  // Dimension order in memory per operand, outermost first: "0123, * -> 0123";
  // `*` takes any strides, `-` is dense, row-major. Null: all are. What only
  // kernels read that take its strides is not moved: a permutation or a slice
  // is then a window on its operand. `match` is asked again with
  // strides for that, and says whether they are taken. For another
  // order, "0231 -> 0231", the kernel is given tensors as they lie: dims[1] is
  // then the dimension of index 2. It is called where its operands come
  // permuted from that order, where nothing else serves the operator (then they
  // are permuted, and results back), or where the user names it. Such a kernel
  // serves one operator, has no list in another order and no list of results,
  // and does not `measure`.
  const char *order;
  bool (*match)(const tenon_call *call);  // null: any shape
  // Bytes for a range of at most `items` items (1 without `items`); null: none.
  size_t (*scratch)(const tenon_call *call, int64_t items);
  // Whatever can be computed before any run, made once at compile time and
  // stored in the program: blocked weights, multipliers and shifts per channel,
  // tables. Blocks of a program lie one after the other in the order of the
  // steps, each at 64 bytes, with 64 readable bytes behind, or as many as the
  // target's `block_align` says. As many can be read behind arena tensors and
  // scratch (not the caller's own tensors). Nothing may ever be written past a
  // tensor's end. The block holds bytes and little-endian integers and
  // floats of fixed width at their natural alignment: no pointers, no size_t,
  // no padding left unset. Kernels that share `pack_name` share a block, so one
  // program can serve several instruction sets; null: the symbol. The functions
  // are compiled for the baseline, since they run where the kernel itself may
  // not.
  const char *pack_name;
  size_t (*pack_size)(const tenon_call *call);  // 0: not for this call
  tenon_status (*pack)(const tenon_call *call, void *packed);
  // One of the two, or neither: emitted only, a range function with `items`.
  tenon_run_fn *run;
  tenon_run_range_fn *run_range;
  int64_t (*items)(const tenon_call *call);  // how many a range function has
  // Writes call->sizes before the outputs exist, so that they need no upper
  // bound. With TENON_KERNEL_MEASURES_ALL: every dimension of every result, one
  // after the other, at most 64 of them, instead of the sizes that `infer`
  // counts; they follow from these, and a dimension that is known is compared.
  // An operator without results has its numbers in sizes[0] and on, as ever;
  // where one beside results is not in their sizes, the kernel is not chosen.
  // Without it the kernel is not chosen where the model bounds a size of a
  // result by less than `infer` does: it would write behind the result.
  tenon_run_fn *measure;  // null: `run` writes them
  // Emission, the first that is there. With none of them the emitted module
  // needs `symbol` from elsewhere, which is an error unless the user allowed
  // it. A template is C statements that stand for the call, compared with
  // `run`. It refers to the call by $in0, $out1 (data), $count(in0),
  // $rank(in0), $dim(in0, 2), $dims(in0), $stride(in0, 2), $scale(in0),
  // $zero(in0), $attr(name), $attr(name, 1) (element of a list), the same in a
  // type: $f32(name), $f64, $i32, $i64, $int; $scratch, $packed; $$ is a
  // dollar.
  const char *emit_template;
  tenon_status (*emit)(tenon_emitter *e, const tenon_call *call);
  const tenon_source *source;
  const void *user;  // handed to run in the call; then it cannot be emitted
  // How many bytes result 0 must begin before operand 0, at least, so that the
  // kernel may write over the operand while it still reads it: it writes in
  // the order of addresses, and never past what it has yet to read. Such a call
  // has all items in one piece. Null, or as much as the result has: it may not.
  size_t (*overlap)(const tenon_call *call);
  // How many elements of its result every `*items` items store, densely, the
  // next so many those behind them, and so on; what is left at the end may be
  // less. So what is done to each element behind can begin before all of them
  // are there. 0: it cannot be said of this call. Null: the same; but where an
  // operator is TENON_OP_ELEMENTWISE and a call has as many items as elements,
  // an item is an element.
  int64_t (*extent)(const tenon_call *call, int64_t *items);
  // Bytes at the beginning of what is packed that may differ among calls with
  // the same weights, as those of a layer's stripes: their last four say how
  // far behind the beginning the rest begins, a multiple of 4, which `pack`
  // sets to `pack_head` itself. Emitted C has each rest once, and the kernel
  // looks for it there. A multiple of 4, at most TENON_PACK_HEAD; 0: all of it
  // is one piece.
  size_t pack_head;
  // With `extent`: how many elements of operand 0 these items read, densely,
  // the next so many those behind them, and so on, and nothing else of it; in
  // all as many as it has. So a sum of each row can be made as soon as the row
  // is there. 0, or null: it cannot be said.
  int64_t (*reads)(const tenon_call *call);
  // Whether `run` stays within its memory with what stands in `packed`, as many
  // bytes as `pack_size` says, at an address divisible by 64. It comes out of a
  // program file that says it is what a kernel of this `pack_name` and
  // `pack_version` has packed, and may be anybody's: numbers to compute with
  // may have any value, what says where others stand is compared with what
  // `pack` would write. Such a block is used where it lies in the file; false:
  // it is packed again. Asked of every such block before any run, so it reads
  // a few bytes and not all of them. Null: program files do not hold the
  // blocks, and whoever loads them packs.
  bool (*pack_check)(const tenon_call *call, const void *packed);
  // Into how many turns the items fall, as many in each: those of a turn need
  // what items before it have stored, and none of their own turn. So threads
  // share the items of a turn and begin the next together. A range may be of
  // several turns, whose items it does in their order. Null, or 1: no item
  // needs another.
  int64_t (*turns)(const tenon_call *call);
} tenon_kernel_desc;

// The members that every kernel has, of a function that is its symbol too.
#define TENON_KERNEL_RUN(function) \
  .struct_size = sizeof(tenon_kernel_desc), .symbol = #function, .run = function

#define TENON_PACK_HEAD 256

TENON_NO_TAIL_PADDING(tenon_source, uses);
TENON_NO_TAIL_PADDING(tenon_kernel_desc, turns);

#endif  // TENON_EXT_KERNEL_H
