// cli/verb/packing.h - buffers as lines of a file with commas, as MiniMalloc
// has them: id, lower, upper, size; live from `lower` to before `upper`.
// Further columns: alignment, offset (a place that is given), gaps ("20-30
// 40-50": not live then), group and inner (buffers of a group move together).
#ifndef TENON_CLI_PACKING_H
#define TENON_CLI_PACKING_H

#include "cli/cli.h"
#include "tenon/pack.h"

typedef struct pack_row {
  const char *text;  // the line as it was, in the file's bytes
  size_t size;
  size_t first, count;  // spans
} pack_row;

typedef struct pack_file {
  tenon_buf bytes;  // of the file; lines end with 0
  const char *header;
  int offset_column;  // -1: none
  pack_row *rows;
  size_t n_rows;
  tenon_span *spans;
  size_t n_spans;
} pack_file;

// The exit code, 0 when read.
int pack_read(cli *c, const char *path, pack_file *out);
// The file with the column `offset`.
void pack_print(const pack_file *f, tenon_buf *out);
void pack_free(pack_file *f);

#endif  // TENON_CLI_PACKING_H
