// pass/functional/aliases.h - which values are views of which, while writes
// become values.
//
// A node whose schema marks a result with the set of an argument (Tensor(a) of
// Tensor(a)) makes a view. All views of one root lie in its memory; a write of
// any of them changes all. An entry stands for one such name; its value is what
// the name means by now. What a view covers is found by giving the operator
// that made it positions instead of elements.
#ifndef TENON_PASS_ALIASES_H
#define TENON_PASS_ALIASES_H

#include "base/map.h"
#include "ir/graph.h"

#define TENON_NO_ALIAS UINT32_MAX

typedef struct tenon_alias_name {
  tenon_value *value;      // what it means now
  tenon_value *origin;     // what it was when it was met
  const tenon_node *made;  // the operator that makes the view; null: a root
  uint32_t operand;        // which of its operands it views
  uint32_t result;         // which of its results
  uint32_t base;  // entry of what it is a view of; TENON_NO_ALIAS: root
  uint32_t root;  // entry
  bool is_sure;   // false: the operator may have made a copy
  bool is_whole;  // all elements of the root, in its order
} tenon_alias_name;

typedef struct tenon_alias_table {
  TENON_VEC(tenon_alias_name) names;  // a base stands before its views
  tenon_map of;                       // id of a value to its entry
} tenon_alias_table;

void tenon_alias_table_init(tenon_alias_table *t, tenon_allocator allocator);
void tenon_alias_table_deinit(tenon_alias_table *t);
// Notes the views that a node makes. False when memory ran out.
bool tenon_alias_table_note(tenon_alias_table *t, const tenon_node *n);
// The entry of a value, a new root where there is none; TENON_NO_ALIAS when
// memory ran out.
uint32_t tenon_alias_table_find(tenon_alias_table *t, tenon_value *v);
// Entry `at` means `value`, a result, behind node `*last`: what it is a view of
// gets the new elements, other views are made again, and uses behind `*last`
// follow. `last` is the node of the value, or what an earlier write of the same
// node has made behind it; it receives the node behind which all of it stands.
tenon_status tenon_alias_table_write(tenon_alias_table *t, uint32_t at,
                                     tenon_value *value, tenon_node **last);

#endif  // TENON_PASS_ALIASES_H
