// kern/isa/arm/mve/conv_mve.h - windows of three pixels as bytes, and the
// products of them with four channels.
//
// What the input's zero point adds is part of the biases, so that taps outside
// the image are zero points. Channels 0 and 2 take turns with 16 weights each,
// then channels 1 and 3: an accumulator is an even register, so there is room
// for six, which five loads feed; and two of them go into a vector at once. Of
// what is packed `also` are the bytes of the weights of four channels.
#ifndef TENON_KERN_ISA_ARM_CONV_MVE_H
#define TENON_KERN_ISA_ARM_CONV_MVE_H

#include "kern/isa/arm/mve/mve.h"
#include "tenon/tensor.h"

// Sixteen bytes of three windows at r1, r3, r5, and of two channels at r11. 44
// bytes of code.
#define TENON_CONV_MVE_CHUNK(mul)                   \
  "vldrb.8 q0, [r11], #16\n"                        \
  "vldrb.8 q2, [r1], #16\n" mul                     \
  " r0, q0, q2\n"                                   \
  "vldrb.8 q1, [r11], #16\n" mul                    \
  " r2, q1, q2\n"                                   \
  "vldrb.8 q2, [r3], #16\n" mul " r4, q0, q2\n" mul \
  " r6, q1, q2\n"                                   \
  "vldrb.8 q2, [r5], #16\n" mul " r8, q0, q2\n" mul " r10, q1, q2\n"
// The same of weights of 4 bits, those of the first channel in the upper halves
// of bytes. 52 bytes of code.
#define TENON_CONV_MVE_CHUNK_NARROW(mul)            \
  "vldrb.8 q1, [r11], #16\n"                        \
  "vshr.s8 q0, q1, #4\n"                            \
  "vldrb.8 q2, [r1], #16\n"                         \
  "vshl.i8 q1, q1, #4\n" mul                        \
  " r0, q0, q2\n"                                   \
  "vshr.s8 q1, q1, #4\n" mul                        \
  " r2, q1, q2\n"                                   \
  "vldrb.8 q2, [r3], #16\n" mul " r4, q0, q2\n" mul \
  " r6, q1, q2\n"                                   \
  "vldrb.8 q2, [r5], #16\n" mul " r8, q0, q2\n" mul " r10, q1, q2\n"
// All of a window, into lanes `two` and `one` of q4, q5, q6. On the stack are
// where the windows begin, how many fours of chunks there are behind the first,
// and where in the four the first one begins.
// clang-format off
#define TENON_CONV_MVE_PAIR(chunk, loop, end, entry, one, two)  \
  "ldm sp, {r1, r3, r5, r12}\n"                          \
  chunk("vmladav.s8")                     \
  "wls lr, r12, " end "f\n"                              \
  "ldr.w pc, [sp, #" entry "]\n"                         \
  loop ":\n"                                             \
  ".rept 4\n"                                            \
  chunk("vmladava.s8")                    \
  ".endr\n"                                              \
  "le lr, " loop "b\n"                                   \
  end ":\n"                                              \
  "vmov q4[" two "], q4[" one "], r0, r2\n"              \
  "vmov q5[" two "], q5[" one "], r4, r6\n"              \
  "vmov q6[" two "], q6[" one "], r8, r10\n"
// clang-format on
// That place to r0, for r12 chunks of so many bytes of code.
#define TENON_CONV_MVE_ENTRY(bytes, loop) \
  "rsb r0, r12, #0\n"                     \
  "and r0, r0, #3\n"                      \
  "mov r2, #" bytes                       \
  "\n"                                    \
  "adr.w r4, " loop                       \
  "f\n"                                   \
  "mla r0, r0, r2, r4\n"                  \
  "orr r0, r0, #1\n"
// Rounded twice, of a vector whose first rounding is done; stored at an
// address.
#define TENON_CONV_MVE_STORED(v, sign, shift, to) \
  sign(v) "vadd.i32 " v ", " v                    \
          ", q0\n"                                \
          "vrshl.s32 " v ", " v ", " shift        \
          "\n"                                    \
          "vadd.i32 " v ", " v                    \
          ", r1\n"                                \
          "vmax.s32 " v ", " v                    \
          ", q7\n"                                \
          "vmin.s32 " v ", " v                    \
          ", q3\n"                                \
          "vstrb.32 " v ", " to "\n"

// What a call works with.
typedef struct tenon_conv_mve_job {
  const int8_t *x[3];
  int32_t chunks;  // behind the first
  int32_t y_zero;
  int32_t distance[2];  // from the first pixel's results to the others'
  int32_t lo, hi;
} tenon_conv_mve_job;

// Rows of bytes one behind the other; in the image `line` bytes apart.
TENON_ASM void tenon_conv_mve_copy(TENON_ARG int8_t *to,
                                   TENON_ARG const int8_t *from,
                                   TENON_ARG int32_t bytes,
                                   TENON_ARG int32_t rows,
                                   TENON_ARG int32_t line) {
  __asm__(
      "push {r4, lr}\n"
      "ldr r4, [sp, #8]\n"
      "sub r4, r4, r2\n"
      "tst r2, #15\n"
      "bne 2f\n"
      "lsr r12, r2, #4\n"
      "0:\n"  // whole vectors
      "dls lr, r12\n"
      "1:\n"
      "vldrb.8 q0, [r1], #16\n"
      "vstrb.8 q0, [r0], #16\n"
      "le lr, 1b\n"
      "add r1, r1, r4\n"
      "subs r3, #1\n"
      "bne 0b\n"
      "pop {r4, pc}\n"
      "2:\n"  // less of the last one, so it does not end where the row does
      "rsb r12, r2, #0\n"
      "and r12, r12, #15\n"
      "sub r4, r4, r12\n"
      "3:\n"
      "dlstp.8 lr, r2\n"
      "4:\n"
      "vldrb.8 q0, [r1], #16\n"
      "vstrb.8 q0, [r0], #16\n"
      "letp lr, 4b\n"
      "sub r0, r0, r12\n"
      "add r1, r1, r4\n"
      "subs r3, #1\n"
      "bne 3b\n"
      "pop {r4, pc}\n");
}

// So many zero points.
TENON_MVE void tenon_conv_mve_fill(int8_t *to, int32_t bytes, int32_t zero) {
  for (; bytes > 0; bytes -= 16, to += 16)
    vstrbq_p_s8(to, vdupq_n_s8((int8_t)zero), vctp8q((uint32_t)bytes));
}

// The window of a pixel at y, x that is not all in the image; its first tap is
// at `p`.
static __attribute__((noinline)) void tenon_conv_mve_border(
    const tenon_arm_window *g, const int8_t *p, int32_t y, int32_t x,
    int8_t *to) {
  const int32_t c = g->c, step = g->dil_x * c;
  int32_t lo = 0, hi = g->kw;
  while (lo < hi && x + lo * g->dil_x < 0)
    ++lo;
  while (hi > lo && x + (hi - 1) * g->dil_x >= g->w)
    --hi;
  tenon_conv_mve_fill(to, g->kh * g->run, g->x_zero);
  to += lo * c, p += lo * step;
  for (int32_t ky = 0; ky < g->kh && lo < hi; ++ky, y += g->dil_y) {
    if ((uint32_t)y < (uint32_t)g->h) {
      if (g->dil_x == 1)
        tenon_conv_mve_copy(to, p, (hi - lo) * c, 1, 0);
      else
        tenon_conv_mve_copy(to, p, c, hi - lo, step);
    }
    p += g->dil_y * g->w * c, to += g->run;
  }
}

typedef void tenon_conv_mve_fn(const int8_t *w, const int32_t *table,
                               const tenon_conv_mve_job *job, int8_t *y,
                               int32_t fours);

TENON_MVE void tenon_conv_mve_begin(const tenon_arm_window *g,
                                    tenon_conv_mve_job *job) {
  job->chunks = (g->k >> 4) - 1;
  job->y_zero = g->y_zero;
  job->distance[0] = g->out_c, job->distance[1] = 2 * g->out_c;
  job->lo = g->lo, job->hi = g->hi;
}

// All channels of `n` pixels, three at most; `size`: bytes of the table for
// four channels. What is missing is computed once more, and overwritten.
static __attribute__((noinline)) void tenon_conv_mve_some(
    const tenon_arm_window *g, tenon_conv_mve_job *job, int8_t *y, int32_t n,
    int32_t size, tenon_conv_mve_fn *pixels) {
  const int32_t out_c = g->out_c, fours = out_c >> 2;
  const int8_t *const table = (const int8_t *)tenon_arm_rest(g);
  const int8_t *const last = table + fours * size;
  const int8_t *const w = table + ((out_c + 3) >> 2) * size;
  for (int32_t i = n; i < 3; ++i)
    job->x[i] = job->x[i - 1];
  job->distance[0] = n > 1 ? out_c : 0;
  job->distance[1] = n > 2 ? 2 * out_c : job->distance[0];
  if (fours) pixels(w, (const int32_t *)(const void *)table, job, y, fours);
  if (out_c & 3) {  // nothing is written behind the last channel
    int8_t some[12];
    job->distance[0] = n > 1 ? 4 : 0;
    job->distance[1] = n > 2 ? 8 : job->distance[0];
    pixels(w + fours * g->also, (const int32_t *)(const void *)last, job, some,
           1);
    for (int32_t i = 0; i < n; ++i)
      for (int32_t k = 4 * fours; k < out_c; ++k)
        y[i * out_c + k] = some[4 * i + k - 4 * fours];
  }
}

// Three pixels, as above.
TENON_MVE void tenon_conv_mve_three(const tenon_arm_window *g,
                                    tenon_conv_mve_job *job, int8_t *y,
                                    int32_t size, tenon_conv_mve_fn *pixels) {
  const int8_t *const table = (const int8_t *)tenon_arm_rest(g);
  if (g->out_c & 3)
    tenon_conv_mve_some(g, job, y, 3, size, pixels);
  else
    pixels(table + (g->out_c >> 2) * size, (const int32_t *)(const void *)table,
           job, y, g->out_c >> 2);
}

// All pixels of a range of rows.
TENON_MVE tenon_status tenon_conv_mve(const tenon_call *c, int64_t begin,
                                      int64_t end, int32_t size,
                                      tenon_conv_mve_fn *pixels) {
  const tenon_arm_window *const g = (const tenon_arm_window *)c->packed;
  const int32_t line = g->dil_y * g->w * g->c;
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin * g->out_w * g->out_c;
  tenon_conv_mve_job job;
  tenon_conv_mve_begin(g, &job);
  int32_t n = 0;
  for (int32_t i = 0; i < 3; ++i)
    job.x[i] = (const int8_t *)c->scratch + i * g->k;
  int8_t *to = (int8_t *)c->scratch;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int32_t at = row % g->out_h * g->down - g->top;
    const bool is_in =
        g->dil_x == 1 && at >= 0 && at + (g->kh - 1) * g->dil_y < g->h;
    const int32_t places = is_in ? g->w - g->kw : -1;
    const int8_t *p = (const int8_t *)c->in[0].data +
                      ((row / g->out_h * g->h + at) * g->w - g->left) * g->c;
    int32_t x = -g->left;
    for (int32_t left = g->out_w; left > 0; --left) {
      if (x >= 0 && x <= places)
        tenon_conv_mve_copy(to, p, g->run, g->kh, line);
      else
        tenon_conv_mve_border(g, p, at, x, to);
      x += g->right;
      p += g->right * g->c;
      to += g->k;
      if (++n < 3) continue;
      tenon_conv_mve_three(g, &job, y, size, pixels);
      y += 3 * g->out_c;
      to = (int8_t *)c->scratch;
      n = 0;
    }
  }
  if (n) tenon_conv_mve_some(g, &job, y, n, size, pixels);
  return TENON_OK;
}

// The body of such a function: r0 to r3 and the stack as they come. Below the
// saved registers: three windows, fours of chunks, two entries, then what is
// read of the job behind, and how many fours of channels are left.
#define TENON_CONV_MVE_PIXELS(first, sign, shift) \
  TENON_CONV_MVE_PIXELS_OF(TENON_CONV_MVE_CHUNK, "44", first, sign, shift)
#define TENON_CONV_MVE_PIXELS_OF(chunk, bytes, first, sign, shift) \
  "push {r4-r11, lr}\n"                                                \
  "vpush {d8-d15}\n"                                                   \
  "mov r11, r0\n"                                                      \
  "mov r9, r1\n"                                                       \
  "mov r7, r3\n"                                                       \
  "ldrd r0, r1, [r2, #28]\n"                                           \
  "vdup.32 q7, r0\n"                                                   \
  "vdup.32 q3, r1\n"                                                   \
  "ldrd r3, r5, [r2, #16]\n"                                           \
  "ldr r6, [r2, #24]\n"                                                \
  "ldr r8, [sp, #100]\n"                                               \
  "push {r3, r5, r6, r8}\n"                                            \
  "ldrd r1, r3, [r2]\n"                                                \
  "ldrd r5, r12, [r2, #8]\n" TENON_CONV_MVE_ENTRY(bytes, "3")                 \
  "mov r6, r0\n" TENON_CONV_MVE_ENTRY(bytes, "1")                             \
  "add r12, r12, #3\n"                                                 \
  "lsr r12, r12, #2\n"                                                 \
  "push {r0, r6}\n"                                                    \
  "push {r1, r3, r5, r12}\n"                                           \
  "0:\n" TENON_CONV_MVE_PAIR(chunk, "1", "2", "16", "0", "2")                 \
      TENON_CONV_MVE_PAIR(chunk, "3", "4", "20", "1", "3")                    \
  "add r0, sp, #24\n"                                                  \
  "ldm r0, {r1, r3, r5, r6}\n"                                         \
  "add r3, r3, r7\n"                                                   \
  "add r5, r5, r7\n" first                                             \
  TENON_CONV_MVE_STORED("q4", sign, shift, "[r7], #4")                 \
  TENON_CONV_MVE_STORED("q5", sign, shift, "[r3]")                     \
  TENON_CONV_MVE_STORED("q6", sign, shift, "[r5]")                     \
  "subs r6, #1\n"                                                      \
  "str r6, [sp, #36]\n"                                                \
  "bne 0b\n"                                                           \
  "add sp, #40\n"                                                      \
  "vpop {d8-d15}\n"                                                    \
  "pop {r4-r11, pc}\n"

#endif  // TENON_KERN_ISA_ARM_CONV_MVE_H
