// How: both pictures put time from left to right and addresses from bottom to
// top, scaled to a fixed size.
#include <string.h>

#include "plan/pictures.h"

#define ROWS 24u
#define COLUMNS 96u

static char letter(uint32_t i) {
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return letters[i % (sizeof letters - 1)];
}

// Few bytes make few rows: one is sixteen bytes, or a multiple.
#define ROW_BYTES UINT64_C(16)

static uint64_t row_bytes(uint64_t size) {
  uint64_t least = size / ROWS + (size % ROWS != 0);
  return (least + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
}

typedef struct picture {
  uint64_t unit;  // bytes of a row
  uint32_t rows, columns, times;
  char grid[ROWS][COLUMNS + 1];  // from the bottom
} picture;

static void draw(picture *g, const tenon_span_record *b, char c) {
  uint32_t left = (uint32_t)((uint64_t)b->first * g->columns / g->times);
  uint32_t right = (uint32_t)((uint64_t)b->last * g->columns / g->times);
  uint64_t high = (b->offset + b->size - 1) / g->unit;
  for (uint64_t y = b->offset / g->unit; y <= high && y < g->rows; ++y)
    for (uint32_t x = left; x <= right && x < g->columns; ++x)
      g->grid[y][x] = c;
}

void tenon_plan_picture(const struct tenon_program *p, tenon_buf *out) {
  if (p->n_spans == 0 || p->arena_size == 0) return;
  picture g = {.unit = row_bytes(p->arena_size)};
  g.times = p->times ? p->times : 1;
  g.columns = g.times < COLUMNS ? g.times : COLUMNS;
  g.rows = (uint32_t)((p->arena_size + g.unit - 1) / g.unit);
  for (uint32_t y = 0; y < g.rows; ++y) {
    memset(g.grid[y], '.', g.columns);
    g.grid[y][g.columns] = 0;
  }
  for (uint32_t i = 0; i < p->n_spans; ++i)
    if (p->spans[i].size)
      draw(&g, &p->spans[i], p->spans[i].is_scratch ? '#' : letter(i));
  tenon_buf_format(out, "arena, %llu bytes; a row is %llu, a column %s\n",
                   (unsigned long long)p->arena_size,
                   (unsigned long long)g.unit,
                   g.columns == g.times ? "a step" : "several steps");
  for (uint32_t y = g.rows; y-- > 0;)
    tenon_buf_format(out, "%10llu |%s|\n", (unsigned long long)(y * g.unit),
                     g.grid[y]);
}

// --- SVG --------------------------------------------------------------------

#define WIDTH 1200u
#define HEIGHT 640u
#define MARGIN 60u

static void escape(tenon_buf *out, const char *name) {
  tenon_buf shown;
  tenon_buf_init(&shown, out->allocator);
  tenon_buf_shown(&shown, name);
  for (size_t i = 0; i < shown.size; ++i) {
    if (shown.data[i] == '<')
      tenon_buf_text(out, "&lt;");
    else if (shown.data[i] == '&')
      tenon_buf_text(out, "&amp;");
    else
      tenon_buf_char(out, shown.data[i]);
  }
  if (shown.failed) out->failed = true;
  tenon_buf_deinit(&shown);
}

static void svg_box(const struct tenon_program *p, uint32_t i, tenon_buf *out) {
  static const char *const colours[] = {"#4e79a7", "#59a14f", "#edc948",
                                        "#b07aa1", "#76b7b2", "#9c755f",
                                        "#f28e2b", "#bab0ac"};
  const tenon_span_record *b = &p->spans[i];
  uint32_t times = p->times ? p->times : 1;
  double x = MARGIN + (double)b->first * WIDTH / times;
  double w = (double)(b->last - b->first + 1) * WIDTH / times;
  double h = (double)b->size * HEIGHT / (double)p->arena_size;
  double y =
      MARGIN + HEIGHT - (double)b->offset * HEIGHT / (double)p->arena_size - h;
  tenon_buf_format(out,
                   "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
                   "fill=\"%s\" stroke=\"#fff\" stroke-width=\"0.5\"><title>",
                   x, y, w, h, b->is_scratch ? "#e15759" : colours[i % 8]);
  escape(out, b->name);
  tenon_buf_format(
      out, "%s\n%llu bytes at %llu\nsteps %u to %u</title></rect>\n",
      b->is_scratch ? " (scratch)" : "", (unsigned long long)b->size,
      (unsigned long long)b->offset, b->first, b->last);
}

// A line where a memory begins, and its name.
static void svg_bank(const struct tenon_program *p, uint32_t i,
                     tenon_buf *out) {
  double y = MARGIN + HEIGHT -
             (double)p->banks[i].base * HEIGHT / (double)p->arena_size;
  tenon_buf_format(out,
                   "<line x1=\"%u\" x2=\"%u\" y1=\"%.2f\" y2=\"%.2f\" "
                   "stroke=\"#444\"/>\n<text x=\"4\" y=\"%.2f\">",
                   MARGIN, MARGIN + WIDTH, y, y, y - 4);
  escape(out, p->banks[i].name);
  tenon_buf_text(out, "</text>\n");
}

void tenon_plan_svg(const struct tenon_program *p, tenon_buf *out) {
  tenon_buf_format(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
                   "height=\"%u\" font-family=\"sans-serif\" "
                   "font-size=\"13\">\n"
                   "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                   WIDTH + 2 * MARGIN, HEIGHT + 2 * MARGIN);
  tenon_buf_format(out, "<text x=\"%u\" y=\"30\">arena of ", MARGIN);
  escape(out, p->name);
  tenon_buf_format(out,
                   ": %llu bytes, bound %llu; time from left to right, address "
                   "from bottom to top; scratch red</text>\n",
                   (unsigned long long)p->arena_size,
                   (unsigned long long)p->arena_bound);
  if (p->arena_size) {
    for (uint32_t i = 0; i < p->n_spans; ++i)
      if (p->spans[i].size) svg_box(p, i, out);
    uint32_t times = p->times ? p->times : 1;
    tenon_buf_format(out,
                     "<line x1=\"%.2f\" x2=\"%.2f\" y1=\"%u\" y2=\"%u\" "
                     "stroke=\"#000\" stroke-dasharray=\"4 3\"/>\n",
                     MARGIN + (tenon_plan_peak_time(p, TENON_ALL_BANKS) + 0.5) *
                                  WIDTH / times,
                     MARGIN + (tenon_plan_peak_time(p, TENON_ALL_BANKS) + 0.5) *
                                  WIDTH / times,
                     MARGIN, MARGIN + HEIGHT);
  }
  for (uint32_t i = 0; i < p->n_banks; ++i)
    if (p->banks[i].arena) svg_bank(p, i, out);
  tenon_buf_format(out,
                   "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" "
                   "fill=\"none\" stroke=\"#444\"/>\n</svg>\n",
                   MARGIN, MARGIN, WIDTH, HEIGHT);
}
