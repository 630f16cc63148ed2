// How: the picture of plan_svg.c, the buffers as a list in the page, and a few
// lines of script that say what is alive: nothing is loaded from elsewhere.
// Names come from the file and are escaped for a script as well as for a page.

#include "base/put.h"
#include "plan/show/pictures.h"

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
    "<title>Memory plan</title>\n"
    "<style>\n"
    "body { font: 14px system-ui, sans-serif; margin: 20px; color: #21201c }\n"
    "h1 { font-size: 20px } pre { margin: 8px 0; font-size: 13px }\n"
    "svg { max-width: 100%; height: auto; cursor: pointer }\n"
    "rect:hover { stroke: #21201c }\n"
    "</style>\n"
    "<h1 id=\"title\"></h1>\n<pre>\n";

static const char middle[] =
    "<pre id=\"alive\"></pre>\n"
    "<script>\n";

static const char script[] =
    "document.getElementById('title').textContent = 'Memory of ' + plan.name;\n"
    "function show(t) {\n"
    "  const live = plan.buffers.filter(b => b.first <= t && t <= b.last);\n"
    "  const sum = live.reduce((s, b) => s + b.size, 0);\n"
    "  document.getElementById('alive').textContent = 'alive at time ' + t + "
    "': ' +\n"
    "    sum + ' bytes' + (t == plan.peak ? ', the peak' : '') + '\\n' +\n"
    "    live.map(b => '  ' + String(b.size).padStart(10) + '  ' + b.name +\n"
    "      (b.scratch ? ' (scratch)' : '') + (b.memory ? ' in ' + b.memory : "
    "'') +\n"
    "      ' at ' + b.offset).join('\\n');\n"
    "}\n"
    "const svg = document.querySelector('svg'), times = Math.max(plan.times, "
    "1);\n"
    "svg.onclick = e => {\n"
    "  const box = svg.getBoundingClientRect(), unit = box.width / "
    "plan.width;\n"
    "  const t = ((e.clientX - box.left) / unit - plan.left) * times / "
    "plan.drawn;\n"
    "  show(Math.max(0, Math.min(times - 1, Math.floor(t))));\n"
    "};\n"
    "show(plan.peak);\n"
    "</script>\n</html>\n";

// A string that may stand in a script.
static void html_put_string(tenon_buf *out, const char *text) {
  size_t from = out->size;
  tenon_buf_json(out, text);
  if (out->failed) return;
  tenon_buf plain;
  tenon_buf_init(&plain, out->allocator);
  tenon_buf_add(&plain, out->data + from, out->size - from);
  out->size = from;
  for (size_t i = 0; !plain.failed && i < plain.size; ++i)
    if (plain.data[i] == '<')
      tenon_buf_text(out, "\\u003c");
    else
      tenon_buf_char(out, plain.data[i]);
  if (plain.failed) out->failed = true;
  tenon_buf_deinit(&plain);
}

static void put_buffer(const struct tenon_program *p, uint32_t i,
                       tenon_buf *out) {
  const tenon_span_record *b = &p->spans[i];
  uint64_t inner = b->offset;
  tenon_buf_text(out, "  {name: ");
  html_put_string(out, b->name);
  if (p->n_banks) {
    const tenon_program_bank *m = &p->banks[b->bank];
    inner = b->offset - m->base;
    tenon_buf_text(out, ", memory: ");
    html_put_string(out, m->name);
  }
  tenon_put(out,
            ", first: $, last: $, at: $, offset: $, size: $, scratch: $},\n",
            b->first, b->last, b->offset, inner, b->size,
            b->is_scratch ? "true" : "false");
}

static void put_summary(const struct tenon_program *p, tenon_buf *out) {
  tenon_buf text;
  tenon_buf_init(&text, out->allocator);
  tenon_put(&text, "arena      $ bytes; no packing needs less than $\n",
            p->arena_size, p->arena_bound);
  tenon_plan_memories(p, &text);
  tenon_buf_markup(out, text.data ? text.data : "");
  if (text.failed) out->failed = true;
  tenon_buf_deinit(&text);
}

void tenon_plan_html(const struct tenon_program *p, tenon_buf *out) {
  tenon_buf_text(out, head);
  put_summary(p, out);
  tenon_buf_text(out, "</pre>\n");
  tenon_plan_svg(p, out);
  tenon_put(out, "$const plan = {name: ", middle);
  html_put_string(out, p->name);
  tenon_put(out,
            ", times: $, peak: $, width: $, left: $, drawn: $, buffers: [\n",
            p->times, tenon_plan_peak_time(p, TENON_ALL_BANKS), TENON_SVG_WIDTH,
            TENON_SVG_LEFT, TENON_SVG_DRAWN);
  for (uint32_t i = 0; i < p->n_spans; ++i)
    if (p->spans[i].size) put_buffer(p, i, out);
  tenon_put(out, "]};\n$", script);
}

// Columns that say nothing are left out, so that others can read the rest.
void tenon_plan_csv(const struct tenon_program *p, tenon_buf *out) {
  bool has_align = false, has_groups = false;
  for (uint32_t i = 0; i < p->n_spans; ++i) {
    has_align |= p->spans[i].align > 1;
    has_groups |= p->spans[i].group != 0;
  }
  tenon_put(out, "id,lower,upper,size$$\n", has_align ? ",alignment" : "",
            has_groups ? ",group,inner" : "");
  for (uint32_t i = 0; i < p->n_spans; ++i) {
    const tenon_span_record *b = &p->spans[i];
    if (b->size == 0) continue;
    tenon_put(out, "$,$,$,$", i, b->first, b->last + 1, b->size);
    if (has_align) tenon_buf_format(out, ",%u", b->align ? b->align : 1);
    if (has_groups)
      tenon_buf_format(out, ",%u,%llu", b->group, (unsigned long long)b->inner);
    tenon_buf_char(out, '\n');
  }
}
