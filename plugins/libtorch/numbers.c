// How: a row of the table by its name, without the underscore of what writes: a
// result is copied to where it belongs in any case.
#include "numbers.h"

#include <string.h>

static const struct {
  const char *name, *overload, *instead;
} rows[] = {
#define NUMBERS(name, overload, instead) {"aten::" name, overload, instead},
#include "numbers.def"
#undef NUMBERS
};

bool numbers_replace(char name[128], char overload[128]) {
  size_t n = strlen(name);
  if (n > 1 && name[n - 1] == '_') --n;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (strlen(rows[i].name) != n || memcmp(rows[i].name, name, n) != 0 ||
        strcmp(rows[i].overload, overload) != 0)
      continue;
    name[n] = 0;
    strcpy(overload, rows[i].instead);
    return true;
  }
  return false;
}

bool numbers_has_alpha(const char *name) {
  return strcmp(name, "aten::add") == 0 || strcmp(name, "aten::sub") == 0;
}
