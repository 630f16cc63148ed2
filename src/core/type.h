// core/type.h - tensor types: element type, sizes with symbols, quantisation.
//
// A tenon_type is a value; what it points to lives in some arena and is never
// changed. Functions here compare, copy, print and check; they know no graph.
#ifndef TENON_CORE_TYPE_H
#define TENON_CORE_TYPE_H

#include "base/arena.h"
#include "base/buf.h"
#include "core/dtype.h"
#include "core/symbol/symbol.h"

bool tenon_type_is_static(const tenon_type *t);  // no symbols
// Elements and bytes of a static type; false on overflow or with symbols.
bool tenon_type_count(const tenon_type *t, uint64_t *out);
bool tenon_type_size(const tenon_type *t, size_t *out);
bool tenon_type_equals(const tenon_type *a, const tenon_type *b);
bool tenon_type_same_shape(const tenon_type *a, const tenon_type *b);
// Element types and ranks are equal, and so is every size that is fixed in
// both.
bool tenon_type_may_equal(const tenon_type *a, const tenon_type *b);
// Copies dims and quantisation into the arena.
tenon_type tenon_type_copy(tenon_arena *arena, const tenon_type *t);
// "f32[1,49,10,1]", "s8[1,12]{0.00390625:-128}", "f32[?n,4]". Symbols may be
// null when the type is static.
void tenon_type_print(const tenon_type *t, const tenon_symbols *symbols,
                      tenon_buf *out);
// numpy broadcasting of two shapes; `out` has room for TENON_MAX_RANK. False
// when they do not fit.
bool tenon_type_broadcast(const tenon_dim *a, int rank_a, const tenon_dim *b,
                          int rank_b, tenon_dim *out, int *rank);

// Quantisation. Null means none. `channels` is how many scales there are: with
// blocks, those of all channels together.
bool tenon_quant_equals(const tenon_quant *a, const tenon_quant *b);
const tenon_quant *tenon_quant_copy(tenon_arena *arena, const tenon_quant *q);
// "{scale:zero}", "{[s,s]:[z,z]@axis}", "{...@axis/block}".
void tenon_quant_print(const tenon_quant *q, tenon_buf *out);
// The suffix that kernels' `types` use: "" none, "q" one scale, "qc" per
// channel, "qb" blocks.
const char *tenon_quant_suffix(const tenon_quant *q);

#endif  // TENON_CORE_TYPE_H
