// How: the nearest of several names is the one with the fewest slips, a third
// of its letters at most, or one of which what was typed is the beginning.
#include <string.h>

#include "cli/cli.h"

void cli_nearest_feed(tenon_nearest *n, const char *candidate) {
  size_t size = strlen(n->name), limit = size / 3 + 1;
  size_t d = tenon_text_distance(n->name, candidate, limit);
  if (size >= 3 && d > limit && tenon_text_starts(candidate, n->name))
    d = limit;
  if (d > limit || d >= size || (n->best && d >= n->distance)) return;
  n->best = candidate;
  n->distance = d;
}
