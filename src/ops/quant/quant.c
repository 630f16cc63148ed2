// quant.c - the plugin: a catalog per set, from the same kind of tables that
// ATen has.
#include "ops/quant/quant.h"

#include "ops/aten/aten_set.h"
#include "ops/quant/fold/quant_conv.h"
#include "ops/quant/fold/quant_fold.h"
#include "ops/quant/quant_op.h"

static const tenon_schema_row decomposed_schemas[] = {
#include "ops/quant_decomposed.h"  // made
};
static const tenon_schema_row torchao_schemas[] = {
#include "ops/quant_torchao.h"  // made
};

// Of both sets: names do not meet.
#define QUANT_OP(names, function, user, doc) \
  {names, tenon_quant_##function##_lower, user, doc, false},
static const tenon_meaning_row meanings[] = {
#include "ops/quant/quant.def"
};
enum { N_MEANINGS = sizeof meanings / sizeof *meanings };

static const tenon_schema_set decomposed_set = {
    decomposed_schemas, meanings,
    sizeof decomposed_schemas / sizeof *decomposed_schemas, N_MEANINGS};
static const tenon_schema_set torchao_set = {
    torchao_schemas, meanings, sizeof torchao_schemas / sizeof *torchao_schemas,
    N_MEANINGS};

#define CATALOG(its_set, its_doc)                                       \
  .struct_size = sizeof(tenon_catalog_desc), .doc = its_doc,            \
  .count = sizeof its_set##_schemas / sizeof *its_set##_schemas,        \
  .name = tenon_schema_set_name, .describe = tenon_schema_set_describe, \
  .user = &its_set##_set

static const tenon_catalog_desc decomposed = {
    CATALOG(decomposed,
            "Quantisation as PyTorch's export quantiser spells it."),
    .set = "quantized_decomposed"};
static const tenon_catalog_desc torchao = {
    CATALOG(torchao, "Quantisation by blocks, as torchao spells it."),
    .set = "torchao"};

const tenon_plugin tenon_quant_plugin = {
    TENON_PLUGIN_HEADER,
    .name = "quant",
    .version = TENON_VERSION,
    .catalogs =
        (const tenon_catalog_desc *const[]){&decomposed, &torchao, NULL},
    .lowerings = tenon_quant_folds,
    .passes = (const tenon_pass_desc *const[]){&tenon_quant_integers, NULL},
};
