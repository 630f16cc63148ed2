// pass/trade/trade.h - what passes that trade one thing for another share.
#ifndef TENON_PASS_TRADE_H
#define TENON_PASS_TRADE_H

#include "pass/rewrites.h"
#include "plan/plan.h"

// A number of an option, with k or M behind it for 1024 or 1024 * 1024;
// `absent` where there is none. What is no number is an error.
tenon_status tenon_trade_number(const tenon_module *m, const char *pass,
                                const tenon_pass_run *run, const char *key,
                                int64_t absent, int64_t *out);
// The nodes of a function, regions left out, in an array that ends in null.
tenon_node **tenon_trade_nodes(tenon_arena *arena, const tenon_graph *g,
                               uint32_t *n);
// A line of the plan.
tenon_status tenon_trade_line(tenon_module *m, const char *fmt, ...)
    TENON_PRINTF(2, 3);
// Says what was traded, at once and in the plan.
tenon_status tenon_trade_remark(tenon_module *m, const char *fmt, ...)
    TENON_PRINTF(2, 3);
// "conv2d_3 to conv2d_5": where nodes are in the model.
#define TENON_TRADE_WHERE 192
void tenon_trade_where(const tenon_node *first, const tenon_node *last,
                       char out[TENON_TRADE_WHERE]);
// "+12.5 %"
typedef struct tenon_percent {
  char text[32];
} tenon_percent;
const char *tenon_trade_percent(uint64_t before, uint64_t after,
                                tenon_percent *out);

#endif  // TENON_PASS_TRADE_H
