// core/attr.h - attributes: canonical lists of tenon_arg, and the structs that
// kernels see.
//
// The graph keeps attributes in one form: an array of tenon_arg in the order of
// the schema's attributes, complete with defaults, ended by a null name. The
// struct is made from it (`bind`) for callbacks and kernels. What is absent
// (None of an optional argument) has kind 0. Values have the kind that the
// schema's type has without its `?`: INT also for `int?`. A size that is a
// symbol is DIMS, of one element where the argument is no list. Names in
// canonical form are the schema's own.
#ifndef TENON_CORE_ATTR_H
#define TENON_CORE_ATTR_H

#include "base/arena.h"
#include "base/buf.h"
#include "core/dtype.h"
#include "core/schema/schema.h"
#include "core/symbol/symbol.h"
#include "tenon/ext/op.h"

// Brings attributes given in any order into the canonical form: fills defaults,
// repeats a single value for T[n], converts where PyTorch converts (int to
// float, int to Scalar, a list of sizes with symbols to DIMS). As in PyTorch,
// T[1] takes a list of any length, and T[n] an empty one if that is its
// default. On failure
// returns false and fills `error`: an unknown name (with the nearest), a
// missing one, a value of another kind, a list of another length. `given` may
// be null. Values are copied into the arena.
bool tenon_attr_complete(tenon_arena *arena, const tenon_schema *schema,
                         const tenon_arg *given, const tenon_arg **out,
                         char *error, size_t size);
// One value for one argument, converted and copied as by tenon_attr_complete. A
// list may be empty here whatever its length.
bool tenon_attr_convert(tenon_arena *arena, const tenon_argument *argument,
                        const tenon_arg *given, tenon_arg *out, char *error,
                        size_t size);
// A complex number in the place of a Scalar is a text, "0.5-2j": a tenon_scalar
// has no room for it.
bool tenon_attr_is_complex(const tenon_argument *argument,
                           const tenon_arg *value);
void tenon_complex_print(double real, double imaginary, tenon_buf *out);
bool tenon_complex_parse(const char *text, double *real, double *imaginary);
// Elements of a list and of any other number alike: how many, and the i-th as a
// Scalar (kind 0 where it is no number, as a text of a list).
size_t tenon_attr_count(const tenon_arg *arg);
tenon_scalar tenon_attr_scalar(const tenon_arg *arg, size_t i);
// Makes the struct described by `fields` from canonical attributes; sizes with
// symbols become TENON_UNKNOWN. Without fields: returns the canonical array
// itself with DIMS flattened to INTS. Null when memory ran out.
const void *tenon_attr_bind(tenon_arena *arena, const tenon_field *fields,
                            size_t attrs_size, const tenon_arg *args);
// And back: for options that a reader function has put into a struct.
bool tenon_attr_unbind(tenon_arena *arena, const tenon_schema *schema,
                       const tenon_field *fields, const void *attrs,
                       const tenon_arg **out);
// Checks that each attribute of the schema has exactly one field of the right
// kind, and that offsets and size are what this machine's alignments give.
// False and `error` otherwise.
bool tenon_attr_check_fields(const tenon_schema *schema,
                             const tenon_field *fields, size_t attrs_size,
                             char *error, size_t size);
// Size and alignment of a member of this kind on this machine; 0 if unknown.
size_t tenon_kind_size(uint32_t kind, size_t *align);
const char *tenon_kind_name(uint32_t kind);  // "int", "float[]", ...
// "int64_t name", "const char *name": a member of this kind as C declares it.
void tenon_kind_declare(uint32_t kind, const char *name, tenon_buf *out);
// Whether a member of this kind has elements; DIMS, which no member has, too.
bool tenon_kind_is_list(uint32_t kind);

// The attribute of that name; null: none, or no list at all.
const tenon_arg *tenon_args_find(const tenon_arg *args, const char *name);
// Whether a size with a symbol is among them.
bool tenon_args_has_dims(const tenon_arg *args);
bool tenon_args_equal(const tenon_arg *a, const tenon_arg *b);
// Whether the schema gives a default, and this is it.
bool tenon_arg_is_default(const tenon_arg *arg, const tenon_schema *schema);
uint64_t tenon_args_hash(const tenon_arg *args, uint64_t seed);
// "[gain=0.75, relu=true, dims=[1, 2], mode=\"add\"]", defaults left out when a
// schema is given. Nothing at all when nothing is left.
void tenon_args_print(const tenon_arg *args, const tenon_schema *schema,
                      const tenon_symbols *symbols, tenon_buf *out);
// The value alone; "none" when absent.
void tenon_arg_print(const tenon_arg *arg, const tenon_symbols *symbols,
                     tenon_buf *out);

// As a default of a schema, in Python's words, without symbols; not names and
// element types, which have spellings of their own there.
void tenon_arg_print_python(const tenon_arg *arg, tenon_buf *out);

#endif  // TENON_CORE_ATTR_H
