// detection_postprocess.c - TFLite_Detection_PostProcess, what SSD detectors in
// .tflite files end in: boxes from their distances to anchors, then non-maximum
// suppression, for all classes of a box at once or per class.
//
// Facts: the operator's documentation in TensorFlow Lite. Where that leaves the
// order of equal scores open, the smaller index comes first; results behind the
// last detection are zero.
#include <math.h>
#include <string.h>

#include "tenon/tensor.h"

typedef struct detection_attrs {
  int64_t max_detections, max_classes_per_detection, detections_per_class;
  int64_t num_classes;
  double nms_score_threshold, nms_iou_threshold;
  double y_scale, x_scale, h_scale, w_scale;
  bool use_regular_nms;
  bool _output_quantized, _support_output_type_float_in_quantized_op;
} detection_attrs;

typedef struct detection_box {
  float top, left, bottom, right;
} detection_box;

typedef struct detection_found {
  float score;
  int32_t box, category;
} detection_found;

// What a run needs: all boxes, the candidates of one suppression, the best of
// the classes so far, and which candidates are out.
typedef struct detection_work {
  detection_box *boxes;
  detection_found *candidates, *best;
  unsigned char *is_out;
} detection_work;

static size_t detection_boxes(const tenon_call *c) {
  return (size_t)c->in[0].dims[1];
}

static detection_work detection_divide(const tenon_call *c) {
  const detection_attrs *a = (const detection_attrs *)c->attrs;
  size_t n = detection_boxes(c);
  detection_work w;
  w.boxes = (detection_box *)c->scratch;
  w.candidates = (detection_found *)(void *)(w.boxes + n);
  w.best = w.candidates + n;
  w.is_out = (unsigned char *)(w.best + a->max_detections);
  return w;
}

static bool detection_before(const detection_found *a,
                             const detection_found *b) {
  return a->score > b->score || (a->score == b->score && a->box < b->box);
}

// Moves the element at `i` of a heap whose root comes last down to its place.
static void detection_sift(detection_found *heap, size_t n, size_t i) {
  for (size_t k; (k = 2 * i + 1) < n; i = k) {
    if (k + 1 < n && detection_before(&heap[k], &heap[k + 1])) ++k;
    if (!detection_before(&heap[i], &heap[k])) return;
    detection_found t = heap[i];
    heap[i] = heap[k];
    heap[k] = t;
  }
}

// Best score first.
static void detection_sort(detection_found *list, size_t n) {
  for (size_t i = n / 2; i-- > 0;)
    detection_sift(list, n, i);
  for (size_t i = n; i-- > 1;) {
    detection_found t = list[0];
    list[0] = list[i];
    list[i] = t;
    detection_sift(list, i, 0);
  }
}

static void detection_decode(const tenon_call *c, detection_box *boxes) {
  const detection_attrs *a = (const detection_attrs *)c->attrs;
  const float *x = (const float *)c->in[0].data;
  const float *anchor = (const float *)c->in[2].data;
  size_t n = detection_boxes(c), step = (size_t)c->in[0].dims[2];
  for (size_t i = 0; i < n; ++i, x += step, anchor += 4) {
    float y = x[0] / (float)a->y_scale * anchor[2] + anchor[0];
    float z = x[1] / (float)a->x_scale * anchor[3] + anchor[1];
    float h = 0.5f * expf(x[2] / (float)a->h_scale) * anchor[2];
    float w = 0.5f * expf(x[3] / (float)a->w_scale) * anchor[3];
    boxes[i].top = y - h;
    boxes[i].left = z - w;
    boxes[i].bottom = y + h;
    boxes[i].right = z + w;
  }
}

// Intersection over union; 0 for a box without an area.
static float detection_overlap(const detection_box *a, const detection_box *b) {
  float size_a = (a->bottom - a->top) * (a->right - a->left);
  float size_b = (b->bottom - b->top) * (b->right - b->left);
  float top = a->top > b->top ? a->top : b->top;
  float left = a->left > b->left ? a->left : b->left;
  float bottom = a->bottom < b->bottom ? a->bottom : b->bottom;
  float right = a->right < b->right ? a->right : b->right;
  float height = bottom > top ? bottom - top : 0;
  float width = right > left ? right - left : 0;
  if (!(size_a > 0) || !(size_b > 0)) return 0;
  return height * width / (size_a + size_b - height * width);
}

// Keeps of `n` candidates, best first, those that overlap no better one too
// much, at most `most`; moves them to the front and returns how many.
static size_t detection_suppress(const tenon_call *c, const detection_work *w,
                                 size_t n, size_t most) {
  const detection_attrs *a = (const detection_attrs *)c->attrs;
  float limit = (float)a->nms_iou_threshold;
  size_t kept = 0;
  memset(w->is_out, 0, n);
  for (size_t i = 0; i < n && kept < most; ++i) {
    if (w->is_out[i]) continue;
    detection_found found = w->candidates[i];
    for (size_t k = i + 1; k < n; ++k) {
      const detection_box *other = &w->boxes[w->candidates[k].box];
      if (!w->is_out[k] &&
          detection_overlap(&w->boxes[found.box], other) > limit)
        w->is_out[k] = 1;
    }
    w->candidates[kept++] = found;  // kept <= i: what it replaces was read
  }
  return kept;
}

static void detection_give(const tenon_call *c, const detection_work *w,
                           size_t at, const detection_found *found) {
  memcpy((float *)c->out[0].data + at * 4, &w->boxes[found->box],
         sizeof(detection_box));
  ((float *)c->out[1].data)[at] = (float)found->category;
  ((float *)c->out[2].data)[at] = found->score;
}

// Each class by itself, then the best of all classes. Returns how many.
static size_t detection_per_class(const tenon_call *c,
                                  const detection_work *w) {
  const detection_attrs *a = (const detection_attrs *)c->attrs;
  size_t columns = (size_t)c->in[1].dims[2];
  size_t first = columns - (size_t)a->num_classes;  // behind the background
  size_t most = (size_t)a->max_detections, kept = 0;
  for (size_t category = 0; category < (size_t)a->num_classes; ++category) {
    const float *score = (const float *)c->in[1].data + first + category;
    size_t n = 0;
    for (size_t i = 0; i < detection_boxes(c); ++i) {
      float s = score[i * columns];
      if (s >= (float)a->nms_score_threshold)
        w->candidates[n++] =
            (detection_found){s, (int32_t)i, (int32_t)category};
    }
    detection_sort(w->candidates, n);
    n = detection_suppress(c, w, n, (size_t)a->detections_per_class);
    // Those of earlier classes stay before their equals.
    for (size_t i = 0; i < n; ++i) {
      size_t at = kept;
      while (at > 0 && w->best[at - 1].score < w->candidates[i].score)
        --at;
      if (at == most) break;
      if (kept < most) ++kept;
      memmove(w->best + at + 1, w->best + at,
              (kept - at - 1) * sizeof *w->best);
      w->best[at] = w->candidates[i];
    }
  }
  for (size_t i = 0; i < kept; ++i)
    detection_give(c, w, i, &w->best[i]);
  return kept;
}

// The best class of `score` that is worse than `last`, or the first.
static detection_found detection_next(const float *score, size_t n,
                                      const detection_found *last) {
  detection_found best = {0, 0, -1};
  for (size_t i = 0; i < n; ++i) {
    bool is_used =
        last && (score[i] > last->score ||
                 (score[i] == last->score && (int32_t)i <= last->category));
    if (!is_used && (best.category < 0 || score[i] > best.score)) {
      best.score = score[i];
      best.category = (int32_t)i;
    }
  }
  return best;
}

// Boxes by their best class; each that stays is given once per class.
static size_t detection_all_classes(const tenon_call *c,
                                    const detection_work *w) {
  const detection_attrs *a = (const detection_attrs *)c->attrs;
  size_t classes = (size_t)a->num_classes;
  size_t columns = (size_t)c->in[1].dims[2], n = 0;
  const float *scores = (const float *)c->in[1].data + (columns - classes);
  size_t repeats = (size_t)a->max_classes_per_detection;
  if (repeats > classes) repeats = classes;
  for (size_t i = 0; i < detection_boxes(c); ++i) {
    detection_found found = detection_next(scores + i * columns, classes, NULL);
    found.box = (int32_t)i;
    if (found.score >= (float)a->nms_score_threshold)
      w->candidates[n++] = found;
  }
  detection_sort(w->candidates, n);
  n = detection_suppress(c, w, n, (size_t)a->max_detections);
  for (size_t i = 0; i < n; ++i) {
    detection_found found = w->candidates[i];
    for (size_t k = 0; k < repeats; ++k) {
      int32_t box = found.box;
      if (k > 0)
        found = detection_next(scores + (size_t)box * columns, classes, &found);
      found.box = box;
      detection_give(c, w, i * repeats + k, &found);
    }
  }
  return n;
}

TENON_KERNEL(tflite_detection_f32) {
  const detection_attrs *a = (const detection_attrs *)c->attrs;
  detection_work w = detection_divide(c);
  const float *score = (const float *)c->in[1].data;
  size_t n = tenon_count(&c->in[1]);
  for (size_t i = 0; i < n; ++i)
    if (score[i] != score[i])
      return tenon_call_fail(c, "score {0} is not a number", (int64_t)i, 0);
  detection_decode(c, w.boxes);
  for (int i = 0; i < 3; ++i)
    memset(c->out[i].data, 0, tenon_count(&c->out[i]) * sizeof(float));
  *(float *)c->out[3].data =
      (float)(a->use_regular_nms ? detection_per_class(c, &w)
                                 : detection_all_classes(c, &w));
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static const tenon_field detection_fields[] = {
    TENON_FIELD(detection_attrs, max_detections),
    TENON_FIELD(detection_attrs, max_classes_per_detection),
    TENON_FIELD(detection_attrs, detections_per_class),
    TENON_FIELD(detection_attrs, num_classes),
    TENON_FIELD(detection_attrs, nms_score_threshold),
    TENON_FIELD(detection_attrs, nms_iou_threshold),
    TENON_FIELD(detection_attrs, y_scale),
    TENON_FIELD(detection_attrs, x_scale),
    TENON_FIELD(detection_attrs, h_scale),
    TENON_FIELD(detection_attrs, w_scale),
    TENON_FIELD(detection_attrs, use_regular_nms),
    TENON_FIELD(detection_attrs, _output_quantized),
    TENON_FIELD(detection_attrs, _support_output_type_float_in_quantized_op),
    TENON_END_FIELDS};

static bool detection_is(tenon_dim d, int64_t value) {
  return d.symbol == 0 && d.value == value;
}

static bool detection_is_read(const tenon_type *t) {
  return t->dtype == TENON_F32 || (t->dtype == TENON_U8 && t->quant &&
                                   t->quant->channels == 1 && !t->quant->block);
}

static tenon_status detection_check(tenon_infer *c, const detection_attrs *a) {
  const tenon_type *x = tenon_infer_in(c, 0), *s = tenon_infer_in(c, 1);
  const tenon_type *anchors = tenon_infer_in(c, 2);
  if (!detection_is_read(x) || !detection_is_read(s) ||
      !detection_is_read(anchors))
    return tenon_infer_fail(
        c, "boxes, scores and anchors must be f32, or u8 of one scale");
  if (x->rank != 3 || s->rank != 3 || anchors->rank != 2)
    return tenon_infer_fail(c, "ranks %d, %d and %d, expected 3, 3 and 2",
                            x->rank, s->rank, anchors->rank);
  if (!detection_is(x->dims[0], 1) || !detection_is(s->dims[0], 1))
    return tenon_infer_fail(c, "more than one picture at once");
  if (x->dims[1].symbol || !detection_is(s->dims[1], x->dims[1].value) ||
      !detection_is(anchors->dims[0], x->dims[1].value))
    return tenon_infer_fail(c, "boxes, scores and anchors differ in number");
  if (x->dims[2].symbol || x->dims[2].value < 4 ||
      !detection_is(anchors->dims[1], 4))
    return tenon_infer_fail(c, "a box and an anchor have four numbers");
  if (!detection_is(s->dims[2], a->num_classes) &&
      !detection_is(s->dims[2], a->num_classes + 1))
    return tenon_infer_fail(c,
                            "scores of num_classes=%lld, with or without a "
                            "background, expected",
                            (long long)a->num_classes);
  return TENON_OK;
}

static tenon_status detection_infer(tenon_infer *c) {
  const detection_attrs *a = tenon_infer_attrs(c);
  if (a->num_classes < 1 || a->num_classes > 1 << 20 || a->max_detections < 1 ||
      a->max_detections > 1 << 20 || a->max_classes_per_detection < 1 ||
      a->max_classes_per_detection > a->num_classes ||
      a->detections_per_class < 1)
    return tenon_infer_fail(
        c,
        "numbers of classes and detections must be from 1 to 2^20, and "
        "max_classes_per_detection at most num_classes");
  if (!(a->y_scale > 0) || !(a->x_scale > 0) || !(a->h_scale > 0) ||
      !(a->w_scale > 0))
    return tenon_infer_fail(c, "a scale is not above 0");
  TENON_TRY(detection_check(c, a));
  int64_t n = a->max_detections * a->max_classes_per_detection;
  tenon_dim dims[] = {{1, 0}, {n, 0}, {4, 0}};
  tenon_type y = {.dtype = TENON_F32, .rank = 3, .dims = dims};
  TENON_TRY(tenon_infer_out(c, 0, &y));
  y.rank = 2;
  TENON_TRY(tenon_infer_out(c, 1, &y));
  TENON_TRY(tenon_infer_out(c, 2, &y));
  y.rank = 1;
  return tenon_infer_out(c, 3, &y);
}

static size_t detection_scratch(const tenon_call *c, int64_t items) {
  const detection_attrs *a = (const detection_attrs *)c->attrs;
  (void)items;
  return detection_boxes(c) *
             (sizeof(detection_box) + sizeof(detection_found) + 1) +
         (size_t)a->max_detections * sizeof(detection_found);
}

// Of bytes, as TensorFlow 1 has them: the same on what they stand for. TFLite
// reads them one by one, (q - zero) * scale in float as core::dequantize does.
static tenon_status detection_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  tenon_value *in[3], *out[4];
  for (int i = 0; i < 3; ++i) {
    in[i] = tenon_rw_operand(rw, node, i);
    if (tenon_rw_type(rw, in[i])->dtype != TENON_F32)
      in[i] = tenon_rw_op1(rw, "core::dequantize", in[i]);
  }
  tenon_rw_build(rw, "tflite::detection_postprocess", in, 3,
                 rw->api->args(rw, node), out, 4, NULL);
  return rw->api->replace(rw, node, out, 4);
}

static const tenon_op_desc detection = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "tflite::detection_postprocess(Tensor boxes, Tensor scores, "
        "Tensor anchors, *, int max_detections, int num_classes, "
        "int max_classes_per_detection=1, int detections_per_class=100, "
        "float nms_score_threshold, float nms_iou_threshold, float y_scale, "
        "float x_scale, float h_scale, float w_scale, "
        "bool use_regular_nms=False, bool _output_quantized=False, "
        "bool _support_output_type_float_in_quantized_op=False) -> "
        "(Tensor boxes, Tensor classes, Tensor scores, Tensor count)",
    .doc =
        "Decodes boxes of an SSD detector and suppresses all but the best of "
        "those that overlap. Boxes, scores and anchors are f32, or u8 of one "
        "scale each.",
    TENON_OP_ATTRS(detection_attrs, detection_fields),
    .infer = detection_infer,
    .lower = detection_lower,
    TENON_OP_KERNEL(tflite_detection_f32,
                    .types = "f32, f32, f32 -> f32, f32, f32, f32",
                    .scratch = detection_scratch),
    .tflite_name = "TFLite_Detection_PostProcess",
};

TENON_PLUGIN_OPS(tflite_detection, "1.0.0", &detection);

#endif  // TENON_EMITTED
