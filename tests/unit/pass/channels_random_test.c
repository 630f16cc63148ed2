// Fewer channels, the same bits: quantised networks made by chance, with
// weights, biases, limits and zero points that make channels constant, or read
// by nobody. Compiled without the pass, with it, and with what it leaves
// rounded up.
#include "harness/model.h"

typedef struct image {
  int h, w, c;
  int scale, zero;  // index into scales
} image;

typedef struct maker {
  uint32_t seed;
  bool is_wide;  // 16 bits
  tenon_buf text;
  image images[24];  // of values v0, v1, ...
  int n;
} maker;

static const char *const scales[] = {"0.5", "0.25", "0.0625", "1.75",
                                     "0.0078125"};

static int draw(maker *k, int low, int high) {
  k->seed = k->seed * 1664525u + 1013904223u;
  return low + (int)((k->seed >> 8) % (uint32_t)(high - low + 1));
}

static bool chance(maker *k, int of) {
  return draw(k, 1, of) == 1;
}

static void put(maker *k, const char *text) {
  tenon_buf_text(&k->text, text);
}

static void draw_quant(maker *k, image *y) {
  y->scale = draw(k, 0, 4);
  y->zero = chance(k, 3) ? -128 : draw(k, -128, 127);
  if (k->is_wide) y->zero = 0;
}

static const char *dtype(const maker *k) {
  return k->is_wide ? "s16" : "s8";
}

static void put_type(maker *k, const image *y) {
  tenon_buf_format(&k->text, "%s[1,%d,%d,%d]{%s:%d}", dtype(k), y->h, y->w,
                   y->c, scales[y->scale], y->zero);
}

static void put_limits(maker *k) {
  if (chance(k, 2)) put(k, ", lo=0.0");
  if (chance(k, 4)) put(k, ", hi=6.0");
}

// Numbers of w[n, taps, c]; of some results all are the zero point, and for
// some channels.
static void put_weights(maker *k, int n, int kh, int kw, int c, bool is_depth) {
  const bool is_each = !k->is_wide && chance(k, 2);
  const int zero = is_each || k->is_wide || chance(k, 2) ? 0 : draw(k, -5, 5);
  const int taps = kh * kw;
  bool dead_in[64], dead_out[64];
  for (int i = 0; i < c; ++i)
    dead_in[i] = chance(k, 4);
  for (int i = 0; i < n; ++i)
    dead_out[i] = chance(k, 3);
  if (is_depth)
    tenon_buf_format(&k->text, "%%w%d = const s8[1,%d,%d,%d]{", k->n, kh, kw,
                     n);
  else if (kh == 0)
    tenon_buf_format(&k->text, "%%w%d = const s8[%d,%d]{", k->n, n, c);
  else
    tenon_buf_format(&k->text, "%%w%d = const s8[%d,%d,%d,%d]{", k->n, n, kh,
                     kw, c);
  for (int i = 0; is_each && i < n; ++i)
    tenon_buf_format(&k->text, "%s%s", i ? "," : "[", i % 3 ? "0.125" : "0.02");
  for (int i = 0; is_each && i < n; ++i)
    tenon_buf_text(&k->text, i ? ",0" : "]:[0");
  if (is_each)
    tenon_buf_format(&k->text, "]@%d} {", is_depth ? 3 : 0);
  else
    tenon_buf_format(&k->text, "0.125:%d} {", zero);
  const int rows = is_depth ? (kh ? taps : 1) : n;
  const int between = is_depth || !kh ? 1 : taps;
  const int columns = is_depth ? n : c;
  for (int i = 0; i < rows * between * columns; ++i) {
    int out = is_depth ? i % n : i / (between * columns);
    int in = is_depth ? 0 : i % columns;
    bool is_zero = dead_out[out] || (!is_depth && dead_in[in]) || chance(k, 5);
    tenon_buf_format(&k->text, "%s%d", i ? "," : "",
                     is_zero ? zero : draw(k, -127, 127) / draw(k, 1, 30));
  }
  put(k, "}\n");
}

static bool put_bias(maker *k, int n) {
  static const int most[] = {3, 300, 20000, 2000000000};
  if (chance(k, 5)) return false;
  tenon_buf_format(&k->text, "%%b%d = const %s[%d] {", k->n,
                   k->is_wide ? "s64" : "s32", n);
  for (int i = 0; i < n; ++i) {
    int m = most[chance(k, 30) ? 3 : draw(k, 0, 2)];
    tenon_buf_format(&k->text, "%s%d", i ? "," : "", draw(k, -m / 2, m / 2));
  }
  put(k, "}\n");
  return true;
}

static void put_call(maker *k, const char *op, bool has_bias) {
  tenon_buf_format(&k->text, "%%v%d = core::%s(%%v%d, %%w%d", k->n, op,
                   k->n - 1, k->n);
  if (has_bias) tenon_buf_format(&k->text, ", %%b%d", k->n);
  put(k, ") [");
}

// One axis of a window.
typedef struct slide {
  int taps, step, apart, before, after, out;
} slide;

static bool draw_slide(maker *k, int size, bool dilates, slide *s) {
  s->taps = chance(k, 2) ? 1 : draw(k, 1, 3);
  s->step = draw(k, 1, 2);
  s->apart = dilates ? draw(k, 1, 2) : 1;
  int reach = (s->taps - 1) * s->apart + 1;
  s->before = draw(k, 0, s->taps - 1);
  s->after = draw(k, 0, s->taps - 1);
  s->out = (size + s->before + s->after - reach) / s->step + 1;
  return size + s->before + s->after >= reach && s->out >= 1;
}

static void end_value(maker *k, const image *y) {
  put(k, " : ");
  put_type(k, y);
  put(k, "\n");
  k->images[k->n++] = *y;
}

static void add_window(maker *k, int kind) {
  static const char *const ops[] = {"conv", "depthwise_conv", "avg_pool",
                                    "max_pool"};
  image y = k->images[k->n - 1];
  slide down, right;
  const bool is_pool = kind >= 2;
  if (!draw_slide(k, y.h, !is_pool, &down) ||
      !draw_slide(k, y.w, !is_pool, &right))
    return;
  const int c = y.c;
  y.h = down.out;
  y.w = right.out;
  if (is_pool) {
    tenon_buf_format(&k->text, "%%v%d = core::%s(%%v%d) [window=[%d,%d], ",
                     k->n, ops[kind], k->n - 1, down.taps, right.taps);
  } else {
    y.c = kind == 0 ? draw(k, 1, 9) : c * (c < 9 && chance(k, 4) ? 2 : 1);
    draw_quant(k, &y);
    put_weights(k, y.c, down.taps, right.taps, c, kind == 1);
    put_call(k, ops[kind], put_bias(k, y.c));
    tenon_buf_format(&k->text, "dilation=[%d,%d], ", down.apart, right.apart);
  }
  tenon_buf_format(&k->text, "stride=[%d,%d], pad=[%d,%d,%d,%d]", down.step,
                   right.step, down.before, right.before, down.after,
                   right.after);
  put_limits(k);
  put(k, "]");
  end_value(k, &y);
}

static void add_product(maker *k) {
  image y = k->images[k->n - 1];
  const int c = y.c;
  y.c = draw(k, 1, 9);
  draw_quant(k, &y);
  put_weights(k, y.c, 0, 0, c, false);
  put_call(k, "fully_connected", put_bias(k, y.c));
  put(k, "asymmetric=false");
  put_limits(k);
  put(k, "]");
  end_value(k, &y);
}

// Two images of one size, or an image and a constant.
static void add_pair(maker *k) {
  static const char *const ops[] = {"add", "sub", "mul", "maximum", "minimum"};
  const image x = k->images[k->n - 1];
  image y = x;
  const int op = draw(k, 0, 4);
  int other = -1;
  for (int i = k->n - 1; i-- > 0 && other < 0;) {
    const image *z = &k->images[i];
    bool is_alike = z->scale == x.scale && z->zero == x.zero;
    if (z->h == x.h && z->w == x.w && (z->c == x.c || z->c == 1) &&
        (op < 3 || is_alike))
      other = i;
  }
  if (op < 3) draw_quant(k, &y);
  if (other < 0) {
    const int c = chance(k, 3) ? 1 : x.c;
    tenon_buf_format(&k->text, "%%c%d = const %s[1,1,1,%d]{%s:%d} {", k->n,
                     dtype(k), c, scales[x.scale], x.zero);
    for (int i = 0; i < c; ++i)
      tenon_buf_format(&k->text, "%s%d", i ? "," : "", draw(k, -128, 127));
    put(k, "}\n");
  }
  tenon_buf_format(&k->text, "%%v%d = core::%s(%%v%d, %%%c%d)", k->n, ops[op],
                   k->n - 1, other < 0 ? 'c' : 'v', other < 0 ? k->n : other);
  end_value(k, &y);
}

static void add_joined(maker *k) {
  image y = k->images[k->n - 1];
  const int axis = draw(k, 1, 3);
  const int at = draw(k, 0, k->n - 1);
  const image *x = &k->images[at];
  if (x->scale != y.scale || x->zero != y.zero || x->w != y.w ||
      (axis == 1 ? x->c != y.c : x->h != y.h) || axis == 2 || y.c > 12)
    return;
  tenon_buf_format(&k->text, "%%v%d = core::concat([%%v%d, %%v%d]) [axis=%d]",
                   k->n, at, k->n - 1, axis);
  if (axis == 1)
    y.h += x->h;
  else
    y.c += x->c;
  end_value(k, &y);
}

static void add_other(maker *k, int kind) {
  image y = k->images[k->n - 1];
  const int above = draw(k, 0, 1), left = draw(k, 0, 1);
  tenon_buf_format(&k->text, "%%v%d = core::", k->n);
  switch (kind) {
    case 1:
      tenon_buf_format(&k->text,
                       "pad(%%v%d) [before=[0,%d,%d,0], after=[0,1,0,0], "
                       "value=%d.0]",
                       k->n - 1, above, left, draw(k, -1, 1));
      y.h += above + 1;
      y.w += left;
      break;
    case 2:
      tenon_buf_format(&k->text, "clamp(%%v%d) [lo=-1.0, hi=5.5]", k->n - 1);
      break;
    case 3:
      draw_quant(k, &y);
      tenon_buf_format(&k->text, "quantize(%%v%d)", k->n - 1);
      break;
    case 4:
      tenon_buf_format(&k->text, "mean(%%v%d) [dims=[1,2], keepdim=true]",
                       k->n - 1);
      draw_quant(k, &y);
      y.h = y.w = 1;
      break;
    case 0:
      tenon_buf_format(&k->text, "logistic(%%v%d)", k->n - 1);
      y.scale = 4;
      y.zero = -128;
      break;
    case 5:
      tenon_buf_format(&k->text, "reshape(%%v%d) [shape=[1,%d,1,%d]]", k->n - 1,
                       y.h * y.w, y.c);
      y.h *= y.w;
      y.w = 1;
      break;
    case 6:
      tenon_buf_format(&k->text, "reshape(%%v%d) [shape=[1,%d,1,%d]]", k->n - 1,
                       y.h, y.w * y.c);
      y.c *= y.w;
      y.w = 1;
      break;
    default:
      tenon_buf_format(&k->text,
                       "slice(%%v%d) [begin=[0,%d,0,0], size=[1,%d,%d,%d], "
                       "step=[1,1,1,1]]",
                       k->n - 1, y.h - 1, 1, y.w, y.c);
      y.h = 1;
      break;
  }
  end_value(k, &y);
}

static void make_model(maker *k) {
  int layers = draw(k, 2, 12);
  k->n = 1;
  k->images[0] = (image){.h = draw(k, 1, 6), .w = draw(k, 1, 5)};
  k->images[0].c = draw(k, 1, 4);
  draw_quant(k, &k->images[0]);
  put(k, "module { %v0 = input ");
  put_type(k, &k->images[0]);
  put(k, "\n");
  while (layers-- > 0) {
    const int kind = draw(k, 0, 15);
    const image *x = &k->images[k->n - 1];
    if (kind < 4)
      add_window(k, 0);
    else if (kind < 6)
      add_window(k, 1);
    else if (kind < 8)
      add_window(k, kind - 4);
    else if (kind < 9)
      add_product(k);
    else if (kind < 11)
      add_pair(k);
    else if (kind < 12)
      add_joined(k);
    else if (x->w * x->c <= 24)
      add_other(k, draw(k, k->is_wide ? 1 : 0, 7));
  }
  if (!chance(k, 6)) add_product(k);
  tenon_buf_format(&k->text, "return %%v%d }", k->n - 1);
}

// --- with and without --------------------------------------------------------

static uint64_t run_text(test_model *t, const char *text, const char *pipeline,
                         uint32_t flags, tenon_buf *out) {
  tenon_compile_options o = {
      .struct_size = sizeof o, .pipeline = pipeline, .flags = flags};
  tenon_program_stats stats = {.struct_size = sizeof stats};
  test_run r;
  tenon_program *p = model_compile(t, text, &o);
  tenon_program_measure(p, &stats);
  tenon_buf_clear(out);
  run_open(&r, p, 0, NULL);
  run_append(&r, 2, out);
  run_close(&r);
  tenon_program_destroy(p);
  return stats.macs;
}

static void changes_no_bit(void **state) {
  static const struct {
    const char *pipeline;
    uint32_t flags;
  } rows[] = {{NO_PASSES ",channels,dce", 0},
              {NO_PASSES ",channels[multiple=4],dce", 0},
              {NO_PASSES ",channels,dce", TENON_COMPILE_REFERENCE},
              {NULL, 0}};
  test_model t;
  int n_less = 0;
  tenon_buf whole, less;
  (void)state;
  model_open(&t, NULL);
  tenon_buf_init(&whole, tenon_heap());
  tenon_buf_init(&less, tenon_heap());
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    maker k = {.seed = seed * 2654435761u, .is_wide = seed % 5 == 0};
    tenon_buf_init(&k.text, tenon_heap());
    make_model(&k);
    uint64_t all = run_text(&t, k.text.data, NO_PASSES, 0, &whole);
    EACH_ROW(i, rows) {
      uint64_t some =
          run_text(&t, k.text.data, rows[i].pipeline, rows[i].flags, &less);
      CHECK(whole.size == less.size &&
                memcmp(whole.data, less.data, whole.size) == 0,
            "seed %u, row %zu of %s", seed, i, k.text.data);
      CHECK(some <= all, "seed %u: %llu MACs, then %llu", seed,
            (unsigned long long)all, (unsigned long long)some);
      if (i == 0 && some < all) ++n_less;
    }
    tenon_buf_deinit(&k.text);
  }
  CHECK(n_less > 150, "only %d models became smaller", n_less);
  tenon_buf_deinit(&whole);
  tenon_buf_deinit(&less);
  model_close(&t);
}

TEST_GROUP(channels_random, cmocka_unit_test(changes_no_bit))
