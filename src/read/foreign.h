// read/foreign.h - files of other systems that people hand over: what each is,
// and how a model that is read is made of it. They are only told apart here,
// from their first bytes or the names of their members; nothing is read.
#ifndef TENON_READ_FOREIGN_H
#define TENON_READ_FOREIGN_H

#include "read/zip.h"

typedef struct tenon_foreign {
  const char *what;    // behind "found"; null: none that is known
  const char *remedy;  // or null
} tenon_foreign;

// `name` is the file's, which decides between formats whose bytes begin alike;
// or null.
tenon_foreign tenon_foreign_bytes(const void *data, size_t size,
                                  const char *name);
// Of an archive that is open.
tenon_foreign tenon_foreign_zip(const tenon_zip *zip);

#endif  // TENON_READ_FOREIGN_H
