// Two models, or two sets of flags, side by side.
'use strict';

function sizesOf(d) {
  const nodes = d.source.functions.reduce((a, f) => a + f.nodes.length, 0), p = d.plan, t = d.time;
  const worst = d.accuracy ? d.accuracy.outputs.concat(d.accuracy.nodes).filter(a => !a.equal && a.snr_db !== null).map(a => a.snr_db) : [];
  return [['Operators', nodes, count], ['Constants', d.info.constant_bytes, bytesText],
    ['MACs', p && p.macs, manyText], ['Arena', p && p.arena, bytesText], ['Arena, bound', p && p.arena_bound, bytesText],
    ['State', p && p.state, bytesText], ['RAM', p && p.ram.total, bytesText], ['Flash, about', p && p.flash.about, bytesText],
    ['Steps', p && p.steps.length, count], ['Time of a run', t && t.median_us, timeText],
    ['Worst signal to noise', worst.length ? Math.min(...worst) : null, v => v.toFixed(1) + ' dB']];
}

function changeText(a, b) {
  if (typeof a !== 'number' || typeof b !== 'number') return '';
  if (a === b) return 'the same';
  return a === 0 ? '' : (b > a ? '+' : '\u2212') + (100 * Math.abs(b - a) / a).toFixed(1) + ' %';
}

function byOperator(d) {
  const sums = new Map(), time = new Map((d.time ? d.time.steps : []).map(s => [s.step, s.microseconds]));
  for (const s of d.plan ? d.plan.steps : []) {
    const n = sums.get(s.op) || { steps: 0, macs: 0, us: 0 };
    ++n.steps;
    n.macs += s.macs || 0;
    n.us += time.get(s.index) || 0;
    sums.set(s.op, n);
  }
  return sums;
}

// The arena of a plan, with one scale for both.
function smallMemory(plan, most, times) {
  const W = 560, H = 220, x = t => t * W / times, y = v => H - v * H / (most || 1);
  return make('svg', { viewBox: `0 0 ${W} ${H}`, width: '100%', role: 'img', 'aria-label': 'Arena, offset against steps' },
    plan.buffers.filter(b => b.bytes > 0).map(b => make('rect', { x: x(b.first), y: y(b.offset + b.bytes), width: x(b.last + 1) - x(b.first),
      height: Math.max(y(b.offset) - y(b.offset + b.bytes), .5), class: 'block' + (b.scratch ? ' scratch' : ''),
      onpointermove: e => tip(e, `${b.name}\n${count(b.bytes)} bytes at ${count(b.offset)}`), onpointerleave: e => tip(e, null) })));
}

function startCompare() {
  const other = data.other;
  $('compare').hidden = $('compare-link').hidden = !other;
  if (!other) return;
  const a = sizesOf(data), b = sizesOf(other), rows = a.map((r, i) => ({ name: r[0], a: r[1], b: b[i][1], text: r[2] }))
    .filter(r => typeof r.a === 'number' || typeof r.b === 'number');
  const said = (r, v) => (typeof v === 'number' ? r.text(v) : '\u2013'), names = [middle(data.name, 40), middle(other.label, 60)];
  const first = byOperator(data), second = byOperator(other);
  const ops = [...new Set([...first.keys(), ...second.keys()])].map(op => ({ op, a: first.get(op), b: second.get(op) }));
  ops.sort((p, q) => ((q.a || q.b).us || (q.a || q.b).macs) - ((p.a || p.b).us || (p.a || p.b).macs));
  const pair = (title, get, text) => [
    { title: title + ', A', number: true, text: r => (r.a ? text(get(r.a)) : ''), key: r => (r.a ? get(r.a) : 0) },
    { title: 'B', number: true, text: r => (r.b ? text(get(r.b)) : ''), key: r => (r.b ? get(r.b) : 0) }];
  const parts = [make('p', {}, make('b', {}, 'A '), names[0], make('br'), make('b', {}, 'B '), names[1]),
    other.failures.length ? make('div', { class: 'failure' }, make('b', {}, 'B did not compile'), make('ul', {}, other.failures.map(f => make('li', {}, f)))) : null,
    table([{ title: '', text: r => r.name }, { title: 'A', number: true, text: r => said(r, r.a) }, { title: 'B', number: true, text: r => said(r, r.b) },
      { title: 'B against A', number: true, text: r => changeText(r.a, r.b) }], rows)];
  if (ops.length) parts.push(make('h3', {}, 'Steps by operator'), table([{ title: 'Operator', text: r => r.op, key: r => r.op },
    ...pair('Steps', n => n.steps, count), ...pair('MACs', n => n.macs, manyText),
    ...(data.time && other.time ? pair('Time', n => n.us, timeText) : [])], ops, 20));
  if (data.plan && other.plan) {
    const most = Math.max(data.plan.arena, other.plan.arena), last = p => p.buffers.reduce((m, x) => Math.max(m, x.last + 1), 1);
    parts.push(make('h3', {}, 'Arena, at one scale'), make('div', { class: 'columns' }, [data.plan, other.plan].map((p, i) => make('div', { class: 'frame' },
      make('p', {}, `${'AB'[i]}: ${bytesText(p.arena)}`), smallMemory(p, most, last(p))))));
  }
  show('compare-body', parts);
}
