// The graph: operators folded by module, drawn on a canvas. A node of the data is
// [op, arguments, attributes, results, where, module, origin, regions]; texts are indices of
// data.texts.
'use strict';

const FAMILIES = [
  ['compute', 'Products, convolutions', /conv|matmul|mm$|linear|fully_connected|attention|einsum|lstm|gru|rnn|embedding|svdf/],
  ['norm', 'Normalisation', /norm|softmax/],
  ['activation', 'Activations', /relu|gelu|silu|sigmoid|logistic|tanh|swish|elu|mish|softplus|prelu|clamp|hardtanh/],
  ['reduce', 'Pools, reductions', /pool|mean|sum|amax|amin|arg|reduce|max$|min$|cumsum|topk|sort|var|std|any|all$/],
  ['shape', 'Moves, shapes', /view|reshape|transpose|permute|slice|cat|concat|pad|expand|squeeze|select|split|gather|index|copy|clone|flatten|stack|roll|pack|shape|tile|repeat|resize|upsample|cast|_to|to_|identity|contiguous|quantize|dequantize|size/],
  ['state', 'States', /state|variable|assign|cache/],
  ['control', 'Control', /cond|while|scan|map|call|^if|loop|assert|item/],
  ['element', 'On elements', /./],
];

const graph = { forms: [], form: 0, nodes: [], items: [], links: [], open: new Set(), chosen: null,
  hits: [], hit: -1, scale: 1, x: 0, y: 0, size: { w: 1, h: 1 } };

function familyOf(op) {
  const name = op.replace(/^.*::/, '').replace(/\..*$/, '').toLowerCase();
  return FAMILIES.find(f => f[2].test(name))[0];
}
function shortOp(op) { return op.replace(/^.*::/, '').replace(/\.default$/, ''); }

// Nodes of one form with names of values resolved, regions as a folder of their own.
function readForm(form) {
  const nodes = [], text = i => data.texts[i];
  const types = new Map(form.constants.map(c => [c[0], c]));
  function read(list, parents, scope) {
    for (const raw of list) {
      const where = text(raw[4]);
      const module = text(raw[5]).replace(/ \(.*$/s, '');
      const kind = (/\((.*)\)$/s.exec(text(raw[5])) || [])[1] || '';
      const own = module ? module.split('.') : scopes(raw[3]);
      const node = { id: nodes.length, op: text(raw[0]), args: raw[1], attrs: raw[2],
        results: raw[3].map(r => [r[0], text(r[1])]), where, module, kind: kind.replace(/^.*\./, ''),
        origin: text(raw[6]), path: parents.concat(own), scope };
      nodes.push(node);
      (raw[7] || []).forEach((region, i) => {
        const name = `${shortOp(node.op)} ${node.results.length ? node.results[0][0] : node.id} · ${i ? 'part ' + (i + 1) : 'part 1'}`;
        read(region, node.path.concat([name]), scope + '/' + node.id + '.' + i);
      });
    }
  }
  form.functions.forEach((f, i) => read(f.nodes, form.functions.length > 1 ? [f.name || 'function ' + i] : [], String(i)));
  // A folder of one operator is that operator.
  const sizes = new Map();
  for (const n of nodes) for (const p of paths(n)) sizes.set(p, (sizes.get(p) || 0) + 1);
  return { nodes, constants: types, functions: form.functions, sizes };
}

// "block1/conv/Relu" of a .tflite stands in block1/conv.
function scopes(results) {
  const name = results.length ? results[0][0] : '';
  return name.includes('/') ? name.split(';')[0].split('/').slice(0, -1).slice(0, 6) : [];
}

function paths(node) { return node.path.map((_, i) => node.path.slice(0, i + 1).join('\u0001')); }

// --- what is shown --------------------------------------------------------------------------

// The outermost folded folder of a node; null: the node itself.
function folder(node) {
  const sizes = graph.forms[graph.form].sizes;
  for (const p of paths(node)) if (!graph.open.has(p)) return sizes.get(p) > 1 ? p : null;
  return null;
}

function build() {
  const form = graph.forms[graph.form], items = [], of = new Map(), links = new Map();
  const makers = new Map(), inputs = [];
  form.nodes.forEach(n => {
    const p = folder(n), key = p === null ? n : p;
    let item = of.get(key);
    if (!item) {
      item = { order: n.id + 1, nodes: [], path: p, name: p === null ? null : n.path.slice(0, p.split('\u0001').length) };
      of.set(key, item);
      items.push(item);
    }
    item.nodes.push(n);
    n.item = item;
    for (const r of n.results) makers.set(n.scope + '\u0002' + r[0], n);
  });
  form.functions.forEach((f, i) => f.params.forEach(p => {
    const item = { order: 0, nodes: [], port: p[0], type: data.texts[p[1]], path: null };
    items.push(item);
    inputs.push(item);
    makers.set(i + '\u0002' + p[0], { item });
  }));
  items.forEach((item, i) => { item.at = i; });
  // A value is that of the region it is used in, or of one around it.
  const find = (scope, name) => {
    for (let s = scope; ; s = s.slice(0, s.lastIndexOf('/'))) {
      const m = makers.get(s + '\u0002' + name);
      if (m || !s.includes('/')) return m;
    }
  };
  const link = (from, to) => {
    if (from && from !== to) links.set(from.at * items.length + to.at, { from: from.at, to: to.at });
  };
  for (const n of form.nodes)
    for (const a of n.args) for (const v of [].concat(a[1])) {
      const m = find(n.scope, v);
      if (m) link(m.item, n.item);
    }
  form.functions.forEach((f, i) => f.returns.forEach((v, k) => {
    const m = find(String(i), v);
    const item = { order: Infinity, nodes: [], port: f.outputs[k] || v, isOutput: true, path: null,
      type: (m && m.results && m.results.find(r => r[0] === v) || [])[1] || '', at: items.length };
    items.push(item);
    if (m) links.set('o' + item.at, { from: m.item.at, to: item.at });
  }));
  graph.find = find;
  graph.items = items;
  graph.links = [...links.values()];
  items.forEach(describe);
  graph.size = layOut(items, graph.links);
}

// Title, lines and box of an item.
function describe(item) {
  item.lines = [];
  if (item.port !== undefined) {
    item.title = middle(item.port, 28);
    if (item.type) item.lines.push(shapeText(item.type));
    item.family = 'port';
  } else if (item.path !== null) {
    const first = item.nodes[0], exact = item.nodes.find(n => n.path.length === item.name.length);
    item.title = middle(item.name.slice(-2).join('.'), 30);
    item.kind = exact ? exact.kind : '';
    item.lines.push((item.kind ? middle(item.kind, 24) + ' · ' : '') + count(item.nodes.length) + ' operators');
    item.family = 'folder';
    item.order = first.id + 1;
  } else {
    const n = item.nodes[0], form = graph.forms[graph.form];
    item.title = middle(shortOp(n.op), 30);
    item.family = familyOf(n.op);
    for (const a of n.args) {
      const c = typeof a[1] === 'string' && form.constants.get(a[1]);
      if (c && item.lines.length < 2 && typeOf(data.texts[c[1]]).dims.length) item.lines.push(`${a[0] || 'constant'} ⟨${shapeText(data.texts[c[1]]).replace(/^\S+ ?/, '')}⟩`);
    }
    if (n.results.length) item.lines.push('→ ' + shapeText(n.results[0][1]) + (n.results.length > 1 ? ` +${n.results.length - 1}` : ''));
  }
  item.lines = item.lines.map(l => middle(l, 34));
  item.bad = item.nodes.some(n => explained(n).supported === false);
  item.plugin = item.nodes.map(n => data.owners[n.op]).find(Boolean) || null;
  item.w = Math.max(width(item.title, true) + (item.plugin && item.path === null ? 14 : 0), ...item.lines.map(l => width(l, false)), 44) + 24;
  item.h = 26 + 16 * item.lines.length;
}

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const widths = new Map();
function width(text, bold) {
  const key = (bold ? 'b' : 'n') + text;
  if (!widths.has(key)) {
    const c = $('canvas').getContext('2d');
    c.font = bold ? `600 13px ${FONT}` : `11px ${FONT}`;
    widths.set(key, c.measureText(text).width);
  }
  return widths.get(key);
}

function explained(node) { return graph.explained.get(node.op + '\u0001' + node.where) || {}; }

// --- drawing --------------------------------------------------------------------------------

let colours = {};
function readColours() {
  const s = getComputedStyle(document.documentElement);
  for (const name of ['panel', 'line', 'soft', 'text', 'muted', 'accent', 'accent-soft', 'red', 'red-soft', 'edge',
    ...FAMILIES.map(f => f[0])]) colours[name] = s.getPropertyValue('--' + name).trim();
}

let drawn = 0;
function redraw() {
  if (!drawn) drawn = requestAnimationFrame(() => { drawn = 0; draw(); });
}

function draw() {
  const canvas = $('canvas'), ratio = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  if (!w || !h) return;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
  }
  const c = canvas.getContext('2d');
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, w, h);
  c.translate(graph.x, graph.y);
  c.scale(graph.scale, graph.scale);
  const seen = { left: -graph.x / graph.scale, top: -graph.y / graph.scale };
  seen.right = seen.left + w / graph.scale;
  seen.bottom = seen.top + h / graph.scale;
  drawLinks(c, seen);
  for (const item of graph.items)
    if (item.x + item.w / 2 > seen.left && item.x - item.w / 2 < seen.right && item.y + item.h / 2 > seen.top && item.y - item.h / 2 < seen.bottom)
      drawItem(c, item);
}

function near(link) {
  const s = graph.chosen && graph.chosen.at;
  return s !== null && s !== undefined && (link.from === s || link.to === s);
}

function drawLinks(c, seen) {
  for (const strong of [false, true]) {
    c.strokeStyle = strong ? colours.accent : colours.edge;
    c.fillStyle = c.strokeStyle;
    c.lineWidth = strong ? 2 : 1.2;
    for (const l of graph.links) {
      if (near(l) !== strong) continue;
      if (!l.points) { drawLong(c, l, strong); continue; }
      const p = l.points, first = p[0], last = p[p.length - 1];
      if (last.y < seen.top || first.y > seen.bottom) continue;
      c.beginPath();
      c.moveTo(first.x, first.y);
      for (let i = 1; i < p.length; ++i) {
        const a = p[i - 1], b = p[i], m = (a.y + b.y) / 2;
        if (Math.abs(a.x - b.x) < 1) c.lineTo(b.x, b.y);
        else c.bezierCurveTo(a.x, m, b.x, m, b.x, b.y);
      }
      c.stroke();
      arrow(c, last);
    }
  }
}

function arrow(c, at) {
  if (graph.scale < 0.25) return;
  c.beginPath();
  c.moveTo(at.x, at.y);
  c.lineTo(at.x - 4, at.y - 7);
  c.lineTo(at.x + 4, at.y - 7);
  c.fill();
}

// Over many ranks, or back: two ends; a line where one of them is chosen.
function drawLong(c, l, strong) {
  const a = graph.items[l.from], b = graph.items[l.to];
  c.setLineDash([3, 3]);
  c.beginPath();
  if (strong) {
    c.moveTo(a.x + a.w / 2, a.y);
    c.bezierCurveTo(a.x + a.w / 2 + 60, a.y, b.x + b.w / 2 + 60, b.y, b.x + b.w / 2, b.y);
  } else {
    c.moveTo(a.x + a.w / 2, a.y);
    c.lineTo(a.x + a.w / 2 + 10, a.y);
    c.moveTo(b.x + b.w / 2, b.y);
    c.lineTo(b.x + b.w / 2 + 10, b.y);
  }
  c.stroke();
  c.setLineDash([]);
}

function drawItem(c, item) {
  const x = item.x - item.w / 2, y = item.y - item.h / 2, isHit = graph.hits.length && graph.hitSet.has(item);
  const isPort = item.family === 'port', isFolder = item.family === 'folder';
  c.beginPath();
  c.roundRect(x, y, item.w, item.h, isPort ? item.h / 2 : 7);
  c.fillStyle = item.bad ? colours['red-soft'] : isHit ? colours['accent-soft'] : isPort ? colours.soft : colours.panel;
  c.fill();
  c.lineWidth = item === graph.chosen ? 2.5 : 1.1;
  c.strokeStyle = item === graph.chosen ? colours.accent : item.bad ? colours.red : isFolder ? colours.muted : colours.edge;
  if (isFolder) {
    c.stroke();
    c.beginPath();
    c.roundRect(x + 3, y + 3, item.w - 6, item.h - 6, 5);
    c.strokeStyle = colours.line;
    c.lineWidth = 1;
  }
  c.stroke();
  if (!isPort && !isFolder) {
    c.beginPath();
    c.roundRect(x, y, 5, item.h, [7, 0, 0, 7]);
    c.fillStyle = item.bad ? colours.red : colours[item.family];
    c.fill();
  }
  if (graph.scale < 0.22) return;
  c.textAlign = 'center';
  c.textBaseline = 'middle';
  c.font = `600 13px ${FONT}`;
  c.fillStyle = item.bad ? colours.red : colours.text;
  const middleX = item.x + (isPort || isFolder ? 0 : 2);
  c.fillText(item.title, middleX, y + 15);
  if (item.plugin && !isFolder) {
    c.beginPath();
    c.arc(x + item.w - 11, y + 11, 4, 0, 7);
    c.fillStyle = colours.accent;
    c.fill();
  }
  if (graph.scale < 0.4) return;
  c.font = `11px ${FONT}`;
  c.fillStyle = colours.muted;
  item.lines.forEach((line, i) => c.fillText(line, middleX, y + 31 + 16 * i));
}

// --- moving ---------------------------------------------------------------------------------

function fit() {
  const w = $('canvas').clientWidth, h = $('canvas').clientHeight, g = graph.size, edge = 24;
  const whole = Math.min((w - 2 * edge) / g.w, (h - 2 * edge) / g.h, 1.2);
  // A long graph is shown from its beginning, at a size that can be read.
  graph.scale = Math.max(whole, Math.min(0.75, (w - 2 * edge) / Math.min(g.w, 1200)));
  graph.x = (w - g.w * graph.scale) / 2;
  if (whole < graph.scale && graph.items.length) {
    const first = graph.items.reduce((a, b) => (b.y < a.y ? b : a));
    graph.x = w / 2 - first.x * graph.scale;
    if (g.w * graph.scale < w) graph.x = (w - g.w * graph.scale) / 2;
  }
  graph.y = whole < graph.scale ? edge : (h - g.h * graph.scale) / 2;
  redraw();
}

function fitWhole() {
  const w = $('canvas').clientWidth, h = $('canvas').clientHeight, g = graph.size, edge = 16;
  graph.scale = Math.max(Math.min((w - 2 * edge) / g.w, (h - 2 * edge) / g.h, 1.2), 0.01);
  graph.x = (w - g.w * graph.scale) / 2;
  graph.y = (h - g.h * graph.scale) / 2;
  redraw();
}

function zoom(by, x, y) {
  const next = Math.min(3, Math.max(0.01, graph.scale * by)), k = next / graph.scale;
  graph.x = x - (x - graph.x) * k;
  graph.y = y - (y - graph.y) * k;
  graph.scale = next;
  redraw();
}

function reveal(item, least) {
  const w = $('canvas').clientWidth, h = $('canvas').clientHeight;
  if (graph.scale < (least || 0.5)) graph.scale = 0.8;
  graph.x = w / 2 - item.x * graph.scale;
  graph.y = h / 2 - item.y * graph.scale;
  redraw();
}

function itemAt(event) {
  const box = $('canvas').getBoundingClientRect();
  const x = (event.clientX - box.left - graph.x) / graph.scale, y = (event.clientY - box.top - graph.y) / graph.scale;
  return graph.items.find(i => Math.abs(x - i.x) <= i.w / 2 && Math.abs(y - i.y) <= i.h / 2) || null;
}

function choose(item) {
  graph.chosen = item;
  showDetail(item);
  redraw();
}

// Opens a folder and its only children, or folds the one around.
function toggle(item) {
  if (item.path === null) return;
  const first = item.nodes[0];
  let p = item.path;
  graph.open.add(p);
  for (;;) {  // a folder with nothing but a folder in it
    const under = item.nodes.map(n => paths(n)[p.split('\u0001').length] || null);
    if (!under[0] || under.some(u => u !== under[0])) break;
    p = under[0];
    graph.open.add(p);
  }
  rebuild(first);
}

function foldAround(node) {
  const open = paths(node).filter(p => graph.open.has(p));
  if (!open.length) return;
  graph.open.delete(open[open.length - 1]);
  rebuild(node);
}

// Anew, with this node where it is looked at.
function rebuild(node) {
  build();
  searchFor($('search').value, false);
  const item = node && node.item;
  choose(item || null);
  if (item) reveal(item);
  else fit();
}

// --- search ---------------------------------------------------------------------------------

function searchFor(text, moves) {
  const form = graph.forms[graph.form], words = text.trim().toLowerCase();
  const hits = !words ? [] : form.nodes.filter(n => n.op.toLowerCase().includes(words) || n.module.toLowerCase().includes(words) ||
    n.where.toLowerCase().includes(words) || n.results.some(r => r[0].toLowerCase().includes(words)));
  graph.hits = hits;
  graph.hitSet = new Set(hits.map(n => n.item));
  graph.hit = -1;
  $('found').textContent = words ? count(hits.length) + ' found' : '';
  if (moves && hits.length) nextHit(1);
  redraw();
}

function nextHit(step) {
  if (!graph.hits.length) return;
  graph.hit = (graph.hit + step + graph.hits.length) % graph.hits.length;
  $('found').textContent = `${graph.hit + 1} of ${count(graph.hits.length)}`;
  const item = graph.hits[graph.hit].item;
  choose(item);
  showDetail(item, graph.hits[graph.hit]);
  reveal(item);
}

// --- start ----------------------------------------------------------------------------------

// Depths of folders, with how many items each shows.
function depths() {
  const form = graph.forms[graph.form], most = form.nodes.reduce((a, n) => Math.max(a, n.path.length), 0), list = [];
  for (let d = 0; d <= most; ++d) {
    const shown = new Set(form.nodes.map(n => {
      const p = n.path.length > d ? paths(n)[d] : null;
      return p && form.sizes.get(p) > 1 ? p : n;
    }));
    if (!list.length || shown.size !== list[list.length - 1].shown) list.push({ depth: d, shown: shown.size });
  }
  return list;
}

function openTo(depth) {
  graph.open = new Set();
  for (const n of graph.forms[graph.form].nodes) paths(n).slice(0, depth).forEach(p => graph.open.add(p));
}

function fillFold() {
  const list = depths(), best = list.filter(d => d.shown <= 130).pop() || list[0];
  show('fold', list.map((d, i) => make('option', { value: d.depth, selected: d === best },
    i === list.length - 1 ? `all ${count(d.shown)} operators` : `${count(d.shown)} boxes`)));
  $('fold-label').hidden = list.length < 2;
  openTo(best.depth);
}

function startGraph() {
  graph.explained = new Map((data.explain ? data.explain.operators : []).map(o => [o.op + '\u0001' + o.place, o]));
  graph.forms = [data.source, data.lowered].filter(Boolean).map(readForm);
  const names = ['As read', 'As compiled'];
  show('form', graph.forms.map((_, i) => make('button', { type: 'button', 'aria-pressed': String(i === 0), onclick: () => {
    graph.form = i;
    [...$('form').children].forEach((b, k) => b.setAttribute('aria-pressed', String(k === i)));
    fillFold();
    rebuild(null);
  } }, names[i])));
  $('form').hidden = graph.forms.length < 2;
  readColours();
  fillFold();
  build();
  graph.hitSet = new Set();
  showFamilies();
  choose(null);
  fit();
  listen();
}

function showFamilies() {
  const used = new Set(graph.forms.flatMap(f => f.nodes.map(n => familyOf(n.op))));
  show('families', FAMILIES.filter(f => used.has(f[0])).flatMap(f => [make('i', { style: `background:var(--${f[0]})` }), f[1]]),
    Object.keys(data.owners).length ? [make('i', { style: 'background:var(--accent);border-radius:50%' }), 'from a plugin'] : [],
    data.explain && data.explain.operators.some(o => !o.supported) ? [make('i', { style: 'background:var(--red)' }), 'not supported'] : [],
    ' \u2003 A dashed end leads far away; choose its box to see where. Double click opens a module, and folds the one around an operator.');
}

function listen() {
  const canvas = $('canvas');
  let from = null;
  canvas.addEventListener('pointerdown', e => {
    from = { x: e.clientX, y: e.clientY, gx: graph.x, gy: graph.y, moved: false };
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener('pointermove', e => {
    if (!from) {
      const item = itemAt(e);
      canvas.style.cursor = item ? 'pointer' : '';
      return tip(e, item ? tipOf(item) : null);
    }
    if (Math.abs(e.clientX - from.x) + Math.abs(e.clientY - from.y) > 4) from.moved = true;
    graph.x = from.gx + e.clientX - from.x;
    graph.y = from.gy + e.clientY - from.y;
    canvas.classList.toggle('moving', from.moved);
    redraw();
  });
  canvas.addEventListener('pointerup', e => {
    if (from && !from.moved) choose(itemAt(e));
    from = null;
    canvas.classList.remove('moving');
  });
  canvas.addEventListener('pointerleave', e => tip(e, null));
  canvas.addEventListener('dblclick', e => {
    const item = itemAt(e);
    if (item && item.path !== null) toggle(item);
    else if (item && item.nodes.length) foldAround(item.nodes[0]);
  });
  canvas.addEventListener('wheel', e => {
    // The page scrolls unless the graph is what one works with.
    if (!e.ctrlKey && document.activeElement !== canvas) return;
    e.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoom(Math.exp(-e.deltaY * 0.0016), e.clientX - box.left, e.clientY - box.top);
  }, { passive: false });
  canvas.addEventListener('keydown', keyed);
  document.addEventListener('keydown', e => {
    if (e.key === '/' && !/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) {
      e.preventDefault();
      $('search').focus();
    }
  });
  $('search').addEventListener('input', () => searchFor($('search').value, false));
  $('search').addEventListener('keydown', e => {
    if (e.key === 'Enter') nextHit(e.shiftKey ? -1 : 1);
    if (e.key === 'Escape') { $('search').value = ''; searchFor('', false); canvas.focus(); }
  });
  const centre = () => [canvas.clientWidth / 2, canvas.clientHeight / 2];
  $('in').addEventListener('click', () => zoom(1.35, ...centre()));
  $('out').addEventListener('click', () => zoom(1 / 1.35, ...centre()));
  $('fit').addEventListener('click', fitWhole);
  $('fold').addEventListener('change', () => { openTo(Number($('fold').value)); rebuild(null); });
  document.addEventListener('theme', () => { readColours(); redraw(); });
  new ResizeObserver(redraw).observe(canvas);
  addEventListener('beforeprint', () => { fitWhole(); draw(); });
}

function keyed(e) {
  const canvas = $('canvas'), w = canvas.clientWidth / 2, h = canvas.clientHeight / 2, step = 60;
  const order = graph.items.filter(i => i.nodes.length), at = order.indexOf(graph.chosen);
  const go = i => { if (order[i]) { choose(order[i]); reveal(order[i]); } };
  const keys = {
    ArrowLeft: () => { graph.x += step; }, ArrowRight: () => { graph.x -= step; },
    ArrowUp: () => { graph.y += step; }, ArrowDown: () => { graph.y -= step; },
    '+': () => zoom(1.35, w, h), '=': () => zoom(1.35, w, h), '-': () => zoom(1 / 1.35, w, h), 0: fitWhole,
    n: () => go(at + 1), p: () => go(at < 0 ? 0 : at - 1),
    Enter: () => {
      if (graph.chosen && graph.chosen.path !== null) toggle(graph.chosen);
      else if (graph.chosen && graph.chosen.nodes.length) foldAround(graph.chosen.nodes[0]);
    },
    Escape: () => choose(null),
  };
  if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
  e.preventDefault();
  keys[e.key]();
  redraw();
}

function tipOf(item) {
  if (item.port !== undefined) return `${item.isOutput ? 'output' : 'input'} ${item.port}\n${item.type}`;
  if (item.path !== null) return `${item.name.join('.')}\n${count(item.nodes.length)} operators`;
  const n = item.nodes[0];
  return `${n.op}\n${n.where}` + (n.module ? `\n${n.module}` : '');
}
