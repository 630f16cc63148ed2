# The files of the operator set aten; src/ops/CMakeLists.txt includes this.
set(TENON_OPS_ATEN_FILES
    aten/aten.c
    aten/aten_args.c
    aten/aten_build.c
    aten/aten_promote.c
    aten/aten_set.c
    aten/each_unary.c
    aten/index_move.c
    aten/nn_train.c)
