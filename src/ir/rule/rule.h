// ir/rule/rule.h - lowerings written as text: "%y = core::mul(%x, %g) return
// %y".
//
// A rule is a condition, a pattern and a replacement; the first two may be
// absent. All are text IR in which `$name` stands for an attribute of what is
// replaced, or for the type of a value (docs/lowering.md). A rule is parsed
// when its descriptor is admitted, compared with the operators when the context
// freezes, and its replacement is built by parsing it again, in the place of
// the node: so it can say whatever text IR can, and is checked like it.
#ifndef TENON_IR_RULE_H
#define TENON_IR_RULE_H

#include "reg/context.h"

// For tenon_context.rules.
extern const tenon_rules_api tenon_rule_texts;

#endif  // TENON_IR_RULE_H
