// pass/functional/keyed_tables.h - tables that a .tflite names (HASHTABLE) as
// constants.
#ifndef TENON_PASS_KEYED_TABLES_H
#define TENON_PASS_KEYED_TABLES_H

#include "ir/graph.h"

// A table is filled once, before anybody looks into it, and keeps what it has.
// So what HASHTABLE_IMPORT puts into it is known here, where it is constants,
// and HASHTABLE_FIND becomes core::find among the keys, HASHTABLE_SIZE a
// number. `once`: a node CALL_ONCE, whose function may fill tables.
typedef struct tenon_tables tenon_tables;
tenon_tables *tenon_tables_create(tenon_module *m);  // null: no memory
void tenon_tables_destroy(tenon_tables *t);
bool tenon_tables_has(const tenon_node *n);  // one of these operators
// What is not known is `functional-table`.
tenon_status tenon_tables_import(tenon_tables *t, tenon_node *import,
                                 bool is_once);
// A node of an entry point (with `is_entry`, in order) or of another function;
// it is replaced and erased.
tenon_status tenon_tables_use(tenon_tables *t, tenon_node *n, bool is_entry);

#endif  // TENON_PASS_KEYED_TABLES_H
