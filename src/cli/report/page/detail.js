// What is known of the chosen box: the operator as the file has it, what became of it, and what it
// costs; of a module its operators.
'use strict';

function rows(pairs) {
  return make('table', {}, pairs.filter(p => p[1] !== null && p[1] !== '').map(p =>
    make('tr', {}, make('td', {}, p[0]), make('td', {}, p[1]))));
}

function jump(node, text) {
  return make('a', { href: '#graph', onclick: e => {
    e.preventDefault();
    if (!node.item) return;
    choose(node.item);
    if (node.results) showDetail(node.item, node);
    reveal(node.item);
  } }, text);
}

function valueText(node, name) {
  const form = graph.forms[graph.form], c = form.constants.get(name), m = graph.find(node.scope, name);
  if (c) return `${middle(name, 44)} · ${middle(data.texts[c[1]], 80)}`;
  if (m && m.results) {
    const type = (m.results.find(r => r[0] === name) || [])[1] || '';
    return [jump(m, middle(name, 40)), type ? ` · ${middle(type, 80)}` : ''];
  }
  return middle(name, 60);
}

function operands(node) {
  return node.args.map(a => [a[0] || 'operand', Array.isArray(a[1])
    ? a[1].map((v, i) => [i ? make('br') : '', ...[].concat(valueText(node, v))])
    : [].concat(valueText(node, a[1]))]).map(p => [p[0], make('span', {}, ...p[1].flat())]);
}

function showNode(node) {
  const e = explained(node), owner = data.owners[node.op], doc = data.docs[node.op];
  const steps = stepsOf(node), after = data.lowered && graph.form === 0 ? loweredOf(node) : [];
  const parts = [make('div', { class: 'name' }, shortOp(node.op)), make('div', { class: 'quiet mono' }, node.op),
    make('p', {}, owner ? make('span', { class: 'tag plugin' }, 'plugin ' + owner) : null,
      e.supported === false ? make('span', { class: 'tag red' }, 'not supported') : null)];
  if (doc) parts.push(make('p', { class: 'quiet' }, doc));
  if (node.args.length) parts.push(make('h3', {}, 'Operands'), rows(operands(node)));
  if (node.attrs.length) parts.push(make('h3', {}, 'Attributes'), rows(node.attrs.map(a => [a[0], make('span', { class: 'mono' }, middle(a[1], 200))])));
  parts.push(make('h3', {}, 'Results'), rows(node.results.map(r => [middle(r[0], 40), make('span', { class: 'mono' }, middle(r[1], 200))])));
  if (e.becomes) parts.push(make('h3', {}, e.supported === false ? 'Why not' : 'Becomes'), make('p', {}, e.becomes));
  if (after.length)
    parts.push(make('h3', {}, 'Before and after'), make('div', { class: 'pair' },
      make('div', {}, make('b', {}, shortOp(node.op))), '→',
      make('div', {}, after.map(n => make('div', {}, make('b', {}, shortOp(n.op)),
        make('div', { class: 'quiet mono' }, n.attrs.slice(0, 6).map(a => `${a[0]}=${middle(a[1], 24)}`).join(' ')))))));
  if (steps.length)
    parts.push(make('h3', {}, 'Steps'), ...steps.map(s => rows([
      [`step ${s.index}`, make('span', { class: 'mono' }, s.kernel || s.op)],
      ['MACs', s.macs ? count(s.macs) : ''], ['bytes out', bytesText(s.out.reduce((a, t) => a + t.bytes, 0))],
      ['time', timeOf(s) === null ? '' : timeText(timeOf(s))]])));
  const accuracy = data.accuracy && data.accuracy.nodes.find(a => node.results.some(r => r[0] === a.name));
  if (accuracy) parts.push(make('h3', {}, 'Accuracy'), make('p', {}, accuracyText(accuracy)));
  parts.push(make('h3', {}, 'From'), rows([['place', node.where], ['line', node.origin.replace(/, module .*$/s, '')],
    ['module', node.module + (node.kind ? ` (${node.kind})` : '')]]));
  show('detail', parts);
}

function showFolder(item) {
  const ops = new Map();
  let macs = 0, time = 0;
  for (const n of item.nodes) {
    ops.set(n.op, (ops.get(n.op) || 0) + 1);
    for (const s of stepsOf(n)) { macs += s.macs; time += timeOf(s) || 0; }
  }
  show('detail', make('div', { class: 'name' }, item.name.join('.')), make('div', { class: 'quiet' }, item.kind || 'module'),
    make('p', {}, make('button', { type: 'button', onclick: () => toggle(item) }, 'Open')),
    rows([['operators', count(item.nodes.length)], ['MACs', macs ? manyText(macs) : ''], ['time', time ? timeText(time) : '']]),
    make('h3', {}, 'Operators'), rows([...ops].sort((a, b) => b[1] - a[1]).map(o => [count(o[1]), o[0]])));
}

// A node of the item, where one is meant.
function showDetail(item, node) {
  if (item && item.path !== null && !node) return showFolder(item);
  if (node || (item && item.nodes.length)) return showNode(node || item.nodes[0]);
  if (item) return show('detail', make('div', { class: 'name' }, item.port),
    rows([['kind', item.isOutput ? 'output' : 'input'], ['type', item.type]]));
  show('detail', make('p', { class: 'quiet' }, 'Choose an operator to see its attributes, its quantisation, what it was lowered to and what it costs.'),
    make('p', { class: 'quiet' }, 'Keys: arrows move, + and − zoom, 0 shows all, n and p go from box to box, Enter opens or folds a module, / searches.'));
}

// --- joins ----------------------------------------------------------------------------------

const joins = { steps: new Map(), lowered: new Map(), time: new Map() };
function stepsOf(node) { return (node.where && joins.steps.get(node.where)) || []; }
function loweredOf(node) { return (node.where && joins.lowered.get(node.where)) || []; }
function timeOf(step) { const t = joins.time.get(step.index); return t === undefined ? null : t; }

function add(map, key, value) {
  if (map.has(key)) map.get(key).push(value);
  else map.set(key, [value]);
}

// Places of what was merged are listed: fused("a", "b").
function placesOf(where) {
  const inner = /^fused\((.*)\)$/s.exec(where);
  return inner ? [...inner[1].matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(m => m[1]) : [where];
}

function join() {
  for (const s of data.plan ? data.plan.steps : []) for (const w of placesOf(s.place)) add(joins.steps, w, s);
  if (data.lowered)
    for (const n of readForm(data.lowered).nodes) for (const w of (n.where ? placesOf(n.where) : [])) add(joins.lowered, w, n);
  for (const t of data.time ? data.time.steps : []) joins.time.set(t.step, t.microseconds);
}
