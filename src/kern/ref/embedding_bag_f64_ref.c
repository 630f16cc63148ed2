// embedding_bag_f64_ref.c - bags of rows, in doubles.
#include "kern/bags.h"

TENON_BAGS_KERNEL(tenon_k_embedding_bag_f64_ref, double)
