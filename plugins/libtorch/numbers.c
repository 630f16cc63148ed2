// How: a row of the table by its name, without the underscore of what writes: a
// result is copied to where it belongs in any case.
#include "numbers.h"

#include <string.h>

static const struct {
  const char *names, *overload, *instead;
} rows[] = {
#define NUMBERS(names, overload, instead) {names, overload, instead},
#include "numbers.def"
#undef NUMBERS
};

static bool is_among(const char *names, const char *name, size_t size) {
  for (const char *at = names; *at; at += strspn(at, " ")) {
    const size_t n = strcspn(at, " ");
    if (n == size && memcmp(at, name, n) == 0) return true;
    at += n;
  }
  return false;
}

bool numbers_replace(char name[128], char overload[128]) {
  const size_t set = strlen("aten::");
  size_t n = strlen(name);
  if (strncmp(name, "aten::", set) != 0) return false;
  if (n > 1 && name[n - 1] == '_') --n;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (strcmp(rows[i].overload, overload) != 0 ||
        !is_among(rows[i].names, name + set, n - set))
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
