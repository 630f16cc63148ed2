// core/schema/schema.h - function schemas in PyTorch's grammar.
//
//   "acme::gain.out(Tensor x, *, float gain=1.0, Tensor(a!) out) -> Tensor(a!)"
//
// The whole grammar: every argument kind, `T?`, `T[]`, `T[n]`, `T?[]`, defaults
// of every kind, alias sets with wildcards, multiple and named returns,
// overload names, varargs refused. Source: FunctionSchema in torch/_C and
// aten/src/ATen/native/README.md of PyTorch.
#ifndef TENON_CORE_SCHEMA_H
#define TENON_CORE_SCHEMA_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/text.h"
#include "tenon/attr.h"

typedef enum tenon_base_type {  // what stands before ?, [] and [n]
  TENON_BASE_TENSOR = 1,
  TENON_BASE_INT,  // also SymInt; is_symbolic tells
  TENON_BASE_FLOAT,
  TENON_BASE_BOOL,
  TENON_BASE_STR,
  TENON_BASE_SCALAR,
  TENON_BASE_DTYPE,  // ScalarType
  TENON_BASE_NAME  // Device, Layout, MemoryFormat, Dimname, Generator, Stream:
                   // carried as text
} tenon_base_type;

typedef struct tenon_argument {
  const char *name;            // never null; results without a name: ""
  const char *type_text;       // as written, "Tensor(a!)?[]"
  const char *alias;           // "a" of Tensor(a!), "a|b", "*"; null: none
  uint8_t base;                // tenon_base_type
  bool is_list;                // [] or [n]
  bool is_optional;            // the whole argument may be None: T?, T[]?
  bool has_optional_elements;  // T?[]
  bool is_symbolic;            // SymInt, SymFloat, SymBool
  bool is_written;             // (a!)
  bool is_keyword_only;        // behind `*`
  bool has_default;
  int32_t length;   // n of T[n]; 0: any. A single value then means n of it
  uint32_t kind;    // tenon_kind that a field of an attribute struct must
                    // have; 0 for tensors, and where there is none (str[][])
  tenon_arg value;  // the default, when there is one, as tenon_attr_complete
                    // would give it; name = the argument's
} tenon_argument;

typedef struct tenon_schema {
  const char *name;      // "acme::gain.out"; without ".default"
  const char *set;       // "acme"
  const char *base;      // "gain"
  const char *overload;  // "out"; "" for the default one
  const tenon_argument *args;
  const tenon_argument *returns;
  uint16_t n_args, n_returns;
  uint16_t n_tensors;  // arguments that are Tensor, Tensor?, Tensor[] ...
  uint16_t n_attrs;    // the others
  uint16_t n_written;  // written arguments whose mark no return carries: each
                       // is one more result of a functional node, after the
                       // declared ones
  const uint16_t *written;  // their indices among the tensor arguments
} tenon_schema;

// Parses all of `text`. On failure returns false, and `error` (of `size` bytes)
// says what was expected and found, `*at` at which byte.
bool tenon_schema_parse(tenon_arena *arena, const char *text,
                        tenon_schema **out, char *error, size_t size,
                        size_t *at);
// Whether all types are ones that PyTorch has. The grammar carries others as
// text, since files may hold them; in an operator that is to be called, such a
// one is a slip. On failure as above, with the place in `text`.
bool tenon_schema_check_types(const tenon_schema *s, const char *text,
                              char *error, size_t size, size_t *at);
// In canonical form: print(parse(print(s))) == print(s).
void tenon_schema_print(const tenon_schema *s, tenon_buf *out);
// Parses only the name: "ns::name", "ns::name.overload", ".default" dropped.
// For a wildcard "ns::name.*" or "ns::*" the overload or the base is "*".
bool tenon_name_parse(tenon_arena *arena, const char *text, const char **name,
                      const char **set, const char **base,
                      const char **overload);
// A name as part of an identifier of C: "my_ops::mul4.out" is my_ops_mul4_out.
void tenon_name_ident(const char *name, tenon_buf *out);
// The i-th tensor argument or the i-th attribute, in schema order; null beyond.
const tenon_argument *tenon_schema_tensor(const tenon_schema *s, int i);
const tenon_argument *tenon_schema_attr(const tenon_schema *s, int i);
const tenon_argument *tenon_schema_find(const tenon_schema *s,
                                        const char *name);
// Whether declared result i carries the alias mark of a written argument, and
// of which tensor argument; -1 otherwise. A mark has the `!`: Tensor(a) of
// Tensor(a!) is a view of it, not the value afterwards.
int tenon_schema_return_of(const tenon_schema *s, int result);

// Whether the name without set and overload is one of these words.
TENON_INLINE bool tenon_schema_is_among(const tenon_schema *s,
                                        const char *words) {
  return tenon_text_has_word(words, tenon_text_of(s->base));
}

#endif  // TENON_CORE_SCHEMA_H
