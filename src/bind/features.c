// How: cpuid through the compiler's builtin where there is one. The words are
// the ones that kernels' `needs` use; each implies that the operating system
// saves the registers, which the builtin checks.
#include "bind/features.h"

#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#define LIST(X)             \
  X("sse2", "sse2")         \
  X("sse4.1", "sse4.1")     \
  X("avx", "avx")           \
  X("avx2", "avx2")         \
  X("fma", "fma")           \
  X("avx512f", "avx512f")   \
  X("avx512bw", "avx512bw") \
  X("avx512dq", "avx512dq") \
  X("avx512vl", "avx512vl") \
  X("avx512vnni", "avx512vnni")

void tenon_host_features(char out[TENON_FEATURES_SIZE]) {
  out[0] = 0;
  __builtin_cpu_init();
#define ADD(word, name)               \
  if (__builtin_cpu_supports(name)) { \
    if (out[0]) strcat(out, " ");     \
    strcat(out, word);                \
  }
  LIST(ADD)
#undef ADD
}
#else
void tenon_host_features(char out[TENON_FEATURES_SIZE]) {
  out[0] = 0;
}
#endif
