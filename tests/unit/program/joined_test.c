// Which steps join: programs of a few steps by hand, with places that a planner
// could have given them.
#include "program/joined.h"
#include "harness/harness.h"

enum { COUNT = 256, SIZE = 4 * COUNT, STEPS = 4, OPERANDS = 3 };

// A tensor of COUNT floats at an offset in the arena; -1: there is none, -2: a
// number for all, which lies in a constant.
typedef struct row {
  const char *name;
  int32_t in[STEPS][2], out[STEPS];
  bool is_product;  // the first step
  uint32_t joined[STEPS];
  int32_t scratch;  // of the first; -1: none
} row;

static const row rows[] = {
    {"in place, one after the other",
     {{0, -1}, {0, -2}, {0, -1}, {-1, -1}},
     {0, 0, 0, -1},
     false,
     {3, 0, 0},
     -1},
    {"a product, and what is behind it in its place",
     {{0, -2}, {1024, -2}, {1024, 2048}, {-1, -1}},
     {1024, 1024, 1024, -1},
     true,
     {3, 0, 0},
     -1},
    {"a result where the product still reads",
     {{0, -2}, {1024, -2}, {-1, -1}, {-1, -1}},
     {1024, 0, -1, -1},
     true,
     {1, 1},
     -1},
    {"a result where an element-wise one has read the same element",
     {{0, -2}, {1024, -2}, {-1, -1}, {-1, -1}},
     {1024, 0, -1, -1},
     false,
     {2, 0},
     -1},
    {"a result that is shifted against what was read",
     {{0, -2}, {1024, -2}, {-1, -1}, {-1, -1}},
     {1024, 512, -1, -1},
     false,
     {1, 1},
     -1},
    {"half of a result is another's operand",
     {{0, -2}, {512, -2}, {-1, -1}, {-1, -1}},
     {1024, 2048, -1, -1},
     false,
     {1, 1},
     -1},
    {"a result where the product has scratch",
     {{0, -2}, {1024, -2}, {-1, -1}, {-1, -1}},
     {1024, 4096, -1, -1},
     true,
     {1, 1},
     4096},
    {"scratch of the product apart",
     {{0, -2}, {1024, -2}, {-1, -1}, {-1, -1}},
     {1024, 4096, -1, -1},
     true,
     {2, 0},
     8192},
    {"nothing of the group is read",
     {{0, -2}, {2048, -2}, {-1, -1}, {-1, -1}},
     {1024, 4096, -1, -1},
     false,
     {1, 1},
     -1},
    {"two groups",
     {{0, -2}, {1024, -2}, {4096, -2}, {8192, -1}},
     {1024, 1024, 8192, 8192},
     false,
     {2, 0, 2, 0},
     -1},
    {"read twice, by what joins later",
     {{0, -2}, {1024, -2}, {1024, 2048}, {-1, -1}},
     {1024, 2048, 2048, -1},
     true,
     {3, 0, 0},
     -1},
};

static void join(void **state) {
  static const int32_t dims[] = {COUNT}, one[] = {1};
  static const tenon_kernel_desc desc = {.struct_size = sizeof desc};
  static const tenon_program_kernel kernel = {.desc = &desc};
  (void)state;
  EACH_ROW(i, rows) {
    tenon_program_tensor tensors[STEPS * OPERANDS] = {{.rank = 0}};
    uint32_t operands[STEPS * OPERANDS], order[STEPS], n = 0;
    tenon_step steps[STEPS] = {{.kind = 0}};
    for (uint32_t s = 0; s < STEPS && rows[i].out[s] >= 0; ++s, ++n) {
      tenon_step *step = &steps[s];
      step->kind = TENON_STEP_KERNEL;
      step->is_elementwise = s > 0 || !rows[i].is_product;
      step->unit = 1;
      step->extent = step->is_elementwise ? 1 : COUNT / 4;
      step->n_in = 2;
      step->n_out = 1;
      step->in = s * OPERANDS;
      step->out = step->in + 2;
      if (s == 0 && rows[i].scratch >= 0) {
        step->scratch = (uint64_t)rows[i].scratch;
        step->scratch_size = 64;
      }
      for (uint32_t k = 0; k < OPERANDS; ++k) {
        int32_t at = k < 2 ? rows[i].in[s][k] : rows[i].out[s];
        tenon_program_tensor *t = &tensors[step->in + k];
        operands[step->in + k] = at == -1 ? TENON_NO_INDEX : step->in + k;
        t->dtype = TENON_F32;
        t->rank = 1;
        t->dims = at == -2 ? one : dims;
        t->size = at == -2 ? 4 : SIZE;
        t->slot.place = at == -2 ? TENON_IN_CONSTANT : TENON_IN_ARENA;
        t->slot.offset = at < 0 ? 0 : (uint64_t)at;
      }
      order[s] = s;
    }
    tenon_block block = {0, n};
    struct tenon_program p = {.tensors = tensors,
                              .kernels = &kernel,
                              .steps = steps,
                              .operands = operands,
                              .order = order,
                              .blocks = &block,
                              .n_blocks = 1,
                              .n_steps = n};
    tenon_program_join(&p);
    for (uint32_t s = 0; s < n; ++s)
      CHECK(steps[s].joined == rows[i].joined[s], "%s: step %u: %u",
            rows[i].name, s, steps[s].joined);
    // A piece of a product is made of whole pieces of it.
    CHECK(n == 0 || steps[0].joined == 1 ||
              (steps[0].tile > 0 && steps[0].tile % steps[0].extent == 0),
          "%s: %lld", rows[i].name, (long long)steps[0].tile);
  }
}

TEST_GROUP(joined, cmocka_unit_test(join))
