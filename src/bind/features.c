// How: on x86 cpuid through the compiler's builtin where there is one, for the
// words of reg/features.def; each implies that the operating system saves the
// registers, which the builtin checks. On 64-bit Arm what the system says, what
// the compiler was told that there is, and what every such processor has.
#include "bind/features.h"

#include <string.h>

#include "base/os.h"

#if defined(__x86_64__) || defined(__i386__)
void tenon_host_features(char out[TENON_FEATURES_SIZE]) {
  out[0] = 0;
  __builtin_cpu_init();
#define ARM(word)
#define AARCH64(word)
#define X86(word)                     \
  if (__builtin_cpu_supports(word)) { \
    if (out[0]) strcat(out, " ");     \
    strcat(out, word);                \
  }
#define FEATURE(family, word) family(word)
#include "reg/features.def"
#undef FEATURE
#undef X86
#undef AARCH64
#undef ARM
}
#elif defined(__aarch64__)
static bool aarch64_has(const char *word) {
  tenon_os_arm has = tenon_os_arm_features();
#ifdef __ARM_FEATURE_DOTPROD
  has.has_dotprod = true;
#endif
#ifdef __ARM_FEATURE_MATMUL_INT8
  has.has_i8mm = true;
#endif
  if (strcmp(word, "dotprod") == 0) return has.has_dotprod;
  if (strcmp(word, "i8mm") == 0) return has.has_i8mm;
  return strcmp(word, "neon") == 0;
}

void tenon_host_features(char out[TENON_FEATURES_SIZE]) {
  out[0] = 0;
#define ARM(word)
#define X86(word)
#define AARCH64(word)             \
  if (aarch64_has(word)) {        \
    if (out[0]) strcat(out, " "); \
    strcat(out, word);            \
  }
#define FEATURE(family, word) family(word)
#include "reg/features.def"
#undef FEATURE
#undef AARCH64
#undef X86
#undef ARM
}
#else
void tenon_host_features(char out[TENON_FEATURES_SIZE]) {
  out[0] = 0;
}
#endif
