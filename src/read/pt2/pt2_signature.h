// read/pt2/pt2_signature.h - what pt2_signature.c (inputs, the whole) and
// pt2_outputs.c share while a signature is imported.
#ifndef TENON_READ_PT2_SIGNATURE_H
#define TENON_READ_PT2_SIGNATURE_H

#include "read/pt2/pt2_import.h"

typedef struct tenon_pt2_signature {
  tenon_pt2_scope *scope;
  tenon_json inputs, outputs;             // of the graph
  tenon_json input_specs, output_specs;   // of the signature
  tenon_map states;                       // names of buffers that change, to 1
  tenon_map written;                      // names of the graph that it writes
  tenon_map outs;                         // names of outputs that are taken
  TENON_VEC(tenon_pt2_weight *) weights;  // states too
  TENON_VEC(const char *) input_names;
  TENON_VEC(const char *) output_names;
  TENON_VEC(tenon_value *) results;
  TENON_VEC(uint16_t) writes;           // parameters that are written
  TENON_VEC(tenon_value *) written_to;  // and what into them
  TENON_VEC(tenon_value *) copied;      // pairs: what is written back, as it is
} tenon_pt2_signature;

// The name in a part of the signature, which the graph has as well.
tenon_status tenon_pt2_same_name(const tenon_json *spec,
                                 const tenon_json *input, const char **out);
// Notes what a parameter holds after a run.
tenon_status tenon_pt2_add_write(tenon_pt2_signature *g, uint16_t param,
                                 tenon_value *value);
// Buffers that an output says are changed, into `states`.
tenon_status tenon_pt2_find_states(tenon_pt2_signature *g);
// The file's conditions on sizes, when all inputs are defined. In pt2_guards.c.
tenon_status tenon_pt2_guards(const tenon_pt2_signature *g);
// Output i of the graph.
tenon_status tenon_pt2_output(tenon_pt2_signature *g, size_t i);

#endif  // TENON_READ_PT2_SIGNATURE_H
