// depthwise_conv3_s8_dsp.c - quantised depthwise convolution, 3 by 3 in steps
// of 1 with a result of the same size, four pixels of a channel at a time.
//
// A channel is brought into lines of int16, less the zero point and with zeros
// around, so that a word has two taps of a line for SMLAD: a strip of lines, of
// which the last two are the first of the next. So all that a strip needs has
// been read before results are written in its place. Lines go along the width
// or the height (`how`), whichever leaves less of a multiple of four. Bit for
// bit what depthwise_conv_s8_ref.c computes.
#include "kern/isa/arm/dsp/dsp.h"
#include "tenon/tensor.h"

#define DEPTHWISE_CONV3_S8_DSP_TWO \
  "ldrsb r4, [r1]\n"               \
  "ldrsb r5, [r1, r2]\n"           \
  "add r1, r1, r2, lsl #1\n"       \
  "add r4, r12\n"                  \
  "add r5, r12\n"                  \
  "strh r4, [r0], #2\n"            \
  "strh r5, [r0], #2\n"
// `n` pixels of a line, `step` apart, to int16.
TENON_ASM void depthwise_conv3_s8_dsp_line(TENON_ARG int8_t *to,
                                           TENON_ARG const int8_t *from,
                                           TENON_ARG int32_t step,
                                           TENON_ARG int32_t n,
                                           TENON_ARG int32_t minus) {
  __asm__(
      "push {r4, r5}\n"
      "ldr r12, [sp, #8]\n"
      "subs r3, #4\n"
      "blt 2f\n"
      "1:\n" DEPTHWISE_CONV3_S8_DSP_TWO DEPTHWISE_CONV3_S8_DSP_TWO
      "subs r3, #4\n"
      "bge 1b\n"
      "2:\n"
      "adds r3, #4\n"
      "ble 4f\n"
      "3:\n"
      "ldrsb r4, [r1]\n"
      "add r1, r2\n"
      "add r4, r12\n"
      "strh r4, [r0], #2\n"
      "subs r3, #1\n"
      "bgt 3b\n"
      "4:\n"
      "pop {r4, r5}\n"
      "bx lr\n");
}

// What the loops below read of a channel, behind one register; they advance
// all but `step` and `next`.
typedef struct depthwise_conv3_s8_dsp_channel {
  tenon_arm_nine q;  // 40 bytes
  int8_t *y;         // the next result
  const int8_t *end;
  int32_t step, next;  // from a pixel, and from a line of them, to the next
  int32_t lines;
  int8_t *line;     // of results
  const int8_t *p;  // the first of its three lines of the plane
} depthwise_conv3_s8_dsp_channel;

#define DEPTHWISE_CONV3_S8_DSP_ROW(offset) \
  "ldrd %[w0], %[w1], [%[m], #" offset     \
  "]\n"                                    \
  "ldm %[p], {r4, r5, r6}\n"               \
  "smlad %[a], r4, %[w0], %[a]\n"          \
  "smlabt %[a], r5, %[w1], %[a]\n"         \
  "smlatb %[b], r4, %[w0], %[b]\n"         \
  "smlad %[b], r5, %[w1], %[b]\n"          \
  "smlad %[d], r5, %[w0], %[d]\n"          \
  "smlabt %[d], r6, %[w1], %[d]\n"         \
  "smlatb %[e], r5, %[w0], %[e]\n"         \
  "smlad %[e], r6, %[w1], %[e]\n"
// Weights, and so sums, are doubled; rounded twice (conv_s8_dsp.c).
#define DEPTHWISE_CONV3_S8_DSP_STORED(v) \
  "add.w r5, %[w1], %[" v                \
  "], asr #31\n"                         \
  "smmlar %[" v "], %[" v                \
  "], %[w0], r5\n"                       \
  "asr %[" v                             \
  "], r4\n"                              \
  "ssat %[" v "], #8, %[" v "]\n"

// Lines of results, one at least.
TENON_ARM void depthwise_conv3_s8_dsp_sums(int32_t pitch,
                                           depthwise_conv3_s8_dsp_channel *m) {
  const int8_t *p = m->p;
  int32_t a, b, d, e;
  uint32_t w0, w1;
  __asm__ volatile(
      "1:\n"
      "ldr %[a], [%[m], #24]\n"
      "mov %[b], %[a]\n"
      "mov %[d], %[a]\n"
      "mov %[e], %[a]\n" DEPTHWISE_CONV3_S8_DSP_ROW("0")
      "add %[p], %[pitch]\n" DEPTHWISE_CONV3_S8_DSP_ROW("8")
      "add %[p], %[pitch]\n" DEPTHWISE_CONV3_S8_DSP_ROW("16")
      "sub %[p], %[p], %[pitch], lsl #1\n"
      "add %[p], #8\n"
      "ldrd %[w0], %[w1], [%[m], #28]\n"
      "ldr r4, [%[m], #36]\n" DEPTHWISE_CONV3_S8_DSP_STORED("a")
          DEPTHWISE_CONV3_S8_DSP_STORED("b") DEPTHWISE_CONV3_S8_DSP_STORED("d")
              DEPTHWISE_CONV3_S8_DSP_STORED("e")
      "ldrd r6, r5, [%[m], #40]\n"
      "ldr r4, [%[m], #48]\n"
      "cmp %[p], r5\n"
      "bgt 2f\n"
      "strb %[a], [r6]\n"
      "strb %[b], [r6, r4]\n"
      "add r6, r6, r4, lsl #1\n"
      "strb %[d], [r6]\n"
      "strb %[e], [r6, r4]\n"
      "add r6, r6, r4, lsl #1\n"
      "str r6, [%[m], #40]\n"
      "blt 1b\n"
      "b 3f\n"
      "2:\n"
      "strb %[a], [r6]\n"
      "sub r5, %[p], r5\n"  // 2 for each pixel that is not there
      "cmp r5, #4\n"
      "bgt 3f\n"
      "strb %[b], [r6, r4]\n"
      "beq 3f\n"
      "add r6, r6, r4, lsl #1\n"
      "strb %[d], [r6]\n"
      "3:\n"
      "ldrd r4, r5, [%[m], #52]\n"
      "subs r5, #1\n"
      "beq 4f\n"
      "str r5, [%[m], #56]\n"
      "ldrd r5, %[p], [%[m], #60]\n"
      "add r5, r4\n"
      "add %[p], %[pitch]\n"
      "strd r5, %[p], [%[m], #60]\n"
      "ldr r4, [%[m], #44]\n"
      "add r4, %[pitch]\n"
      "strd r5, r4, [%[m], #40]\n"
      "b 1b\n"
      "4:\n"
      : [a] "=&r"(a), [b] "=&r"(b), [d] "=&r"(d), [e] "=&r"(e), [w0] "=&r"(w0),
        [w1] "=&r"(w1), [p] "+r"(p)
      : [m] "r"(m), [pitch] "r"(pitch)
      : "r4", "r5", "r6", "cc", "memory");
}

TENON_KERNEL_RANGE(tenon_k_depthwise_conv3_s8_dsp) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const tenon_arm_nine *const q = (const tenon_arm_nine *)tenon_arm_rest(g);
  const int32_t depth = g->c, n = g->how ? g->h : g->w;
  const int32_t lines = g->how ? g->w : g->h;
  const int32_t step = g->how ? g->w * depth : depth;
  const int32_t next = g->how ? depth : g->w * depth;
  const int32_t at = g->how ? g->top : g->left;
  const int32_t before = g->how ? g->left : g->top;
  const int32_t strip = g->run, pitch = g->k;
  int8_t *const plane = (int8_t *)c->scratch;
  memset(plane, 0, (size_t)((strip + 2) * pitch));
  int32_t channel = (int32_t)begin % depth;
  int32_t place = (int32_t)begin / depth * n * lines * depth + channel;
  for (int32_t left = (int32_t)(end - begin); left > 0; --left) {
    const int8_t *const x = (const int8_t *)c->in[0].data + place;
    int8_t *y = (int8_t *)c->out[0].data + place;
    depthwise_conv3_s8_dsp_channel m = {q[channel], NULL, NULL, step,
                                        next,       0,    NULL, NULL};
    int32_t have = 0;  // lines of the plane
    for (int32_t first = 0; first < lines; first += strip) {
      const int32_t now = lines - first < strip ? lines - first : strip;
      for (; have < now + 2; ++have) {
        const int32_t line = first + have - before;
        int8_t *const to = plane + have * pitch;
        if (line >= 0 && line < lines)
          depthwise_conv3_s8_dsp_line(to + 2 * at, x + line * next, step, n,
                                      -g->x_zero);
        else
          memset(to, 0, (size_t)pitch);
      }
      m.y = m.line = y;
      m.end = plane + 2 * n;
      m.lines = now;
      m.p = plane;
      depthwise_conv3_s8_dsp_sums(pitch, &m);
      y += now * next;
      have = 2;
      if (first + now < lines)  // a strip has two lines at least
        memcpy(plane, plane + now * pitch, (size_t)(2 * pitch));
    }
    ++place;
    if (++channel == depth) channel = 0, place += (n * lines - 1) * depth;
  }
  return TENON_OK;
}
