# The files of the sets quantized_decomposed and torchao; src/ops/CMakeLists.txt
# includes this.
set(TENON_OPS_QUANT_FILES
    quant/quant.c
    quant/quant_affine.c
    quant/quant_build.c
    quant/quant_constant.c
    quant/fold/quant_conv.c
    quant/quant_decomposed.c
    quant/quant_dynamic.c
    quant/quant_embedding.c
    quant/fold/quant_bytes.c
    quant/fold/quant_fold.c
    quant/fold/quant_folds.c
    quant/fold/quant_links.c
    quant/fold/quant_pool.c
    quant/quant_stored.c
    quant/fold/quant_table.c
    quant/quant_torchao.c
    quant/quant_weight.c)
