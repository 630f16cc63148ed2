// How: a kernel's `types` is split at "->", ",", "|"; T and U are chosen once
// and stand for one type wherever they occur. The number of the turn, digit by
// digit, says which alternative is taken, so that none is left to chance; where
// there are too many combinations, the rest is drawn.
#include <string.h>

#include "cli/check/check.h"

// SplitMix64.
uint64_t check_next(check_random *r) {
  uint64_t x = r->state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

int check_below(check_random *r, int n) {
  return (int)(check_next(r) % (uint64_t)n);
}

typedef struct chooser {
  check_random *r;
  size_t turn, combinations;
  check_operand_type variable[2];
  bool is_bound[2];
} chooser;

enum { MOST_COMBINATIONS = 64, FEWEST_ROWS = 24, MOST_ROWS = 48 };

static size_t check_types_choose_one(chooser *ch, size_t count) {
  if (ch->combinations * count > MOST_COMBINATIONS)
    return (size_t)check_below(ch->r, (int)count);
  size_t chosen = ch->turn / ch->combinations % count;
  ch->combinations *= count;
  return chosen;
}

static const char *const any_type[] = {"f32", "s32",  "s64", "s8",  "s16",
                                       "u8",  "bool", "f64", "f16", "bf16",
                                       "u16", "u32",  "u64"};
static const char *const by_bytes[9][3] = {[1] = {"s8", "u8", "bool"},
                                           [2] = {"s16", "u16", "f16"},
                                           [4] = {"f32", "s32", "u32"},
                                           [8] = {"s64", "f64", "u64"}};

static void draw_any(chooser *ch, check_operand_type *out) {
  snprintf(
      out->name, sizeof out->name, "%s",
      any_type[check_types_choose_one(ch, sizeof any_type / sizeof *any_type)]);
  out->quant = 0;
  bool may = strcmp(out->name, "s8") == 0 || strcmp(out->name, "s16") == 0;
  if (may && check_below(ch->r, 2)) out->quant = 'q';
}

static bool types_take_word(chooser *ch, const char *word, size_t n,
                            check_operand_type *out) {
  if (n == 1 && (word[0] == 'T' || word[0] == 'U')) {
    int v = word[0] == 'U';
    if (!ch->is_bound[v]) draw_any(ch, &ch->variable[v]);
    ch->is_bound[v] = true;
    *out = ch->variable[v];
    return true;
  }
  if (n == 2 && word[0] == 'b' && strchr("1248", word[1])) {
    out->quant = 0;
    snprintf(out->name, sizeof out->name, "%s",
             by_bytes[word[1] - '0'][check_types_choose_one(ch, 3)]);
    return true;
  }
  out->quant = 0;
  if (n > 2 && word[n - 2] == 'q') {
    if (word[n - 1] == 'b') return false;  // blocks: rows have none
    out->quant = 'c';
    n -= 2;
  } else if (n > 1 && word[n - 1] == 'q') {
    out->quant = 'q';
    n -= 1;
  }
  if (n >= sizeof out->name) return false;
  snprintf(out->name, sizeof out->name, "%.*s", (int)n, word);
  return strcmp(out->name, "str") != 0;
}

// One alternative of an entry such as "s8q|s8qc?...".
static bool take_entry(chooser *ch, const char *p, size_t n,
                       check_operand_type *out) {
  while (n && *p == ' ')
    ++p, --n;
  while (n && strchr(" .?", p[n - 1]))
    --n;
  size_t count = 1, at = 0;
  for (size_t i = 0; i < n; ++i)
    count += p[i] == '|';
  size_t chosen = check_types_choose_one(ch, count);
  for (size_t i = 0; i < chosen; ++i)
    at += strcspn(p + at, "|") + 1;
  while (at < n && p[at] == ' ')
    ++at;
  size_t size = strcspn(p + at, "|");
  if (size > n - at) size = n - at;
  while (size && p[at + size - 1] == ' ')
    --size;
  return size > 0 && types_take_word(ch, p + at, size, out);
}

static bool types_take_list(chooser *ch, const char *p, const char *end,
                            check_operand_type *out, size_t *n) {
  *n = 0;
  while (p < end && *p == ' ')
    ++p;
  if (p == end || strncmp(p, "()", 2) == 0) return true;
  while (p < end) {
    size_t size = strcspn(p, ",");
    if (size > (size_t)(end - p)) size = (size_t)(end - p);
    if (*n == CHECK_VALUES || !take_entry(ch, p, size, &out[*n])) return false;
    ++*n;
    p += size + (p + size < end);
  }
  return true;
}

bool check_types_choose(check_random *r, size_t turn, const char *types,
                        check_row_types *out) {
  chooser ch = {.r = r, .turn = turn, .combinations = 1};
  const char *arrow = types ? strstr(types, "->") : NULL;
  memset(out, 0, sizeof *out);
  bool ok = arrow && types_take_list(&ch, types, arrow, out->in, &out->n_in);
  out->combinations = ch.combinations;
  // Alternatives of results go along with those of the operands.
  ch.combinations = 1;
  ok = ok && types_take_list(&ch, arrow + 2, types + strlen(types), out->out,
                             &out->n_out);
  return ok;
}

// Nothing says what an operator that is always lowered takes: mostly one type
// for all, at times indices behind.
void check_types_guess(check_random *r, size_t turn, size_t n_in, size_t n_out,
                       check_row_types *out) {
  chooser ch = {.r = r, .turn = turn, .combinations = 1};
  check_operand_type main_type;
  memset(out, 0, sizeof *out);
  out->n_in = n_in;
  out->n_out = n_out;
  draw_any(&ch, &main_type);
  out->combinations = ch.combinations;
  bool is_mixed = check_below(r, 3) == 0;
  for (size_t i = 0; i < n_in; ++i) {
    out->in[i] = main_type;
    if (is_mixed && i > 0) {
      snprintf(out->in[i].name, sizeof out->in[i].name, "%s",
               check_below(r, 4) ? "s32" : "s64");
      out->in[i].quant = 0;
    }
  }
  for (size_t i = 0; i < n_out; ++i)
    out->out[i] = main_type;
}

size_t check_types_rows(const check_subject *s) {
  const tenon_kernel_desc *d =
      s->kernel ? (const tenon_kernel_desc *)s->kernel->desc : NULL;
  check_random r = {0};
  check_row_types types;
  if (!d)
    check_types_guess(&r, 0, 1, 1, &types);
  else if (!check_types_choose(&r, 0, d->types, &types))
    return FEWEST_ROWS;
  size_t n = types.combinations * CHECK_FILLS;
  return n < FEWEST_ROWS ? FEWEST_ROWS : n > MOST_ROWS ? MOST_ROWS : n;
}

void check_types_seen(check_subject *s, const check_row *row, size_t rows) {
  char types[sizeof s->seen[0].types] = "";
  size_t at = 0;
  for (size_t i = 0; i < row->n_in && at < sizeof types - 1; ++i) {
    char quant = row->in[i].type.quant;
    at += (size_t)snprintf(types + at, sizeof types - at, "%s%s%s",
                           i ? ", " : "", row->in[i].type.name,
                           quant == 'c'   ? "qc"
                           : quant == 'q' ? "q"
                                          : "");
  }
  for (size_t i = 0; i < s->n_seen; ++i) {
    if (strcmp(s->seen[i].types, types) != 0) continue;
    s->seen[i].rows += rows;
    return;
  }
  if (s->n_seen == CHECK_SEEN) return;
  memcpy(s->seen[s->n_seen].types, types, sizeof types);
  s->seen[s->n_seen++].rows = rows;
}
