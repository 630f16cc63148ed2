// kern/isa/arm/conv_dsp.h - windows of two pixels as columns of int16, and the
// products of them with two channels.
//
// Columns are less the input's zero point, so that taps outside the image are
// zero. Four taps of a pixel are two words, (0,2) and (1,3), those of the
// second pixel lie behind them: a load of four words serves 16 products.
#ifndef TENON_KERN_ISA_ARM_CONV_DSP_H
#define TENON_KERN_ISA_ARM_CONV_DSP_H

#include "kern/isa/arm/dsp.h"
#include "tenon/tensor.h"

// Sixteen products: weights at r0, columns at r1; sums of channel 0 in r3 and
// r5, of channel 1 in r4 and r6. 56 bytes of code, all registers but r2 and sp.
#define TENON_CONV_DSP_FOUR            \
  "ldrd r7, r8, [r0], #8\n"            \
  "ldmia.w r1!, {r10, r11, r12, lr}\n" \
  "sxtb16 r9, r7, ror #8\n"            \
  "sxtb16 r7, r7\n"                    \
  "smlad r3, r7, r10, r3\n"            \
  "smlad r5, r7, r12, r5\n"            \
  "smlad r3, r9, r11, r3\n"            \
  "smlad r5, r9, lr, r5\n"             \
  "sxtb16 r9, r8, ror #8\n"            \
  "sxtb16 r8, r8\n"                    \
  "smlad r4, r8, r10, r4\n"            \
  "smlad r6, r8, r12, r6\n"            \
  "smlad r4, r9, r11, r4\n"            \
  "smlad r6, r9, lr, r6\n"
// Four bytes at r1 to two words at r0.
#define TENON_CONV_DSP_WORD      \
  "ldr r4, [r1], #4\n"           \
  "sxtab16 r5, r3, r4, ror #8\n" \
  "sxtab16 r4, r3, r4\n"         \
  "strd r4, r5, [r0], #16\n"
// As many as there are from r1 to r2, four at a time; the first time from an
// address on the stack on.
// clang-format off
#define TENON_CONV_DSP_ALL(entry) \
  "ldr.w pc, [sp, #" entry "]\n" \
  "1:\n" \
  ".rept 4\n" \
  TENON_CONV_DSP_FOUR \
  ".endr\n" \
  "cmp r1, r2\n" \
  "bne 1b\n"
// clang-format on
// That address to r4, for columns from r2 to r3.
#define TENON_CONV_DSP_ENTRY \
  "sub r4, r2, r3\n"         \
  "and r4, r4, #48\n"        \
  "lsr r4, r4, #4\n"         \
  "mov r5, #56\n"            \
  "adr.w r6, 1f\n"           \
  "mla r4, r4, r5, r6\n"     \
  "orr r4, r4, #1\n"

// Bytes as int16 less the zero point, of one of two pixels: `rows` of so many
// bytes, a multiple of four, the next one `skip` bytes behind the last.
TENON_ASM void tenon_conv_dsp_widen(TENON_ARG uint32_t *to,
                                    TENON_ARG const int8_t *from,
                                    TENON_ARG int32_t bytes,
                                    TENON_ARG uint32_t minus,
                                    TENON_ARG int32_t rows,
                                    TENON_ARG int32_t skip) {
  __asm__(
      "push {r4, r5, r6, r7}\n"
      "ldrd r6, r7, [sp, #16]\n"
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
      "subs r6, #1\n"
      "bne 0b\n"
      "pop {r4, r5, r6, r7}\n"
      "bx lr\n");
}

// Taps outside the image, as many bytes.
TENON_ARM uint32_t *tenon_conv_dsp_zeros(uint32_t *to, int32_t bytes) {
  for (; bytes > 0; bytes -= 4, to += 4)
    to[0] = to[1] = 0;
  return to;
}

TENON_ARM int8_t *tenon_conv_dsp_copy(int8_t *to, const int8_t *from,
                                      int32_t bytes) {
  for (; bytes >= 4; bytes -= 4, to += 4, from += 4)
    memcpy(to, from, 4);
  for (; bytes > 0; --bytes)
    *to++ = *from++;
  return to;
}

// The window of a pixel at y, x that is not all in the image, or whose taps are
// apart; through bytes at `spare` where taps are no words.
static __attribute__((noinline)) void tenon_conv_dsp_border(
    const tenon_arm_window *g, const int8_t *image, int32_t y, int32_t x,
    uint32_t *to, int8_t *spare, uint32_t minus) {
  const int32_t c = g->c, run = g->run, line = g->dil_y * g->w * c;
  const int32_t step = g->dil_x * c;
  const bool is_words = (c & 3) == 0;
  const uint32_t zeros = (uint32_t)(g->x_zero & 0xFF) * 0x1010101u;
  const int8_t *p = image + (y * g->w + x) * c;
  int8_t *at = spare;
  int32_t lo = 0, hi = g->kw;  // taps that are in the image
  while (lo < hi && x + lo * g->dil_x < 0)
    ++lo;
  while (hi > lo && x + (hi - 1) * g->dil_x >= g->w)
    --hi;
  for (int32_t i = 0; i < g->k && !is_words; i += 4)
    memcpy(spare + i, &zeros, 4);
  for (int32_t ky = 0; ky < g->kh; ++ky, y += g->dil_y, p += line, at += run) {
    const int32_t n = (uint32_t)y < (uint32_t)g->h ? hi - lo : 0;
    const int8_t *from = p + lo * step;
    if (!is_words) {
      for (int32_t kx = lo; kx < lo + n; ++kx, from += step)
        (void)tenon_conv_dsp_copy(at + kx * c, from, c);
      continue;
    }
    if (n == 0) {
      to = tenon_conv_dsp_zeros(to, run);
      continue;
    }
    to = tenon_conv_dsp_zeros(to, lo * c);
    if (g->dil_x == 1)  // as one row
      tenon_conv_dsp_widen(to, from, n * c, minus, 1, 0);
    else
      tenon_conv_dsp_widen(to, from, c, minus, n, step - c);
    to = tenon_conv_dsp_zeros(to + n * c, (g->kw - hi) * c);
  }
  if (!is_words) tenon_conv_dsp_widen(to, spare, g->k, minus, 1, 0);
}

// Where a range of rows is. `next`: fills the columns of two pixels, or of one
// that is left, and counts on.
typedef struct tenon_conv_dsp_place {
  const int8_t *image, *at;  // the next pixel's first tap
  int32_t oy, ox, y, x, left;
  uint32_t *columns;
  int8_t *spare;
  uint32_t most_y, most_x;  // places of windows that are all in the image
} tenon_conv_dsp_place;

TENON_ARM void tenon_conv_dsp_line(const tenon_arm_window *g,
                                   tenon_conv_dsp_place *p) {
  p->ox = 0;
  p->y = p->oy * g->down - g->top;
  p->x = -g->left;
  p->at = p->image + (p->y * g->w + p->x) * g->c;
}

TENON_ARM tenon_conv_dsp_place tenon_conv_dsp_begin(const tenon_call *c,
                                                    int64_t begin,
                                                    int64_t end) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const int32_t row = (int32_t)begin;
  const int32_t places_y = g->h - (g->kh - 1) * g->dil_y;
  const int32_t places_x = g->dil_x == 1 ? g->w - g->kw + 1 : 0;
  tenon_conv_dsp_place p;
  p.image = (const int8_t *)c->in[0].data + row / g->out_h * g->h * g->w * g->c;
  p.oy = row % g->out_h;
  p.left = (int32_t)(end - begin) * g->out_w;
  p.columns = (uint32_t *)c->scratch;
  p.spare = (int8_t *)(p.columns + g->k);
  p.most_y = places_y > 0 ? (uint32_t)places_y : 0;
  p.most_x = places_x > 0 ? (uint32_t)places_x : 0;
  tenon_conv_dsp_line(g, &p);
  return p;
}

TENON_ARM void tenon_conv_dsp_next(const tenon_arm_window *g,
                                   tenon_conv_dsp_place *p) {
  const uint32_t minus = (uint32_t)(-g->x_zero & 0xFFFF) * 0x10001u;
  const int32_t c = g->c, run = g->run, rows = g->kh;
  const int32_t line = g->dil_y * g->w * c;
  uint32_t *to = p->columns;
  for (int32_t i = 0; i < 2 && i < p->left; ++i, to += 2) {
    if ((uint32_t)p->x >= p->most_x || (uint32_t)p->y >= p->most_y) {
      tenon_conv_dsp_border(g, p->image, p->y, p->x, to, p->spare, minus);
    } else if ((c & 3) == 0) {
      tenon_conv_dsp_widen(to, p->at, run, minus, rows, line - run);
    } else {
      const int8_t *from = p->at;
      int8_t *spare = p->spare;
      for (int32_t ky = 0; ky < rows; ++ky, from += line)
        spare = tenon_conv_dsp_copy(spare, from, run);
      tenon_conv_dsp_widen(to, p->spare, g->k, minus, 1, 0);
    }
    p->x += g->right, p->at += g->right * c;
    if (++p->ox < g->out_w) continue;
    if (++p->oy == g->out_h) p->oy = 0, p->image += g->h * g->w * c;
    tenon_conv_dsp_line(g, p);
  }
}

#endif  // TENON_KERN_ISA_ARM_CONV_DSP_H
