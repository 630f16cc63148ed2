// base/label.h - names of a file, made fit to be shown in a message or a place.
#ifndef TENON_BASE_LABEL_H
#define TENON_BASE_LABEL_H

#include "base/text.h"

// Bytes that are shown of a name, with the final zero.
#define TENON_LABEL 64

// No control characters, valid UTF-8, cut to size.
void tenon_label_make(char label[TENON_LABEL], tenon_text name);

// Names for a sentence: "'a', 'b' and 3 more", as many as have room; "none" of
// none. Begins as zeros.
typedef struct tenon_labels {
  char text[256];
  size_t size, count, shown;
} tenon_labels;
void tenon_labels_add(tenon_labels *l, const char *name);  // null: passed over
const char *tenon_labels_text(tenon_labels *l);  // when all have been added

#endif  // TENON_BASE_LABEL_H
