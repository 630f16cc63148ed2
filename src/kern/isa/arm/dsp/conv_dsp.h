// kern/isa/arm/dsp/conv_dsp.h - windows of two pixels as columns of int16, and
// the products of them with two channels.
//
// Columns are less the input's zero point, so that taps outside the image are
// zero. Four taps of a pixel are two words, (0,2) and (1,3), those of the
// second pixel lie behind them: a load of four words serves 16 products. Behind
// the whole words of all rows of taps comes what is left of each row, in the
// order 0, 2, 1, 3. Of what is packed `how` is the zero point, negative and
// twice, and `also` how far rows of taps are apart.
#ifndef TENON_KERN_ISA_ARM_CONV_DSP_H
#define TENON_KERN_ISA_ARM_CONV_DSP_H

#include <string.h>

#include "kern/isa/arm/dsp/dsp.h"
#include "tenon/tensor.h"

// Sixteen products: weights at r0, columns at r1; sums of channel 0 in r3 and
// r5, of channel 1 in r4 and r6. 56 bytes of code, all registers but r2 and sp.
#define TENON_CONV_DSP_FOUR \
  "ldrd r7, r8, [r0], #8\n" \
  "ldmia.w r1!, {r10, r11, r12, lr}\n" TENON_CONV_DSP_PRODUCTS
// The same of weights of 4 bits, those of channel 0 in the upper halves of
// bytes: all sums are 16 times theirs. 68 bytes of code.
#define TENON_CONV_DSP_FOUR_NARROW     \
  "ldr r7, [r0], #4\n"                 \
  "ldmia.w r1!, {r10, r11, r12, lr}\n" \
  "lsl.w r8, r7, #4\n"                 \
  "and.w r7, r7, #0xf0f0f0f0\n"        \
  "and.w r8, r8, #0xf0f0f0f0\n" TENON_CONV_DSP_PRODUCTS
#define TENON_CONV_DSP_PRODUCTS \
  "sxtb16 r9, r7, ror #8\n"     \
  "sxtb16 r7, r7\n"             \
  "smlad r3, r7, r10, r3\n"     \
  "smlad r5, r7, r12, r5\n"     \
  "smlad r3, r9, r11, r3\n"     \
  "smlad r5, r9, lr, r5\n"      \
  "sxtb16 r9, r8, ror #8\n"     \
  "sxtb16 r8, r8\n"             \
  "smlad r4, r8, r10, r4\n"     \
  "smlad r6, r8, r12, r6\n"     \
  "smlad r4, r9, r11, r4\n"     \
  "smlad r6, r9, lr, r6\n"
// Four bytes at r1 to two words at r0.
#define TENON_CONV_DSP_WORD      \
  "ldr r4, [r1], #4\n"           \
  "sxtab16 r5, r3, r4, ror #8\n" \
  "sxtab16 r4, r3, r4\n"         \
  "strd r4, r5, [r0], #16\n"
// The same of two pixels, the second one r12 bytes behind the first.
#define TENON_CONV_DSP_WORDS     \
  "ldr r6, [r1, r12]\n"          \
  "ldr r4, [r1], #4\n"           \
  "sxtab16 r7, r3, r6, ror #8\n" \
  "sxtab16 r6, r3, r6\n"         \
  "sxtab16 r5, r3, r4, ror #8\n" \
  "sxtab16 r4, r3, r4\n"         \
  "stmia.w r0!, {r4, r5, r6, r7}\n"
// As many as there are from r1 to r2, four at a time; the first time from an
// address on the stack on.
// clang-format off
#define TENON_CONV_DSP_ALL(entry) \
  TENON_CONV_DSP_ALL_OF(TENON_CONV_DSP_FOUR, entry)
#define TENON_CONV_DSP_ALL_OF(four, entry) \
  "ldr.w pc, [sp, #" entry "]\n" \
  "1:\n" \
  ".rept 4\n" \
  four \
  ".endr\n" \
  "cmp r1, r2\n" \
  "bne 1b\n"
// clang-format on
// That address to r4, for columns from r2 to r3.
#define TENON_CONV_DSP_ENTRY TENON_CONV_DSP_ENTRY_OF("56")
#define TENON_CONV_DSP_ENTRY_OF(bytes) \
  "sub r4, r2, r3\n"                   \
  "and r4, r4, #48\n"                  \
  "lsr r4, r4, #4\n"                   \
  "mov r5, #" bytes                    \
  "\n"                                 \
  "adr.w r6, 1f\n"                     \
  "mla r4, r4, r5, r6\n"               \
  "orr r4, r4, #1\n"

// Bytes as int16 less the zero point, of one of two pixels: `rows` of so many
// bytes, a multiple of four, the next one `skip` bytes behind the last, and
// `gap` behind what the last became.
TENON_ASM void tenon_conv_dsp_widen(
    TENON_ARG uint32_t *to, TENON_ARG const int8_t *from,
    TENON_ARG int32_t bytes, TENON_ARG uint32_t minus, TENON_ARG int32_t rows,
    TENON_ARG int32_t skip, TENON_ARG int32_t gap) {
  __asm__(
      "push {r4, r5, r6, r7, r8}\n"
      "ldrd r6, r7, [sp, #20]\n"
      "ldr r8, [sp, #28]\n"
      "mov r12, r2\n"
      "0:\n"
      "subs r2, r12, #16\n"
      "blt 2f\n"
      "1:\n" TENON_CONV_DSP_WORD TENON_CONV_DSP_WORD TENON_CONV_DSP_WORD
          TENON_CONV_DSP_WORD
      "subs r2, #16\n"
      "bge 1b\n"
      "2:\n"
      "adds r2, #16\n"
      "beq 4f\n"
      "3:\n" TENON_CONV_DSP_WORD
      "subs r2, #4\n"
      "bgt 3b\n"
      "4:\n"
      "add r1, r7\n"
      "add r0, r8\n"
      "subs r6, #1\n"
      "bne 0b\n"
      "pop {r4, r5, r6, r7, r8}\n"
      "bx lr\n");
}

// For a window, where r2 is its geometry: whole words of a row to r10, rows to
// r8, how far they are apart to r9, the distance of two pixels to r12, the zero
// point to r3.
#define TENON_CONV_DSP_GEOMETRY \
  "ldr r12, [r2, #36]\n"        \
  "ldr r3, [r2, #8]\n"          \
  "mul r12, r12, r3\n"          \
  "ldr r8, [r2, #24]\n"         \
  "ldr r10, [r2, #72]\n"        \
  "ldrd r3, r9, [r2, #80]\n"
// Of two pixels, all of whose taps are in the image.
TENON_ASM void tenon_conv_dsp_widen_two(TENON_ARG uint32_t *to,
                                        TENON_ARG const int8_t *from,
                                        TENON_ARG const tenon_arm_window *g) {
  __asm__("push {r4-r10}\n" TENON_CONV_DSP_GEOMETRY
          "bic r10, r10, #3\n"
          "sub r9, r9, r10\n"
          "0:\n"
          "subs r2, r10, #8\n"
          "blt 2f\n"
          "1:\n" TENON_CONV_DSP_WORDS TENON_CONV_DSP_WORDS
          "subs r2, #8\n"
          "bge 1b\n"
          "2:\n"
          "adds r2, #8\n"
          "beq 3f\n" TENON_CONV_DSP_WORDS
          "3:\n"
          "add r1, r9\n"
          "subs r8, #1\n"
          "bne 0b\n"
          "pop {r4-r10}\n"
          "bx lr\n");
}

// Taps begin <= i < end of those at `at`, `dilation` apart, are in the image.
typedef struct tenon_conv_dsp_taps {
  int32_t begin, end;
} tenon_conv_dsp_taps;
TENON_ARM tenon_conv_dsp_taps tenon_conv_dsp_taps_of(int32_t at,
                                                     int32_t dilation,
                                                     int32_t taps,
                                                     int32_t size) {
  tenon_conv_dsp_taps t = {0, taps};
  while (t.begin < t.end && at + t.begin * dilation < 0)
    ++t.begin;
  while (t.begin < t.end && at + (t.end - 1) * dilation >= size)
    --t.end;
  return t;
}

// What is left of the rows.
TENON_ASM void tenon_conv_dsp_rest_two(TENON_ARG uint32_t *to,
                                       TENON_ARG const int8_t *from,
                                       TENON_ARG const tenon_arm_window *g) {
  __asm__("push {r4-r10}\n" TENON_CONV_DSP_GEOMETRY
          "and r10, r10, #3\n"
          "sub r9, r9, r10\n"
          "0:\n"
          "mov r2, r10\n"
          "1:\n"
          "ldrsb r5, [r1, r12]\n"
          "ldrsb r4, [r1], #1\n"
          "add r5, r3\n"
          "add r4, r3\n"
          "strh r5, [r0, #8]\n"
          "strh r4, [r0], #2\n"
          "tst r0, #7\n"
          "it eq\n"
          "addeq r0, #8\n"
          "subs r2, #1\n"
          "bne 1b\n"
          "add r1, r9\n"
          "subs r8, #1\n"
          "bne 0b\n"
          "pop {r4-r10}\n"
          "bx lr\n");
}

// The window of a pixel at y, x, whose first tap is at `p`, where taps are
// apart or no words: through bytes behind the columns.
static __attribute__((noinline)) void tenon_conv_dsp_apart(
    const tenon_arm_window *g, const int8_t *p, int32_t y, int32_t x,
    uint32_t *to, int8_t *spare) {
  const int32_t whole = g->run & ~3, rest = g->run & 3;
  memset(spare, g->x_zero, (size_t)g->k);
  for (int32_t ky = 0; ky < g->kh; ++ky, y += g->dil_y, p += g->also) {
    const int8_t *from = p;
    if ((uint32_t)y >= (uint32_t)g->h) continue;
    for (int32_t i = 0, at = x; i < g->run; at += g->dil_x) {
      const int32_t end = i + g->c;
      if ((uint32_t)at >= (uint32_t)g->w) {
        i = end;
        from += g->dil_x * g->c;
        continue;
      }
      for (; i < end; ++i) {
        const int32_t last = ky * rest + i - whole;
        spare[i < whole ? ky * whole + i
                        : g->kh * whole + (last & ~3) + "\0\2\1\3"[last & 3]] =
            *from++;
      }
      from += (g->dil_x - 1) * g->c;
    }
  }
  tenon_conv_dsp_widen(to, spare, g->k, (uint32_t)g->how, 1, 0, 0);
}

// The same of words side by side.
static __attribute__((noinline)) void tenon_conv_dsp_window(
    const tenon_arm_window *g, const int8_t *p, int32_t y, int32_t x,
    uint32_t *to) {
  const int32_t c = g->c;
  const tenon_conv_dsp_taps rows =
      tenon_conv_dsp_taps_of(y, g->dil_y, g->kh, g->h);
  const tenon_conv_dsp_taps taps = tenon_conv_dsp_taps_of(x, 1, g->kw, g->w);
  const int32_t n = (taps.end - taps.begin) * c, high = rows.end - rows.begin;
  if (n != g->run || high != g->kh)
    for (int32_t i = 0; i < g->k; i += 4)
      to[i] = to[i + 1] = 0;
  if (high > 0 && n > 0)
    tenon_conv_dsp_widen(to + rows.begin * g->run + taps.begin * c,
                         p + (rows.begin * g->dil_y * g->w + taps.begin) * c, n,
                         (uint32_t)g->how, high, g->also - n, (g->run - n) * 4);
}

// What is done with the columns of a pixel, or of two; `distance` is how far
// the second one's results are, 0: there is none.
typedef void tenon_conv_dsp_fn(const tenon_arm_window *g,
                               const uint32_t *columns, int8_t *y,
                               int32_t distance);

// All pixels of rows.
TENON_ARM tenon_status tenon_conv_dsp(const tenon_call *c, int64_t begin,
                                      int64_t end, tenon_conv_dsp_fn *pixels) {
  const tenon_arm_window *const g = (const tenon_arm_window *)c->packed;
  uint32_t *const columns = (uint32_t *)c->scratch;
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin * g->out_w * g->out_c;
  bool is_half = false;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int32_t at = row % g->out_h * g->down - g->top;
    const int8_t *p = (const int8_t *)c->in[0].data +
                      ((row / g->out_h * g->h + at) * g->w - g->left) * g->c;
    int32_t x = -g->left, most = -1;  // where two windows are in the image
    if (at >= 0 && at + (g->kh - 1) * g->dil_y < g->h && g->dil_x == 1)
      most = g->w - g->kw - g->right;
    for (int32_t left = g->out_w; left > 0; --left) {
      const int32_t step = g->right * g->c;
      if (!is_half && left > 1 && x >= 0 && x <= most) {
        const int32_t whole = g->run & ~3;
        tenon_conv_dsp_widen_two(columns, p, g);
        if (g->run & 3)
          tenon_conv_dsp_rest_two(columns + g->kh * whole, p + whole, g);
        x += g->right, p += step, --left;
      } else {
        uint32_t *const to = columns + (is_half ? 2 : 0);
        if ((g->c & 3) || g->dil_x != 1)
          tenon_conv_dsp_apart(g, p, at, x, to, (int8_t *)(columns + g->k));
        else
          tenon_conv_dsp_window(g, p, at, x, to);
        is_half = !is_half;
      }
      if (!is_half) {
        pixels(g, columns, y, g->out_c);
        y += 2 * g->out_c;
      }
      x += g->right, p += step;
    }
  }
  if (is_half) pixels(g, columns, y, 0);
  return TENON_OK;
}

#endif  // TENON_KERN_ISA_ARM_CONV_DSP_H
