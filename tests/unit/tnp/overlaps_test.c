// How far a result may lie over the operand that its kernel still reads.
#include "harness/harness.h"
#include "tnp/coder.h"

typedef struct step {
  int32_t dims[1];
  tenon_program_tensor tensors[2];
  uint32_t operands[2];
  tenon_kernel_desc desc;
  tenon_program_kernel kernel;
  tenon_step step;
  struct tenon_program p;
} step;

// 32 bytes at x, read by a step that writes 32 bytes at y.
static void make(step *k, uint64_t x, uint64_t y) {
  memset(k, 0, sizeof *k);
  k->dims[0] = 32;
  const uint64_t at[2] = {x, y};
  for (int i = 0; i < 2; ++i) {
    k->tensors[i] = (tenon_program_tensor){
        .size = 32, .dims = k->dims, .rank = 1, .dtype = TENON_S8, .name = ""};
    k->tensors[i].slot = (tenon_slot){TENON_IN_ARENA, 0, at[i]};
    k->operands[i] = (uint32_t)i;
  }
  k->kernel = (tenon_program_kernel){.desc = &k->desc, .owner = "core"};
  k->step = (tenon_step){
      .kind = TENON_STEP_KERNEL, .n_in = 1, .n_out = 1, .out = 1, .op = "a::b"};
  k->p.tensors = k->tensors;
  k->p.n_tensors = 2;
  k->p.operands = k->operands;
  k->p.kernels = &k->kernel;
}

static const struct {
  uint64_t x, y, distance;
  bool may_be_in_place, expected;
} rows[] = {
    {8, 0, 8, false, true},
    {16, 0, 8, false, true},
    {8, 0, 9, false, false},
    {0, 8, 8, false, false},
    {0, 0, 1, false, false},
    {0, 0, 0, false, true},
    // Apart.
    {0, 32, 100, false, true},
    {32, 0, 100, false, true},
    {0, 0, 100, true, true},
    {1, 0, 100, true, false},
};

static void an_operand_lies_as_far_behind_as_its_kernel_says(void **state) {
  (void)state;
  EACH_ROW(i, rows) {
    step k;
    make(&k, rows[i].x, rows[i].y);
    if (rows[i].may_be_in_place) k.desc.in_place = TENON_IN_PLACE(0, 0);
    bool is = tenon_tnp_is_behind(&k.p, &k.step, rows[i].distance);
    CHECK(is == rows[i].expected, "row %zu: %d", i, is);
  }
}

TEST_GROUP(overlaps,
           cmocka_unit_test(an_operand_lies_as_far_behind_as_its_kernel_says))
