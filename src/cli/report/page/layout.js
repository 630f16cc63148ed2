// Places a graph in layers from top to bottom: ranks by the longest path, bends where an edge
// crosses a rank, an order within ranks with few crossings (barycentres), then places along a rank
// that are least squares from the neighbours' with the order and the gaps kept.
'use strict';

const RANK_GAP = 34, NODE_GAP = 22, LONG = 28;

// items: [{w, h, order}], links: [{from, to}] by index. Adds x, y (centres) to items and points to
// links; a link over many ranks has none and is drawn as two ends. Gives {w, h}.
function layOut(items, links) {
  const n = items.length, out = Array.from({ length: n }, () => []), into = Array.from({ length: n }, () => []);
  for (const l of links) {
    l.back = items[l.from].order >= items[l.to].order;
    if (l.back || l.from === l.to) continue;
    out[l.from].push(l);
    into[l.to].push(l);
  }
  const ranks = rank(items, out, into);
  const { layers, bends } = bend(items, links, ranks);
  sweep(layers);
  return place(items, links, layers, bends);
}

function rank(items, out, into) {
  const by = items.map((_, i) => i).sort((a, b) => items[a].order - items[b].order);
  const ranks = new Int32Array(items.length);
  for (const i of by) for (const l of out[i]) ranks[l.to] = Math.max(ranks[l.to], ranks[i] + 1);
  // What has no operand stands right above its first user.
  for (const i of by.slice().reverse())
    if (!into[i].length && out[i].length) {
      let least = Infinity;
      for (const l of out[i]) least = Math.min(least, ranks[l.to]);
      ranks[i] = Math.max(least - 1, 0);
    }
  return ranks;
}

// A cell is an item or a bend; up and down are its neighbours in the next ranks.
function bend(items, links, ranks) {
  const cells = items.map((item, i) => ({ item, rank: ranks[i], w: item.w, h: item.h, up: [], down: [], x: 0 }));
  const layers = [], bends = new Map();
  const add = c => { (layers[c.rank] = layers[c.rank] || []).push(c); };
  cells.forEach(add);
  const join = (a, b) => { a.down.push(b); b.up.push(a); };
  // Links from one item to one place share bends.
  const shared = new Map();
  for (const l of links) {
    const a = cells[l.from], b = cells[l.to], span = b.rank - a.rank;
    l.long = l.back || span > LONG || span <= 0;
    if (l.long) continue;
    let last = a;
    const path = [];
    for (let r = a.rank + 1; r < b.rank; ++r) {
      const key = l.from * 65536 + r;
      let c = shared.get(key);
      if (!c) {
        c = { item: null, rank: r, w: 6, h: 0, up: [], down: [], x: 0 };
        shared.set(key, c);
        add(c);
        join(last, c);
      }
      path.push(c);
      last = c;
    }
    join(last, b);
    bends.set(l, path);
  }
  for (let r = 0; r < layers.length; ++r) layers[r] = layers[r] || [];
  return { layers, bends };
}

function number(layer) { layer.forEach((c, i) => { c.at = i; }); }

function sweep(layers) {
  layers.forEach(number);
  const rounds = layers.length > 600 ? 4 : 8;
  for (let k = 0; k < rounds; ++k) {
    const side = k % 2 ? 'down' : 'up';
    const seq = k % 2 ? layers.slice().reverse() : layers;
    for (const layer of seq) {
      for (const c of layer) {
        const near = c[side];
        let sum = 0;
        for (const o of near) sum += o.at / Math.max(layers[o.rank].length, 1);
        c.key = near.length ? sum / near.length : c.at / Math.max(layer.length, 1);
      }
      layer.sort((a, b) => a.key - b.key || a.at - b.at);
      number(layer);
    }
  }
}

// Least squares to c.want with c.x at least the gap apart: pools of neighbours that violate it.
function settle(layer) {
  const pools = [];
  let offset = 0;
  layer.forEach((c, i) => {
    if (i) offset += (layer[i - 1].w + c.w) / 2 + (c.item && layer[i - 1].item ? NODE_GAP : NODE_GAP / 2);
    c.offset = offset;
    // Bends weigh more, so that long edges are straight.
    const weight = c.item ? 1 : 4;
    let pool = { first: i, sum: (c.want - offset) * weight, weight };
    while (pools.length) {
      const last = pools[pools.length - 1];
      if (last.sum / last.weight <= pool.sum / pool.weight) break;
      pools.pop();
      pool = { first: last.first, sum: last.sum + pool.sum, weight: last.weight + pool.weight };
    }
    pools.push(pool);
  });
  pools.forEach((p, k) => {
    const end = k + 1 < pools.length ? pools[k + 1].first : layer.length;
    for (let i = p.first; i < end; ++i) layer[i].x = p.sum / p.weight + layer[i].offset;
  });
}

function place(items, links, layers, bends) {
  for (const layer of layers) {
    layer.forEach(c => { c.want = 0; });
    settle(layer);
  }
  const rounds = layers.length > 600 ? 6 : 14;
  for (let k = 0; k < rounds; ++k) {
    const both = k >= rounds - 3, side = k % 2 ? 'down' : 'up';
    for (const layer of k % 2 ? layers.slice().reverse() : layers) {
      for (const c of layer) {
        const near = both ? c.up.concat(c.down) : c[side];
        let sum = 0;
        for (const o of near) sum += o.x;
        c.want = near.length ? sum / near.length : c.x;
      }
      settle(layer);
    }
  }
  let y = 0, left = Infinity, right = -Infinity;
  for (const layer of layers) {
    const h = layer.reduce((a, c) => Math.max(a, c.h), 0);
    for (const c of layer) {
      c.y = y + h / 2;
      left = Math.min(left, c.x - c.w / 2);
      right = Math.max(right, c.x + c.w / 2);
      if (c.item) { c.item.x = c.x; c.item.y = c.y; }
    }
    y += h + RANK_GAP;
  }
  for (const item of items) item.x -= left;
  for (const [l, path] of bends) {
    const a = items[l.from], b = items[l.to];
    l.points = [{ x: a.x, y: a.y + a.h / 2 }, ...path.map(c => ({ x: c.x - left, y: c.y })),
      { x: b.x, y: b.y - b.h / 2 }];
  }
  return { w: Math.max(right - left, 1), h: Math.max(y - RANK_GAP, 1) };
}
