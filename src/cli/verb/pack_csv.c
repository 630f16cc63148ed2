// How: the header says which column is which, a line is cut at its commas, and
// a buffer with gaps becomes a span for each time between them, in a group of
// its own. A column or word that is not known is an error, never left out.
#include <stdlib.h>
#include <string.h>

#include "cli/verb/packing.h"

enum {
  ID,
  LOWER,
  UPPER,
  SIZE,
  ALIGNMENT,
  OFFSET,
  GAPS,
  GROUP,
  INNER,
  N_COLUMNS,
  MOST_COLUMNS = 16
};

static const char *const names[N_COLUMNS][3] = {
    {"id", "buffer", "buffer_id"}, {"lower", "start", NULL},
    {"upper", "end", NULL},        {"size", NULL, NULL},
    {"alignment", NULL, NULL},     {"offset", NULL, NULL},
    {"gaps", NULL, NULL},          {"group", NULL, NULL},
    {"inner", NULL, NULL}};

typedef struct reading {
  cli *c;
  pack_file *f;
  const char *path;
  size_t line;
  int column[N_COLUMNS];  // where each is; -1: nowhere
  int n_columns;
  // Of the present line.
  char *cells[MOST_COLUMNS];
  uint64_t values[N_COLUMNS];
} reading;

static int csv_refuse(const reading *r, const char *what, const char *text) {
  return cli_fail(r->c, TENON_BAD_INPUT, "cli-pack", "%s:%zu: %s '%s'", r->path,
                  r->line, what, text);
}

// Cuts a line in place; blanks around cells go. The number of cells.
static int csv_cut(char *line, char **cells) {
  int n = 0;
  for (;;) {
    char *comma = strchr(line, ',');
    if (comma) *comma = '\0';
    while (*line == ' ' || *line == '\t')
      ++line;
    size_t size = strlen(line);
    while (size > 0 && (line[size - 1] == ' ' || line[size - 1] == '\t' ||
                        line[size - 1] == '\r'))
      line[--size] = '\0';
    if (n == MOST_COLUMNS) return n + 1;
    cells[n++] = line;
    if (!comma) return n;
    line = comma + 1;
  }
}

static int csv_column_of(const char *name) {
  for (int i = 0; i < N_COLUMNS; ++i)
    for (int k = 0; k < 3; ++k)
      if (names[i][k] && strcmp(names[i][k], name) == 0) return i;
  return -1;
}

static int read_header(reading *r, char *line) {
  r->n_columns = csv_cut(line, r->cells);
  for (int i = 0; i < N_COLUMNS; ++i)
    r->column[i] = -1;
  if (r->n_columns > MOST_COLUMNS) return csv_refuse(r, "too many columns", "");
  for (int i = 0; i < r->n_columns; ++i) {
    int column = csv_column_of(r->cells[i]);
    if (column < 0) return csv_refuse(r, "unknown column", r->cells[i]);
    if (r->column[column] >= 0)
      return csv_refuse(r, "column twice:", r->cells[i]);
    r->column[column] = i;
  }
  for (int i = LOWER; i <= SIZE; ++i)
    if (r->column[i] < 0) return csv_refuse(r, "no column", names[i][0]);
  r->f->offset_column = r->column[OFFSET];
  return 0;
}

// A whole number from `*text` on, which moves behind it.
static bool take_number(const char **text, uint64_t *out) {
  const char *at = *text;
  uint64_t value = 0;
  for (; *at >= '0' && *at <= '9'; ++at) {
    uint64_t digit = (uint64_t)(*at - '0');
    if (value > (UINT64_MAX - digit) / 10) return false;
    value = 10 * value + digit;
  }
  bool ok = at != *text;
  *text = at;
  *out = value;
  return ok;
}

static int csv_add_span(reading *r, tenon_span span, uint64_t from,
                        uint64_t to) {
  pack_file *f = r->f;
  if (from >= to) return 0;
  tenon_span *added = (tenon_span *)cli_add(&f->spans, &f->n_spans);
  if (!added) return CLI_NO_MEMORY;
  span.first = (uint32_t)from;
  span.last = (uint32_t)(to - 1);
  *added = span;
  return 0;
}

// A span before each gap and one behind the last.
static int add_spans(reading *r, tenon_span span, const char *gaps) {
  uint64_t from = r->values[LOWER], upper = r->values[UPPER];
  const char *all = gaps;
  while (*gaps) {
    uint64_t begin = 0, end = 0;
    if (*gaps == ' ') {
      ++gaps;
      continue;
    }
    bool ok = take_number(&gaps, &begin) && *gaps == '-';
    if (ok) ++gaps;
    ok = ok && take_number(&gaps, &end) && (*gaps == ' ' || *gaps == '\0');
    if (!ok || begin < from || end <= begin || end > upper)
      return csv_refuse(r, "expected gaps like '20-30 40-50', found", all);
    int code = csv_add_span(r, span, from, begin);
    if (code) return code;
    from = end;
  }
  return csv_add_span(r, span, from, upper);
}

static int read_row(reading *r, char *line) {
  pack_file *f = r->f;
  pack_row row = {line, strlen(line), f->n_spans, 0};
  char *copy = (char *)malloc(row.size + 1);
  const char *gaps = "";
  int code = 0;
  if (!copy) return CLI_NO_MEMORY;
  memcpy(copy, line, row.size + 1);
  if (csv_cut(copy, r->cells) != r->n_columns)
    code = csv_refuse(r, "not as many cells as the header has:", line);
  for (int i = LOWER; i < N_COLUMNS && code == 0; ++i) {
    const char *cell = r->column[i] >= 0 ? r->cells[r->column[i]] : "";
    r->values[i] = 0;
    if (i == GAPS)
      gaps = cell;
    else if ((*cell || i <= SIZE) &&
             (!take_number(&cell, &r->values[i]) || *cell))
      code = csv_refuse(r, "expected a whole number, found",
                        r->cells[r->column[i]]);
  }
  const uint64_t *v = r->values;
  if (code == 0 && (v[LOWER] >= v[UPPER] || v[UPPER] > UINT32_MAX))
    code = csv_refuse(r, "expected lower < upper < 2^32, found", line);
  if (code == 0 && v[GROUP] > INT32_MAX)
    code = csv_refuse(r, "expected a group below 2^31, found", line);
  if (code == 0) {
    tenon_span span = {.size = v[SIZE],
                       .align = v[ALIGNMENT],
                       .offset = v[OFFSET],
                       .inner = v[INNER],
                       .group = (uint32_t)v[GROUP]};
    span.is_fixed = r->column[OFFSET] >= 0 && *r->cells[r->column[OFFSET]];
    if (*gaps && span.group == 0)
      span.group = (uint32_t)INT32_MAX + 1 + (uint32_t)f->n_rows;
    code = add_spans(r, span, gaps);
  }
  free(copy);
  row.count = f->n_spans - row.first;
  if (code) return code;
  if (row.count == 0) return csv_refuse(r, "never live:", line);
  pack_row *added = (pack_row *)cli_add(&f->rows, &f->n_rows);
  if (added) *added = row;
  return added ? 0 : CLI_NO_MEMORY;
}

int pack_read(cli *c, const char *path, pack_file *out) {
  reading r = {.c = c, .f = out, .path = path};
  memset(out, 0, sizeof *out);
  if (!cli_read_file(c, path, &out->bytes)) return TENON_IO;
  if (strlen(out->bytes.data) != out->bytes.size)
    return csv_refuse(&r, "a zero byte in", path);
  int code = 0;
  for (char *at = out->bytes.data, *next = NULL; at && code == 0; at = next) {
    next = strchr(at, '\n');
    if (next) *next++ = '\0';
    size_t size = strlen(at);
    if (size > 0 && at[size - 1] == '\r') at[size - 1] = '\0';
    ++r.line;
    if (*at == '\0') continue;
    if (out->header) {
      code = read_row(&r, at);
      continue;
    }
    char *copy = (char *)malloc(strlen(at) + 1);
    if (!copy) return CLI_NO_MEMORY;
    memcpy(copy, at, strlen(at) + 1);
    code = read_header(&r, copy);
    free(copy);
    out->header = at;
  }
  if (code == 0 && !out->header) code = csv_refuse(&r, "no header in", path);
  return code;
}

// A line with its cell in `column` replaced, or with one more.
static void print_line(const char *line, int column, const char *cell,
                       tenon_buf *out) {
  const char *from = line;
  if (column < 0) {
    tenon_put(out, "$,$\n", line, cell);
    return;
  }
  for (int i = 0; i < column && from; ++i) {
    from = strchr(from, ',');
    if (from) ++from;
  }
  if (!from) return;
  tenon_buf_add(out, line, (size_t)(from - line));
  tenon_put(out, "$$\n", cell, strchr(from, ','));
}

void pack_print(const pack_file *f, tenon_buf *out) {
  print_line(f->header, f->offset_column, "offset", out);
  for (size_t i = 0; i < f->n_rows; ++i) {
    char cell[24];
    const tenon_span *span = &f->spans[f->rows[i].first];
    snprintf(cell, sizeof cell, "%llu", (unsigned long long)span->offset);
    print_line(f->rows[i].text, f->offset_column, cell, out);
  }
}

void pack_free(pack_file *f) {
  tenon_buf_deinit(&f->bytes);
  free(f->rows);
  free(f->spans);
}
