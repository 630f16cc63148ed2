// How: cpuid through the compiler's builtin where there is one, for the words
// of reg/features.def; each implies that the operating system saves the
// registers, which the builtin checks.
#include "bind/features.h"

#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
void tenon_host_features(char out[TENON_FEATURES_SIZE]) {
  out[0] = 0;
  __builtin_cpu_init();
#define ARM(word)
#define X86(word)                     \
  if (__builtin_cpu_supports(word)) { \
    if (out[0]) strcat(out, " ");     \
    strcat(out, word);                \
  }
#define FEATURE(family, word) family(word)
#include "reg/features.def"
#undef FEATURE
#undef X86
#undef ARM
}
#else
void tenon_host_features(char out[TENON_FEATURES_SIZE]) {
  out[0] = 0;
}
#endif
