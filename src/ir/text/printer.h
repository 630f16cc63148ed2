// ir/text/printer.h - what the files of the printer share.
//
// print.c writes the structure; print_name.c decides what values are called,
// print_dim.c how sizes with symbols are written, print_data.c writes
// constants. All add to one buffer, which is handed on in pieces.
#ifndef TENON_IR_PRINTER_H
#define TENON_IR_PRINTER_H

#include "base/put.h"
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

// Prints a module by `print_all`, with names and symbols ready. `p` has what
// its caller chose; the rest is zeros.
tenon_status tenon_printer_run(tenon_printer *p,
                               void (*print_all)(tenon_printer *p));
// Hands on what has gathered, if it is much.
void tenon_printer_flush(tenon_printer *p, size_t least);
// The printer whose `out` it is: of what prints values in a text of base/put.h.
TENON_INLINE tenon_printer *tenon_printer_of(tenon_buf *out) {
  return (tenon_printer *)(void *)((char *)out - offsetof(tenon_printer, out));
}

// The next place behind *i that is to be seen, of those that `loc` stands for;
// null: none. Parsing gives lines of text a place that is not printed.
const tenon_place *tenon_printer_next_place(const tenon_printer *p,
                                            tenon_loc loc, uint32_t *i);

bool tenon_printer_start_names(tenon_printer *p);
void tenon_printer_start_function(tenon_printer *p);
void tenon_printer_end_names(tenon_printer *p);
// Where a value is defined, and where it is used; null: absent.
void tenon_printer_define(tenon_buf *out, const tenon_put_value *v);
void tenon_printer_value(tenon_buf *out, const tenon_put_value *v);
TENON_PUT_AS(definition, const tenon_value *, p, tenon_printer_define)
TENON_PUT_AS(value, const tenon_value *, p, tenon_printer_value)
// An operator, an attribute, ...: as it is or in quotes.
void tenon_printer_word(tenon_buf *out, const tenon_put_value *v);
void tenon_printer_quote(tenon_buf *out, const tenon_put_value *v);
TENON_PUT_AS(word, const char *, p, tenon_printer_word)
TENON_PUT_AS(quoted, const char *, p, tenon_printer_quote)

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
void tenon_printer_type(tenon_buf *out, const tenon_put_value *v);
void tenon_printer_dim(tenon_buf *out, const tenon_put_value *v);
void tenon_printer_symbol(tenon_buf *out, const tenon_put_value *v);
TENON_PUT_AS(type, const tenon_type *, p, tenon_printer_type)
TENON_PUT_AS(dim, const tenon_dim *, p, tenon_printer_dim)
TENON_PUT_AS(symbol, uint64_t, u, tenon_printer_symbol)
void tenon_printer_args(tenon_printer *p, const tenon_node *n);
// Attributes with the symbols that are printed; null: none, or no memory.
const tenon_arg *tenon_printer_printable(tenon_printer *p,
                                         const tenon_arg *args);

// " {1, 2}", " zeros", " hex"..."".
void tenon_printer_data(tenon_printer *p, const tenon_type *type,
                        const tenon_tensor *t);
void tenon_printer_hex(tenon_printer *p, const void *data, size_t size);
// Bytes that may be text.
void tenon_printer_bytes(tenon_printer *p, const void *data, size_t size);

#endif  // TENON_IR_PRINTER_H
