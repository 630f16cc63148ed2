// ir/text/printer.h - what the files of the printer share.
//
// print.c writes the structure; print_name.c decides what values are called,
// print_dim.c how sizes with symbols are written, print_data.c writes
// constants. All add to one buffer, which is handed on in pieces.
#ifndef TENON_IR_PRINTER_H
#define TENON_IR_PRINTER_H

#include "base/buf.h"
#include "ir/text/print.h"

typedef struct tenon_printer {
  const tenon_module *m;
  uint32_t flags;
  tenon_write_fn *write;
  void *self;
  tenon_status status;  // the first that `write` returned
  tenon_buf out;
  tenon_arena arena;
  uint32_t indent;
  size_t n_zeros;  // bytes called zeros so far
  // Names (print_name.c).
  uint32_t *numbers;     // by id of a value: of its name among equal ones
  tenon_map shared;      // how often a name is defined: constants
  tenon_map local;       // the same in the present function
  uint32_t n_unnamed;    // of the constants and the present function
  uint32_t n_constants;  // unnamed ones
  // Symbols (print_dim.c).
  const tenon_symbols *symbols;  // those to print with
  tenon_symbols own;
  tenon_dim *translated;  // by id of a symbol of the module
  bool *is_used;          // by id of a symbol to print with
  bool has_own;
  // JSON (print_json.c).
  bool holds;       // nothing is handed on for now
  bool is_outline;  // without data of constants and states
  tenon_buf work;   // a piece of text that becomes a string
} tenon_printer;

// Hands on what has gathered, if it is much.
void tenon_printer_flush(tenon_printer *p, size_t least);

bool tenon_printer_start_names(tenon_printer *p);
void tenon_printer_start_function(tenon_printer *p);
void tenon_printer_end_names(tenon_printer *p);
// Where a value is defined, and where it is used; null: absent.
void tenon_printer_define(tenon_printer *p, const tenon_value *v);
void tenon_printer_value(tenon_printer *p, const tenon_value *v);
// An operator, an attribute, ...: as it is or in quotes.
void tenon_printer_word(tenon_printer *p, const char *word);
void tenon_printer_quote(tenon_printer *p, const char *text);

// Results as they are written: one, or a list. A list that is the only result
// is written without brackets, so that its tensors are groups of their own.
typedef struct tenon_result_group {
  uint32_t begin, end;  // of n->out
  bool is_list;         // in brackets
} tenon_result_group;
uint32_t tenon_printer_groups(const tenon_node *n);
tenon_result_group tenon_printer_group(const tenon_node *n, uint32_t g);

bool tenon_printer_start_symbols(tenon_printer *p);
void tenon_printer_end_symbols(tenon_printer *p);
bool tenon_printer_is_used(const tenon_printer *p, uint32_t leaf);
void tenon_printer_type(tenon_printer *p, const tenon_type *t);
void tenon_printer_args(tenon_printer *p, const tenon_node *n);
// Attributes with the symbols that are printed; null: none, or no memory.
const tenon_arg *tenon_printer_printable(tenon_printer *p,
                                         const tenon_arg *args);
void tenon_printer_symbol(tenon_printer *p, uint32_t symbol);
void tenon_printer_dim(tenon_printer *p, tenon_dim d);

// " {1, 2}", " zeros", " hex"..."".
void tenon_printer_data(tenon_printer *p, const tenon_type *type,
                        const tenon_tensor *t);
void tenon_printer_hex(tenon_printer *p, const void *data, size_t size);
// Bytes that may be text.
void tenon_printer_bytes(tenon_printer *p, const void *data, size_t size);

#endif  // TENON_IR_PRINTER_H
