// base/text.h - views of text, numbers in text, and the nearest name.
//
// Nothing here depends on the locale and nothing allocates.
#ifndef TENON_BASE_TEXT_H
#define TENON_BASE_TEXT_H

#include <string.h>

#include "tenon/base.h"

typedef struct tenon_text {
  const char *data;
  size_t size;
} tenon_text;

TENON_INLINE tenon_text tenon_text_of(const char *s) {
  tenon_text t = {s, s ? strlen(s) : 0};
  return t;
}
TENON_INLINE bool tenon_text_is(tenon_text t, const char *s) {
  return t.size == strlen(s) && memcmp(t.data, s, t.size) == 0;
}
TENON_INLINE bool tenon_text_same(tenon_text a, tenon_text b) {
  return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}
bool tenon_text_is_identifier(tenon_text t);  // of C, keywords included
bool tenon_text_starts(const char *s, const char *prefix);
bool tenon_text_ends(const char *s, const char *suffix);
tenon_text tenon_text_trim(tenon_text t);  // blanks at both ends
// Cuts the next piece up to `separator` off *rest; false when nothing is left.
bool tenon_text_next(tenon_text *rest, char separator, tenon_text *piece);
// Lists of words between blanks: whether one is there; adds one behind them,
// which is false, with nothing written, where `size` bytes have no room for it.
bool tenon_text_has_word(const char *words, tenon_text word);
bool tenon_text_add_word(char *words, size_t size, tenon_text word);
// Formats behind what a text of `size` bytes has; cut where it has no room.
void tenon_text_append(char *text, size_t size, const char *fmt, ...)
    TENON_PRINTF(3, 4);
// `*` any run, `?` any character.
bool tenon_text_glob(const char *pattern, const char *s);

// The whole text must be the number. Integers: optional sign, decimal or 0x
// hex, within range. Floats: also nan, inf, -inf, and hex floats.
bool tenon_text_int(tenon_text t, int64_t *out);
bool tenon_text_double(tenon_text t, double *out);

bool tenon_text_is_utf8(const char *data, size_t size);

// Edit distance with transpositions, letters of either case alike; stops
// counting above `limit` and then returns limit + 1.
size_t tenon_text_distance(const char *a, const char *b, size_t limit);
// Feeds candidates to find the one nearest to `name`: near enough to be offered
// as a correction, or none. Ties go to the first fed.
typedef struct tenon_nearest {
  const char *name, *best;
  size_t distance;
} tenon_nearest;
void tenon_nearest_init(tenon_nearest *n, const char *name);
void tenon_nearest_feed(tenon_nearest *n, const char *candidate);
// What a message says of the nearest name, if there is one: for "%s%s%s".
#define TENON_DID_YOU_MEAN(best) \
  (best) ? "; did you mean '" : "", (best) ? (best) : "", (best) ? "'?" : ""

#endif  // TENON_BASE_TEXT_H
