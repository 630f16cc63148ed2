// How: every table is included here, once.
#include "ops/aten/aten.h"

#include "ops/aten/aten_set.h"
#include "ops/aten/nn/aten_nn.h"

static const tenon_schema_row schemas[] = {
#include "ops/aten_schemas.h"  // made
};

static const tenon_meaning_row meanings[] = {
#define ATEN_OP(names, function, user, doc) \
  {names, tenon_aten_##function##_lower, user, doc, true},
#include "ops/aten/complex/complex.def"
#undef ATEN_OP
#define ATEN_OP(names, function, user, doc) \
  {names, tenon_aten_##function##_lower, user, doc, false},
#include "ops/aten/each/each.def"
#include "ops/aten/each/foreach.def"
#include "ops/aten/index/index.def"
#include "ops/aten/linalg/linalg.def"
#include "ops/aten/nn/nn.def"
#include "ops/aten/random/random.def"
};

static const tenon_schema_set set = {schemas, meanings,
                                     sizeof schemas / sizeof *schemas,
                                     sizeof meanings / sizeof *meanings};

static const tenon_catalog_desc catalog = {
    .struct_size = sizeof(tenon_catalog_desc),
    .set = "aten",
    .doc = "Every operator that PyTorch registers in its own name.",
    .count = sizeof schemas / sizeof *schemas,
    .name = tenon_schema_set_name,
    .describe = tenon_schema_set_describe,
    .user = &set,
};

static const tenon_lowering_desc *const lowerings[] = {
    &tenon_aten_batch_norm_writes, &tenon_aten_native_batch_norm_writes,
    &tenon_aten_instance_norm_writes, NULL};

const tenon_plugin tenon_aten_plugin = {
    TENON_PLUGIN_HEADER,
    .name = "aten",
    .version = TENON_VERSION,
    .catalogs = (const tenon_catalog_desc *const[]){&catalog, NULL},
    .lowerings = lowerings,
    .passes = (const tenon_pass_desc *const[]){&tenon_aten_int4pack, NULL},
};
