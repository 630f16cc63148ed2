// plug/builtin.c - the one table of plugins in this build.
#include "ops/aten/aten.h"
#include "ops/core/core.h"
#include "ops/higher_order/higher_order.h"
#include "ops/quant/quant.h"
#include "ops/tfl/tfl.h"
#include "package/package.h"
#include "plug/load.h"

const tenon_plugin *tenon_builtin_plugin(size_t i) {
  static const tenon_plugin *const plugins[] = {
      &tenon_native_plugin,  &tenon_core_plugin,         &tenon_tfl_plugin,
      &tenon_aten_plugin,    &tenon_higher_order_plugin, &tenon_quant_plugin,
      &tenon_packages_plugin};
  return i < sizeof plugins / sizeof *plugins ? plugins[i] : NULL;
}
