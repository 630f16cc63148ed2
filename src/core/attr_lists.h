// core/attr_lists.h - the kinds of attributes that are lists, a row each: what
// stands behind TENON_KIND_, what a tenon_arg calls it, and its elements.
#ifndef TENON_CORE_ATTR_LISTS_H
#define TENON_CORE_ATTR_LISTS_H

#define TENON_ATTR_NUMBERS(LIST) \
  LIST(INTS, ints, int64_t)      \
  LIST(FLOATS, floats, double)   \
  LIST(BOOLS, bools, bool)       \
  LIST(SCALARS, scalars, tenon_scalar)
#define TENON_ATTR_LISTS(LIST) \
  TENON_ATTR_NUMBERS(LIST)     \
  LIST(STRS, strs, const char *)

#endif  // TENON_CORE_ATTR_LISTS_H
