// Summary, time and accuracy; then all sections are started.
'use strict';

function tile(value, key, said) {
  const [n, unit] = Array.isArray(value) ? value : [value, ''];
  return make('div', { class: 'tile' }, make('span', { class: 'key' }, key), make('b', {}, n, make('small', {}, unit)), said ? make('span', { class: 'key' }, said) : null);
}

function startSummary() {
  const plan = data.plan, nodes = graph.forms[0].nodes, info = data.info;
  $('title').textContent = `${data.name} · ${data.format}`;
  document.title = data.name + ' · report';
  const kinds = new Set(nodes.map(n => n.op)).size, tiles = [tile(count(nodes.length), 'Operators', `of ${kinds} kinds`)];
  tiles.push(tile(bytes(info.constant_bytes), 'Constants', `${count(info.constants)} of them`));
  if (plan) {
    tiles.push(tile(many(plan.macs), 'MACs', 'of one run'));
    tiles.push(tile(bytes(plan.arena), 'Arena', plan.arena === plan.arena_bound ? 'no packing needs less' : `bound ${bytesText(plan.arena_bound)}`));
    tiles.push(tile(bytes(plan.ram.total), 'RAM', plan.state ? `state ${bytesText(plan.state)}` : 'no state'));
    tiles.push(tile(bytes(plan.flash.about), 'Flash, about', `constants ${bytesText(plan.flash.constants)}`));
    tiles.push(tile(count(plan.steps.length), 'Steps', `for ${plan.target}`));
  }
  if (data.time) tiles.push(tile(timeText(data.time.median_us).split(' '), 'Time of a run', `median of ${count(data.time.runs)}, ${data.time.threads} thread${data.time.threads > 1 ? 's' : ''}`));
  show('tiles', tiles);
  const bad = data.explain ? data.explain.operators.filter(o => !o.supported) : [], why = new Map();
  for (const o of bad) add(why, o.op + ': ' + o.becomes, o);
  const said = data.failures.length || bad.length;
  if (said) show('failures', make('div', { class: 'failure' }, make('b', {}, bad.length ? `${count(bad.length)} operator${bad.length > 1 ? 's are' : ' is'} not supported` : 'This did not compile'),
    make('ul', {}, [...why].map(([text, list]) => make('li', {}, `${text} (${list.length})`)), bad.length ? [] : data.failures.map(f => make('li', {}, f)))));
  showInterface(info);
  showWeights();
}

function ioType(io) {
  return `${io.dtype}[${(io.shape || []).join(', ')}]` + (io.scale ? ` scale ${io.scale}, zero ${io.zero_point}` : '');
}

function showInterface(info) {
  const list = [];
  for (const e of info.entries) {
    for (const i of e.inputs) list.push([e.name, 'input', i]);
    for (const o of e.outputs) list.push([e.name, 'output', o]);
  }
  for (const s of info.states) list.push(['', 'state', s]);
  show('interface', make('h3', {}, 'Inputs and outputs'), table([
    info.entries.length > 1 ? { title: 'Entry', text: r => r[0], key: r => r[0] } : null,
    { title: '', text: r => r[1] }, { title: 'Name', text: r => middle(r[2].name, 40), full: r => r[2].name },
    { title: 'Type', mono: true, text: r => middle(ioType(r[2]), 60), full: r => ioType(r[2]) }].filter(Boolean), list, 12),
    data.info.description ? make('p', {}, data.info.description) : null);
}

function showWeights() {
  const by = new Map();
  for (const c of data.source.constants) {
    const t = typeOf(data.texts[c[1]]).dtype, n = by.get(t) || { dtype: t, count: 0, bytes: 0 };
    ++n.count;
    n.bytes += sizeOf(data.texts[c[1]]);
    by.set(t, n);
  }
  const list = [...by.values()].sort((a, b) => b.bytes - a.bytes), total = list.reduce((a, t) => a + t.bytes, 0) || 1;
  if (list.length) show('weights', make('h3', {}, 'Constants by type'), table([{ title: 'Type', mono: true, text: t => t.dtype },
    { title: '', text: t => meter(t.bytes / total) }, { title: 'Bytes', number: true, text: t => count(t.bytes) },
    { title: 'Number', number: true, text: t => count(t.count) }], list));
}

function startTime() {
  const time = data.time;
  if (!time) return show('time-body', make('p', {}, 'Not measured: ', make('code', {}, '--runs 20'), ' runs the model and shows the time of each step.'));
  const total = time.steps.reduce((a, s) => a + s.microseconds, 0) || 1, sums = new Map();
  for (const s of time.steps) {
    const n = sums.get(s.op) || { op: s.op, us: 0, macs: 0, steps: 0 };
    n.us += s.microseconds;
    n.macs += s.macs;
    ++n.steps;
    sums.set(s.op, n);
  }
  const list = [...sums.values()].sort((a, b) => b.us - a.us), slow = [...time.steps].sort((a, b) => b.microseconds - a.microseconds);
  const rate = s => (s.macs ? (s.macs / (s.us || s.microseconds) / 1e3).toFixed(2) : '');
  show('time-body', make('p', {}, `Median ${timeText(time.median_us)} of ${count(time.runs)} runs, ${timeText(time.min_us)} at best, 99 % within ${timeText(time.p99_us)}; ${time.threads} thread${time.threads > 1 ? 's' : ''}, ${data.plan.target}. Steps are the least of ten runs, watched one by one.`),
    make('h3', {}, 'By operator'), table([{ title: 'Operator', text: s => s.op, key: s => s.op }, { title: '', text: s => meter(s.us / list[0].us) },
      { title: 'Time', number: true, text: s => timeText(s.us), key: s => s.us }, { title: 'Share', number: true, text: s => (100 * s.us / total).toFixed(1) + ' %' },
      { title: 'Steps', number: true, text: s => s.steps, key: s => s.steps }, { title: 'GMAC/s', number: true, text: rate }], list, 12),
    make('h3', {}, 'By step, the slowest first'), table([{ title: 'Value', text: s => middle(s.node, 44), full: s => s.node, key: s => s.node }, { title: 'Operator', text: s => s.op, key: s => s.op },
      { title: 'Kernel', mono: true, text: s => s.kernel.replace(/^tenon_k_/, ''), key: s => s.kernel }, { title: '', text: s => meter(s.microseconds / slow[0].microseconds) },
      { title: 'Time', number: true, text: s => timeText(s.microseconds), key: s => s.microseconds },
      { title: 'Share', number: true, text: s => (100 * s.microseconds / total).toFixed(1) + ' %' }, { title: 'MACs', number: true, text: s => (s.macs ? count(s.macs) : ''), key: s => s.macs },
      { title: 'GMAC/s', number: true, text: rate }], slow, 15));
}

// --- accuracy -------------------------------------------------------------------------------

function accuracyText(a) {
  return a.equal ? 'equal bit for bit' : `${a.snr_db === null ? 'no signal' : a.snr_db.toFixed(1) + ' dB'} of signal to noise, ${a.max_abs.toPrecision(3)} at most`;
}

function startAccuracy() {
  const accuracy = data.accuracy;
  if (!accuracy) return show('accuracy-body', make('p', {}, 'Not compared: ', make('code', {}, '--case DIR'), ' (a recording) or ', make('code', {}, '--random 1'), ' runs the model beside its reference kernels.'));
  const nodes = accuracy.nodes, off = nodes.filter(a => !a.equal), parts = [];
  parts.push(make('p', {}, `${count(nodes.length)} values compared with ${accuracy.reference}: ${count(nodes.length - off.length)} equal bit for bit` +
    (off.length ? `, ${count(off.length)} apart. Less is worse: 20 dB are a tenth of the signal, 60 dB a thousandth.` : '.') +
    (accuracy.left ? ` ${count(accuracy.left)} values have no partner of the same name, type and shape.` : '')));
  if (accuracy.outputs.length) parts.push(make('h3', {}, 'Outputs against the recording'), accuracyTable(accuracy.outputs));
  if (off.length) parts.push(make('div', { class: 'frame' }, drawAccuracy(nodes)), make('h3', {}, 'The worst'),
    accuracyTable([...off].sort((a, b) => (a.snr_db === null ? -Infinity : a.snr_db) - (b.snr_db === null ? -Infinity : b.snr_db))));
  show('accuracy-body', parts);
}

function accuracyTable(list) {
  return table([{ title: 'Value', text: a => middle(a.name, 50), full: a => a.name, key: a => a.name }, { title: 'Operator', text: a => a.op || '', key: a => a.op || '' },
    { title: 'Signal to noise', number: true, text: a => (a.equal ? 'equal' : a.snr_db === null ? '' : a.snr_db.toFixed(1) + ' dB'), key: a => -(a.snr_db || 0) },
    { title: 'Largest difference', number: true, text: a => (a.equal ? '0' : a.max_abs.toPrecision(4)), key: a => a.max_abs },
    { title: 'Largest value', number: true, text: a => a.max_value.toPrecision(4), key: a => a.max_value },
    { title: 'Elements', number: true, text: a => count(a.count), key: a => a.count }], list, 12);
}

function drawAccuracy(nodes) {
  const W = 1100, H = 260, L = 60, T = 14, B = 40, top = 160, y = db => T + (H - T - B) * (1 - Math.min(Math.max(db, 0), top) / top);
  const x = i => L + ((i + .5) * (W - L - 8)) / nodes.length, svg = make('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': 'Signal to noise of each step' });
  for (let db = 0; db <= top; db += 40) svg.append(make('line', { class: 'axis', x1: L, x2: W - 8, y1: y(db), y2: y(db) }), make('text', { x: L - 8, y: y(db) + 4, 'text-anchor': 'end' }, db === top ? 'equal' : db + ' dB'));
  svg.append(make('text', { x: (L + W) / 2, y: H - 8, 'text-anchor': 'middle' }, 'values, in the order in which they are computed'));
  nodes.forEach((a, i) => svg.append(make('circle', { class: 'dot' + (!a.equal && (a.snr_db === null || a.snr_db < 30) ? ' bad' : ''), cx: x(i), cy: y(a.equal ? top : a.snr_db === null ? 0 : a.snr_db), r: Math.max(2, Math.min(4, 260 / nodes.length)),
    onpointermove: e => tip(e, `${a.name}\n${a.op}\n${accuracyText(a)}`), onpointerleave: e => tip(e, null) })));
  return svg;
}

join();
startGraph();
startSummary();
startMemory();
startTime();
startAccuracy();
startSteps();
startConstants();
startCompare();
$('footer').textContent = `Made by tenon ${data.version} from ${data.name}` + (data.flags ? `, ${data.flags}` : '') + '.';
document.documentElement.dataset.ready = 'yes';
