// base/label.h - names of a file, made fit to be shown in a message or a place.
#ifndef TENON_BASE_LABEL_H
#define TENON_BASE_LABEL_H

#include "base/text.h"

// Bytes that are shown of a name, with the final zero.
#define TENON_LABEL 64

// No control characters, valid UTF-8, cut to size.
void tenon_label_make(char label[TENON_LABEL], tenon_text name);

#endif  // TENON_BASE_LABEL_H
