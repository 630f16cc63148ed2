// How far a result may lie over the operand that its kernel still reads.
#include "base/heap.h"
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

// --- strings -----------------------------------------------------------------

// An entry point whose one step reads x and writes y, both of two elements, and
// has scratch; places in bytes.
typedef struct told {
  uint64_t x, y, scratch;
  tenon_dtype of_x, of_y;
  uint8_t place_of_y;
  bool is_open;        // sizes are placed anew in each run
  uint32_t last_of_x;  // then: of its buffer
  uint32_t span_of_y;  // plus 1
  bool is_right;
} told;

static const told strings[] = {
    {0, 32, 64, TENON_STR, TENON_STR, TENON_IN_ARENA, false, 0, 0, true},
    {0, 0, 64, TENON_STR, TENON_STR, TENON_IN_ARENA, false, 0, 0, true},
    {0, 32, 64, TENON_STR, TENON_C128, TENON_IN_ARENA, false, 0, 0, true},
    // A number over a string, in part, and over none of its elements' begins.
    {0, 0, 64, TENON_STR, TENON_C128, TENON_IN_ARENA, false, 0, 0, false},
    {0, 16, 64, TENON_STR, TENON_C128, TENON_IN_ARENA, false, 0, 0, false},
    {16, 0, 64, TENON_C128, TENON_STR, TENON_IN_ARENA, false, 0, 0, false},
    {0, 24, 64, TENON_STR, TENON_C64, TENON_IN_ARENA, false, 0, 0, false},
    // Scratch over a string; another memory.
    {0, 32, 16, TENON_STR, TENON_STR, TENON_IN_ARENA, false, 0, 0, false},
    {0, 0, 64, TENON_STR, TENON_C128, TENON_IN_STATE, false, 0, 0, true},
    // Buffers that a session places: all along, alone in theirs.
    {0, 32, 64, TENON_STR, TENON_C128, TENON_IN_ARENA, true, 9, 2, true},
    {0, 32, 64, TENON_STR, TENON_C128, TENON_IN_ARENA, true, 8, 2, false},
    {0, 32, 64, TENON_STR, TENON_C128, TENON_IN_ARENA, true, 9, 1, false},
};

static const char *refusal_of(const told *row) {
  const int32_t two[] = {2};
  tenon_program_tensor tensors[2] = {
      {.dims = two, .rank = 1, .dtype = row->of_x, .name = "x", .span = 1},
      {.dims = two, .rank = 1, .dtype = row->of_y, .name = "y"}};
  uint32_t operands[2] = {0, 1}, order[1] = {0}, in[1] = {0}, out[1] = {1};
  tenon_step only = {.kind = TENON_STEP_KERNEL,
                     .n_in = 1,
                     .n_out = 1,
                     .out = 1,
                     .scratch = row->scratch,
                     .scratch_size = 16};
  tenon_block block = {0, 1};
  tenon_program_entry entry = {.n_in = 1, .n_out = 1, .in = in, .out = out};
  tenon_span_record spans[2] = {{.last = row->last_of_x}, {.last = 9}};
  tenon_program_number numbers[2] = {{.step = TENON_NO_INDEX},
                                     {.step = TENON_NO_INDEX}};
  tensors[0].slot = (tenon_slot){TENON_IN_ARENA, 0, row->x};
  tensors[1].slot = (tenon_slot){row->place_of_y, 0, row->y};
  tensors[1].span = row->span_of_y;
  for (int i = 0; i < 2; ++i)
    tensors[i].size = 2u * (uint64_t)tenon_element_bits(tensors[i].dtype) / 8;
  struct tenon_program p = {.tensors = tensors,
                            .n_tensors = 2,
                            .operands = operands,
                            .n_operands = 2,
                            .order = order,
                            .n_order = 1,
                            .steps = &only,
                            .n_steps = 1,
                            .blocks = &block,
                            .n_blocks = 1,
                            .entries = &entry,
                            .n_entries = 1,
                            .spans = spans,
                            .n_spans = 2,
                            .numbers = numbers,
                            .n_numbers = row->is_open ? 2 : 0};
  tenon_arena arena;
  tenon_arena_init(&arena, tenon_heap());
  const char *error = tenon_tnp_strings(&p, &arena);
  tenon_arena_deinit(&arena);
  return error;
}

static void strings_have_memory_of_their_own(void **state) {
  (void)state;
  EACH_ROW(i, strings) {
    const char *error = refusal_of(&strings[i]);
    CHECK(!error == strings[i].is_right, "row %zu: %s", i,
          error ? error : "taken");
  }
}

// --- loops -------------------------------------------------------------------

// A session carries over what other operands of a loop are: no file has any.
static void a_loop_has_its_flag_alone(void **state) {
  static const int32_t one[] = {1};
  tenon_program_tensor flag = {.slot = {TENON_IN_ARENA, 0, 0},
                               .size = 1,
                               .dims = one,
                               .rank = 1,
                               .dtype = TENON_BOOL,
                               .name = "flag"};
  const uint32_t operands[3] = {0, 0, 0}, order[1] = {0};
  tenon_step loop = {.kind = TENON_STEP_WHILE,
                     .kernel = TENON_NO_INDEX,
                     .attrs = TENON_NO_INDEX,
                     .packed = TENON_NO_INDEX,
                     .blocks = {0, 1},
                     .op = "core::while"};
  const tenon_block blocks[3] = {{0, 0}, {0, 0}, {0, 1}};
  const tenon_program_entry entry = {.block = 2};
  const struct tenon_program p = {.tensors = &flag,
                                  .n_tensors = 1,
                                  .operands = operands,
                                  .n_operands = 3,
                                  .order = order,
                                  .n_order = 1,
                                  .steps = &loop,
                                  .n_steps = 1,
                                  .blocks = blocks,
                                  .n_blocks = 3,
                                  .entries = &entry,
                                  .n_entries = 1,
                                  .arena_size = 64};
  (void)state;
  for (uint16_t n = 1; n <= 3; ++n) {
    uint32_t where = 0;
    loop.n_in = n;
    const char *error = tenon_tnp_bounds(&p, &where);
    CHECK(!error == (n == 1), "%d operands: %s", n, error ? error : "taken");
  }
}

TEST_GROUP(overlaps, cmocka_unit_test(a_loop_has_its_flag_alone),
           cmocka_unit_test(strings_have_memory_of_their_own),

           cmocka_unit_test(an_operand_lies_as_far_behind_as_its_kernel_says))
