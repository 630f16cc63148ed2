// ops/higher_order/higher_order.h - torch's calls that take graphs, as one
// ordinary plugin: README.md has the nodes, this set what they are in terms of
// core operators.
#ifndef TENON_OPS_HIGHER_ORDER_H
#define TENON_OPS_HIGHER_ORDER_H

#include "tenon/ext/plugin.h"

extern const tenon_plugin tenon_higher_order_plugin;

#endif  // TENON_OPS_HIGHER_ORDER_H
