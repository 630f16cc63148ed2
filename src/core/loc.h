// core/loc.h - the table of places in a model.
//
// A place is a 32-bit id, 0 for none. Readers add simple places; rewrites give
// a new node the fused place of what it replaced, so an error three passes
// later still names the line of the file. Equal places get equal ids. Texts
// live in the arena of the module.
#ifndef TENON_CORE_LOC_H
#define TENON_CORE_LOC_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/text.h"
#include "tenon/diag.h"

typedef uint32_t tenon_loc;

typedef struct tenon_loc_entry {
  tenon_place place;  // of a simple place; of a fused one: that of parts[0]
  const tenon_loc *parts;  // of a fused place, at least 2; else null
  uint32_t n_parts;
} tenon_loc_entry;

typedef struct tenon_locs {
  tenon_arena *arena;
  tenon_loc_entry *entries;  // [1 .. count - 1]; entry 0 is empty
  uint32_t count, capacity;
  tenon_map map;
} tenon_locs;

void tenon_locs_init(tenon_locs *locs, tenon_arena *arena,
                     tenon_allocator allocator);
void tenon_locs_deinit(tenon_locs *locs);
// Copies the texts, as they may be printed (tenon_text_show). 0 when memory ran
// out (latched in the arena).
tenon_loc tenon_locs_add(tenon_locs *locs, const tenon_place *place);
// The union, in order, without duplicates; fused parts are flattened. Zeros are
// skipped; one part left is that part.
tenon_loc tenon_locs_fuse(tenon_locs *locs, const tenon_loc *parts, size_t n);
// Whether they have a simple place in common.
bool tenon_locs_meet(const tenon_locs *locs, tenon_loc a, tenon_loc b);
// Never null; an empty place for 0. For a fused place, the place of its first
// part.
const tenon_place *tenon_locs_place(const tenon_locs *locs, tenon_loc loc);
// The module of the source that a place is in, "layers.0.norm", as the reader
// of a .pt2 has it in `origin`; *type, if not null, its class, "pkg.RMSNorm".
// Empty where the place does not say.
tenon_text tenon_place_module(const tenon_place *place, tenon_text *type);
// Text form: `"where" "origin"`..., as written behind `@` in text IR.
void tenon_locs_print(const tenon_locs *locs, tenon_loc loc, tenon_buf *out);

#endif  // TENON_CORE_LOC_H
