// How: the buffers as a list in the page, and a few lines of script that draw
// them: nothing is loaded from elsewhere. Names come from the file and are
// escaped for a script as well as for a page.
#include <string.h>

#include "plan/pictures.h"

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
    "<title>Memory plan</title>\n"
    "<style>\n"
    "body { font: 14px sans-serif; margin: 16px }\n"
    "#tip { position: fixed; background: #fff; border: 1px solid #444;\n"
    "  padding: 4px 8px; pointer-events: none; white-space: pre; display: none "
    "}\n"
    "pre { margin: 8px 0 } rect.box { stroke: #fff; stroke-width: .5 }\n"
    "rect.box:hover { stroke: #000; stroke-width: 2 }\n"
    "</style>\n"
    "<h1 id=\"title\"></h1>\n<pre>\n";

static const char middle[] =
    "</pre>\n<div id=\"plan\"></div>\n<pre "
    "id=\"alive\"></pre>\n<div id=\"tip\"></div>\n"
    "<script>\n";

static const char script[] =
    "const W = 1200, H = 640, L = 90, T = 10, NS = "
    "'http://www.w3.org/2000/svg';\n"
    "const colours = ['#4e79a7', '#59a14f', '#edc948', '#b07aa1', '#76b7b2',\n"
    "  '#9c755f', '#f28e2b', '#bab0ac'];\n"
    "const tip = document.getElementById('tip');\n"
    "document.getElementById('title').textContent = 'Memory of ' + plan.name;\n"
    "function make(name, at, to) {\n"
    "  const e = document.createElementNS(NS, name);\n"
    "  for (const k in at) e.setAttribute(k, at[k]);\n"
    "  to.appendChild(e);\n"
    "  return e;\n"
    "}\n"
    "function say(b) {\n"
    "  return b.name + (b.scratch ? ' (scratch)' : '') + '\\n' + b.size +\n"
    "    ' bytes at ' + b.offset + (b.memory ? ' of ' + b.memory : '') +\n"
    "    '\\nalive from ' + b.first + ' to ' + b.last;\n"
    "}\n"
    "function show(t) {\n"
    "  const live = plan.buffers.filter(b => b.first <= t && t <= b.last);\n"
    "  const sum = live.reduce((s, b) => s + b.size, 0);\n"
    "  document.getElementById('alive').textContent = 'alive at ' + t + ': ' "
    "+\n"
    "    sum + ' bytes' + (t == plan.peak ? ', the peak' : '') + '\\n' +\n"
    "    live.map(b => '  ' + String(b.size).padStart(10) + '  ' + b.name +\n"
    "      (b.scratch ? ' (scratch)' : '')).join('\\n');\n"
    "}\n"
    "const svg = make('svg', {width: W + L + 10, height: H + 40},\n"
    "  document.getElementById('plan'));\n"
    "make('rect', {x: L, y: T, width: W, height: H, fill: '#f4f4f4'}, svg);\n"
    "const times = Math.max(plan.times, 1), size = Math.max(plan.size, 1);\n"
    "plan.buffers.forEach((b, i) => {\n"
    "  const r = make('rect', {class: 'box', x: L + b.first * W / times,\n"
    "    y: T + H - (b.at + b.size) * H / size,\n"
    "    width: (b.last - b.first + 1) * W / times, height: b.size * H / "
    "size,\n"
    "    fill: b.scratch ? '#e15759' : colours[i % 8]}, svg);\n"
    "  r.onmousemove = e => {\n"
    "    tip.textContent = say(b);\n"
    "    tip.style.display = 'block';\n"
    "    tip.style.left = e.clientX + 14 + 'px';\n"
    "    tip.style.top = e.clientY + 14 + 'px';\n"
    "  };\n"
    "  r.onmouseleave = () => { tip.style.display = 'none'; };\n"
    "});\n"
    "const peak = L + (plan.peak + .5) * W / times;\n"
    "make('line', {x1: peak, x2: peak, y1: T, y2: T + H, stroke: '#000',\n"
    "  'stroke-dasharray': '4 3', 'pointer-events': 'none'}, svg);\n"
    "for (let k = 0; k <= 4; ++k)\n"
    "  make('text', {x: L - 6, y: T + H - k * H / 4 + 4, 'text-anchor': "
    "'end',\n"
    "    'font-size': 12}, svg).textContent = Math.round(plan.size * k / 4);\n"
    "make('text', {x: L, y: T + H + 20, 'font-size': 12}, svg).textContent =\n"
    "  'time from left to right, address from bottom to top; scratch red; ' +\n"
    "  'dashed: the peak. Click: what is alive';\n"
    "svg.onclick = e => show(Math.max(0, Math.min(times - 1, Math.floor(\n"
    "  (e.clientX - svg.getBoundingClientRect().left - L) * times / W))));\n"
    "show(plan.peak);\n"
    "</script>\n</html>\n";

// A string that may stand in a script.
static void put_string(tenon_buf *out, const char *text) {
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
  put_string(out, b->name);
  if (p->n_banks) {
    const tenon_program_bank *m = &p->banks[b->bank];
    inner = b->offset - m->base;
    tenon_buf_text(out, ", memory: ");
    put_string(out, m->name);
  }
  tenon_buf_format(out,
                   ", first: %u, last: %u, at: %llu, offset: %llu, size: "
                   "%llu, scratch: %s},\n",
                   b->first, b->last, (unsigned long long)b->offset,
                   (unsigned long long)inner, (unsigned long long)b->size,
                   b->is_scratch ? "true" : "false");
}

static void put_summary(const struct tenon_program *p, tenon_buf *out) {
  tenon_buf text;
  tenon_buf_init(&text, out->allocator);
  tenon_buf_format(&text,
                   "arena      %llu bytes; no packing needs less than "
                   "%llu\n",
                   (unsigned long long)p->arena_size,
                   (unsigned long long)p->arena_bound);
  tenon_plan_memories(p, &text);
  for (size_t i = 0; i < text.size; ++i)
    if (text.data[i] == '<')
      tenon_buf_text(out, "&lt;");
    else if (text.data[i] == '&')
      tenon_buf_text(out, "&amp;");
    else
      tenon_buf_char(out, text.data[i]);
  if (text.failed) out->failed = true;
  tenon_buf_deinit(&text);
}

void tenon_plan_html(const struct tenon_program *p, tenon_buf *out) {
  tenon_buf_text(out, head);
  put_summary(p, out);
  tenon_buf_text(out, middle);
  tenon_buf_text(out, "const plan = {name: ");
  put_string(out, p->name);
  tenon_buf_format(out, ", size: %llu, times: %u, peak: %u, buffers: [\n",
                   (unsigned long long)p->arena_size, p->times,
                   tenon_plan_peak_time(p, TENON_ALL_BANKS));
  for (uint32_t i = 0; i < p->n_spans; ++i)
    if (p->spans[i].size) put_buffer(p, i, out);
  tenon_buf_text(out, "]};\n");
  tenon_buf_text(out, script);
}

// Columns that say nothing are left out, so that others can read the rest.
void tenon_plan_csv(const struct tenon_program *p, tenon_buf *out) {
  bool has_align = false, has_groups = false;
  for (uint32_t i = 0; i < p->n_spans; ++i) {
    has_align |= p->spans[i].align > 1;
    has_groups |= p->spans[i].group != 0;
  }
  tenon_buf_text(out, "id,lower,upper,size");
  if (has_align) tenon_buf_text(out, ",alignment");
  if (has_groups) tenon_buf_text(out, ",group,inner");
  tenon_buf_char(out, '\n');
  for (uint32_t i = 0; i < p->n_spans; ++i) {
    const tenon_span_record *b = &p->spans[i];
    if (b->size == 0) continue;
    tenon_buf_format(out, "%u,%u,%u,%llu", i, b->first, b->last + 1,
                     (unsigned long long)b->size);
    if (has_align) tenon_buf_format(out, ",%u", b->align ? b->align : 1);
    if (has_groups)
      tenon_buf_format(out, ",%u,%llu", b->group, (unsigned long long)b->inner);
    tenon_buf_char(out, '\n');
  }
}
