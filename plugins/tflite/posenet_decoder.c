// posenet_decoder.c - PosenetDecoderOp, what Coral's models of PoseNet end in:
// people as 17 keypoints each, out of maps of scores and offsets.
//
// Facts: the operator in Coral's library, and Papandreou et al., "PersonLab:
// Person Pose Estimation and Instance Segmentation with a Bottom-Up,
// Part-Based, Geometric Embedding Model", 2018. Of equal scores the keypoint
// that stands first in the map is taken first, which is open there; results
// behind the last person are zero. BodyPix has a fourth map, of offsets over
// long ways, and a fifth result: a mask for each person. Coral's library gives
// it 33 by 33 places whatever the map has; here it is as large as the map.
#include <math.h>
#include <string.h>

#include "tenon/tensor.h"

enum {
  POSENET_KEYPOINTS = 17,
  POSENET_EDGES = 16,
  POSENET_REFINEMENTS = 5,
  POSENET_LONG_STEPS = 3
};

typedef struct posenet_attrs {
  int64_t max_detections, stride;
  double score_threshold, nms_radius;
} posenet_attrs;

typedef struct posenet_point {
  float y, x;
} posenet_point;

typedef struct posenet_keypoint {
  posenet_point at;
  float score;
  int32_t id, order;
} posenet_keypoint;

typedef struct posenet_person {
  posenet_point at[POSENET_KEYPOINTS];
  float score[POSENET_KEYPOINTS];
  float whole;
} posenet_person;

// From which keypoint to which the offsets of an edge lead; back, there are as
// many.
static const int8_t posenet_edges[POSENET_EDGES][2] = {
    {0, 1},   {1, 3},   {0, 2}, {2, 4}, {0, 5},  {5, 7},  {7, 9},   {5, 11},
    {11, 13}, {13, 15}, {0, 6}, {6, 8}, {8, 10}, {6, 12}, {12, 14}, {14, 16}};

static float posenet_limit(float v, float lo, float hi) {
  return v < lo ? lo : hi < v ? hi : v;
}

// Element i of a map, times `by`.
static float posenet_value(const tenon_tensor *t, ptrdiff_t i, float by) {
  if (t->dtype == TENON_F32) return ((const float *)t->data)[i] * by;
  const float zero = t->quant->zero ? (float)t->quant->zero[0] : 0;
  const float scale = t->quant->scale[0] * by;
  return ((float)((const uint8_t *)t->data)[i] - zero) * scale;
}

// A channel of a map between its places.
static float posenet_sample(const tenon_tensor *t, posenet_point p,
                            int32_t channel, float by) {
  const int32_t h = t->dims[1], w = t->dims[2], n = t->dims[3];
  const float y = posenet_limit(p.y, 0, (float)(h - 1));
  const float x = posenet_limit(p.x, 0, (float)(w - 1));
  const int32_t top = (int32_t)floorf(y), bottom = (int32_t)ceilf(y);
  const int32_t left = (int32_t)floorf(x), right = (int32_t)ceilf(x);
  const float down = p.y - (float)top, across = p.x - (float)left;
#define AT(row, column) \
  posenet_value(t, ((ptrdiff_t)(row)*w + (column)) * n + channel, by)
  return (1 - down) * ((1 - across) * AT(top, left) + across * AT(top, right)) +
         down * ((1 - across) * AT(bottom, left) + across * AT(bottom, right));
#undef AT
}

// p moved by offsets: y of `channel`, x of as many channels behind as `count`.
static posenet_point posenet_move(const tenon_tensor *t, posenet_point p,
                                  int32_t channel, int32_t count, float by) {
  const float dy = posenet_sample(t, p, channel, by);
  const float dx = posenet_sample(t, p, channel + count, by);
  p.y = posenet_limit(p.y + dy, 0, (float)(t->dims[1] - 1));
  p.x = posenet_limit(p.x + dx, 0, (float)(t->dims[2] - 1));
  return p;
}

static float posenet_distance(posenet_point a, posenet_point b) {
  const float dy = b.y - a.y, dx = b.x - a.x;
  return dy * dy + dx * dx;
}

static bool posenet_before(const posenet_keypoint *a,
                           const posenet_keypoint *b) {
  return a->score > b->score || (a->score == b->score && a->order < b->order);
}

static void posenet_sift(posenet_keypoint *heap, size_t n, size_t i) {
  for (size_t k; (k = 2 * i + 1) < n; i = k) {
    if (k + 1 < n && posenet_before(&heap[k], &heap[k + 1])) ++k;
    if (!posenet_before(&heap[i], &heap[k])) return;
    const posenet_keypoint t = heap[i];
    heap[i] = heap[k];
    heap[k] = t;
  }
}

// Best score first.
static void posenet_sort(posenet_keypoint *list, size_t n) {
  for (size_t i = n / 2; i-- > 0;)
    posenet_sift(list, n, i);
  for (size_t i = n; i-- > 1;) {
    const posenet_keypoint t = list[0];
    list[0] = list[i];
    list[i] = t;
    posenet_sift(list, i, 0);
  }
}

// Whether no place next to this one has a better score of the same keypoint.
static bool posenet_is_peak(const tenon_tensor *t, int32_t y, int32_t x,
                            int32_t id, float score) {
  const int32_t h = t->dims[1], w = t->dims[2];
  for (int32_t i = y > 0 ? y - 1 : 0; i <= y + 1 && i < h; ++i)
    for (int32_t k = x > 0 ? x - 1 : 0; k <= x + 1 && k < w; ++k)
      if (posenet_value(t, ((ptrdiff_t)i * w + k) * POSENET_KEYPOINTS + id, 1) >
          score)
        return false;
  return true;
}

// Where a person may begin: all peaks that are good enough, best first.
static size_t posenet_roots(const tenon_call *c, float by,
                            posenet_keypoint *roots) {
  const posenet_attrs *a = (const posenet_attrs *)c->attrs;
  const tenon_tensor *scores = &c->in[0], *shorts = &c->in[1];
  const int32_t h = scores->dims[1], w = scores->dims[2];
  const float threshold = (float)a->score_threshold;
  const float least = (float)-log(1.0 / ((double)threshold + 1e-6) - 1.0);
  size_t n = 0;
  for (int32_t y = 0; y < h; ++y) {
    for (int32_t x = 0; x < w; ++x) {
      const ptrdiff_t place = (ptrdiff_t)y * w + x;
      for (int32_t id = 0; id < POSENET_KEYPOINTS; ++id) {
        const float score =
            posenet_value(scores, place * POSENET_KEYPOINTS + id, 1);
        if (!(score >= least) || !posenet_is_peak(scores, y, x, id, score))
          continue;
        const ptrdiff_t at = 2 * place * POSENET_KEYPOINTS + id;
        const float dy = posenet_value(shorts, at, by);
        const float dx = posenet_value(shorts, at + POSENET_KEYPOINTS, by);
        roots[n] = (posenet_keypoint){
            {posenet_limit((float)y + dy, 0, (float)(h - 1)),
             posenet_limit((float)x + dx, 0, (float)(w - 1))},
            score,
            id,
            (int32_t)n};
        ++n;
      }
    }
  }
  posenet_sort(roots, n);
  return n;
}

// Along one edge, forwards or back, to the keypoint `to`.
static posenet_keypoint posenet_follow(const tenon_call *c, posenet_point from,
                                       int32_t edge, int32_t to, float by) {
  // Offsets back begin behind both directions of those forwards; the first of
  // them is looked for where it would stand without, as Coral's.
  if (edge > POSENET_EDGES) edge += POSENET_EDGES;
  posenet_keypoint p = {posenet_move(&c->in[2], from, edge, POSENET_EDGES, by),
                        0, to, 0};
  for (int32_t i = 0; i < POSENET_REFINEMENTS; ++i)
    p.at = posenet_move(&c->in[1], p.at, to, POSENET_KEYPOINTS, by);
  p.score = posenet_sample(&c->in[0], p.at, to, 1);
  return p;
}

// All keypoints of a person, from the root on: the best that is known leads
// on to its neighbours.
static void posenet_decode(const tenon_call *c, const posenet_keypoint *root,
                           float by, posenet_person *person) {
  posenet_keypoint known[2 * POSENET_EDGES + 1];
  bool is_decoded[POSENET_KEYPOINTS] = {false};
  int32_t n = 1, order = 0;
  known[0] = *root;
  known[0].order = 0;
  known[0].score = posenet_sample(&c->in[0], root->at, root->id, 1);
  while (n > 0) {
    int32_t best = 0;
    for (int32_t i = 1; i < n; ++i)
      if (posenet_before(&known[i], &known[best])) best = i;
    const posenet_keypoint p = known[best];
    known[best] = known[--n];
    if (is_decoded[p.id]) continue;
    is_decoded[p.id] = true;
    person->at[p.id] = p.at;
    person->score[p.id] = 1.0f / (1.0f + expf(-p.score));
    for (int32_t edge = 0; edge < 2 * POSENET_EDGES; ++edge) {
      const int8_t *ends = posenet_edges[edge % POSENET_EDGES];
      const int32_t back = edge >= POSENET_EDGES, to = ends[!back];
      if (ends[back] != p.id || is_decoded[to]) continue;
      known[n] = posenet_follow(c, p.at, edge, to, by);
      known[n++].order = ++order;
    }
  }
}

// The mean of the scores, added up from the best on; those at which `is_out`
// count as 0.
static float posenet_mean(const posenet_person *person, const bool *is_out) {
  bool is_used[POSENET_KEYPOINTS] = {false};
  float sum = 0;
  for (int32_t k = 0; k < POSENET_KEYPOINTS; ++k) {
    int32_t best = -1;
    for (int32_t i = 0; i < POSENET_KEYPOINTS; ++i)
      if (!is_used[i] && (best < 0 || person->score[i] > person->score[best]))
        best = i;
    is_used[best] = true;
    if (!is_out[best]) sum += person->score[best];
  }
  return sum / POSENET_KEYPOINTS;
}

static void posenet_order(posenet_person *people, int64_t n) {
  for (int64_t i = 1; i < n; ++i)
    for (int64_t k = i; k > 0 && people[k].whole > people[k - 1].whole; --k) {
      const posenet_person t = people[k];
      people[k] = people[k - 1];
      people[k - 1] = t;
    }
}

// People in the order of their scores, of which keypoints that a better one has
// too do not count.
static void posenet_rescore(posenet_person *people, int64_t n, float radius) {
  posenet_order(people, n);
  for (int64_t i = 0; i < n; ++i) {
    bool is_out[POSENET_KEYPOINTS] = {false};
    for (int64_t k = 0; k < i; ++k)
      for (int32_t id = 0; id < POSENET_KEYPOINTS; ++id)
        if (posenet_distance(people[i].at[id], people[k].at[id]) <= radius)
          is_out[id] = true;
    people[i].whole = posenet_mean(&people[i], is_out);
  }
  posenet_order(people, n);
}

static void posenet_give(const tenon_call *c, const posenet_person *person,
                         int64_t at) {
  const posenet_attrs *a = (const posenet_attrs *)c->attrs;
  float *to = (float *)c->out[0].data + at * POSENET_KEYPOINTS * 2;
  for (int32_t id = 0; id < POSENET_KEYPOINTS; ++id) {
    to[2 * id] = person->at[id].y * (float)a->stride;
    to[2 * id + 1] = person->at[id].x * (float)a->stride;
  }
  memcpy((float *)c->out[1].data + at * POSENET_KEYPOINTS, person->score,
         sizeof person->score);
  ((float *)c->out[2].data)[at] = person->whole;
}

// Which of n people a place belongs to: the one whose keypoints are nearest to
// where the long offsets lead from it.
static int64_t posenet_owner(const tenon_call *c, posenet_point from, int64_t n,
                             float by) {
  const posenet_attrs *a = (const posenet_attrs *)c->attrs;
  posenet_point to[POSENET_KEYPOINTS];
  int64_t best = 0;
  float least = 0;
  for (int32_t id = 0; id < POSENET_KEYPOINTS; ++id) {
    posenet_point p = from;
    for (int32_t i = 0; i < POSENET_LONG_STEPS; ++i)
      p = posenet_move(&c->in[3], p, id, POSENET_KEYPOINTS, by);
    to[id] = (posenet_point){p.y * (float)a->stride, p.x * (float)a->stride};
  }
  for (int64_t k = 0; k < n; ++k) {
    const float *person =
        (const float *)c->out[0].data + k * POSENET_KEYPOINTS * 2;
    float sum = 0;
    for (int32_t id = 0; id < POSENET_KEYPOINTS; ++id)
      sum += posenet_distance(
          to[id], (posenet_point){person[2 * id], person[2 * id + 1]});
    if (k == 0 || sum < least) {
      least = sum;
      best = k;
    }
  }
  return best;
}

static void posenet_masks(const tenon_call *c, int64_t n, float by) {
  const int32_t h = c->in[3].dims[1], w = c->in[3].dims[2];
  float *mask = (float *)c->out[4].data;
  for (int32_t y = 0; n > 0 && y < h; ++y) {
    for (int32_t x = 0; x < w; ++x) {
      const posenet_point p = {(float)y, (float)x};
      mask[(posenet_owner(c, p, n, by) * h + y) * w + x] = 1;
    }
  }
}

TENON_KERNEL(tflite_posenet) {
  static const bool none[POSENET_KEYPOINTS];
  const posenet_attrs *a = (const posenet_attrs *)c->attrs;
  const float by = (float)(1.0 / (double)a->stride);
  const float threshold = (float)a->score_threshold;
  const float radius = (float)a->nms_radius / (float)a->stride;
  posenet_person *people = (posenet_person *)c->scratch;
  posenet_keypoint *roots =
      (posenet_keypoint *)(void *)(people + a->max_detections);
  const bool has_masks = c->n_out > 4;
  int64_t n = 0, given = 0;
  for (int i = 0; i < 3 + has_masks; ++i)
    for (size_t k = 0; k < tenon_count(&c->in[i]); ++k) {
      const float v = posenet_value(&c->in[i], (ptrdiff_t)k, 1);
      if (v != v)
        return tenon_call_fail(c, "element {0} of operand {1} is not a number",
                               (int64_t)k, i);
    }
  const size_t count = posenet_roots(c, by, roots);
  for (size_t i = 0; i < count && n < a->max_detections; ++i) {
    bool is_known = false;
    for (int64_t k = 0; k < n && !is_known; ++k)
      is_known = posenet_distance(roots[i].at, people[k].at[roots[i].id]) <=
                 radius * radius;
    if (is_known) continue;
    posenet_decode(c, &roots[i], by, &people[n]);
    people[n].whole = posenet_mean(&people[n], none);
    if (people[n].whole >= threshold) ++n;
  }
  posenet_rescore(people, n, radius * radius);
  for (int i = 0; i < (int)c->n_out; ++i)
    memset(c->out[i].data, 0, tenon_count(&c->out[i]) * sizeof(float));
  for (; given < n && people[given].whole >= threshold; ++given)
    posenet_give(c, &people[given], given);
  *(float *)c->out[3].data = (float)given;
  if (has_masks) posenet_masks(c, given, by);
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static tenon_status posenet_infer(tenon_infer *c) {
  static const int64_t channels[] = {POSENET_KEYPOINTS, 2 * POSENET_KEYPOINTS,
                                     4 * POSENET_EDGES, 2 * POSENET_KEYPOINTS};
  const posenet_attrs *a = tenon_infer_attrs(c);
  const tenon_type *first = tenon_infer_in(c, 0);
  if (a->max_detections < 1 || a->max_detections > 1 << 16 || a->stride < 1 ||
      a->stride > 1 << 16)
    return tenon_infer_fail(c,
                            "max_detections and stride must be from 1 to 2^16");
  if (!(a->score_threshold >= 0 && a->score_threshold <= 1) ||
      !(a->nms_radius >= 0))
    return tenon_infer_fail(c,
                            "score_threshold must be from 0 to 1, nms_radius "
                            "not below 0");
  const bool has_masks = tenon_infer_in(c, 3) != NULL;
  for (int i = 0; i < 3 + has_masks; ++i) {
    const tenon_type *t = tenon_infer_in(c, i);
    if (t->rank != 4)
      return tenon_infer_fail(c, "operand %d has %d dimensions, expected 4", i,
                              t->rank);
    for (int d = 0; d < 4; ++d)
      if (t->dims[d].symbol)
        return tenon_infer_fail(c, "operand %d has an open size", i);
    if (t->dims[0].value != 1 || t->dims[3].value != channels[i] ||
        t->dims[1].value < 1 || t->dims[2].value < 1 ||
        t->dims[1].value != first->dims[1].value ||
        t->dims[2].value != first->dims[2].value)
      return tenon_infer_fail(
          c,
          "operand %d is not one map of %lld channels, as large as the first",
          i, (long long)channels[i]);
  }
  const int64_t n = a->max_detections;
  tenon_dim dims[] = {{1, 0}, {n, 0}, {POSENET_KEYPOINTS, 0}, {2, 0}};
  tenon_dim mask[] = {{1, 0}, {n, 0}, first->dims[1], first->dims[2]};
  tenon_type y = {.dtype = TENON_F32, .dims = dims};
  TENON_TRY(c->api->results(c, 0, 4 + has_masks));
  for (int i = 0; i < 3; ++i) {
    y.rank = (uint8_t)(4 - i);
    TENON_TRY(tenon_infer_out(c, i, &y));
  }
  y.rank = 1;
  TENON_TRY(tenon_infer_out(c, 3, &y));
  y.rank = 4;
  y.dims = mask;
  return has_masks ? tenon_infer_out(c, 4, &y) : TENON_OK;
}

static size_t posenet_scratch(const tenon_call *c, int64_t items) {
  const posenet_attrs *a = (const posenet_attrs *)c->attrs;
  (void)items;
  return (size_t)a->max_detections * sizeof(posenet_person) +
         tenon_count(&c->in[0]) * sizeof(posenet_keypoint);
}

static const tenon_op_desc posenet = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "tflite::posenet_decoder(Tensor heatmaps, Tensor short_offsets, "
        "Tensor mid_offsets, Tensor? long_offsets=None, *, int max_detections, "
        "int stride, float score_threshold, float nms_radius) -> Tensor[]",
    .doc =
        "People as 17 keypoints each, out of maps of PoseNet.\n"
        "Results are keypoints, their scores, scores of people and how many "
        "there are; with long offsets (BodyPix) a mask for each, too.",
    TENON_OP_MEMBERS(posenet_attrs, max_detections, stride, score_threshold,
                     nms_radius),
    .infer = posenet_infer,
    TENON_OP_KERNEL(tflite_posenet,
                    .types = "f32|u8q, f32|u8q, f32|u8q, f32|u8q? -> f32...",
                    .scratch = posenet_scratch),
    .tflite_name = "PosenetDecoderOp",
};

static const tenon_plugin tflite_posenet_decoder = {
    TENON_PLUGIN_HEADER,
    .name = "tflite_posenet",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&posenet, NULL},
};
TENON_PLUGIN_EXPORT(tflite_posenet_decoder, tflite_posenet_decoder);

#endif  // TENON_EMITTED
