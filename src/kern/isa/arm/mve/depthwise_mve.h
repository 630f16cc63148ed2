// kern/isa/arm/mve/depthwise_mve.h - quantised depthwise convolution with a
// window of at most 4 by 4 taps, four channels of a pixel at a time.
//
// Sixteen channels of a piece of a row are brought into an order in which the
// taps of one channel are neighbours: for each column of the image and channel
// the four rows of the window, in a word. Four words are a window, which is
// multiplied in one instruction. What is outside the image is the zero point,
// whose share is part of the biases. Of a last block of channels that has less
// than four the last four are computed.
#ifndef TENON_KERN_ISA_ARM_DEPTHWISE_MVE_H
#define TENON_KERN_ISA_ARM_DEPTHWISE_MVE_H

#include "kern/isa/arm/mve/mve.h"
#include "tenon/tensor.h"

// Where rows of the window are, and how far it is to the next column: nowhere
// in a row that is not in the image, of which there is one pixel.
typedef struct tenon_depthwise_mve_rows {
  const int8_t *at[4];
  int32_t steps[4];
} tenon_depthwise_mve_rows;

// Addresses of the words of the first pixel; words to the next one, channels,
// pixels.
typedef struct tenon_depthwise_mve_job {
  uint32_t at[4];
  int32_t step, zero, depth, n;
  uint32_t words[4];  // from the first word
} tenon_depthwise_mve_job;

// Columns that are not in the image; returns where the next go.
TENON_MVE int8_t *tenon_depthwise_mve_border(int8_t *to, int32_t columns,
                                             int8x16_t v) {
  for (; columns > 0; --columns, to += 64) {
    vst1q_s8(to, v);
    vst1q_s8(to + 16, v);
    vst1q_s8(to + 32, v);
    vst1q_s8(to + 48, v);
  }
  return to;
}

#define TENON_DEPTHWISE_MVE_MOVE(at, step) \
  "cmp " step                              \
  ", #0\n"                                 \
  "it ne\n"                                \
  "addne " at ", r12\n"
// `n` columns behind each other, of channels as the predicate `lanes` has them,
// so far from where rows are.
TENON_ASM void tenon_depthwise_mve_order(
    TENON_ARG const tenon_depthwise_mve_rows *rows, TENON_ARG int8_t *to,
    TENON_ARG int32_t n, TENON_ARG int32_t lanes, TENON_ARG int32_t far) {
  __asm__(
      "push {r4-r11, lr}\n"
      "ldr r12, [sp, #36]\n"
      "ldm r0, {r4-r11}\n"
      TENON_DEPTHWISE_MVE_MOVE("r4", "r8") TENON_DEPTHWISE_MVE_MOVE("r5", "r9")
          TENON_DEPTHWISE_MVE_MOVE("r6", "r10")
              TENON_DEPTHWISE_MVE_MOVE("r7", "r11")
      "vmsr p0, r3\n"
      "dls lr, r2\n"
      "1:\n"
      "vpstttt\n"
      "vldrbt.8 q0, [r4]\n"
      "vldrbt.8 q1, [r5]\n"
      "vldrbt.8 q2, [r6]\n"
      "vldrbt.8 q3, [r7]\n"
      "add r4, r8\n"
      "add r5, r9\n"
      "add r6, r10\n"
      "add r7, r11\n"
      "vst40.8 {q0, q1, q2, q3}, [r1]\n"
      "vst41.8 {q0, q1, q2, q3}, [r1]\n"
      "vst42.8 {q0, q1, q2, q3}, [r1]\n"
      "vst43.8 {q0, q1, q2, q3}, [r1]!\n"
      "le lr, 1b\n"
      "pop {r4-r11, pc}\n");
}

// Fours of channels: the sums of `n` pixels, and their results from `y` on.
TENON_ASM void tenon_depthwise_mve_sums(TENON_ARG const tenon_arm_taps *part,
                                        TENON_ARG tenon_depthwise_mve_job *job,
                                        TENON_ARG int8_t *y,
                                        TENON_ARG int32_t fours) {
  __asm__(
      "push {r4-r11, lr}\n"
      "vpush {d8-d15}\n"
      "ldrd r5, r7, [r1, #16]\n"
      "ldrd r9, r11, [r1, #24]\n"
      "mov r12, r2\n"
      "1:\n"
      "vldrw.32 q0, [r1]\n"
      "vldrb.8 q4, [r0, #48]\n"
      "vldrb.8 q5, [r0, #64]\n"
      "vldrb.8 q6, [r0, #80]\n"
      "vldrb.8 q7, [r0, #96]\n"
      "mov r2, r12\n"
      "dls lr, r11\n"
      "2:\n"
      "vldrw.u32 q1, [q0]\n"
      "vmladav.s8 r4, q1, q4\n"
      "vldrw.u32 q2, [q0, #4]\n"
      "vmladav.s8 r6, q2, q5\n"
      "vldrw.u32 q1, [q0, #8]\n"
      "vmladav.s8 r8, q1, q6\n"
      "vldrw.u32 q2, [q0, #12]\n"
      "vmladav.s8 r10, q2, q7\n"
      "vldrw.32 q2, [r0]\n"
      "vmov q1[2], q1[0], r4, r8\n"
      "vmov q1[3], q1[1], r6, r10\n"
      "vadd.i32 q1, q1, q2\n"
      "vldrw.32 q2, [r0, #16]\n"
      "vqrdmulh.s32 q1, q1, q2\n"
      "vldrw.32 q3, [r0, #32]\n"
      "vshr.s32 q2, q1, #31\n"
      "vadd.i32 q1, q1, q2\n"
      "vrshl.s32 q1, q1, q3\n"
      "vadd.i32 q1, q1, r7\n"
      "vadd.i32 q0, q0, r5\n"
      "vqmovnb.s32 q1, q1\n"
      "vqmovnb.s16 q1, q1\n"
      "vstrb.32 q1, [r2]\n"
      "add r2, r9\n"
      "le lr, 2b\n"
      "vldrw.32 q0, [r1]\n"
      "movs r4, #16\n"
      "vadd.i32 q0, q0, r4\n"
      "vstrw.32 q0, [r1]\n"
      "adds r0, #112\n"
      "add r12, #4\n"
      "subs r3, #1\n"
      "bne 1b\n"
      "vpop {d8-d15}\n"
      "pop {r4-r11, pc}\n");
}

// The channels from `from` on, `left` of them, of a piece of a row.
static const tenon_arm_taps *tenon_depthwise_mve_block(
    const tenon_arm_taps *part, tenon_depthwise_mve_job *job, int8_t *ordered,
    int8_t *y, int32_t left) {
  const uint32x4_t words = vldrwq_u32(job->words);
  for (int32_t j = 0; j < left;) {
    const int32_t fours = left - j < 4 ? 1 : (left - j) / 4;
    if (left - j < 4) j = left - 4;
    vstrwq_u32(job->at, vaddq_n_u32(words, (uint32_t)(intptr_t)ordered +
                                               (uint32_t)j * 4));
    tenon_depthwise_mve_sums(part, job, y + j, fours);
    part += fours;
    j += 4 * fours;
  }
  return part;
}

TENON_MVE void tenon_depthwise_mve_copy(int8_t *to, const int8_t *from,
                                        int32_t bytes) {
  __asm__ volatile(
      "dlstp.8 lr, %[n]\n"
      "1:\n"
      "vldrb.8 q0, [%[from]], #16\n"
      "vstrb.8 q0, [%[to]], #16\n"
      "letp lr, 1b"
      : [to] "+r"(to), [from] "+r"(from)
      : [n] "r"(bytes)
      : "lr", "q0", "memory");
}

// Where words go in order for a row of results that ends at `y`, and how many
// pixels at once: in scratch, or, where more fits, in memory that is free until
// the next row: that of results which are not there yet, or of operands that
// have been read.
typedef struct tenon_depthwise_mve_place {
  int8_t *ordered;
  int32_t pixels;
} tenon_depthwise_mve_place;
TENON_MVE tenon_depthwise_mve_place tenon_depthwise_mve_room(
    const tenon_arm_window *g, int8_t *scratch, int8_t *y, const int8_t *end) {
  const int32_t columns = (g->also - 1) * g->right + (g->kw - 1) * g->dil_x + 1;
  tenon_depthwise_mve_place p = {scratch, g->how};
  y = (int8_t *)(((uintptr_t)y + 15) & ~(uintptr_t)15);
  if (g->how < g->also &&
      (uintptr_t)y + (uint32_t)columns * 64 <= (uintptr_t)end)
    p.ordered = y, p.pixels = g->also;
  return p;
}

// Rows of results from `begin` on. `keeps`: where the result lies over the
// operand, so that rows are copied before they are written, and read there from
// then on; begins with an image.
static tenon_status tenon_depthwise_mve(const tenon_call *c, int32_t begin,
                                        int32_t end, bool keeps) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const int32_t depth = g->c, line = g->w * depth;
  const int32_t reach = (g->kw - 1) * g->dil_x + 1;
  int8_t *const border = (int8_t *)c->scratch;
  int8_t *const kept =  // row i at i % (top + 1)
      border + 16 + ((g->how - 1) * g->right + reach) * 64;
  const int8x16_t none = vdupq_n_s8((int8_t)g->x_zero);
  tenon_depthwise_mve_job job = {{0}, g->right * 64, g->y_zero, depth, 0, {0}};
  for (int32_t i = 0; i < g->kw; ++i)
    job.words[i] = (uint32_t)(i * g->dil_x * 64);
  vst1q_s8(border, none);
  int8_t *y = (int8_t *)c->out[0].data + begin * g->out_w * depth;
  // Then all items are here.
  const int8_t *const x0 = (const int8_t *)c->in[0].data;
  const bool is_over = x0 < y + (end - begin) * g->out_w * depth &&
                       y < x0 + ((end - 1) / g->out_h + 1) * g->h * line;
  for (int32_t row = begin; row < end; ++row) {
    const int8_t *image =
        (const int8_t *)c->in[0].data + row / g->out_h * g->h * line;
    tenon_depthwise_mve_rows rows;
    const int32_t oy = row % g->out_h;
    if (keeps)
      tenon_depthwise_mve_copy(kept + oy % (g->top + 1) * line,
                               image + oy * line, line);
    for (int32_t k = 0; k < 4; ++k) {
      const int32_t at = oy * g->down - g->top + k * g->dil_y;
      const bool is_in = k < g->kh && at >= 0 && at < g->h;
      rows.at[k] = is_in ? image + at * line : border;
      if (keeps && is_in && at <= oy)
        rows.at[k] = kept + at % (g->top + 1) * line;
      rows.steps[k] = is_in ? depth : 0;
    }
    const int32_t first = oy * g->down - g->top;
    const int8_t *const unread = image + (first > 0 ? first : 0) * line;
    const int8_t *const rest = y + (end - row) * g->out_w * depth;
    const tenon_depthwise_mve_place place = tenon_depthwise_mve_room(
        g, border + 16, y + g->out_w * depth, is_over ? unread : rest);
    for (int32_t ox = 0; ox < g->out_w; ox += job.n, y += job.n * depth) {
      const tenon_arm_taps *part = (const tenon_arm_taps *)tenon_arm_rest(g);
      const int32_t x = ox * g->right - g->left;
      job.n = g->out_w - ox < place.pixels ? g->out_w - ox : place.pixels;
      const int32_t count = (job.n - 1) * g->right + reach;
      const int32_t before = x < 0 ? (-x < count ? -x : count) : 0;
      int32_t within = (x + count < g->w ? x + count : g->w) - (x + before);
      if (within < 0) within = 0;
      int8_t *const to =
          tenon_depthwise_mve_border(place.ordered, before, none);
      (void)tenon_depthwise_mve_border(to + within * 64,
                                       count - before - within, none);
      for (int32_t i = 0; i < depth; i += 16) {
        if (depth - i < 4) i = depth - 4;
        const int32_t left = depth - i < 16 ? depth - i : 16;
        if (within > 0)
          tenon_depthwise_mve_order(&rows, to, within, (1 << left) - 1,
                                    (x + before) * depth + i);
        part =
            tenon_depthwise_mve_block(part, &job, place.ordered, y + i, left);
      }
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_ISA_ARM_DEPTHWISE_MVE_H
