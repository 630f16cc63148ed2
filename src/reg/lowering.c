// reg/lowering.c - descriptors of lowerings, as the registry keeps them.
#include "reg/registry.h"

tenon_lowering *tenon_lowering_new(tenon_arena *arena,
                                   const tenon_lowering_desc *desc,
                                   const tenon_owner *owner) {
  tenon_lowering lowering = {tenon_arena_copy(arena, desc, sizeof *desc,
                                              _Alignof(tenon_lowering_desc)),
                             owner};
  return lowering.desc ? tenon_arena_copy(arena, &lowering, sizeof lowering,
                                          _Alignof(tenon_lowering))
                       : NULL;
}

tenon_lowering *tenon_lowering_own(tenon_arena *arena, const char *op,
                                   const tenon_op_desc *desc,
                                   const tenon_owner *owner) {
  const tenon_lowering_desc own = {.struct_size = sizeof own,
                                   .name = op,
                                   .op = op,
                                   .lower = desc->lower,
                                   .user = desc->user};
  return tenon_lowering_new(arena, &own, owner);
}
