// boxed.h - the part in C++ that calls torch's dispatcher with arguments of
// every type, where somebody has built it (boxed.sh).
//
// It is looked for once, when the plugin is loaded: in the file that
// TENON_LIBTORCH_BOXED names (none if that is empty), else as
// libtorch_boxed.so beside the plugin.
#ifndef LIBTORCH_BOXED_H
#define LIBTORCH_BOXED_H

#include "value.h"

// Null: there is none for this torch.
const value_caller *boxed_get(void);
// What is to be done to have it: one line, with the command.
const char *boxed_remedy(void);

#endif  // LIBTORCH_BOXED_H
