// cli/data/npz.h - one array out of a .npz, which is a ZIP of .npy files.
#ifndef TENON_CLI_NPZ_H
#define TENON_CLI_NPZ_H

#include "cli/cli.h"

// The array `name`, or the only one when the name is not there. Stored and
// deflated entries.
bool cli_npz_read(cli *c, const char *path, const char *name, cli_tensor *out);

// All tensors under their names, stored. Names that are empty or repeated get
// the index behind them. False when memory runs out or a type cannot be
// written.
bool cli_npz_format(const tenon_io *io, const tenon_tensor *list, size_t n,
                    tenon_buf *out);

#endif  // TENON_CLI_NPZ_H
