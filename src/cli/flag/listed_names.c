// How: lists of names are cut where a sentence has no room for more; the
// nearest of several is the one with the fewest slips, a third of its letters
// at most, or one of which what was typed is the beginning.
#include <string.h>

#include "cli/cli.h"

// Room of "and N more".
#define TAIL 40

void cli_names_add(cli_names *n, const char *name) {
  enum { MOST = 60 };
  if (!name) return;
  ++n->count;
  if (n->shown + 1 < n->count || n->size + MOST + 8 + TAIL > sizeof n->text)
    return;
  if (n->size == 0) n->size = (size_t)sprintf(n->text, "there are ");
  char *at = n->text + n->size;
  at += sprintf(at, "%s'", n->shown ? ", " : "");
  // Names out of a file may hold anything.
  size_t whole = tenon_text_show(at, MOST, name);
  at += strlen(at);
  if (whole >= MOST) at += sprintf(at, "...");
  *at++ = '\'';
  *at = 0;
  n->size = (size_t)(at - n->text);
  ++n->shown;
}

const char *cli_names_text(cli_names *n) {
  if (n->count == 0) return "there is none";
  if (n->shown < n->count)
    (void)snprintf(n->text + n->size, sizeof n->text - n->size, " and %zu more",
                   n->count - n->shown);
  return n->text;
}

// Edit distance, in which two letters that changed places are one slip. Longer
// names are near to nothing.
static size_t listed_distance(const char *a, const char *b) {
  enum { MOST = 64 };
  size_t n = strlen(b), rows[3][MOST];
  if (n >= MOST || strlen(a) >= MOST) return MOST;
  for (size_t j = 0; j <= n; ++j)
    rows[0][j] = j;
  size_t i = 0;
  for (; a[i]; ++i) {
    size_t *row = rows[(i + 1) % 3];
    const size_t *above = rows[i % 3], *higher = rows[(i + 2) % 3];
    row[0] = i + 1;
    for (size_t j = 0; j < n; ++j) {
      size_t best = above[j] + (a[i] != b[j]);
      if (above[j + 1] + 1 < best) best = above[j + 1] + 1;
      if (row[j] + 1 < best) best = row[j] + 1;
      if (i && j && a[i] == b[j - 1] && a[i - 1] == b[j] &&
          higher[j - 1] + 1 < best)
        best = higher[j - 1] + 1;
      row[j + 1] = best;
    }
  }
  return rows[i % 3][n];
}

void cli_nearest_feed(cli_nearest *n, const char *candidate) {
  size_t size = strlen(n->name), limit = size / 3 + 1;
  size_t d = listed_distance(n->name, candidate);
  if (size >= 3 && strncmp(candidate, n->name, size) == 0 && d > limit)
    d = limit;
  if (d > limit || d >= size || (n->best && d >= n->distance)) return;
  n->best = candidate;
  n->distance = d;
}
