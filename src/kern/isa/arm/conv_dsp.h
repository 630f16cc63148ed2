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
#define TENON_CONV_DSP_ALL(entry)                                    \
  "ldr.w pc, [sp, #" entry                                           \
  "]\n"                                                              \
  "1:\n" TENON_CONV_DSP_FOUR TENON_CONV_DSP_FOUR TENON_CONV_DSP_FOUR \
      TENON_CONV_DSP_FOUR                                            \
  "cmp r1, r2\n"                                                     \
  "bne 1b\n"
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

// Taps lo <= kx < hi of a row are in the image.
typedef struct tenon_conv_dsp_taps {
  int32_t lo, hi;
} tenon_conv_dsp_taps;
TENON_ARM tenon_conv_dsp_taps tenon_conv_dsp_inside(int32_t x, int32_t step,
                                                    int32_t taps,
                                                    int32_t size) {
  tenon_conv_dsp_taps t = {0, taps};
  while (t.lo < taps && x + t.lo * step < 0)
    ++t.lo;
  while (t.hi > t.lo && x + (t.hi - 1) * step >= size)
    --t.hi;
  return t;
}

// The window of a pixel, in words.
TENON_ARM void tenon_conv_dsp_words(const tenon_arm_window *g,
                                    const int8_t *image, int32_t y, int32_t x,
                                    uint32_t *to, uint32_t minus) {
  const int32_t c = g->c, run = g->run, line = g->dil_y * g->w * c;
  const int8_t *p = image + (y * g->w + x) * c;
  if (y >= 0 && x >= 0 && y + (g->kh - 1) * g->dil_y < g->h &&
      x + g->kw <= g->w && g->dil_x == 1) {
    tenon_conv_dsp_widen(to, p, run, minus, g->kh, line - run);
    return;
  }
  const tenon_conv_dsp_taps in =
      tenon_conv_dsp_inside(x, g->dil_x, g->kw, g->w);
  for (int32_t ky = 0; ky < g->kh; ++ky, y += g->dil_y, p += line) {
    if ((uint32_t)y >= (uint32_t)g->h || in.lo == in.hi) {
      to = tenon_conv_dsp_zeros(to, run);
      continue;
    }
    to = tenon_conv_dsp_zeros(to, in.lo * c);
    const int8_t *const from = p + in.lo * g->dil_x * c;
    if (g->dil_x == 1)  // as one row
      tenon_conv_dsp_widen(to, from, (in.hi - in.lo) * c, minus, 1, 0);
    else
      tenon_conv_dsp_widen(to, from, c, minus, in.hi - in.lo,
                           (g->dil_x - 1) * c);
    to = tenon_conv_dsp_zeros(to + (in.hi - in.lo) * c, (g->kw - in.hi) * c);
  }
}

// The same through bytes at `spare`, where taps are no words.
TENON_ARM void tenon_conv_dsp_bytes(const tenon_arm_window *g,
                                    const int8_t *image, int32_t y, int32_t x,
                                    uint32_t *to, int8_t *spare,
                                    uint32_t minus) {
  const int32_t c = g->c, run = g->run, line = g->dil_y * g->w * c;
  const int8_t *p = image + (y * g->w + x) * c;
  int8_t *at = spare;
  const tenon_conv_dsp_taps in =
      tenon_conv_dsp_inside(x, g->dil_x, g->kw, g->w);
  if (in.lo > 0 || in.hi < g->kw || y < 0 ||
      y + (g->kh - 1) * g->dil_y >= g->h) {
    const uint32_t zeros = (uint32_t)(g->x_zero & 0xFF) * 0x1010101u;
    for (int32_t i = 0; i < g->k; i += 4)
      memcpy(spare + i, &zeros, 4);
  }
  for (int32_t ky = 0; ky < g->kh; ++ky, y += g->dil_y, p += line, at += run) {
    if ((uint32_t)y >= (uint32_t)g->h) continue;
    if (g->dil_x == 1) {
      (void)tenon_conv_dsp_copy(at + in.lo * c, p + in.lo * c,
                                (in.hi - in.lo) * c);
    } else {
      for (int32_t kx = in.lo; kx < in.hi; ++kx)
        (void)tenon_conv_dsp_copy(at + kx * c, p + kx * g->dil_x * c, c);
    }
  }
  tenon_conv_dsp_widen(to, spare, g->k, minus, 1, 0);
}

// Where a range of rows is. `next`: fills the columns of two pixels, or of one
// that is left, and counts on.
typedef struct tenon_conv_dsp_place {
  const int8_t *image;
  int32_t oy, ox, left;
  uint32_t *columns;
  int8_t *spare;
} tenon_conv_dsp_place;

TENON_ARM tenon_conv_dsp_place tenon_conv_dsp_begin(const tenon_call *c,
                                                    int64_t begin,
                                                    int64_t end) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const int32_t row = (int32_t)begin;
  tenon_conv_dsp_place p;
  p.image = (const int8_t *)c->in[0].data + row / g->out_h * g->h * g->w * g->c;
  p.oy = row % g->out_h;
  p.ox = 0;
  p.left = (int32_t)(end - begin) * g->out_w;
  p.columns = (uint32_t *)c->scratch;
  p.spare = (int8_t *)(p.columns + g->k);
  return p;
}

TENON_ARM void tenon_conv_dsp_next(const tenon_arm_window *g,
                                   tenon_conv_dsp_place *p) {
  const uint32_t minus = (uint32_t)(-g->x_zero & 0xFFFF) * 0x10001u;
  for (int32_t i = 0; i < 2 && i < p->left; ++i) {
    const int32_t y = p->oy * g->down - g->top;
    const int32_t x = p->ox * g->right - g->left;
    if ((g->c & 3) == 0)
      tenon_conv_dsp_words(g, p->image, y, x, p->columns + 2 * i, minus);
    else
      tenon_conv_dsp_bytes(g, p->image, y, x, p->columns + 2 * i, p->spare,
                           minus);
    if (++p->ox < g->out_w) continue;
    p->ox = 0;
    if (++p->oy == g->out_h) p->oy = 0, p->image += g->h * g->w * g->c;
  }
}

#endif  // TENON_KERN_ISA_ARM_CONV_DSP_H
