// How: on x86 cpuid through the compiler's builtin where there is one, for the
// words of reg/features.def; each implies that the operating system saves the
// registers, which the builtin checks. On 64-bit Arm what the system says, what
// the compiler was told that there is, and what every such processor has.
#include "bind/features.h"

#include <string.h>

#include "base/os.h"
#include "base/text.h"

#if defined(__x86_64__) || defined(__i386__)
#define X86(word)                                                       \
  (void)tenon_text_add_word(__builtin_cpu_supports(word) ? has : lacks, \
                            TENON_FEATURES_SIZE, tenon_text_of(word));
#define AARCH64(word)
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

#define X86(word)
#define AARCH64(word)                                        \
  (void)tenon_text_add_word(aarch64_has(word) ? has : lacks, \
                            TENON_FEATURES_SIZE, tenon_text_of(word));
#else
#define X86(word)
#define AARCH64(word)
#endif
#define ARM(word)
#define FEATURE(family, word) family(word)

void tenon_host_features(char has[TENON_FEATURES_SIZE],
                         char lacks[TENON_FEATURES_SIZE]) {
  has[0] = lacks[0] = 0;
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
#endif
#include "reg/features.def"
}
