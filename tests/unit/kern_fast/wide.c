#include "wide.h"

#include <string.h>

#include "bind/target.h"
#include "ops/core/fast/core_fast.h"

enum { MOST = 28 };

const tenon_kernel_desc *const *test_wide_kernels(void) {
  static tenon_kernel_desc descs[MOST];
  static const tenon_kernel_desc *list[MOST + 1];
  int n = 0;
#ifdef TENON_CORE_HAS_FAST
  static const struct {
    const char *symbol, *name;
    tenon_run_range_fn *run;
  } rows[] = {
#define ROW(name, isa) \
  {"tenon_k_" #name "_" #isa, "wide " #name " " #isa, test_wide_##name##_##isa},
      TEST_WIDE_EACH(ROW)
#undef ROW
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    for (const tenon_kernel_desc *const *k = tenon_core_fast_kernels; *k; ++k) {
      if (strcmp((*k)->symbol, rows[i].symbol) != 0) continue;
      descs[n] = **k;
      descs[n].symbol = rows[i].name;
      descs[n].needs = NULL;
      descs[n].run_range = rows[i].run;
      list[n] = &descs[n];
      ++n;
    }
  }
#endif
  list[n] = NULL;
  return list;
}

bool test_can_run(const tenon_kernel_desc *k) {
  tenon_target host = {0};
  tenon_host_features(host.host, host.lacks);
  return tenon_target_has(&host, k->needs);
}
