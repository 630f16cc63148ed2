// embedding_bag_f32_ref.c - bags of rows, in floats.
#include "kern/bags.h"

TENON_BAGS_KERNEL(tenon_k_embedding_bag_f32_ref, float)
