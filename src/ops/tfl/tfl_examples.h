// ops/tfl/tfl_examples.h - modules that docs of tfl.def show and `tenon check`
// runs, of operators that are nothing without others.
#ifndef TENON_OPS_TFL_TFL_EXAMPLES_H
#define TENON_OPS_TFL_TFL_EXAMPLES_H

#define TFL_VARIABLE_EXAMPLE                                 \
  "module {\n"                                               \
  "func @0 \"main\" (%x: f32[2,3]) {\n"                      \
  "  tfl::CALL_ONCE() [init_subgraph_index=1]\n"             \
  "  %h = tfl::VAR_HANDLE() [shared_name=\"v\"] : s32[]\n"   \
  "  %before = tfl::READ_VARIABLE(%h) : f32[2,3]\n"          \
  "  %sum = tfl::ADD(%before, %x)\n"                         \
  "  tfl::ASSIGN_VARIABLE(%h, %sum)\n"                       \
  "  %after = tfl::READ_VARIABLE(%h) : f32[2,3]\n"           \
  "  return %before, %after\n"                               \
  "}\n"                                                      \
  "func @1 \"init\" () {\n"                                  \
  "  %zero = const f32[2,3] {1, 2, 3, 4, 5, 6}\n"            \
  "  %h = tfl::VAR_HANDLE() [shared_name=\"v\"] : s32[]\n"   \
  "  tfl::ASSIGN_VARIABLE(%h, %zero)\n"                      \
  "  return\n"                                               \
  "}\n"                                                      \
  "entry \"main\" = @0 (\"x\") -> (\"before\", \"after\")\n" \
  "}\n"

#define TFL_TABLE_EXAMPLE                           \
  "module {\n"                                      \
  "func @0 \"main\" (%x: s64[4]) {\n"               \
  "  tfl::CALL_ONCE() [init_subgraph_index=1]\n"    \
  "  %t = tfl::HASHTABLE() [table_id=3] : s32[]\n"  \
  "  %keys = const str[3] {\"a\", \"ccc\", \"\"}\n" \
  "  %other = const s64[1] {-1}\n"                  \
  "  %y = tfl::HASHTABLE_FIND(%t, %keys, %other)\n" \
  "  %n = tfl::HASHTABLE_SIZE(%t)\n"                \
  "  %z = tfl::ADD(%y, %n)\n"                       \
  "  %w = tfl::MUL(%n, %x)\n"                       \
  "  return %z, %w\n"                               \
  "}\n"                                             \
  "func @1 \"init\" () {\n"                         \
  "  %t = tfl::HASHTABLE() [table_id=3] : s32[]\n"  \
  "  %keys = const str[3] {\"a\", \"b\", \"a\"}\n"  \
  "  %values = const s64[3] {7, 8, 9}\n"            \
  "  tfl::HASHTABLE_IMPORT(%t, %keys, %values)\n"   \
  "  return\n"                                      \
  "}\n"                                             \
  "entry \"main\" = @0 (\"x\") -> (\"y\", \"n\")\n" \
  "}\n"

#define TFL_SHUFFLED_EXAMPLE                                                  \
  "module {\n"                                                                \
  "func @0 \"main\" (%x: u8[4,16]{0.02:128}) {\n"                             \
  "  %w = const u8[4,16]{0.015:128} {\n"                                      \
  "    121, 66, 189, 242, 33, 6, 240, 132, 119, 98, 240, 243, 203, 77, 118, " \
  "77,\n"                                                                     \
  "    199, 7, 32, 81, 21, 154, 15, 137, 242, 198, 218, 202, 227, 68, 187, "  \
  "49,\n"                                                                     \
  "    18, 69, 253, 111, 132, 223, 154, 215, 197, 179, 208, 118, 172, 14, "   \
  "143, 83,\n"                                                                \
  "    167, 53, 108, 136, 145, 63, 32, 246, 247, 45, 176, 34, 210, 77, 10, "  \
  "150\n"                                                                     \
  "  }\n"                                                                     \
  "  %b = const s32[4]{0.00029999999:0} {-1838, -786, 253, 580}\n"            \
  "  %y, %t = tfl::FULLY_CONNECTED_SHUFFLED(%x, %w, %b) "                     \
  "[weights_format=1] : s16[4,4]{0.0001:0}, u8[4,16]{0.02:128}\n"             \
  "  return %y, %t\n"                                                         \
  "}\n"                                                                       \
  "entry \"main\" = @0 (\"x\") -> (\"y\", \"t\")\n"                           \
  "}\n"

#endif  // TENON_OPS_TFL_TFL_EXAMPLES_H
