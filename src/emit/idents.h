// emit/idents.h - C identifiers from names that were never meant to be any.
//
// Names in models are hostile: "serving_default_x:0", "int", "", a sentence in
// Chinese, or the same name twice. What comes out is valid C and C++, in lower
// case (so that no macro of a system header fits it), without double or
// leading underscores (those belong to the compiler), and short.
#ifndef TENON_EMIT_IDENTS_H
#define TENON_EMIT_IDENTS_H

#include "base/arena.h"
#include "base/map.h"

// Longest result of tenon_ident_clean, without the final zero.
#define TENON_IDENT_MOST 48

// Letters in lower case and digits, everything else one underscore; `fallback`
// when nothing is left, and in front of a digit. Null when memory ran out.
const char *tenon_ident_clean(tenon_arena *arena, const char *text,
                              const char *fallback);
// `name`, or with _2, _3 ... behind it if that is taken; it is then. Null when
// memory ran out, and for null.
const char *tenon_ident_take(tenon_map *taken, tenon_arena *arena,
                             const char *name);
// Several texts one after the other, up to a null.
const char *tenon_ident_join(tenon_arena *arena, const char *const *parts);
const char *tenon_ident_upper(tenon_arena *arena, const char *name);

// Whether it is one identifier, of C and C++ alike.
bool tenon_ident_is_valid(const char *name);
// A keyword, a macro that is not in upper case, or a name of the C library: no
// good as a name of a type or a parameter.
bool tenon_ident_is_reserved(const char *name);

#endif  // TENON_EMIT_IDENTS_H
