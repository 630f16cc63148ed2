// How: rows are searched one after the other, as complex numbers are rare.
#include <string.h>

#include "ops/aten/complex/complex_op.h"

bool tenon_parts_concern(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_type *t = tenon_aten_result(rw, n, 0);
  if (t && (t->dtype == TENON_C64 || t->dtype == TENON_C128)) return true;
  for (int i = 0; i < 3; ++i)
    if (tenon_parts_is_complex(rw, tenon_aten_in(rw, n, i))) return true;
  return false;
}

#define PARTS_OP(names, function) {names, tenon_aten_parts_##function##_lower},
#define PARTS_SAME(names) {names, NULL},
static const tenon_parts_row parts_rows[] = {
#include "ops/aten/complex/parts.def"
};

static bool parts_has(const char *names, const char *name) {
  const size_t size = strlen(name);
  for (size_t k; *names; names += k + (names[k] == ' ')) {
    k = strcspn(names, " ");
    if (k == size && memcmp(names, name, size) == 0) return true;
  }
  return false;
}

const tenon_parts_row *tenon_parts_find(const char *name) {
  char own[64];
  tenon_parts_functional(name, own, sizeof own);
  for (size_t i = 0; i < sizeof parts_rows / sizeof *parts_rows; ++i) {
    const char *names = parts_rows[i].names;
    if (parts_has(names, strstr(name, "::") + 2) ||
        (own[0] && parts_has(names, own + strlen("aten::"))))
      return &parts_rows[i];
  }
  return NULL;
}
