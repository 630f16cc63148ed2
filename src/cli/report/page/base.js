// What all parts of the page share: the data, texts of numbers, elements, tips.
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
addEventListener('error', e => { document.documentElement.dataset.error = e.message; });

// Element with attributes, and children that are elements or texts.
function make(name, attributes, ...children) {
  const svg = /^(svg|g|rect|path|line|text|title|circle|polyline|defs|pattern)$/.test(name);
  const e = svg ? document.createElementNS('http://www.w3.org/2000/svg', name)
                : document.createElement(name);
  for (const [k, v] of Object.entries(attributes || {})) {
    if (v === null || v === undefined || v === false) continue;
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else e.setAttribute(k, v === true ? '' : v);
  }
  for (const c of children.flat(Infinity)) if (c !== null && c !== undefined) e.append(c);
  return e;
}

function show(id, ...children) {
  $(id).replaceChildren(...children.flat(Infinity).filter(c => c !== null && c !== undefined));
}

// 1,234,567
function count(n) { return Math.round(n).toLocaleString('en-US'); }

// [12.3, 'KiB'] of bytes, [12.3, 'M'] of a count.
function scaled(n, units, base) {
  let i = 0;
  while (n >= base && i < units.length - 1) { n /= base; ++i; }
  const digits = i === 0 || n >= 100 ? 0 : n >= 10 ? 1 : 2;
  return [n.toFixed(digits), units[i]];
}
const bytes = n => scaled(n, ['B', 'KiB', 'MiB', 'GiB', 'TiB'], 1024);
const many = n => scaled(n, ['', 'k', 'M', 'G', 'T'], 1000);
const bytesText = n => bytes(n).join('\u202f');
const manyText = n => many(n).join('\u202f').trim();
function timeText(us) {
  return us >= 1e6 ? (us / 1e6).toFixed(2) + ' s' : us >= 1000 ? (us / 1000).toFixed(2) + ' ms'
    : us.toFixed(us < 10 ? 2 : 1) + ' µs';
}

// Long names keep both ends.
function middle(text, most) {
  if (text.length <= most) return text;
  const front = Math.ceil((most - 1) / 2);
  return text.slice(0, front) + '…' + text.slice(text.length - (most - 1 - front));
}

const BITS = { f64: 64, f32: 32, f16: 16, bf16: 16, s64: 64, u64: 64, s32: 32, u32: 32, s16: 16,
  u16: 16, s8: 8, u8: 8, bool: 8, s4: 4, u4: 4, s2: 2, u2: 2, u1: 1, c64: 64, c128: 128 };
// {dtype, dims, quant} of "f32[2,?n]{0.5:-1}".
function typeOf(text) {
  const m = /^([a-z0-9]+)\[([^\]]*)\](.*)$/s.exec(text);
  if (!m) return { dtype: text, dims: [], quant: '' };
  return { dtype: m[1], dims: m[2] ? m[2].split(',') : [], quant: m[3] };
}
function sizeOf(text) {
  const t = typeOf(text), bits = BITS[t.dtype] || (t.dtype.startsWith('f8') ? 8 : 0);
  const n = t.dims.reduce((a, d) => a * (Number(d) || 0), 1);
  return Math.ceil(n * bits / 8);
}
function shapeText(text) {
  const t = typeOf(text);
  return t.dtype + (t.dims.length ? ' ' + t.dims.join('×') : '');
}

// A tip beside the pointer.
function tip(event, text) {
  const t = $('tip');
  t.hidden = text === null;
  if (text === null) return;
  t.textContent = text;
  const w = t.offsetWidth, h = t.offsetHeight;
  t.style.left = Math.max(4, Math.min(innerWidth - w - 8, event.clientX + 14)) + 'px';
  t.style.top = (event.clientY + 18 + h > innerHeight ? event.clientY - h - 10 : event.clientY + 18) + 'px';
}

// A table of rows: columns are {key, title, number, text(row), title2(row), mono}. Only the first
// rows are made; a button makes the others. Titles sort.
function table(columns, rows, most = 60) {
  const body = make('tbody'), box = make('div', { class: 'wide' });
  let order = rows, limit = most, by = null, down = true;
  function fill() {
    body.replaceChildren(...order.slice(0, limit).map(r => make('tr', {}, columns.map(c => {
      const v = c.text(r);
      return make('td', { class: [c.number && 'n', c.mono && 'mono'].filter(Boolean).join(' ') || null,
        title: c.full ? c.full(r) : null }, v === null || v === undefined ? '' : v);
    }))));
    more.hidden = order.length <= limit;
    more.textContent = `Show all ${count(order.length)} rows`;
  }
  const more = make('button', { type: 'button', class: 'more', onclick: () => { limit = Infinity; fill(); } });
  const head = make('tr', {}, columns.map(c => make('th', { class: c.number ? 'n' : null },
    c.key ? make('button', { type: 'button', title: 'Sort', onclick: () => {
      down = by === c ? !down : true;
      by = c;
      order = [...rows].sort((a, b) => {
        const x = c.key(a), y = c.key(b);
        return (x < y ? 1 : x > y ? -1 : 0) * (down ? 1 : -1);
      });
      fill();
    } }, c.title) : c.title)));
  box.append(make('table', {}, make('thead', {}, head), body));
  fill();
  return [box, more];
}

function meter(share) { return make('span', { class: 'meter', style: `width:${Math.max(share * 160, 1)}px` }); }

// Light or dark: as the system has it until the button is used.
(function () {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  let chosen = null;
  const set = () => {
    document.documentElement.dataset.theme = chosen || (dark.matches ? 'dark' : 'light');
    document.dispatchEvent(new Event('theme'));
  };
  dark.addEventListener('change', set);
  $('theme').addEventListener('click', () => {
    chosen = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    set();
  });
  set();
})();
