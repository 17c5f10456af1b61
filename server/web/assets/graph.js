// Draws the graph of the knowledge base: a force-directed layout on a canvas, usable with thousands of
// nodes. Repulsion from distant nodes is computed for the cells of a grid instead of for every node, so that
// the cost of a step is about proportional to the number of nodes.
"use strict";

(async () => {
  const place = document.querySelector("[data-graph]");
  if (!place) return;
  const answer = await fetch(place.dataset.graph);
  if (!answer.ok) return;
  const { nodes, edges, centre } = await answer.json();
  place.hidden = false;
  const canvas = place.querySelector("canvas");
  const pen = canvas.getContext("2d");
  const SPRING = 60, CELL = 120, FAR = 2;
  let scale = 1, shiftX = 0, shiftY = 0, heat = 1, moved = false;

  // The nodes start on a spiral, so that the drawing is the same every time.
  nodes.forEach((node, at) => {
    const radius = 14 * Math.sqrt(at), angle = at * 2.399963;
    Object.assign(node, { x: radius * Math.cos(angle), y: radius * Math.sin(angle), dx: 0, dy: 0, links: 0 });
  });
  for (const edge of edges) {
    nodes[edge.from].links += 1;
    nodes[edge.to].links += 1;
  }

  const push = (a, b, bx, by, weight) => {
    const x = a.x - bx, y = a.y - by;
    const square = x * x + y * y + 0.01;
    const force = Math.min((1800 * weight) / square, 30);
    const distance = Math.sqrt(square);
    a.dx += (x / distance) * force;
    a.dy += (y / distance) * force;
  };

  const step = () => {
    const cells = new Map();
    for (const node of nodes) {
      const key = Math.floor(node.x / CELL) + ":" + Math.floor(node.y / CELL);
      const cell = cells.get(key) ?? { nodes: [], x: 0, y: 0, column: Math.floor(node.x / CELL), row: Math.floor(node.y / CELL) };
      cell.nodes.push(node);
      cell.x += node.x;
      cell.y += node.y;
      cells.set(key, cell);
    }
    const all = [...cells.values()];
    for (const cell of all) {
      for (const other of all) {
        const near = Math.abs(cell.column - other.column) < FAR && Math.abs(cell.row - other.row) < FAR;
        const weight = other.nodes.length;
        for (const node of cell.nodes) {
          if (!near) push(node, null, other.x / weight, other.y / weight, weight);
          else for (const one of other.nodes) if (one !== node) push(node, one, one.x, one.y, 1);
        }
      }
    }
    for (const edge of edges) {
      const a = nodes[edge.from], b = nodes[edge.to];
      const x = b.x - a.x, y = b.y - a.y;
      const distance = Math.hypot(x, y) || 1;
      const force = (distance - SPRING) * 0.05;
      a.dx += (x / distance) * force; a.dy += (y / distance) * force;
      b.dx -= (x / distance) * force; b.dy -= (y / distance) * force;
    }
    for (const node of nodes) {
      node.dx -= node.x * 0.004;
      node.dy -= node.y * 0.004;
      const length = Math.hypot(node.dx, node.dy) || 1;
      const most = Math.min(length, 24 * heat);
      node.x += (node.dx / length) * most;
      node.y += (node.dy / length) * most;
      node.dx = 0;
      node.dy = 0;
    }
    heat *= 0.985;
  };

  const radius = (node) => 5 + Math.min(Math.sqrt(node.links) * 2, 12);
  // A canvas cannot use CSS custom properties, so the colours are read from the legend and the canvas element.
  const colours = () => {
    const own = getComputedStyle(canvas);
    const kinds = new Map();
    for (const name of place.querySelectorAll(".legend [data-kind]")) {
      kinds.set(name.dataset.kind, getComputedStyle(name, "::before").color);
    }
    return { text: own.color, line: own.borderTopColor, back: own.backgroundColor, kind: (kind) => kinds.get(kind) };
  };

  const draw = () => {
    const { width, height } = canvas.getBoundingClientRect();
    const ratio = devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    pen.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * (width / 2 + shiftX), ratio * (height / 2 + shiftY));
    const colour = colours();
    pen.lineWidth = 1 / scale;
    pen.strokeStyle = colour.line;
    for (const edge of edges) {
      const a = nodes[edge.from], b = nodes[edge.to];
      pen.setLineDash(edge.kind === "contradicts" ? [4 / scale, 4 / scale] : []);
      pen.beginPath();
      pen.moveTo(a.x, a.y);
      pen.lineTo(b.x, b.y);
      pen.stroke();
    }
    pen.setLineDash([]);
    for (const [at, node] of nodes.entries()) {
      pen.globalAlpha = node.status === "obsolete" ? 0.45 : 1;
      pen.fillStyle = colour.kind(node.type);
      pen.beginPath();
      pen.arc(node.x, node.y, radius(node), 0, 2 * Math.PI);
      pen.fill();
      if (at === centre) pen.stroke();
    }
    pen.globalAlpha = 1;
    pen.fillStyle = colour.text;
    // An outline in the background colour keeps overlapping titles readable.
    pen.strokeStyle = colour.back;
    pen.lineWidth = 3 / scale;
    pen.lineJoin = "round";
    pen.font = `${12 / scale}px sans-serif`;
    const area = nodes.length * scale * scale;
    for (const node of nodes) {
      // All titles are drawn if there is enough space, else only those of nodes with many links.
      if (nodes.length > 60 && scale < 1.4 && node.links * 40 < area / 10) continue;
      const title = node.title.length > 40 ? node.title.slice(0, 39) + "…" : node.title;
      const spot = [node.x + radius(node) + 3 / scale, node.y + 4 / scale];
      pen.strokeText(title, ...spot);
      pen.fillText(title, ...spot);
    }
  };

  const fit = () => {
    const { width, height } = canvas.getBoundingClientRect();
    const xs = nodes.map((node) => node.x), ys = nodes.map((node) => node.y);
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    scale = Math.min(width / (right - left + 160), height / (bottom - top + 80), 2);
    shiftX = (-(left + right) / 2) * scale;
    shiftY = (-(top + bottom) / 2) * scale;
    draw();
  };

  const zoom = (factor, x = 0, y = 0) => {
    const next = Math.min(Math.max(scale * factor, 0.02), 8);
    shiftX = x - ((x - shiftX) * next) / scale;
    shiftY = y - ((y - shiftY) * next) / scale;
    scale = next;
    moved = true;
    draw();
  };

  const tick = () => {
    const began = performance.now();
    do step(); while (heat > 0.02 && performance.now() - began < 12);
    if (moved) draw(); else fit();
    if (heat > 0.02) requestAnimationFrame(tick);
    else place.dataset.settled = "true";
  };

  const spot = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2];
  };
  const at = (event) => {
    const [x, y] = spot(event).map((value, axis) => (value - [shiftX, shiftY][axis]) / scale);
    return nodes.find((node) => Math.hypot(node.x - x, node.y - y) < radius(node) + 3 / scale);
  };

  let grip = null;
  canvas.addEventListener("pointerdown", (event) => {
    grip = { x: event.clientX, y: event.clientY, far: 0 };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const node = at(event);
    canvas.title = node ? `${node.kind}: ${node.title}` : "";
    canvas.classList.toggle("pointed", Boolean(node));
    if (!grip) return;
    shiftX += event.clientX - grip.x;
    shiftY += event.clientY - grip.y;
    grip = { x: event.clientX, y: event.clientY, far: grip.far + Math.abs(event.clientX - grip.x) + Math.abs(event.clientY - grip.y) };
    moved = true;
    draw();
  });
  canvas.addEventListener("pointerup", (event) => {
    const node = grip && grip.far < 5 ? at(event) : null;
    grip = null;
    if (node) location.href = "/knowledge/" + node.id;
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, ...spot(event));
  }, { passive: false });
  place.addEventListener("click", (event) => {
    const action = event.target.dataset.zoom;
    if (action === "in") zoom(1.3);
    else if (action === "out") zoom(1 / 1.3);
    else if (action === "fit") fit();
  });
  addEventListener("resize", draw);
  tick();
})();
