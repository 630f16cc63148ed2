// pass/functional/disjoint.h - whether elements of views lie over each other.
//
// A write through such a view, or through two of them, leaves what the order of
// a kernel's writes decides; as values nobody can tell what. The answers are
// about what can be known: what cannot be told apart may overlap.
#ifndef TENON_PASS_DISJOINT_H
#define TENON_PASS_DISJOINT_H

#include "pass/functional/aliases.h"

// Whether entry `at` may have an element of its root twice.
bool tenon_overlap_within(const tenon_alias_table *t, uint32_t at);
// Whether two entries may share an element.
bool tenon_overlap_between(const tenon_alias_table *t, uint32_t a, uint32_t b);

#endif  // TENON_PASS_DISJOINT_H
