// read/about.h - what a file says of its model for people, and files that it
// carries: of a .tflite its TFLITE_METADATA and the ZIP archive behind it.
//
// Nobody computes with any of it, so what is damaged is left out without a
// word.
#ifndef TENON_READ_ABOUT_H
#define TENON_READ_ABOUT_H

#include "ir/graph.h"

typedef struct tenon_about_api {
  void *self;
  // "author" and a text; of an input, an output or a carried file also its
  // `name`, else null. Texts are as they are in the file.
  void (*text)(void *self, const char *what, const char *name,
               const char *text);
  void (*file)(void *self, const char *name, uint64_t size);
} tenon_about_api;

void tenon_tflite_about(const tenon_module *m, const tenon_about_api *api);

#endif  // TENON_READ_ABOUT_H
