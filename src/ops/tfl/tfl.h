// ops/tfl/tfl.h - the operators of a .tflite file as one ordinary plugin.
//
// Every built-in operator is imported under the name that the schema of the
// format gives it (tfl::CONV_2D), operands by position and attributes by the
// slots of its options table. What stands here adds the meaning: which versions
// are served, which operands and options make sense together, which shape comes
// out, and what it is in terms of the core operators.
//
// Element types and quantisation of results are what the file declares; only
// sizes are computed. What no file may say is refused by the shape rules; what
// is well formed and still not served is refused by the lowerings, so that such
// a file can be read and printed, and another plugin may bring a lowering.
//
// An operator without a row in tfl.def has no meaning here. It is imported and
// listed all the same.
#ifndef TENON_OPS_TFL_TFL_H
#define TENON_OPS_TFL_TFL_H

#include "tenon/ext/plugin.h"

extern const tenon_plugin tenon_tfl_plugin;

#endif  // TENON_OPS_TFL_TFL_H
