# The files of the operator set higher_order; src/ops/CMakeLists.txt includes this.
set(TENON_OPS_HIGHER_ORDER_FILES
    higher_order/higher_order.c
    higher_order/ho_branches.c
    higher_order/ho_build.c
    higher_order/ho_flow.c
    higher_order/ho_functionalized.c
    higher_order/ho_scan.c)
