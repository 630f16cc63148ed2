// ops/tfl/tfl_options.h - the options tables of built-in operators.
//
// A table is one list: kind, name and slot of each member, and what FlatBuffers
// reads where a file leaves the member out. The build makes the lists of the
// rows of tfl_tables.def. Everything else comes from them: the attribute
// structs here; fields, arguments of the schema and the reader of the slots in
// tfl.c.
//
// Enumerations stay numbers, so that the text form says what the file says;
// tfl_op.h names those that mean something.
#ifndef TENON_OPS_TFL_TFL_OPTIONS_H
#define TENON_OPS_TFL_TFL_OPTIONS_H

#include "tenon/ext/plugin.h"

// No slot: what the intermediate tensors of the operator have.
#define TFL_INTERMEDIATES -1
// What the subgraph is that a slot names: an operator, or "second", of its two
// operands the second.
#define TFL_BODY(slot) (-2 - (slot))
// No slot: the reader works it out.
#define TFL_UNSTORED INT32_MIN

// TFL_TABLE_<name> takes what stands before the first member, the macro for a
// member, and the name of the struct, which is handed through; TFL_TABLES all
// names.
#include "ops/tfl/tfl_tables.h"  // made

#define TFL_C_BOOL bool
#define TFL_C_INT int64_t
#define TFL_C_FLOAT double
#define TFL_C_STR const char *
#define TFL_C_INTS tenon_ints
#define TFL_C_FLOATS tenon_floats
#define TFL_MEMBER(S, kind, member, slot, absent) TFL_C_##kind member;
#define TFL_STRUCT(table)                    \
  typedef struct tenon_tfl_##table##_attrs { \
    TFL_TABLE_##table(, TFL_MEMBER, )        \
  } tenon_tfl_##table##_attrs;
TFL_TABLES(TFL_STRUCT)
#undef TFL_STRUCT
#undef TFL_MEMBER

#endif  // TENON_OPS_TFL_TFL_OPTIONS_H
