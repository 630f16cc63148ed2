// What can be stored in a channel, held against all that is: layers of one
// operand are run on every number that it can be. Ranges of sums and of
// elements are exact there, at ties, at limits and where a sum saturates; where
// something would overflow they may only be too wide.
#include "harness/model.h"
#include "ir/graph.h"
#include "pass/channels/live_channels.h"

#define CHANNELS_MOST 64

typedef struct range {
  int n;
  int32_t lo[CHANNELS_MOST], hi[CHANNELS_MOST];
} range;

// As the pass finds it, of the result that the model returns.
static void find_range(test_model *t, const char *text, range *out) {
  tenon_channels_run r;
  tenon_choice choice = {0};
  tenon_module *m = model_read(t, text);
  CHECK(tenon_module_transform(m, NO_PASSES, NULL, NULL) == TENON_OK, "%s",
        t->log.text);
  const tenon_graph *g = m->entries.data[0].graph;
  assert_int_equal(tenon_channels_begin(&r, m, &choice), TENON_OK);
  assert_int_equal(tenon_channels_look(&r, g), TENON_OK);
  const tenon_channels *c = tenon_channels_of(&r, g->end->in[0].value);
  out->n = c->n;
  for (int i = 0; i < c->n && i < CHANNELS_MOST; ++i) {
    out->lo[i] = c->lo[i];
    out->hi[i] = c->hi[i];
  }
  tenon_channels_end(&r);
  tenon_module_destroy(m);
}

// What a run stores, of an input of 256 numbers: each once.
static void see_range(test_model *t, const char *text, range *out) {
  tenon_compile_options o = {.struct_size = sizeof o, .pipeline = NO_PASSES};
  test_run r;
  tenon_program *p = model_compile(t, text, &o);
  run_open(&r, p, 0, NULL);
  assert_int_equal(tenon_count(&r.in[0]), 256);
  for (int i = 0; i < 256; ++i)
    ((int8_t *)r.in[0].data)[i] = (int8_t)(i - 128);
  assert_int_equal(run_once(&r), TENON_OK);
  const size_t count = tenon_count(&r.out[0]);
  out->n = r.out[0].dims[r.out[0].rank - 1];
  for (size_t i = 0; i < count; ++i) {
    const int at = (int)(i % (size_t)out->n);
    const int32_t v = ((const int8_t *)r.out[0].data)[i];
    if (i < (size_t)out->n || v < out->lo[at]) out->lo[at] = v;
    if (i < (size_t)out->n || v > out->hi[at]) out->hi[at] = v;
  }
  run_close(&r);
  tenon_program_destroy(p);
}

static void compare(test_model *t, const char *text, bool is_exact) {
  range found, seen;
  find_range(t, text, &found);
  see_range(t, text, &seen);
  CHECK(found.n == seen.n && seen.n <= CHANNELS_MOST, "%d channels, %d",
        found.n, seen.n);
  for (int i = 0; i < seen.n; ++i)
    CHECK(is_exact ? found.lo[i] == seen.lo[i] && found.hi[i] == seen.hi[i]
                   : found.lo[i] <= seen.lo[i] && found.hi[i] >= seen.hi[i],
          "channel %d: found %d..%d, seen %d..%d in %s", i, found.lo[i],
          found.hi[i], seen.lo[i], seen.hi[i], text);
}

static void put_list(tenon_buf *b, const int64_t *list, int n) {
  for (int i = 0; i < n; ++i)
    tenon_buf_format(b, "%s%lld", i ? "," : "{", (long long)list[i]);
  tenon_buf_text(b, "}\n");
}

// A product of one channel: weights and biases of 64 results.
typedef struct product {
  const char *x_quant, *w_quant, *y_quant, *limits;
  int64_t weights[CHANNELS_MOST], biases[CHANNELS_MOST];
} product;

static void put_conv(tenon_buf *b, const product *p) {
  tenon_buf_clear(b);
  tenon_buf_format(b, "module { %%x = input s8[1,16,16,1]%s\n", p->x_quant);
  tenon_buf_format(b, "%%w = const s8[64,1,1,1]%s ", p->w_quant);
  put_list(b, p->weights, 64);
  tenon_buf_text(b, "%b = const s32[64] ");
  put_list(b, p->biases, 64);
  tenon_buf_format(b,
                   "%%y = core::conv(%%x, %%w, %%b) [%s] : s8[1,16,16,64]%s\n"
                   "return %%y }",
                   p->limits, p->y_quant);
}

static void put_product(tenon_buf *b, const product *p) {
  tenon_buf_clear(b);
  tenon_buf_format(b, "module { %%x = input s8[256,1]%s\n", p->x_quant);
  tenon_buf_format(b, "%%w = const s8[64,1]%s ", p->w_quant);
  put_list(b, p->weights, 64);
  tenon_buf_text(b, "%b = const s32[64] ");
  put_list(b, p->biases, 64);
  tenon_buf_format(b,
                   "%%y = core::fully_connected(%%x, %%w, %%b) [%s] : "
                   "s8[256,64]%s\nreturn %%y }",
                   p->limits, p->y_quant);
}

// Biases around halves of what one step of the result is, from both sides;
// weights of 0 and 1 keep a channel at it or lead across.
static void is_exact_at_ties(void **state) {
  static const struct {
    const char *w_quant;
    int64_t step;  // sums that one step of the result is
  } rows[] = {
      {"{0.5:0}", 2},         {"{0.0625:0}", 16}, {"{0.0009765625:0}", 1024},
      {"{0.333333333:0}", 3}, {"{1.0:0}", 1},     {"{1.7:0}", 1}};
  static const char *const limits[] = {"groups=1", "lo=0.0", "lo=-2.0, hi=2.0",
                                       "lo=3.0, hi=1.0"};
  static const char *const zeros[] = {"{1.0:0}", "{1.0:-128}", "{1.0:127}",
                                      "{1.0:-3}"};
  test_model t;
  tenon_buf text;
  (void)state;
  model_open(&t, NULL);
  tenon_buf_init(&text, tenon_heap());
  EACH_ROW(i, rows) EACH_ROW(j, limits) EACH_ROW(k, zeros) {
    product p = {"{1.0:5}", rows[i].w_quant, zeros[k], limits[j], {0}, {0}};
    for (int c = 0; c < CHANNELS_MOST; ++c) {
      const int64_t half = rows[i].step / 2;
      p.weights[c] = c % 4 == 0 ? 0 : c % 4 == 1 ? 1 : c % 4 == 2 ? -1 : 100;
      p.biases[c] =
          (c / 12 - 2) * rows[i].step + half * (c % 3 - 1) + (c / 4 % 3 - 1);
      if (c > 56) p.biases[c] *= 300;
    }
    put_conv(&text, &p);
    compare(&t, text.data, true);
    if (j == 0) p.limits = "asymmetric=false";
    put_product(&text, &p);
    compare(&t, text.data, true);
  }
  tenon_buf_deinit(&text);
  model_close(&t);
}

// Sums beyond 32 bits wrap, and so does what is shifted to the left.
static void never_too_narrow_where_sums_wrap(void **state) {
  static const char *const y_quants[] = {
      "{1.0:0}", "{0.00001:7}", "{0.000000001:-128}", "{100000000.0:100}"};
  test_model t;
  tenon_buf text;
  (void)state;
  model_open(&t, NULL);
  tenon_buf_init(&text, tenon_heap());
  EACH_ROW(i, y_quants) {
    product p = {"{1.0:-100}", "{1.0:0}", y_quants[i], "groups=1", {0}, {0}};
    for (int c = 0; c < CHANNELS_MOST; ++c) {
      static const int64_t far[] = {INT32_MAX,       INT32_MIN, INT32_MAX - 200,
                                    INT32_MIN + 200, 1 << 30,   -(1 << 30),
                                    (1 << 30) - 1,   0};
      p.weights[c] = c / 8 == 0 ? 0 : c / 8 % 2 ? c / 8 : -c * 2;
      p.biases[c] = far[c % 8];
    }
    put_conv(&text, &p);
    compare(&t, text.data, false);
    p.limits = "asymmetric=false";
    put_product(&text, &p);
    compare(&t, text.data, false);
  }
  tenon_buf_deinit(&text);
  model_close(&t);
}

// Operators of elements, pools and borders, behind a layer whose channels have
// different ranges.
static void is_exact_of_elements(void **state) {
  static const struct {
    const char *then, *type;
  } rows[] = {
      {"core::clamp(%a) [lo=-1.0, hi=0.25]", "s8[1,16,16,8]{0.125:3}"},
      {"core::quantize(%a)", "s8[1,16,16,8]{0.02:-7}"},
      {"core::logistic(%a)", "s8[1,16,16,8]{0.00390625:-128}"},
      {"core::tanh(%a)", "s8[1,16,16,8]{0.0078125:0}"},
      {"core::abs(%a)", "s8[1,16,16,8]{0.125:3}"},
      {"core::mul(%a, %one)", "s8[1,16,16,8]{0.25:-1}"},
      {"core::add(%a, %each)", "s8[1,16,16,8]{0.3:-1}"},
      {"core::sub(%each, %a)", "s8[1,16,16,8]{0.3:9}"},
      {"core::maximum(%a, %each)", "s8[1,16,16,8]{0.125:3}"},
      {"core::max_pool(%a) [window=[1,1], hi=0.5]", "s8[1,16,16,8]{0.125:3}"},
      {"core::avg_pool(%a) [window=[1,1], lo=-0.5]", "s8[1,16,16,8]{0.125:3}"},
      {"core::pad(%a) [before=[0,1,0,0], after=[0,0,0,0], value=0.5]",
       "s8[1,17,16,8]{0.125:3}"},
      {"core::reshape(%a) [shape=[8,16,16]]", "s8[8,16,16]{0.125:3}"},
      {"core::concat([%a, %a]) [axis=3]", "s8[1,16,16,16]{0.125:3}"},
      {"core::slice(%a) [begin=[0,0,0,0], size=[1,16,16,8], step=[1,1,1,1]]",
       "s8[1,16,16,8]{0.125:3}"}};
  test_model t;
  tenon_buf text;
  (void)state;
  model_open(&t, NULL);
  tenon_buf_init(&text, tenon_heap());
  EACH_ROW(i, rows) {
    tenon_buf_clear(&text);
    tenon_buf_format(
        &text,
        "module { %%x = input s8[1,16,16,1]{0.125:3}\n"
        "%%w = const s8[8,1,1,1]{0.0625:0} {0,1,2,-1,0,16,3,0}\n"
        "%%b = const s32[8] {0,5,100,-2000,900,0,7,-900}\n"
        "%%one = const s8[1]{0.5:0} {3}\n"
        "%%each = const s8[8]{0.125:3} {0,3,-128,127,3,3,9,-4}\n"
        "%%a = core::conv(%%x, %%w, %%b) : s8[1,16,16,8]{0.125:3}\n"
        "%%y = %s : %s\nreturn %%y }",
        rows[i].then, rows[i].type);
    // Pixels become twice as many channels: each has some of the numbers.
    compare(&t, text.data, strstr(rows[i].then, "reshape") == NULL);
  }
  tenon_buf_deinit(&text);
  model_close(&t);
}

// Windows that lie outside of the image in part: 3x3 over a constant.
static void sees_every_border(void **state) {
  test_model t;
  (void)state;
  model_open(&t, NULL);
  static const char *const pads[] = {"pad=[1,1,1,1]", "pad=[0,2,2,0]",
                                     "pad=[2,0,0,2], stride=[2,1]",
                                     "pad=[2,2,2,2], dilation=[2,2]"};
  EACH_ROW(i, pads) {
    tenon_buf text;
    range found, seen;
    const int h = i == 2 ? 8 : 16, w = 16;
    tenon_buf_init(&text, tenon_heap());
    tenon_buf_format(&text,
                     "module { %%x = input s8[1,16,16,1]{0.5:3}\n"
                     "%%z = const s8[2,1,1,1]{0.5:0} {0,0}\n"
                     "%%c = const s32[2] {40,-12}\n"
                     "%%w = const s8[1,3,3,2]{0.25:0} "
                     "{1,2,3,-4,5,6,-7,8,9,1,2,3,4,5,-6,7,8,9}\n"
                     "%%b = const s32[2] {3,-5}\n"
                     "%%a = core::conv(%%x, %%z, %%c) : s8[1,16,16,2]{0.5:3}\n"
                     "%%y = core::depthwise_conv(%%a, %%w, %%b) [%s] : "
                     "s8[1,%d,%d,2]{0.5:-9}\nreturn %%y }",
                     pads[i], h, w);
    find_range(&t, text.data, &found);
    see_range(&t, text.data, &seen);
    for (int c = 0; c < 2; ++c) {
      CHECK(found.lo[c] == seen.lo[c] && found.hi[c] == seen.hi[c],
            "%s: channel %d: found %d..%d, seen %d..%d", pads[i], c,
            found.lo[c], found.hi[c], seen.lo[c], seen.hi[c]);
      CHECK(seen.lo[c] < seen.hi[c], "%s: no border", pads[i]);
    }
    tenon_buf_deinit(&text);
  }
  model_close(&t);
}

TEST_GROUP(channels_range, cmocka_unit_test(is_exact_at_ties),
           cmocka_unit_test(never_too_narrow_where_sums_wrap),
           cmocka_unit_test(is_exact_of_elements),
           cmocka_unit_test(sees_every_border))
