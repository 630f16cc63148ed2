// base/chars.h - what a character of a name, a word or a number is, in ASCII
// and whatever the locale.
#ifndef TENON_BASE_CHARS_H
#define TENON_BASE_CHARS_H

#include "tenon/base.h"

TENON_INLINE bool tenon_char_is_digit(char c) {
  return c >= '0' && c <= '9';
}
TENON_INLINE bool tenon_char_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
TENON_INLINE char tenon_char_lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}
// Names of C, of Python and of Tenon's own texts.
TENON_INLINE bool tenon_char_begins_name(char c) {
  return tenon_char_is_letter(c) || c == '_';
}
TENON_INLINE bool tenon_char_is_in_name(char c) {
  return tenon_char_begins_name(c) || tenon_char_is_digit(c);
}

#endif  // TENON_BASE_CHARS_H
