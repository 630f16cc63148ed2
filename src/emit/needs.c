// How: a table from the words of kernels' `needs` to what compilers call them.
// A word that is not in it is left to the target, which can bring macros and
// flags of its own.
#include <string.h>

#include "base/text.h"
#include "emit/emission.h"

static const struct feature {
  const char *word, *macro, *flag;
} features[] = {
    {"sse2", "__SSE2__", "-msse2"},
    {"sse4.1", "__SSE4_1__", "-msse4.1"},
    {"avx", "__AVX__", "-mavx"},
    {"avx2", "__AVX2__", "-mavx2"},
    {"fma", "__FMA__", "-mfma"},
    {"f16c", "__F16C__", "-mf16c"},
    {"avx512f", "__AVX512F__", "-mavx512f"},
    {"avx512bw", "__AVX512BW__", "-mavx512bw"},
    {"avx512dq", "__AVX512DQ__", "-mavx512dq"},
    {"avx512vl", "__AVX512VL__", "-mavx512vl"},
    {"avx512vnni", "__AVX512VNNI__", "-mavx512vnni"},
    {"avxvnni", "__AVXVNNI__", "-mavxvnni"},
    {"neon", "__ARM_NEON", NULL},
    {"dotprod", "__ARM_FEATURE_DOTPROD", NULL},
    {"i8mm", "__ARM_FEATURE_MATMUL_INT8", NULL},
    {"sve", "__ARM_FEATURE_SVE", NULL},
    {"dsp", "__ARM_FEATURE_DSP", NULL},
    {"mve", "__ARM_FEATURE_MVE", NULL},
    {"mve.fp", "__ARM_FEATURE_MVE & 2", NULL},
    {"fpu", "__ARM_FP", NULL},
    {"rvv", "__riscv_vector", NULL},
};
enum { FEATURES = sizeof features / sizeof *features };

static size_t need_of_text_find(tenon_text word) {
  for (size_t i = 0; i < FEATURES; ++i)
    if (tenon_text_is(word, features[i].word)) return i;
  return FEATURES;
}

// Bit i: some kernel that is called needs features[i].
static uint32_t need_of_text_collect(const tenon_emission *e) {
  uint32_t all = 0;
  for (uint32_t i = 0; i < e->p->n_kernels; ++i) {
    const char *needs = e->p->kernels[i].desc->needs;
    if (e->ways[i] == TENON_WAY_NONE || e->ways[i] == TENON_WAY_EXTERN ||
        !needs)
      continue;
    tenon_text rest = tenon_text_of(needs), word;
    while (tenon_text_next(&rest, ' ', &word))
      if (need_of_text_find(word) < FEATURES)
        all |= 1u << need_of_text_find(word);
  }
  return all;
}

void tenon_emit_flags(const tenon_emission *e, tenon_buf *out) {
  uint32_t all = need_of_text_collect(e);
  tenon_put(out, "-std=c99$",
            tenon_emit_has(e, TENON_WORD_REAL) ? " -ffp-contract=off" : "");
  for (size_t i = 0; i < FEATURES; ++i)
    if ((all >> i & 1) && features[i].flag) {
      tenon_put(out, " $", features[i].flag);
    }
  if (e->p->target_cflags && *e->p->target_cflags) {
    tenon_put(out, " $", tenon_as_c_comment(e->p->target_cflags));
  }
}

// `macro`: a name, or a condition of more. What is missing is named with the
// flags that bring it.
static void check_macro(const tenon_emission *e, tenon_buf *out,
                        tenon_text macro, const char *word, const char *flag) {
  bool is_name = memchr(macro.data, ' ', macro.size) == NULL;
  const char *flags = flag ? flag : e->p->target_cflags;
  bool has_flags = flags && *flags;
  tenon_buf message;
  tenon_buf_init(&message, e->allocator);
  tenon_buf_format(&message, "this file needs %s%s%s", word,
                   has_flags ? ": compile with " : "", has_flags ? flags : "");
  tenon_buf_format(out, is_name ? "#ifndef %.*s\n" : "#if !(%.*s)\n",
                   (int)macro.size, macro.data);
  tenon_put(out, "#error $\n#endif\n",
            tenon_as_c_string(message.data ? message.data : ""));
  if (message.failed) out->failed = true;
  tenon_buf_deinit(&message);
}

// Vectors of floats of Armv8.1-M flush what is below the normal range to zero.
#define HAS_FLUSHING \
  "#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)\n"

static const char scalar_text[] = HAS_FLUSHING
    "// Its vectors flush small floats to zero: compilers make none of loops.\n"
    "#if defined(__clang__)\n"
    "#pragma clang attribute push(__attribute__((target(\"no-mve.fp\"))), \\\n"
    "                             apply_to = function)\n"
    "#elif defined(__GNUC__)\n"
    "#pragma GCC optimize(\"no-tree-vectorize\", \"fp-contract=off\")\n"
    "#endif\n"
    "#endif\n";

// At -Os gcc takes two to three times the instructions in loops that move
// elements; clang does not. -O2 leaves the regions of its register allocator as
// they were, one, in which sums of inner loops lie in memory.
static const char speed_text[] =
    "#if defined(__OPTIMIZE_SIZE__) && defined(__GNUC__) && "
    "!defined(__clang__) && \\\n"
    "    !defined(^_SMALL)\n"
    "#pragma GCC optimize(\"O2\", \"ira-region=mixed\", \"fp-contract=off\")\n"
    "#endif\n";

void tenon_emit_close_checks(const tenon_emission *e, tenon_buf *out) {
  if (tenon_emit_has(e, TENON_WORD_REAL))
    tenon_buf_text(out, HAS_FLUSHING
                   "#ifdef __clang__\n"
                   "#pragma clang attribute pop\n"
                   "#endif\n"
                   "#endif\n");
}

// "__AVX2__ __FMA__": only what is an identifier, since it is printed bare.
static void need_of_text_check_target(const tenon_emission *e, tenon_buf *out) {
  if (!e->p->target_macros) return;
  tenon_text rest = tenon_text_of(e->p->target_macros), word;
  while (tenon_text_next(&rest, ' ', &word)) {
    size_t n = 0;
    char name[64];
    while (n < word.size && n + 1 < sizeof name &&
           (word.data[n] == '_' ||
            (word.data[n] >= '0' && word.data[n] <= '9' && n > 0) ||
            (word.data[n] >= 'A' && word.data[n] <= 'Z') ||
            (word.data[n] >= 'a' && word.data[n] <= 'z'))) {
      name[n] = word.data[n];
      ++n;
    }
    name[n] = 0;
    if (n > 0 && n == word.size) check_macro(e, out, word, name, NULL);
  }
}

void tenon_emit_checks(const tenon_emission *e, tenon_buf *out) {
  uint32_t all = need_of_text_collect(e);
  bool has_reals = tenon_emit_has(e, TENON_WORD_REAL);
  tenon_put(out,
            "$#if defined(__INT_MAX__) && __INT_MAX__ < 2147483647\n"
            "#error \"this file needs an int of 32 bits\"\n"
            "#endif\n"
            "#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != "
            "__ORDER_LITTLE_ENDIAN__\n"
            "#error \"the constants of this file are little-endian\"\n"
            "#endif\n",
            has_reals
                ? "#ifdef __FAST_MATH__\n#error \"results would differ: "
                  "compile without -ffast-math\"\n#endif\n#if FLT_EVAL_METHOD "
                  "== 1 || FLT_EVAL_METHOD == 2\n#error \"results would "
                  "differ: on 32-bit x86 add -msse2 -mfpmath=sse\"\n#endif\n"
                : "");
  for (size_t i = 0; i < FEATURES; ++i)
    if (all >> i & 1)
      check_macro(e, out, tenon_text_of(features[i].macro), features[i].word,
                  features[i].flag);
  need_of_text_check_target(e, out);
  tenon_emit_widths(e, out);
  // Other compilers have no such thing, or do as they are told by -std=c99.
  tenon_emit_put(
      e, out, "$$$",
      has_reals ? "#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n#endif\n"
                : "",
      tenon_as_marked(speed_text), has_reals ? scalar_text : "");
}
