// plan/bank_list.h - several memories and the rules for them, as data.
#ifndef TENON_PLAN_BANK_LIST_H
#define TENON_PLAN_BANK_LIST_H

#include "program/program.h"

// Of `x=dtcm@256`.
typedef struct tenon_bank_rule {
  const char *pattern;  // of names, without the kind
  uint32_t kinds;       // TENON_PLACE_*
  uint32_t bank;
  bool is_fixed;
  uint64_t offset;
} tenon_bank_rule;

enum {
  TENON_PLACE_INPUT = 1u << 0,
  TENON_PLACE_OUTPUT = 1u << 1,
  TENON_PLACE_SCRATCH = 1u << 2,
  TENON_PLACE_VALUE = 1u << 3,  // any but scratch and constants
  TENON_PLACE_CONSTANT = 1u << 4
};

typedef struct tenon_banks {
  tenon_program_bank *list;  // of the program
  tenon_bank_rule *rules;
  uint32_t n, n_rules;
  uint32_t *reads;  // of spans: how often each of their bytes is touched
} tenon_banks;

#endif  // TENON_PLAN_BANK_LIST_H
