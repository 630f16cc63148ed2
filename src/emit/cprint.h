// emit/cprint.h - numbers and texts as C source.
//
// Everything printed here is C99 that stays what it is wherever it stands: a
// comment cannot end or continue a line, a string has no trigraph, a number
// reads back as the same bits. Nothing depends on the locale.
#ifndef TENON_EMIT_CPRINT_H
#define TENON_EMIT_CPRINT_H

#include "base/put.h"
#include "tenon/tensor.h"

// Room for any number that the put functions write.
#define TENON_C_NUMBER 32

// Into `to`, without a final zero; how many characters that took. The smallest
// integer is written by its name, others plain; floats with the suffix f. A
// float that is not finite takes 0: it has no literal.
size_t tenon_c_put_int(char *to, int64_t value);
size_t tenon_c_put_uint(char *to, uint64_t value);
size_t tenon_c_put_hex(char *to, uint32_t value);  // 0x and eight digits
size_t tenon_c_put_float(char *to, float value);
size_t tenon_c_put_double(char *to, double value);  // in hexadecimal

void tenon_c_int(tenon_buf *out, int64_t value);
void tenon_c_uint(tenon_buf *out, uint64_t value);
// Expressions; what is not finite by the names of <math.h>.
void tenon_c_float(tenon_buf *out, float value);
void tenon_c_double(tenon_buf *out, double value);

// A text for a comment that runs to the end of the line: printable ASCII only,
// other characters as <U+4F60>, other bytes as <e9>, `\` as `/`. Long ones are
// cut, names after fewer characters.
void tenon_c_comment(tenon_buf *out, const char *text);
void tenon_c_name(tenon_buf *out, const char *text);
// In double quotes, with octal escapes, which have an end.
void tenon_c_string(tenon_buf *out, const char *text);

// The same as values of a text (base/put.h).
void tenon_c_put_value_int(tenon_buf *out, const tenon_put_value *v);
void tenon_c_put_value_comment(tenon_buf *out, const tenon_put_value *v);
void tenon_c_put_value_name(tenon_buf *out, const tenon_put_value *v);
void tenon_c_put_value_string(tenon_buf *out, const tenon_put_value *v);
TENON_PUT_AS(c_int, int64_t, i, tenon_c_put_value_int)
TENON_PUT_AS(c_comment, const char *, p, tenon_c_put_value_comment)
TENON_PUT_AS(c_name, const char *, p, tenon_c_put_value_name)
TENON_PUT_AS(c_string, const char *, p, tenon_c_put_value_string)

// "int8_t": how C sees an element. Booleans and types below a byte or without a
// type of C are bytes or words; complex numbers are two floats. "void" for 0.
const char *tenon_c_type(tenon_dtype dtype);
const char *tenon_c_dtype(tenon_dtype dtype);  // "TENON_F32"; "0" for 0

#endif  // TENON_EMIT_CPRINT_H
