// core/complex_text.c - complex numbers as text, both ways: "1.5-2j".
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "core/attr.h"

void tenon_complex_print(double real, double imaginary, tenon_buf *out) {
  tenon_buf_double(out, real);
  if (!signbit(imaginary)) tenon_buf_char(out, '+');
  tenon_buf_double(out, imaginary);
  tenon_buf_char(out, 'j');
}

// Behind the first number comes a sign, which an exponent may have, too.
bool tenon_complex_parse(const char *text, double *real, double *imaginary) {
  size_t size = strlen(text), at = size;
  if (size < 3 || text[size - 1] != 'j') return false;
  while (at-- > 1) {
    bool is_sign = text[at] == '+' || text[at] == '-';
    if (is_sign && text[at - 1] != 'e' && text[at - 1] != 'E') break;
  }
  size_t behind = at + (text[at] == '+');
  tenon_text first = {text, at}, second = {text + behind, size - 1 - behind};
  return at > 0 && tenon_text_double(first, real) &&
         tenon_text_double(second, imaginary);
}
