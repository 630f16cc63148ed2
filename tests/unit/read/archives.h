// tests/unit/read/archives.h - ZIP archives and .pt2 programs made in memory.
#ifndef TENON_TESTS_READ_ARCHIVES_H
#define TENON_TESTS_READ_ARCHIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct archive {
  uint8_t *data, *directory;
  size_t size, capacity, directory_size, directory_capacity;
  uint16_t count;
  bool is_wide;  // with the records of ZIP64, as torch writes them
} archive;

// Stored at 64 bytes, as torch does it; or deflated. A null name ends nothing.
void archive_add(archive *a, const char *name, const void *data, size_t size);
void archive_deflate(archive *a, const char *name, const void *data,
                     size_t size);
// Writes the directory: `data` and `size` are the file then.
void archive_end(archive *a);
void archive_free(archive *a);

// A program of one addition and one reshape on a f32[?s77,2], with a weight
// `w` of two floats: its JSON. The other text is its configuration of weights.
extern const char program_text[], weights_text[];
// The whole file of a program with these texts.
void archive_program(archive *a, const char *program, const char *weights);
// The same with other bytes as weight_0.
void archive_program_of(archive *a, const char *program, const char *weights,
                        const void *data, size_t size);

#endif  // TENON_TESTS_READ_ARCHIVES_H
