// depthwise_conv3_s8_dsp.c - quantised depthwise convolution, 3 by 3 in steps
// of 1 with a result of the same size, four pixels of a channel at a time.
//
// Four channels at a time are brought into planes of int16, less the zero point
// and with zeros around, so that a word has two taps of a line for SMLAD: a
// strip of lines, of which the last two are the first of the next. So all that
// a strip needs has been read before results are written in its place. Lines go
// along the width or the height (`how`), whichever leaves less of a multiple of
// four. Bit for bit what depthwise_conv_s8_ref.c computes.
#include "kern/isa/arm/dsp.h"
#include "tenon/tensor.h"

// Two pixels, four channels of each, into their planes.
TENON_ARM void depthwise_conv3_s8_dsp_split(uint32_t u, uint32_t v,
                                            uint32_t minus, int8_t *to,
                                            int32_t plane) {
  const uint32_t even0 = tenon_dsp_even(minus, u);
  const uint32_t even1 = tenon_dsp_even(minus, v);
  const uint32_t odd0 = tenon_dsp_odd(minus, u);
  const uint32_t odd1 = tenon_dsp_odd(minus, v);
  uint32_t a, b, d, e;
  __asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(a) : "r"(even0), "r"(even1));
  __asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(b) : "r"(odd0), "r"(odd1));
  __asm__("pkhtb %0, %1, %2, asr #16" : "=r"(d) : "r"(even1), "r"(even0));
  __asm__("pkhtb %0, %1, %2, asr #16" : "=r"(e) : "r"(odd1), "r"(odd0));
  memcpy(to, &a, 4);
  memcpy(to + plane, &b, 4);
  memcpy(to + 2 * plane, &d, 4);
  memcpy(to + 3 * plane, &e, 4);
}

// A line of `n` pixels, `step` apart, from place `at` of the planes on; `none`
// is a pixel of zero points, what is around is zero.
static void depthwise_conv3_s8_dsp_line(const int8_t *p, int32_t step,
                                        int32_t n, int32_t at, uint32_t minus,
                                        uint32_t none, int8_t *to,
                                        int32_t plane) {
  to += at / 2 * 4;
  if (at & 1) {
    depthwise_conv3_s8_dsp_split(none, tenon_dsp_load(p), minus, to, plane);
    p += step, to += 4, --n;
  }
  for (; n > 1; n -= 2, p += 2 * step, to += 4)
    depthwise_conv3_s8_dsp_split(tenon_dsp_load(p), tenon_dsp_load(p + step),
                                 minus, to, plane);
  if (n > 0)
    depthwise_conv3_s8_dsp_split(tenon_dsp_load(p), none, minus, to, plane);
}

// What the loop below reads of a channel, behind one register.
typedef struct depthwise_conv3_s8_dsp_channel {
  tenon_arm_nine q;  // 40 bytes
  int8_t *y;
  const int8_t *end;
  int32_t step;
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
#define DEPTHWISE_CONV3_S8_DSP_STORED(v)   \
  "smmlar %[" v "], %[" v "], %[w0], %[" v \
  "]\n"                                    \
  "add %[" v "], %[" v "], %[" v           \
  "], asr #31\n"                           \
  "add %[" v                               \
  "], %[w1]\n"                             \
  "asr %[" v                               \
  "], r4\n"                                \
  "ssat %[" v "], #8, %[" v "]\n"

// A line of results; `p` is the first of its three lines of the plane.
TENON_ARM void depthwise_conv3_s8_dsp_sums(
    const int8_t *p, int32_t pitch, const depthwise_conv3_s8_dsp_channel *m) {
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
      : [a] "=&r"(a), [b] "=&r"(b), [d] "=&r"(d), [e] "=&r"(e), [w0] "=&r"(w0),
        [w1] "=&r"(w1), [p] "+r"(p)
      : [m] "r"(m), [pitch] "r"(pitch)
      : "r4", "r5", "r6", "cc", "memory");
}

TENON_KERNEL_RANGE(tenon_k_depthwise_conv3_s8_dsp) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const bool is_down = g->how;
  const int32_t depth = g->c, n = is_down ? g->h : g->w;
  const int32_t lines = is_down ? g->w : g->h, size = n * lines * depth;
  const int32_t step = is_down ? g->w * depth : depth;
  const int32_t next = is_down ? depth : g->w * depth;
  const int32_t at = is_down ? g->top : g->left;
  const int32_t before = is_down ? g->left : g->top;
  const int32_t strip = g->run, pitch = g->k, plane = (strip + 2) * pitch;
  const uint32_t minus = (uint32_t)(-g->x_zero & 0xFFFF) * 0x10001u;
  const uint32_t none = (uint32_t)(g->x_zero & 0xFF) * 0x1010101u;
  int8_t *const planes = (int8_t *)c->scratch;
  memset(planes, 0, (size_t)(4 * plane));
  for (int32_t block = (int32_t)begin * 4; block < (int32_t)end * 4;
       block += 4) {
    const int32_t from = block < depth - 4 ? block : depth - 4;
    const tenon_arm_nine *q = (const tenon_arm_nine *)(g + 1) + from;
    const int8_t *x = (const int8_t *)c->in[0].data + from;
    int8_t *y = (int8_t *)c->out[0].data + from;
    for (int32_t i = c->in[0].dims[0]; i > 0; --i, x += size, y += size) {
      int32_t have = 0;  // lines of the planes
      for (int32_t first = 0; first < lines; first += strip) {
        const int32_t now = lines - first < strip ? lines - first : strip;
        for (; have < now + 2; ++have) {
          const int32_t line = first + have - before;
          int8_t *to = planes + have * pitch;
          if (line >= 0 && line < lines)
            depthwise_conv3_s8_dsp_line(x + line * next, step, n, at, minus,
                                        none, to, plane);
          else
            for (int32_t k = 0; k < 4; ++k)
              memset(to + k * plane, 0, (size_t)pitch);
        }
        have = 2;
        // Of a last block those that the block before has not.
        for (int32_t k = block - from; k < 4; ++k) {
          int8_t *const p = planes + k * plane;
          int8_t *to = y + first * next + k;
          depthwise_conv3_s8_dsp_channel m = {q[k], NULL, NULL, step};
          for (int32_t j = 0; j < now; ++j, to += next) {
            m.y = to;
            m.end = p + j * pitch + 2 * n;
            depthwise_conv3_s8_dsp_sums(p + j * pitch, pitch, &m);
          }
          if (first + now < lines)
            memmove(p, p + now * pitch, (size_t)(2 * pitch));
        }
      }
    }
  }
  return TENON_OK;
}
