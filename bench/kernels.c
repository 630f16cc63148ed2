// kernels.c - how fast kernels are.
//
//   kernels [--csv] [--all] [--kernel=PART] [FILTER]
//
// Runs every kernel that this processor can on the layers of two small networks
// (ResNet-8 for 32x32 images, MobileNet at a quarter of its width for 96x96)
// and on other operators (ops.c), on one thread, and prints the time of a run,
// the ratio to the reference kernel and GMAC/s. FILTER is a part of a layer's
// name, PART of a kernel's.
#include <stdio.h>
#include <string.h>

#include "bench/ops.h"
#include "bench/turns.h"
#include "harness/conv_case.h"
#include "ops/core/fast/core_fast.h"

enum { MOST = 8 };

typedef struct layer {
  const char *net, *name;
  conv_shape shape;
} layer;

#define C(net, h, ic, oc, k, s, t, b)                                       \
  {                                                                         \
    net, "conv " #k "x" #k "/" #s " " #h " " #ic "-" #oc, {                 \
      CASE_CONV, false, 1, h, h, ic, oc, k, k, s, s, {t, t, b, b}, 1, 1, 1, \
          false                                                             \
    }                                                                       \
  }
#define DK(net, k, h, c, s, t, b)                                              \
  {                                                                            \
    net, "dw " #k "x" #k "/" #s " " #h " " #c, {                               \
      CASE_DEPTHWISE, false, 1, h, h, c, c, k, k, s, s, {t, t, b, b}, 1, 1, 1, \
          false                                                                \
    }                                                                          \
  }
#define D(net, h, c, s, t, b) DK(net, 3, h, c, s, t, b)
#define F(net, k, n)                                                        \
  {                                                                         \
    net, "fc " #k "-" #n, {                                                 \
      CASE_FULLY_CONNECTED, false, 1, 1, 1, k, n, 1, 1, 1, 1, {0}, 1, 1, 1, \
          false                                                             \
    }                                                                       \
  }

static const layer layers[] = {C("resnet", 32, 3, 16, 3, 1, 1, 1),
                               C("resnet", 32, 16, 16, 3, 1, 1, 1),
                               C("resnet", 32, 16, 16, 3, 1, 1, 1),
                               C("resnet", 32, 16, 32, 3, 2, 0, 1),
                               C("resnet", 16, 32, 32, 3, 1, 1, 1),
                               C("resnet", 32, 16, 32, 1, 2, 0, 0),
                               C("resnet", 16, 32, 64, 3, 2, 0, 1),
                               C("resnet", 8, 64, 64, 3, 1, 1, 1),
                               C("resnet", 16, 32, 64, 1, 2, 0, 0),
                               F("resnet", 64, 10),
                               C("vww", 96, 3, 8, 3, 2, 0, 1),
                               D("vww", 48, 8, 1, 1, 1),
                               C("vww", 48, 8, 16, 1, 1, 0, 0),
                               D("vww", 48, 16, 2, 0, 1),
                               C("vww", 24, 16, 32, 1, 1, 0, 0),
                               D("vww", 24, 32, 1, 1, 1),
                               C("vww", 24, 32, 32, 1, 1, 0, 0),
                               D("vww", 24, 32, 2, 0, 1),
                               C("vww", 12, 32, 64, 1, 1, 0, 0),
                               D("vww", 12, 64, 1, 1, 1),
                               C("vww", 12, 64, 64, 1, 1, 0, 0),
                               D("vww", 12, 64, 2, 0, 1),
                               C("vww", 6, 64, 128, 1, 1, 0, 0),
                               D("vww", 6, 128, 1, 1, 1),
                               D("vww", 6, 128, 1, 1, 1),
                               D("vww", 6, 128, 1, 1, 1),
                               D("vww", 6, 128, 1, 1, 1),
                               D("vww", 6, 128, 1, 1, 1),
                               C("vww", 6, 128, 128, 1, 1, 0, 0),
                               C("vww", 6, 128, 128, 1, 1, 0, 0),
                               C("vww", 6, 128, 128, 1, 1, 0, 0),
                               C("vww", 6, 128, 128, 1, 1, 0, 0),
                               C("vww", 6, 128, 128, 1, 1, 0, 0),
                               D("vww", 6, 128, 2, 0, 1),
                               C("vww", 3, 128, 256, 1, 1, 0, 0),
                               D("vww", 3, 256, 1, 1, 1),
                               C("vww", 3, 256, 256, 1, 1, 0, 0),
                               F("vww", 256, 2),
                               F("other", 640, 128),
                               F("other", 128, 640),
                               C("other", 56, 64, 64, 3, 1, 1, 1),
                               C("other", 14, 256, 256, 3, 1, 1, 1),
                               C("other", 7, 512, 512, 3, 1, 1, 1),
                               C("other", 28, 128, 512, 1, 1, 0, 0),
                               C("other", 56, 16, 96, 1, 1, 0, 0),
                               C("other", 56, 144, 24, 1, 1, 0, 0),
                               C("other", 224, 3, 16, 3, 2, 0, 1),
                               D("other", 56, 144, 1, 1, 1),
                               D("other", 28, 192, 2, 1, 1),
                               D("other", 7, 1152, 1, 1, 1),
                               DK("other", 5, 14, 240, 1, 2, 2),
                               DK("other", 5, 28, 96, 2, 2, 2),
                               F("other", 1024, 1000)};

static int64_t macs(const conv_case *c) {
  const int32_t *w = c->w_dims;
  const int64_t outputs = (int64_t)tenon_count(&c->out[0]);
  if (c->shape.op == CASE_FULLY_CONNECTED) return outputs * w[1];
  return outputs * w[1] * w[2] * (c->shape.op == CASE_CONV ? w[3] : 1);
}

// Which kernels serve a case: the reference first.
static int collect(const conv_case *c, const char *filter,
                   const tenon_kernel_desc *kernels[MOST]) {
  int n = 0;
  kernels[n++] = case_reference(c);
#ifdef TENON_CORE_HAS_FAST
  for (const tenon_kernel_desc *const *k = tenon_core_fast_kernels; *k; ++k) {
    const char *schema = case_op(c)->schema;
    const size_t size = strlen((*k)->op);
    if (strncmp((*k)->op, schema, size) == 0 && schema[size] == '(' &&
        strncmp((*k)->types, kernels[0]->types, 3) == 0 && bench_can_run(*k) &&
        (*k)->match(&c->call) && n < MOST &&
        (!filter || strstr((*k)->symbol, filter)))
      kernels[n++] = *k;
  }
#else
  (void)filter;
#endif
  return n;
}

typedef struct sums {
  char how[32];
  double ns, macs;
} sums;

static void add_sum(sums *all, const char *how, double ns, int64_t count) {
  for (; all->ns > 0 && strcmp(all->how, how) != 0; ++all)
    continue;
  snprintf(all->how, sizeof all->how, "%s", how);
  all->ns += ns;
  all->macs += (double)count;
}

static void print_row(bool csv, const char *net, const char *type,
                      const char *name, const char *how, double ns, double ref,
                      double count) {
  printf(csv ? "%s,%s,%s,%s,%.0f,%.2f,%.3f\n"
             : "%-7s %-4s %-24s %-15s %11.0f %8.1f %9.2f\n",
         net, type, name, how, ns, ref / ns, count / ns);
}

// Floats, bytes, and words with weights of bytes.
enum { TYPES = 3 };
static const char *const type_names[TYPES] = {"s8", "f32", "s16"};

static void measure(const layer *l, int type, const char *filter, bool csv,
                    sums *totals) {
  conv_case c;
  conv_shape shape = l->shape;
  const tenon_kernel_desc *kernels[MOST];
  case_run runs[MOST];
  double best[MOST];
  shape.is_float = type == 1;
  shape.is_words = type == 2;
  case_init(&c, &shape, CASE_USUAL, 3);
  const int n = collect(&c, filter, kernels);
  for (int i = 0; i < n; ++i)
    case_run_init(&runs[i], &c, kernels[i], 0);
  bench_turns(runs, n, best);
  for (int i = 0; i < n; ++i) {
    const char *made = strstr(kernels[i]->symbol, "made_");
    const char *how = made ? made : strrchr(kernels[i]->symbol, '_') + 1;
    print_row(csv, l->net, type_names[type], l->name, how, best[i], best[0],
              (double)macs(&c));
    add_sum(totals, how, best[i], macs(&c));
    case_run_deinit(&runs[i]);
  }
  fflush(stdout);
  case_deinit(&c);
}

static void measure_net(const char *net, int type, const char *filter,
                        const char *kernel, bool csv) {
  sums totals[MOST + 1] = {{{0}, 0, 0}};
  for (size_t i = 0; i < sizeof layers / sizeof *layers; ++i) {
    const layer *l = &layers[i];
    if (strcmp(l->net, net) != 0) continue;
    if (filter && !strstr(l->name, filter)) continue;
    measure(l, type, kernel, csv, totals);
  }
  for (const sums *s = totals; s->ns > 0; ++s)
    print_row(csv, net, type_names[type], "sum of layers", s->how, s->ns,
              totals[0].ns, s->macs);
}

int main(int argc, char **argv) {
  static const char *const nets[] = {"resnet", "vww", "other"};
  const char *filter = NULL, *kernel = NULL;
  bool csv = false;
  int n_nets = 2;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--csv") == 0)
      csv = true;
    else if (strcmp(argv[i], "--all") == 0)
      n_nets = 3;
    else if (strncmp(argv[i], "--kernel=", 9) == 0)
      kernel = argv[i] + 9;
    else
      filter = argv[i];
  }
  printf(
      csv ? "%s,%s,%s,%s,%s,%s,%s\n" : "%-7s %-4s %-24s %-15s %11s %8s %9s\n",
      "net", "type", "layer", "kernel", "ns", "x ref", "GMAC/s");
  for (int i = 0; i < n_nets; ++i)
    for (int type = 0; type < TYPES; ++type)
      measure_net(nets[i], type, filter, kernel, csv);
  bench_ops(filter, kernel, csv);
  return 0;
}
