// Draws the growth of an abstract reachability graph, one step at a time, from the data of
// counterpoint/report/abstract_pictures.py: a tree, a row for each depth, each parent over the middle of its children.
(() => {
  const WIDTH = 156, HEIGHT = 42, ACROSS = 16, DOWN = 34, PAD = 12;
  const {svgElement, cut, there} = counterpoint;
  const SEVERAL = -1;  // in place of the node that covers another one
  const ERROR = -1;  // a node below the last one of a trace, of the picture only

  class Tree {
    constructor(data) {
      Object.assign(this, data);
      this.covers = data.covers.map(([node, by, born, died]) => ({node, by, born, died}));
    }
    // Everything at a step; nodes that it removed are still there.
    at(step) {
      const told = this.steps[step], gone = new Set(told.gone), nodes = new Map();
      for (const node of this.nodes)
        if (there(node, step) || (gone.has(node.number) && node.died === step)) nodes.set(node.number, node);
      if (told.trace.length) nodes.set(ERROR, {number: ERROR, parent: told.trace[told.trace.length - 1], states: ""});
      const covers = this.covers.filter((cover) => there(cover, step) && nodes.has(cover.node));
      return {told, gone, nodes, covers, trace: new Set(told.trace.length ? [...told.trace, ERROR] : []), made: new Set(told.made)};
    }
    where(index) {
      const {name, line} = this.places[index];
      return line ? `line ${line}` : name;
    }
    describe(step, node) {
      const {name, line} = this.places[node.place];
      const lines = [`Node ${node.number} at ${name}${line ? `, line ${line}` : ""}`, node.states || "all states"];
      const cover = this.covers.find((one) => one.node === node.number && there(one, step));
      if (cover) lines.push(`covered by ${cover.by === SEVERAL ? "several nodes" : `node ${cover.by}`}`);
      const known = this.steps.slice(0, step + 1).flatMap((one) => one.predicates).filter(([place]) => place === node.place);
      if (known.length) lines.push("predicates at this place: " + known.flatMap(([, texts]) => texts).join("; "));
      return lines.join("\n");
    }
  }

  // Depth by depth down, leaf by leaf across; without recursion, for trees may be deep.
  function place(nodes) {
    const children = new Map(), roots = [], spots = new Map();
    for (const node of [...nodes.values()].sort((one, other) => one.number - other.number)) {
      if (!nodes.has(node.parent)) { roots.push(node); continue; }
      if (!children.has(node.parent)) children.set(node.parent, []);
      children.get(node.parent).push(node);
    }
    let across = 0, deepest = 0;
    const stack = roots.reverse().map((node) => ({node, depth: 0, open: true}));
    while (stack.length) {
      const {node, depth, open} = stack.pop(), below = children.get(node.number) || [];
      deepest = Math.max(deepest, depth);
      if (open && below.length) {
        stack.push({node, depth, open: false});
        for (const child of [...below].reverse()) stack.push({node: child, depth: depth + 1, open: true});
        continue;
      }
      const ends = below.map((child) => spots.get(child.number).left);
      const left = below.length ? (Math.min(...ends) + Math.max(...ends)) / 2 : across++ * (WIDTH + ACROSS);
      spots.set(node.number, {left, top: PAD + depth * (HEIGHT + DOWN), width: WIDTH, height: HEIGHT});
    }
    const width = Math.max(1, across) * (WIDTH + ACROSS) - ACROSS;
    return {spots, left: -PAD, width: width + 2 * PAD, height: (deepest + 1) * (HEIGHT + DOWN) - DOWN + 2 * PAD};
  }

  function draw(svg, tree, step, picked, pick) {
    const state = tree.at(step), layout = place(state.nodes), {spots} = layout;
    svg.replaceChildren();
    svg.setAttribute("viewBox", `${layout.left} 0 ${layout.width} ${layout.height}`);
    const marker = svgElement(svgElement(svg, "defs"), "marker", {
      id: svg.id + "-tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9, markerHeight: 9,
      orient: "auto", markerUnits: "userSpaceOnUse",
    });
    svgElement(marker, "path", {d: "M0,0 L8,4 L0,8 z", class: "tip"});
    const line = (d, classes, title) => {
      const made = svgElement(svg, "path", {d, class: classes, "marker-end": `url(#${svg.id}-tip)`});
      svgElement(made, "title", {}, title);
    };
    for (const node of state.nodes.values()) {
      const to = spots.get(node.number), from = spots.get(node.parent);
      if (!from) continue;
      const x = from.left + WIDTH / 2, end = to.left + WIDTH / 2, y = from.top + HEIGHT, bend = DOWN / 2;
      const classes = ["edge"];
      if (state.gone.has(node.number)) classes.push("removed");
      if (state.trace.has(node.number)) classes.push("trace");
      line(`M${x},${y} C${x},${y + bend} ${end},${to.top - bend} ${end},${to.top}`, classes.join(" "), `${node.parent} → ${node.number}`);
    }
    for (const {node, by} of state.covers.filter((cover) => cover.by !== SEVERAL && spots.has(cover.by))) {
      const from = spots.get(node), to = spots.get(by), right = to.left > from.left;
      const x = right ? from.left + WIDTH : from.left, end = right ? to.left : to.left + WIDTH;
      const y = from.top + HEIGHT / 2, up = to.top + HEIGHT / 2, out = right ? 30 : -30;
      line(`M${x},${y} C${x + out},${y} ${end - out},${up} ${end},${up}`, "edge cover", `${node} is covered by ${by}`);
    }
    for (const node of state.nodes.values()) {
      const at = spots.get(node.number), group = svgElement(svg, "g", {class: "region"});
      const box = svgElement(group, "rect", {x: at.left, y: at.top, width: at.width, height: at.height});
      if (node.number === ERROR) {
        group.classList.add("error");
        svgElement(group, "text", {x: at.left + WIDTH / 2, y: at.top + 26, "text-anchor": "middle"}, "error");
        continue;
      }
      if (state.trace.has(node.number)) group.classList.add("boxed");
      if (state.made.has(node.number)) group.classList.add("made");
      if (state.gone.has(node.number)) group.classList.add("gone");
      if (picked === node.number) group.classList.add("picked");
      if (state.covers.some((cover) => cover.node === node.number)) group.classList.add("covered");
      svgElement(group, "title", {}, tree.describe(step, node));
      svgElement(group, "text", {class: "id", x: at.left + 7, y: at.top + 16}, String(node.number));
      svgElement(group, "text", {class: "dim", x: at.left + WIDTH - 7, y: at.top + 16, "text-anchor": "end"}, cut(tree.where(node.place), 15));
      svgElement(group, "text", {x: at.left + 7, y: at.top + 33}, cut(node.states.replaceAll("\n", ", ") || "all states", 22));
      box.addEventListener("click", () => pick(node.number));
    }
    const wanted = state.told.trace.length ? ERROR : state.told.gone[0] ?? state.told.made[0];
    return {layout, follow: spots.get(wanted)};
  }

  counterpoint.kinds.abstract = (data) => {
    const tree = new Tree(data);
    return {
      steps: tree.steps,
      legend: [
        ["Red", ": the abstract error trace. "], ["Thick border", ": made in this step. "], ["Dashed", ": removed in this step. "],
        ["Dotted", ": covered, and by which node. "],
        ["", "Click a box for its abstract state; Ctrl and wheel zoom, dragging moves."],
      ],
      draw: (svg, step, picked, pick) => draw(svg, tree, step, picked, pick),
      chips: () => [],
      detail: (step, picked) => {
        const node = tree.at(step).nodes.get(picked);
        return node && node.number !== ERROR ? tree.describe(step, node) : "";
      },
    };
  };
})();
