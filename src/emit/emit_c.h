// emit/emit_c.h - a program as standalone C.
#ifndef TENON_EMIT_EMIT_C_H
#define TENON_EMIT_EMIT_C_H

#include "program/program.h"

// Checks everything that can make emission fail, then writes the files.
tenon_status tenon_emit_program(const struct tenon_program *p,
                                const tenon_emit_options *options,
                                tenon_write_fn *write, void *self);

#endif  // TENON_EMIT_EMIT_C_H
