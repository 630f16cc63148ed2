// numbers.h - how an operator with Python numbers is called: by an overload
// that takes tensors for them (numbers.def).
#ifndef LIBTORCH_NUMBERS_H
#define LIBTORCH_NUMBERS_H

#include <stdbool.h>

// Puts what is to be called in their place; false: numbers cannot be passed to
// this operator. `name` is "aten::mul".
bool numbers_replace(char name[128], char overload[128]);
// Whether the operator has a factor `alpha`.
bool numbers_has_alpha(const char *name);

#endif  // LIBTORCH_NUMBERS_H
