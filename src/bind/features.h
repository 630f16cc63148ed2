// bind/features.h - what the processor that runs this can do.
#ifndef TENON_BIND_FEATURES_H
#define TENON_BIND_FEATURES_H

// Large enough for all words this library knows.
#define TENON_FEATURES_SIZE 256

// Words separated by blanks, in the vocabulary of kernels' `needs`; empty when
// nothing beyond plain C is known.
void tenon_host_features(char out[TENON_FEATURES_SIZE]);

#endif  // TENON_BIND_FEATURES_H
