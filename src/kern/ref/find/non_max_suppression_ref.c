// non_max_suppression_ref.c - boxes by their scores, without those that overlap
// a better one.
//
// Follows reference/non_max_suppression.h of LiteRT: a box waits with its score
// in a heap, and is compared with those taken since it was last looked at. The
// heap is std::priority_queue of libstdc++, since of equal scores its order is
// who comes first. One that is taken goes back, and meets itself.
#include "kern/loop/order.h"
#include "kern/num/real64.h"

typedef struct suppressed {
  float score;
  int32_t box;
  int32_t seen;  // how many of those taken it has been compared with
} suppressed;

// `v` goes up from an empty place.
static void suppressed_rise(suppressed *heap, ptrdiff_t hole, suppressed v) {
  for (; hole > 0 && heap[(hole - 1) / 2].score < v.score;
       hole = (hole - 1) / 2)
    heap[hole] = heap[(hole - 1) / 2];
  heap[hole] = v;
}

// The first of n goes; the last takes its place, which sinks to a leaf.
static suppressed suppressed_take(suppressed *heap, ptrdiff_t n) {
  const suppressed first = heap[0], last = heap[n - 1];
  ptrdiff_t hole = 0, child = 0;
  --n;
  while (child < (n - 1) / 2) {
    child = 2 * (child + 1);
    if (heap[child].score < heap[child - 1].score) --child;
    heap[hole] = heap[child];
    hole = child;
  }
  if (n > 0 && n % 2 == 0 && child == (n - 2) / 2) {
    child = 2 * (child + 1) - 1;
    heap[hole] = heap[child];
    hole = child;
  }
  if (n > 0) suppressed_rise(heap, hole, last);
  return first;
}

static float suppressed_min(float a, float b) {
  return b < a ? b : a;
}
static float suppressed_max(float a, float b) {
  return a < b ? b : a;
}

// Intersection by union; 0 where one has no area. Corners are in any order.
static float suppressed_overlap(const float *a, const float *b) {
  const float a_y0 = suppressed_min(a[0], a[2]),
              a_x0 = suppressed_min(a[1], a[3]),
              a_y1 = suppressed_max(a[0], a[2]),
              a_x1 = suppressed_max(a[1], a[3]);
  const float b_y0 = suppressed_min(b[0], b[2]),
              b_x0 = suppressed_min(b[1], b[3]),
              b_y1 = suppressed_max(b[0], b[2]),
              b_x1 = suppressed_max(b[1], b[3]);
  const float a_area = (a_y1 - a_y0) * (a_x1 - a_x0);
  const float b_area = (b_y1 - b_y0) * (b_x1 - b_x0);
  if (a_area <= 0 || b_area <= 0) return 0;
  const float height = suppressed_min(a_y1, b_y1) - suppressed_max(a_y0, b_y0);
  const float width = suppressed_min(a_x1, b_x1) - suppressed_max(a_x0, b_x0);
  const float both = suppressed_max(height, 0) * suppressed_max(width, 0);
  return both / (a_area + b_area - both);
}

TENON_KERNEL(tenon_k_non_max_suppression_ref) {
  const float *boxes = (const float *)c->in[0].data;
  const float *scores = (const float *)c->in[1].data;
  const float limit = ((const float *)c->in[2].data)[0];
  const float threshold = ((const float *)c->in[3].data)[0];
  const float sigma = ((const float *)c->in[4].data)[0];
  const float scale = sigma > 0 ? (float)(-0.5 / (double)sigma) : 0;
  int32_t *taken = (int32_t *)c->out[0].data;
  float *kept = (float *)c->out[1].data;
  suppressed *heap = (suppressed *)c->scratch;
  const int32_t n = c->in[1].dims[0], room = c->out[0].dims[0];
  ptrdiff_t waiting = 0;
  int32_t most, count = 0;
  for (int32_t i = 0; i < n; ++i) {
    if (!(scores[i] > threshold)) continue;
    const suppressed v = {scores[i], i, 0};
    suppressed_rise(heap, waiting++, v);
  }
  most = waiting < room ? (int32_t)waiting : room;
  while (count < most && waiting > 0) {
    suppressed v = suppressed_take(heap, waiting--);
    const float before = v.score;
    bool is_out = false;
    for (int32_t k = count - 1; k >= v.seen && !is_out; --k) {
      const float overlap = suppressed_overlap(boxes + 4 * (ptrdiff_t)v.box,
                                               boxes + 4 * (ptrdiff_t)taken[k]);
      is_out = overlap >= limit;
      if (is_out) break;
      if (sigma > 0) {
        const float at = scale * overlap * overlap;
        v.score = v.score * (float)tenon_exp((double)at);
      }
      if (v.score <= threshold) break;
    }
    v.seen = count;
    if (is_out) continue;
    if (v.score == before) {
      taken[count] = v.box;
      kept[count++] = v.score;
    }
    if (v.score > threshold) suppressed_rise(heap, waiting++, v);
  }
  for (int32_t i = count; i < room; ++i) {
    taken[i] = 0;
    kept[i] = 0;
  }
  ((int32_t *)c->out[2].data)[0] = count;
  return TENON_OK;
}
