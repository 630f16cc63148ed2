// ir/verify/verify.h - the invariants of a module, listed by number in
// docs/ir.md.
//
// Runs after reading and after every pass, in every build. A violation in what
// was just read is the file's fault (TENON_BAD_MODEL, id "verify-<number>" with
// the place); after a pass it is ours or the plugin's, and the message says
// which pass.
#ifndef TENON_IR_VERIFY_H
#define TENON_IR_VERIFY_H

#include "ir/graph.h"

// `stage` is null after reading, else the name of the pass.
tenon_status tenon_verify_module(const tenon_module *m, const char *stage);

#endif  // TENON_IR_VERIFY_H
