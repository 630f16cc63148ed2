// plan/banks/bank_list.h - several memories and the rules for them, as data.
#ifndef TENON_PLAN_BANK_LIST_H
#define TENON_PLAN_BANK_LIST_H

#include "ir/graph.h"
#include "program/program.h"

// Of `x=dtcm@256`.
typedef struct tenon_bank_rule {
  const char *pattern;  // of names, without the kind
  uint32_t kinds;       // TENON_PLACE_*
  uint32_t bank;
  bool is_fixed;
  bool is_used;  // by a state or a constant; spans say it themselves
  uint64_t offset;
  const tenon_place *place;  // of the rule in a project file; or null
} tenon_bank_rule;

typedef struct tenon_bank_state {
  const tenon_state *state;  // the first of those that are one
  uint32_t bank;
  uint64_t offset;  // in the state memory
} tenon_bank_state;

enum {
  TENON_PLACE_INPUT = 1u << 0,
  TENON_PLACE_OUTPUT = 1u << 1,
  TENON_PLACE_SCRATCH = 1u << 2,
  TENON_PLACE_VALUE = 1u << 3,  // any but scratch, constants and states
  TENON_PLACE_CONSTANT = 1u << 4,
  TENON_PLACE_STATE = 1u << 5,
  TENON_PLACE_STEP = 1u << 6  // scratch by what its step makes: only rules that
                              // are for scratch alone
};

typedef struct tenon_banks {
  tenon_program_bank *list;  // of the program
  tenon_bank_rule *rules;
  tenon_bank_state *states;
  uint32_t n, n_rules, n_states;
  const tenon_place *place;  // of the rule that is being read
  uint32_t *reads;  // of spans: how often each of their bytes is touched
} tenon_banks;

#endif  // TENON_PLAN_BANK_LIST_H
