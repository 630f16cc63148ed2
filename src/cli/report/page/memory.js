// Memory: every buffer as a box, bytes against steps; what is alive at the peak; the order of
// steps and the constants beside it.
'use strict';

const memory = { at: null, svg: null };

// Several buffers may bear one name: slices of a result, parts of a list.
function nameBuffers(list) {
  const n = new Map(), k = new Map();
  for (const b of list) {
    const s = b.name ? null : memory.steps.get(b.first);
    if (!b.name) b.name = s ? `${shortOp(s.op)}, step ${s.index}` : 'unnamed';
  }
  for (const b of list) n.set(b.name, (n.get(b.name) || 0) + 1);
  for (const b of list) {
    const i = (k.get(b.name) || 0) + 1;
    k.set(b.name, i);
    b.label = b.scratch ? 'scratch of ' + b.name.replace(/^tenon_k_/, '') : b.name + (n.get(b.name) > 1 ? ` (${i} of ${n.get(b.name)})` : '');
  }
}

function stepAt(time) { return memory.steps.get(time); }
function timeLabel(time) {
  const s = stepAt(time);
  return s ? `step ${s.index}, ${shortOp(s.op)}` : time === 0 ? 'before the first step' : `time ${time}`;
}

function livePerTime(list, times) {
  const live = new Float64Array(times + 1);
  for (const b of list) for (let t = b.first; t <= b.last; ++t) live[t] += b.bytes;
  return live;
}

// Round steps of an axis: 1, 2, 5 times a power of ten, or of two for bytes.
function ticks(most, n, powers) {
  let step = powers ? 2 ** Math.ceil(Math.log2(Math.max(most / n, 1))) : 1;
  if (!powers) for (const f = [2, 2.5, 2]; most / step > n;) { step *= f[0]; f.push(f.shift()); }
  const list = [];
  for (let v = 0; v <= most; v += Math.max(Math.round(step), 1)) list.push(v);
  return list;
}

function drawMemory() {
  const plan = data.plan, list = plan.buffers.filter(b => b.bytes > 0);
  const times = list.reduce((a, b) => Math.max(a, b.last + 1), 1);
  const live = livePerTime(list, times);
  let peak = 0;
  live.forEach((v, t) => { if (v > live[peak]) peak = t; });
  memory.list = list;
  memory.live = live;
  memory.peak = peak;
  const W = 1100, H = 460, L = 76, T = 16, B = 44, size = Math.max(plan.arena, 1);
  const x = t => L + (t * (W - L - 8)) / times, y = b => T + (H - T - B) * (1 - b / size);
  const svg = make('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': 'Buffers: offset in bytes against steps' });
  svg.append(make('defs', {}, make('pattern', { id: 'hatch', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    make('rect', { width: 6, height: 6, fill: 'var(--scratch)' }), make('line', { x1: 0, y1: 0, x2: 0, y2: 6, stroke: 'var(--panel)', 'stroke-width': 2, opacity: .45 }))));
  for (const v of ticks(size, 6, true))
    svg.append(make('line', { class: 'axis', x1: L, x2: W - 8, y1: y(v), y2: y(v) }),
      make('text', { x: L - 8, y: y(v) + 4, 'text-anchor': 'end' }, bytesText(v)));
  for (const t of ticks(times, 14, false)) {
    const s = stepAt(t);
    if (s) svg.append(make('text', { x: x(t + .5), y: H - B + 18, 'text-anchor': 'middle' }, String(s.index)));
  }
  svg.append(make('text', { x: (L + W) / 2, y: H - 6, 'text-anchor': 'middle' }, 'steps, in the order in which they run'),
    make('text', { x: 14, y: (T + H - B) / 2, 'text-anchor': 'middle', transform: `rotate(-90 14 ${(T + H - B) / 2})` }, 'offset in the arena'));
  for (const b of list) {
    const w = x(b.last + 1) - x(b.first), h = y(b.offset) - y(b.offset + b.bytes), at = { x: x(b.first), y: y(b.offset + b.bytes), width: w, height: Math.max(h, .5) };
    const box = make('rect', { ...at, rx: Math.min(3, w / 4, h / 4), class: 'block' + (b.scratch ? ' scratch' : b.first <= peak && peak <= b.last ? ' peak' : ''),
      fill: b.scratch ? 'url(#hatch)' : null,
      onpointermove: e => tip(e, `${b.label}\n${count(b.bytes)} bytes at ${count(b.offset)}${b.memory ? ' of ' + b.memory : ''}\nalive from ${timeLabel(b.first)}\nto ${timeLabel(b.last)}`),
      onpointerleave: e => tip(e, null), onclick: () => aliveAt(Math.round((b.first + b.last) / 2)) });
    svg.append(box);
    b.box = box;
    const most = Math.floor((w - 10) / 6.2), said = b.scratch ? 'scratch' : b.label;
    if (most >= Math.min(said.length, 4) && h > 13) svg.append(make('text', { class: 'label', x: at.x + 5, y: at.y + Math.min(h / 2 + 4, 15) }, middle(said, most)));
  }
  const line = [...live].slice(0, times).flatMap((v, t) => [`${x(t)},${y(v)}`, `${x(t + 1)},${y(v)}`]).join(' ');
  svg.append(make('polyline', { class: 'live', points: line }),
    make('line', { class: 'bound', x1: L, x2: W - 8, y1: y(plan.arena_bound), y2: y(plan.arena_bound) }));
  memory.mark = make('line', { class: 'mark', y1: T - 6, y2: H - B });
  svg.append(memory.mark);
  memory.x = x;
  return svg;
}

function aliveAt(time) {
  const all = memory.list.filter(b => b.first <= time && time <= b.last).sort((a, b) => b.bytes - a.bytes);
  const sum = memory.live[time], isPeak = time === memory.peak;
  memory.mark.setAttribute('x1', memory.x(time + .5));
  memory.mark.setAttribute('x2', memory.x(time + .5));
  show('alive', make('h3', {}, isPeak ? `What makes the peak: ${bytesText(sum)} at ${timeLabel(time)}` : `Alive at ${timeLabel(time)}: ${bytesText(sum)}, ${bytesText(memory.live[memory.peak] - sum)} below the peak`),
    isPeak ? null : make('p', {}, make('button', { type: 'button', onclick: () => aliveAt(memory.peak) }, 'The peak')),
    table([{ title: 'Buffer', text: b => middle(b.label, 60), full: b => b.label, key: b => b.label },
      { title: '', text: b => meter(b.bytes / (sum || 1)) },
      { title: 'Bytes', number: true, text: b => count(b.bytes), key: b => b.bytes },
      { title: 'Offset', number: true, text: b => count(b.offset), key: b => b.offset },
      { title: 'Made by', text: b => timeLabel(b.first), key: b => b.first },
      { title: 'Last read by', text: b => timeLabel(b.last), key: b => b.last }], all, 12));
}

function startMemory() {
  const plan = data.plan;
  if (!plan) return show('memory-body', make('p', {}, 'There is no plan: something is not supported.'));
  memory.steps = new Map(plan.steps.map(s => [s.time, s]));
  nameBuffers(plan.buffers);
  if (!plan.buffers.some(b => b.bytes > 0)) return show('memory-body', make('p', {}, 'No value needs the arena.'));
  const svg = drawMemory(), live = memory.live[memory.peak];
  const said = plan.arena === plan.arena_bound
    ? `No packing of this order needs less than the ${bytesText(plan.arena)} of the arena.`
    : `The arena has ${bytesText(plan.arena)}; no packing of this order needs less than ${bytesText(plan.arena_bound)} (dashed).`;
  show('memory-body', make('p', {}, `${said} The line is what is alive, ${bytesText(live)} at the most. Click a box to see what lives beside it; hatched is scratch of kernels.`),
    make('div', { class: 'frame' }, svg), make('div', { id: 'alive' }));
  aliveAt(memory.peak);
}

// --- order of steps, constants ---------------------------------------------------------------

function startSteps() {
  if (!data.plan) return show('steps-body', make('p', {}, 'There is no plan: something is not supported.'));
  const out = s => s.out.reduce((a, t) => a + t.bytes, 0), has = data.time !== null;
  const tensors = list => middle(list.filter(Boolean).map(t => t.name).join(', '), 40);
  show('steps-body', table([
    { title: 'Step', number: true, text: s => s.index, key: s => -s.time },
    { title: 'Operator', text: s => s.op, key: s => s.op },
    { title: 'Kernel', mono: true, text: s => (s.kernel || '').replace(/^tenon_k_/, ''), key: s => s.kernel || '' },
    { title: 'Reads', text: s => tensors(s.in), full: s => s.in.filter(Boolean).map(t => t.name).join(', ') },
    { title: 'Writes', text: s => s.out.filter(Boolean).map(t => `${middle(t.name, 24)} ${t.dtype}[${t.shape.join(',')}]`).join(', ') },
    { title: 'Bytes out', number: true, text: s => count(out(s)), key: out },
    { title: 'MACs', number: true, text: s => (s.macs ? count(s.macs) : ''), key: s => s.macs },
    has ? { title: 'Time', number: true, text: s => (timeOf(s) === null ? '' : timeText(timeOf(s))), key: s => timeOf(s) || 0 } : null,
    { title: 'From', text: s => middle(s.place, 44), full: s => s.place }].filter(Boolean),
    [...data.plan.steps].sort((a, b) => a.time - b.time), 40));
}

function startConstants() {
  const list = data.source.constants.map(c => ({ name: c[0], type: data.texts[c[1]], bytes: sizeOf(data.texts[c[1]]), where: c[2] }));
  const users = new Map();
  for (const n of graph.forms[0].nodes) for (const a of n.args) for (const v of [].concat(a[1])) add(users, v, n);
  list.sort((a, b) => b.bytes - a.bytes);
  if (!list.length) return show('constants-body', make('p', {}, 'The model has none.'));
  const total = list.reduce((a, c) => a + c.bytes, 0);
  show('constants-body', make('p', {}, `${count(list.length)} constants of ${bytesText(total)}` + (data.plan ? `; ${bytesText(data.plan.constants)} in the program, ${bytesText(data.plan.packed)} of them packed for kernels.` : '.')),
    table([{ title: 'Name', text: c => middle(c.name, 60), full: c => c.name, key: c => c.name },
      { title: 'Type', mono: true, text: c => middle(c.type, 48), full: c => c.type, key: c => c.type },
      { title: '', text: c => meter(c.bytes / list[0].bytes) },
      { title: 'Bytes', number: true, text: c => count(c.bytes), key: c => c.bytes },
      { title: 'Read by', text: c => (users.get(c.name) || []).slice(0, 2).map((n, i) => [i ? ', ' : '', jump(n, middle(n.results.length ? n.results[0][0] : shortOp(n.op), 28))]).flat()
        .concat((users.get(c.name) || []).length > 2 ? [` and ${users.get(c.name).length - 2} more`] : []).reduce((e, t) => { e.append(t); return e; }, make('span')) }], list, 30));
}
