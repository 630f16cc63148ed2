// bind/features.h - what the processor that runs this can do.
#ifndef TENON_BIND_FEATURES_H
#define TENON_BIND_FEATURES_H

#include "program/program.h"

// Words separated by blanks, in the vocabulary of kernels' `needs`: what the
// processor has, empty when nothing beyond plain C is known, and what others of
// its kind have and it lacks.
void tenon_host_features(char has[TENON_FEATURES_SIZE],
                         char lacks[TENON_FEATURES_SIZE]);

#endif  // TENON_BIND_FEATURES_H
