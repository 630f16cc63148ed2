// exec/pieces.h - steps that are computed together, piece by piece
// (program/joined.h).
#ifndef TENON_EXEC_PIECES_H
#define TENON_EXEC_PIECES_H

#include "exec/session_state.h"
#include "program/joined.h"

typedef struct tenon_group {
  tenon_session *session;
  const uint32_t *order;  // `n` steps
  uint32_t n;
  int64_t rows;    // of each result
  int64_t tile;    // of a piece
  int64_t pieces;  // into how many it would pay to divide; 1: threads do not
  int64_t width[TENON_JOINED_MOST];  // elements of a row, by step
} tenon_group;

// `rows` and `tile` of the group of which these steps are.
tenon_group tenon_group_of(tenon_session *s, const uint32_t *order, uint32_t n,
                           int64_t rows, int64_t tile);
int64_t tenon_group_tiles(const tenon_group *g);
// Whether its first step may be cut as one likes.
bool tenon_group_is_divisible(const tenon_group *g);
// Makes pieces of another group smaller where threads would have unequal shares
// of them, as far as its steps can be cut.
void tenon_group_share(tenon_group *g);
// Makes pieces so small that there are `pieces`.
void tenon_group_divide(tenon_group *g);
tenon_status tenon_group_run(const tenon_group *g);

#endif  // TENON_EXEC_PIECES_H
