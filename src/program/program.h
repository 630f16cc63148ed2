// program/program.h - the plan as data: what the executor walks and the emitter
// prints.
//
// Steps in blocks, tensors as (memory, offset), constants, attributes, entry
// points, states, places. Nothing here points into the graph it was made from;
// indices refer to the arrays of the program. What it does point to: constants
// that may stay in the model file (tenon_module_read asks for it to stay), and
// kernels' descriptors in the context, which the program retains through
// plan/plan.c. Immutable once made; shared by threads.
#ifndef TENON_PROGRAM_PROGRAM_H
#define TENON_PROGRAM_PROGRAM_H

#include "base/arena.h"
#include "base/buf.h"
#include "core/report.h"
#include "core/schema/schema.h"
#include "program/numbers.h"
#include "tenon/ext/op.h"
#include "tenon/tenon.h"

#define TENON_NO_INDEX UINT32_MAX
// Large enough for all words of kernels' `needs` that this library knows.
#define TENON_FEATURES_SIZE 256

typedef enum tenon_memory_place {
  TENON_IN_NOTHING = 0,  // absent operand, or empty
  TENON_IN_CONSTANT,     // constants[index], `offset` bytes in
  TENON_IN_ARENA,        // `offset` in the arena
  TENON_IN_STATE,        // `offset` in the state memory
  TENON_IN_CALLER        // ports[index], `offset` bytes in
} tenon_memory_place;

typedef struct tenon_slot {
  uint8_t place;   // tenon_memory_place
  uint32_t index;  // of a constant or a port
  uint64_t offset;
} tenon_slot;

typedef struct tenon_program_tensor {
  tenon_slot slot;
  uint64_t size;             // bytes of the dense form; with open sizes: of the
                             // sizes that the program was planned for
  const int32_t *dims;       // rank of them; null: rank 0
  const tenon_dim *sizes;    // rank of them; null: `dims` are for every run
  uint32_t open_dims;        // with `sizes`: where its own lie in a session
  uint32_t span;             // of the spans, plus 1; 0: none
  uint64_t span_offset;      // within it
  const int32_t *strides;    // null: dense
  const tenon_quant *quant;  // null: none
  tenon_dtype dtype;
  uint8_t rank;
  bool is_number;    // TENON_TENSOR_NUMBER
  const char *name;  // as the file has it; "" where it has none
} tenon_program_tensor;

// Elements; with open sizes: of those that the program was planned for.
TENON_INLINE int64_t tenon_program_count(const tenon_program_tensor *t) {
  int64_t n = 1;
  for (int i = 0; i < t->rank; ++i)
    n *= t->dims[i];
  return n;
}

// Constants equal in content are one. `data` is aligned for its elements, at
// least to 16 bytes when owned; packed blocks are aligned to 64 with 64 zero
// bytes behind. Null data with a size: a weight that lies apart from the
// program and has not been given; such a program can be printed and emitted.
typedef struct tenon_program_constant {
  const void *data;
  uint64_t size;
  uint32_t align;
  bool is_packed;         // made by a kernel's pack function
  tenon_dtype dtype;      // of a plain one, for readable emission
  const char *name;       // of the tensor, or the kernel's symbol
  uint32_t bank;          // with banks: where it lies, plus 1; 0: in none
  bool is_cold;           // that memory is cold: no step but a copy reads it
  uint64_t image_offset;  // then: in the image of that memory; of one in a
                          // memory that is written: in its part for constants
  bool is_source;      // no step reads it, kernels packed it: kept to be saved
  const char *layout;  // of a packed one: whose form it has, and which
  uint32_t layout_version;  // (tenon_kernel_desc.pack_name, pack_version)
  bool is_unread;  // out of a file, and not compared with this hash (tnp/) yet
  uint64_t hash;
} tenon_program_constant;

// Attributes of a step in the two forms: values by name, and the struct as this
// machine lays it out.
typedef struct tenon_program_attrs {
  const tenon_arg *args;      // canonical
  const tenon_field *fields;  // null: kernels get `args`
  size_t size;
  const void *bound;
  const char *type;  // name of the struct in the kernels' texts; null: declared
                     // by emission from the fields
  uint32_t patch, n_patches;  // numbers that a run finds out
} tenon_program_attrs;

// An attribute that a run finds out. `bound` holds some number in its place,
// and is of the same shape: a session has a copy of it, of the struct and of
// lists.
typedef struct tenon_program_patch {
  uint32_t offset;   // of the member in the struct, or in the array of args
  uint32_t kind;     // of the member: tenon_kind
  uint32_t element;  // of a list: which; 0 of what is none
  bool is_list;
  tenon_dim value;
} tenon_program_patch;

// Bytes of such a copy, for 16-byte aligned memory.
size_t tenon_attrs_room(const struct tenon_program *p,
                        const tenon_program_attrs *a);
void tenon_attrs_copy(const struct tenon_program *p,
                      const tenon_program_attrs *a, void *room);
// Writes numbers as far as they are known, at most otherwise.
void tenon_attrs_patch(const struct tenon_program *p,
                       const tenon_program_attrs *a, const tenon_known *known,
                       void *copy);

typedef struct tenon_program_guard {
  uint32_t relation;  // tenon_relation
  tenon_dim a, b;
  const char *text;     // "n is even: eq(n%2, 0)"
  const char *said_by;  // "net.pt2: guards_code"; null: not known
} tenon_program_guard;

// A dimension of an input that is open.
typedef struct tenon_program_binding {
  uint32_t entry, input, dimension;
  tenon_dim size;
} tenon_program_binding;

typedef struct tenon_program_kernel {
  const tenon_kernel_desc *desc;
  const tenon_source *source;  // or null
  const char *symbol;
  const char *owner;  // plugin
  const char *path;   // the file that plugin was loaded from; null: linked in
} tenon_program_kernel;

typedef enum tenon_step_kind {
  TENON_STEP_KERNEL = 1,
  TENON_STEP_COND,   // operand 0 is the boolean; blocks: then, else
  TENON_STEP_WHILE,  // blocks: condition, body; operand 0 is the boolean that
                     // the condition block leaves. Behind it, where any result
                     // changes its size in the loop: for each result what it is
                     // at first, then what the body leaves, absent where it is
                     // in the result's place
  TENON_STEP_CALL    // one block
} tenon_step_kind;

typedef struct tenon_step {
  uint8_t kind;      // tenon_step_kind
  uint32_t kernel;   // index of kernels
  uint32_t attrs;    // index of attrs; TENON_NO_INDEX: none
  uint32_t in, out;  // first index into `operands`
  uint16_t n_in, n_out;
  const uint16_t *in_group, *out_group;  // as in tenon_call
  uint32_t packed;   // index of constants; TENON_NO_INDEX: none
  uint64_t scratch;  // offset in the arena
  uint64_t
      scratch_size;  // 0: none. The other threads' areas are of this size too
  int64_t items;     // with run_range; else 0
  int64_t unit, extent;  // every `unit` items store the next `extent` elements
                         // of the one result; 0: that is not known. Of a kernel
                         // without ranges 1 and 1: it may be called on parts
  int64_t reads;         // of operand 0, as many elements each time, in order;
                         // 0: that is not known
  bool is_elementwise;   // of the operator: TENON_OP_ELEMENTWISE
  uint32_t joined;  // steps that are computed together from here on, this one
                    // with them (program/joined.h); 0: those in front have it
  int64_t rows, tile;  // then: of all of them, and of a piece; else 0
  uint64_t macs;       // 0: not known
  int64_t (*count_macs)(const tenon_call *call);  // of the operator; or null
  uint32_t blocks[2];                             // TENON_NO_INDEX: none
  bool is_open;        // has sizes or attributes that a run finds out
  bool is_measured;    // the kernel says sizes before it runs
  bool is_ahead;       // copies from a cold memory, and begins to before the
                       // step in front of it: where that writes is its own
  uint32_t span;       // of its scratch, plus 1; 0: none
  uint32_t time;       // in which spans live
  uint32_t decided;    // first index into `decided`
  uint32_t n_decided;  // numbers that it finds out
  const char *op;      // "core::conv"
  const char *schema;  // of the operator, where the kernel is of a wildcard
  const tenon_place *place;  // in the model; never null, may be empty
} tenon_step;

typedef struct tenon_block {
  uint32_t first;  // into `order`
  uint32_t count;
} tenon_block;

// An input that a run writes, and where its value lies afterwards.
typedef struct tenon_program_write {
  uint32_t input;
  uint32_t tensor;
} tenon_program_write;

typedef struct tenon_program_entry {
  const char *name;
  uint32_t block;
  const uint32_t *in, *out;  // tensors
  uint16_t n_in, n_out;
  const tenon_io *inputs, *outputs;
  const tenon_program_write *writes;
  uint16_t n_writes;
  const double *steps;  // n_out, as tenon_program_step; null: all 0
} tenon_program_entry;

// An input or output that a run reads or writes where the caller has it. No
// step writes to an input's.
typedef struct tenon_program_port {
  uint32_t entry, index;  // of the entry's inputs or outputs
  bool is_output;
  uint32_t align;
  uint64_t size;
} tenon_program_port;

typedef struct tenon_program_state {
  const char *name;
  uint32_t tensor;
  uint32_t initial;  // constant; TENON_NO_INDEX: zeros
  tenon_io io;
} tenon_program_state;

// What is known of the order of an entry's steps: the most bytes that live at
// once.
typedef struct tenon_program_ordering {
  uint64_t given, peak;  // of the file's order, and of the one that is planned
  uint64_t bound;        // no order needs less; 0: not known
  const char *kept;      // why no other order was looked for; null: one was
  uint64_t plain;        // what heuristics need without the steps of n_over; 0:
                         // nothing could be gained, or nothing was looked for
  uint32_t n_over;       // steps whose result lies over what they still read
  uint32_t n_orders;     // all there are, each tried with that; 0: not all
  uint64_t over_bound;   // no choice of them needs less, in any order if all
                         // were tried, else in this one; 0: not known
} tenon_program_ordering;

// A buffer as the packer placed it, for reports and pictures.
typedef struct tenon_span_record {
  const char *name;
  uint32_t first, last;  // steps in time, inclusive
  uint64_t offset, size;
  bool is_scratch;
  uint32_t align;
  uint32_t entry;
  uint32_t step;    // of scratch: whose; else TENON_NO_INDEX
  uint32_t group;   // of parts of one buffer: the same number; 0: a whole one
  uint64_t inner;   // of a part: bytes behind the begin of its buffer
  tenon_dim bytes;  // of a program with open sizes; scratch: asked for
  uint32_t bank;    // with banks: where it lies
  uint32_t rule;    // that put it there, plus 1; 0: none
  bool is_input, is_output;
} tenon_span_record;

// One of several memories. Those that can be written share the offsets of the
// arena, and of the state memory: each has the bytes from `base` on, and from
// `state_base`.
typedef struct tenon_program_bank {
  const char *name;   // as the user or the target calls it
  uint64_t capacity;  // UINT64_MAX: no limit
  bool is_rom;        // constants only
  bool is_cold;       // these, and not to be read where they lie
  bool is_prefetch;   // then: copying begins a step before it has to be done
  uint32_t align;     // of whatever lies in it, up to 64; 0: what it needs
  uint64_t base;
  uint64_t arena;        // bytes of its part
  uint64_t arena_bound;  // what is in it needs no less
  uint64_t state, constants;
  uint64_t state_base;
  uint32_t peak_time;  // when most of it lives, first
} tenon_program_bank;

// How a target's compiler writes C; tenon/ext/target.h.
typedef struct tenon_program_emission {
  const char *sections, *section, *constant, *align;           // or null
  uint32_t pointer_bits, int_bits, integer_bits, double_bits;  // 0: not said
} tenon_program_emission;

struct tenon_program {
  tenon_arena arena;
  tenon_report report;
  void *keep;  // what the program keeps alive: the context
  void (*release)(void *keep);
  const char *name;    // of the modules: default prefix of emission
  const char *target;  // "host", "c", ...
  const char *target_features;
  const char *target_macros, *target_cflags;  // or null
  char lacks[TENON_FEATURES_SIZE];  // words of `needs` that this processor has
                                    // not, others of its kind have
  tenon_program_emission emission;

  const tenon_program_tensor *tensors;
  const tenon_program_constant *constants;
  const tenon_program_attrs *attrs;
  const tenon_program_kernel *kernels;
  const tenon_step *steps;
  const uint32_t *operands;  // tensors; TENON_NO_INDEX: absent
  const uint32_t *order;     // steps of each block, in execution order
  const tenon_block *blocks;
  const tenon_program_entry *entries;
  const tenon_program_state *states;
  const tenon_program_port *ports;
  const tenon_span_record *spans;
  const tenon_program_ordering *orderings;  // of entries
  const tenon_program_bank *banks;          // in order of preference
  const char *const *rules;                 // "input:*=dtcm"
  uint32_t n_banks, n_rules;                // 0: one memory without a limit
  // Open sizes; nothing of it where all are fixed.
  const tenon_program_number *numbers;  // [1 .. n_numbers - 1]
  const tenon_program_guard *guards;
  const tenon_program_binding *bindings;
  const tenon_program_patch *patches;
  const uint32_t *decided;  // numbers
  uint32_t n_numbers, n_guards, n_bindings, n_patches, n_decided;
  bool is_bounded;         // the arena holds whatever the sizes' ranges allow
  bool empties_strings;    // before a run: whoever wrote the file may read them
                           // before he writes them
  uint32_t most_operands;  // of a step that is open
  uint32_t n_open_dims;    // of all tensors that are open
  uint32_t n_tensors, n_constants, n_attrs, n_kernels, n_steps, n_operands,
      n_order, n_blocks, n_entries, n_states, n_ports, n_spans;

  uint64_t arena_size, arena_bound, state_size;
  bool arena_is_optimal;  // no packing is smaller
  uint32_t arena_align;   // of memory in emitted C; as much can be read behind
  uint64_t scratch_most;  // largest scratch_size
  uint32_t times;         // steps in the order of time, for pictures
  const char *why;        // text of the choices of kernels; null unless asked
  const char *remarks;    // lines: what passes traded for what
};

// The memory that an offset in the arena is in; *inner: from its start. Without
// several memories 0 and the offset itself.
TENON_INLINE uint32_t tenon_program_bank_of(const struct tenon_program *p,
                                            uint64_t offset, uint64_t *inner) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < p->n_banks; ++i)
    if (p->banks[i].arena && p->banks[i].base <= offset) found = i;
  *inner = p->n_banks ? offset - p->banks[found].base : offset;
  return found;
}

// The same of an offset in the state memory.
TENON_INLINE uint32_t tenon_program_state_bank_of(const struct tenon_program *p,
                                                  uint64_t offset,
                                                  uint64_t *inner) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < p->n_banks; ++i)
    if (p->banks[i].state && p->banks[i].state_base <= offset) found = i;
  *inner = p->n_banks ? offset - p->banks[found].state_base : offset;
  return found;
}

// The constant that a step copies out of a cold memory; null: it does not.
TENON_INLINE const tenon_program_constant *tenon_program_cold(
    const struct tenon_program *p, const tenon_step *step) {
  if (p->n_banks == 0 || step->kind != TENON_STEP_KERNEL || step->n_in != 1 ||
      p->operands[step->in] == TENON_NO_INDEX)
    return NULL;
  const tenon_slot *slot = &p->tensors[p->operands[step->in]].slot;
  return slot->place == TENON_IN_CONSTANT && p->constants[slot->index].is_cold
             ? &p->constants[slot->index]
             : NULL;
}

// Whether what a step copies out of a cold memory is asked for ahead, in
// general.
TENON_INLINE bool tenon_program_prefetches(const struct tenon_program *p,
                                           const tenon_step *step) {
  const tenon_program_constant *c = tenon_program_cold(p, step);
  return c && p->banks[c->bank - 1].is_prefetch;
}

// The constant that lies in a memory that is written: whoever runs the program
// has copied it there.
TENON_INLINE bool tenon_program_is_resident(const struct tenon_program *p,
                                            const tenon_program_constant *c) {
  return c->bank > 0 && !p->banks[c->bank - 1].is_rom;
}

// Whether a tensor is there for its shape alone, and for saving.
TENON_INLINE bool tenon_program_is_source(const struct tenon_program *p,
                                          const tenon_program_tensor *t) {
  return t->slot.place == TENON_IN_CONSTANT &&
         p->constants[t->slot.index].is_source;
}

TENON_INLINE const tenon_io *tenon_program_port_io(
    const struct tenon_program *p, const tenon_program_port *port) {
  const tenon_program_entry *e = &p->entries[port->entry];
  return port->is_output ? &e->outputs[port->index] : &e->inputs[port->index];
}

// The port of an input or output, if its tensor is all of one that is its own;
// TENON_NO_INDEX: it is copied.
TENON_INLINE uint32_t tenon_program_port_of(const struct tenon_program *p,
                                            uint32_t entry, uint32_t index,
                                            bool is_output) {
  const tenon_program_entry *e = &p->entries[entry];
  uint32_t tensor = is_output ? e->out[index] : e->in[index];
  if (tensor == TENON_NO_INDEX) return TENON_NO_INDEX;
  const tenon_slot *slot = &p->tensors[tensor].slot;
  if (slot->place != TENON_IN_CALLER) return TENON_NO_INDEX;
  const tenon_program_port *port = &p->ports[slot->index];
  return port->entry == entry && port->index == index &&
                 port->is_output == is_output
             ? slot->index
             : TENON_NO_INDEX;
}

// Whose form a kernel's blocks have.
TENON_INLINE const char *tenon_kernel_layout(const tenon_kernel_desc *desc) {
  return desc->pack_name ? desc->pack_name : desc->symbol;
}

// Values that a loop carries which changes sizes.
#define TENON_MOST_CARRIED 16384u

// Bytes of a dense tensor; the padding that every arena tensor has behind it so
// that kernels may read 64 bytes past its end is the arena's, at its end.
// Emitted C may have less of both: `arena_align` for each, LEAST at least.
#define TENON_ARENA_ALIGN 64
#define TENON_ARENA_TAIL 64
#define TENON_ARENA_LEAST 16

static inline void tenon_program_raise_align(struct tenon_program *p,
                                             uint32_t align) {
  if (align > p->arena_align) p->arena_align = align;
}
// A memory of so many bytes with what may be read behind it, in emitted C.
uint64_t tenon_program_room(const struct tenon_program *p, uint64_t size);

// The first packed constant that agrees with this one behind the head of their
// kernel (tenon_kernel_desc.pack_head), so that emitted C has it once; `index`
// itself, if none stands before it. Of stripes of a layer the weights do.
uint32_t tenon_program_rest_of(const struct tenon_program *p, uint32_t index);
// Bytes of a constant in emitted C: its head alone where the rest is another's.
uint64_t tenon_program_constant_size(const struct tenon_program *p,
                                     uint32_t index);
// All that is packed: blocks at multiples of `arena_align` and as much behind
// the last. 0: nothing is.
uint64_t tenon_program_packed_size(const struct tenon_program *p);

// Whether the step's result lies over its first operand further down, as its
// kernel's `overlap` allows: then items are computed in order, never side by
// side. Of open sizes: whether it may.
bool tenon_program_is_over(const struct tenon_program *p,
                           const tenon_step *step);

void tenon_program_free(struct tenon_program *p);
// "[?n*2,3]", as the module's text shows it.
void tenon_program_print_shape(const struct tenon_program *p,
                               const tenon_program_tensor *t, tenon_buf *out);
void tenon_program_print_size(const struct tenon_program *p,
                              const tenon_program_tensor *t, int d,
                              tenon_buf *out);
// Fills `shape` of all inputs, outputs and states; numbers and tensors are
// known. False: out of memory.
bool tenon_program_name_shapes(struct tenon_program *p);
// Finds the constants that are `is_source`; kernels are known.
void tenon_program_mark_sources(struct tenon_program *p);
// One error that names the weights that have not been given; TENON_OK: none.
tenon_status tenon_program_check_weights(const struct tenon_program *p,
                                         const tenon_report *report);
// That every step has a kernel that can run here, not only be emitted, and
// needs nothing that this processor lacks.
tenon_status tenon_program_check_kernels(const struct tenon_program *p,
                                         const tenon_report *report);

#endif  // TENON_PROGRAM_PROGRAM_H
