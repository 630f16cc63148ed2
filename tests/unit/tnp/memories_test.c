// Tables that do not hold together, each by one member.
#include "base/heap.h"
#include "harness/harness.h"
#include "tnp/coder.h"

enum { COLD = 0, STAGED, INPUT, OUTPUT, STATE, N_TENSORS };

// `x` of the caller and a cold constant, copied, to `y` of the caller; two
// memories that are written and one that is cold.
typedef struct plan {
  int32_t dims[1];
  tenon_program_constant constants[2];
  tenon_program_tensor tensors[N_TENSORS];
  uint32_t operands[5], order[2], in[1], out[1];
  tenon_step steps[2];
  tenon_block blocks[1];
  tenon_io inputs[1], outputs[1];
  tenon_program_write writes[1];
  tenon_program_entry entries[2];
  tenon_program_port ports[2];
  tenon_program_bank banks[3];
  tenon_program_state states[1];
  struct tenon_program p;
} plan;

static void make(plan *k) {
  memset(k, 0, sizeof *k);
  k->dims[0] = 4;
  k->constants[0] = (tenon_program_constant){
      .size = 16, .align = 4, .name = "w", .bank = 3, .is_cold = true};
  k->constants[1] = (tenon_program_constant){.size = 16,
                                             .align = 4,
                                             .name = "v",
                                             .bank = 3,
                                             .is_cold = true,
                                             .image_offset = 16};
  for (int i = 0; i < N_TENSORS; ++i)
    k->tensors[i] = (tenon_program_tensor){
        .size = 16, .dims = k->dims, .rank = 1, .dtype = TENON_F32, .name = ""};
  k->tensors[COLD].slot.place = TENON_IN_CONSTANT;
  k->tensors[STAGED].slot = (tenon_slot){TENON_IN_ARENA, 0, 64};
  k->tensors[INPUT].slot.place = TENON_IN_CALLER;
  k->tensors[OUTPUT].slot = (tenon_slot){TENON_IN_CALLER, 1, 0};
  k->tensors[STATE].slot.place = TENON_IN_STATE;
  memcpy(k->operands, (uint32_t[]){COLD, STAGED, INPUT, STAGED, OUTPUT},
         sizeof k->operands);
  k->steps[0] = (tenon_step){.kind = TENON_STEP_KERNEL,
                             .n_in = 1,
                             .n_out = 1,
                             .out = 1,
                             .op = "core::copy"};
  k->steps[1] = (tenon_step){.kind = TENON_STEP_KERNEL,
                             .in = 2,
                             .n_in = 2,
                             .out = 4,
                             .n_out = 1,
                             .op = "core::add",
                             .scratch = 64,
                             .scratch_size = 16};
  k->order[1] = 1;
  k->blocks[0] = (tenon_block){0, 2};
  k->in[0] = INPUT;
  k->out[0] = OUTPUT;
  k->writes[0] = (tenon_program_write){0, STAGED};
  k->entries[0] = (tenon_program_entry){.name = "main",
                                        .in = k->in,
                                        .out = k->out,
                                        .n_in = 1,
                                        .n_out = 1,
                                        .inputs = k->inputs,
                                        .outputs = k->outputs,
                                        .writes = k->writes};
  k->entries[1] = (tenon_program_entry){.name = "other"};
  k->ports[0] = (tenon_program_port){.align = 4, .size = 16};
  k->ports[1] = (tenon_program_port){.is_output = true, .align = 4, .size = 16};
  k->banks[0] = (tenon_program_bank){.name = "a", .arena = 32};
  k->banks[1] =
      (tenon_program_bank){.name = "b", .base = 64, .arena = 64, .state = 64};
  k->banks[2] = (tenon_program_bank){
      .name = "ext", .is_rom = true, .is_cold = true, .constants = 32};
  k->states[0] =
      (tenon_program_state){.tensor = STATE, .initial = TENON_NO_INDEX};
  k->p.constants = k->constants;
  k->p.tensors = k->tensors;
  k->p.operands = k->operands;
  k->p.order = k->order;
  k->p.steps = k->steps;
  k->p.blocks = k->blocks;
  k->p.entries = k->entries;
  k->p.ports = k->ports;
  k->p.banks = k->banks;
  k->p.states = k->states;
  k->p.n_constants = 2;
  k->p.n_tensors = N_TENSORS;
  k->p.n_operands = 5;
  k->p.n_order = k->p.n_steps = k->p.n_ports = 2;
  k->p.n_blocks = k->p.n_entries = k->p.n_states = 1;
  k->p.n_banks = 3;
  k->p.arena_size = 128;
  k->p.state_size = 16;
}

static void nothing(plan *k) {
  (void)k;
}
static void bad_name(plan *k) {
  k->banks[0].name = "a b";
}
static void cold_and_written(plan *k) {
  k->banks[2].is_rom = false;
}
static void buffers_in_rom(plan *k) {
  k->banks[0].is_rom = true;
}
static void overlapping(plan *k) {
  k->banks[0].arena = 65;
}
static void odd_base(plan *k) {
  k->banks[1].base = 63;
}
static void across(plan *k) {
  k->tensors[STAGED].slot.offset = 24;
}
static void in_the_gap(plan *k) {
  k->tensors[STAGED].slot.offset = 32;
}
static void scratch_across(plan *k) {
  k->steps[1].scratch = 24;
}
static void no_bank(plan *k) {
  k->constants[0].bank = 4;
}
static void not_cold(plan *k) {
  k->constants[0].bank = 1;
}
static void no_banks(plan *k) {
  k->p.n_banks = 0;
}
static void packed_and_cold(plan *k) {
  k->constants[0].is_packed = true;
}
static void image_overlaps(plan *k) {
  k->constants[1].image_offset = 15;
}
static void image_too_short(plan *k) {
  k->banks[2].constants = 31;
}
static void image_too_long(plan *k) {
  k->banks[2].constants = 64;
}
static void odd_alignment(plan *k) {
  k->banks[0].align = 48;
}
static void ahead_and_written(plan *k) {
  k->banks[0].is_prefetch = true;
}
static void resident(plan *k) {
  k->constants[1] =
      (tenon_program_constant){.size = 16, .name = "v", .bank = 1};
  k->banks[0].constants = 64;
  k->banks[2].constants = 16;
}
static void resident_and_packed(plan *k) {
  resident(k);
  k->constants[1].is_packed = true;
}
static void resident_outside(plan *k) {
  resident(k);
  k->constants[1].image_offset = 56;
}
static void ahead_at_once(plan *k) {
  k->banks[2].is_prefetch = true;
  k->steps[0].is_ahead = true;
}
static void ahead_behind(plan *k) {
  k->banks[2].is_prefetch = true;
  k->steps[0].is_ahead = true;
  k->order[0] = 1;
  k->order[1] = 0;
}
static void ahead_behind_another(plan *k) {
  ahead_behind(k);
  k->operands[3] = INPUT;
  k->steps[1].scratch = 80;
}
static void ahead_of_no_other(plan *k) {
  ahead_behind_another(k);
  k->banks[2].is_prefetch = false;
}
static void reads_cold(plan *k) {
  k->operands[3] = COLD;
}
static void staged_by_another(plan *k) {
  k->steps[0].op = "core::neg";
}
static void staged_in_part(plan *k) {
  k->constants[0].size = 12;
}
static void cold_output(plan *k) {
  k->out[0] = COLD;
}
static void cold_state(plan *k) {
  k->states[0].initial = 0;
}
static void no_entry(plan *k) {
  k->ports[0].entry = 1;
}
static void no_input(plan *k) {
  k->ports[0].index = 1;
}
static void not_its_own(plan *k) {
  k->tensors[INPUT].slot.index = 1;
}
static void other_size(plan *k) {
  k->ports[1].size = 20;
}
static void odd_align(plan *k) {
  k->ports[1].align = 3;
}
static void no_align(plan *k) {
  k->ports[1].align = 0;
}
static void written_input(plan *k) {
  k->entries[0].n_writes = 1;
}
static void of_another(plan *k) {
  k->entries[1] = k->entries[0];
  k->p.n_entries = 2;
}
static void state_of_the_caller(plan *k) {
  k->tensors[STATE].slot.place = TENON_IN_CALLER;
}

static const struct {
  void (*change)(plan *k);
  const char *banks, *ports;  // what is said; null: nothing
} rows[] = {
    {nothing, NULL, NULL},
    {bad_name, "a memory that C cannot name", NULL},
    {cold_and_written, "a cold memory that is written", NULL},
    {buffers_in_rom, "buffers in a memory that is not written", NULL},
    {overlapping, "memories that overlap", NULL},
    {odd_base, "memories that overlap", NULL},
    {across, "a tensor in two memories", NULL},
    {in_the_gap, "a tensor in two memories", NULL},
    {scratch_across, "scratch in two memories", NULL},
    {no_bank, "a constant in a memory that is not there", NULL},
    {not_cold, "a constant in a memory that is not there", NULL},
    {no_banks, "a constant in a memory that is not there", NULL},
    {packed_and_cold, "a constant in a memory that is not there", NULL},
    {image_overlaps, "an image of constants that overlap", NULL},
    {image_too_short, "an image of constants that overlap", NULL},
    {image_too_long, "an image that is longer than its constants", NULL},
    {odd_alignment, "a memory of an odd alignment", NULL},
    {ahead_and_written, "a memory that is asked ahead and not cold", NULL},
    {resident, NULL, NULL},
    {resident_and_packed, "a constant in a memory that is not there", NULL},
    {resident_outside, "an image of constants that overlap", NULL},
    {ahead_at_once, "a constant that is copied while its place is in use",
     NULL},
    {ahead_behind, "a constant that is copied while its place is in use", NULL},
    {ahead_behind_another, NULL, NULL},
    {ahead_of_no_other, "a constant that is copied while its place is in use",
     NULL},
    {reads_cold, "a cold constant that is read where it lies", NULL},
    {staged_by_another, "a cold constant that is read where it lies", NULL},
    {staged_in_part, "a cold constant that is read where it lies", NULL},
    {cold_output, "a cold constant that is read where it lies",
     "a port of no input or output"},
    {cold_state, "a cold constant that is read where it lies", NULL},
    {no_entry, NULL, "a port of no entry point"},
    {no_input, NULL, "a port of no input or output"},
    {not_its_own, NULL, "a port of no input or output"},
    {other_size, NULL, "a port of another size"},
    {odd_align, NULL, "a port at an odd address"},
    {no_align, NULL, "a port at an odd address"},
    {written_input, NULL, "an input that is written and stays with the caller"},
    {of_another, NULL, "another entry point's inputs and outputs"},
    {state_of_the_caller, NULL, "a state that the caller has"},
};

static void says_what_does_not_hold(void **state) {
  (void)state;
  EACH_ROW(i, rows) {
    plan k;
    make(&k);
    tenon_arena_init(&k.p.arena, tenon_heap());
    rows[i].change(&k);
    const char *banks = tenon_tnp_banks(&k.p);
    const char *ports = tenon_tnp_ports(&k.p);
    CHECK_TEXT(banks ? banks : "", rows[i].banks ? rows[i].banks : "", i);
    CHECK_TEXT(ports ? ports : "", rows[i].ports ? rows[i].ports : "", i);
    tenon_arena_deinit(&k.p.arena);
  }
}

TEST_GROUP(memories, cmocka_unit_test(says_what_does_not_hold))
