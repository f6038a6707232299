// Draws the growth of a region graph, one step at a time, from the data of counterpoint/report/region_pictures.py.
(() => {
  const START = -1, ERROR = -2;
  const WIDTH = 156, HEIGHT = 42, GAP = 10, PAD = 10, HEAD = 29, BETWEEN = 44, DOWN = 58;
  const MOST_CLEAR = 250;  // edges up to which all are drawn in full
  const MOST_WALKS = 6;  // tests up to which all walks are shown unless chosen
  const {svgElement, cut, there} = counterpoint;
  const nameOf = (id) => id === START ? "start" : id === ERROR ? "error" : String(id);
  const colourOf = (test) => `hsl(${(test * 137.5 + 60) % 360} 65% 45%)`;
  const key = (source, target) => source + ">" + target;

  // ---- what is there at a step

  class Growth {
    constructor(data) {
      Object.assign(this, data);
      this.byNumber = new Map(this.regions.map((region) => [region.number, region]));
      this.edges = data.edges.map(([source, target, born, died]) => ({source, target, born, died}));
      this.boxes = data.boxed.map(([region, born, died]) => ({region, born, died}));
    }
    at(step) {
      const boxed = new Set(this.boxes.filter((box) => there(box, step)).map((box) => box.region));
      return {
        step, boxed, told: this.steps[step],
        regions: this.regions.filter((region) => there(region, step)),
        edges: this.edges.filter((edge) => there(edge, step)),
        walks: this.walks.filter((walk) => there(walk, step)),
      };
    }
    // The regions that stand for `number` at a step: itself, or what it was split into.
    leaves(number, step) {
      const region = this.byNumber.get(number);
      if (!region || !region.children || region.died > step) return [number];
      return region.children.flatMap((child) => this.leaves(child, step));
    }
    // Where a walk through `number` goes on after splits.
    walked(number, step) {
      let region = this.byNumber.get(number);
      while (region && region.children && region.died <= step) region = this.byNumber.get(region.children[1]);
      return region ? region.number : number;
    }
    // The predicates that made the region, the first one first.
    cuts(region) {
      const found = [];
      for (let at = region; at && at.cut; at = this.byNumber.get(at.parent)) found.unshift(at.cut);
      return found;
    }
    root(region) {
      while (region.parent !== null) region = this.byNumber.get(region.parent);
      return region;
    }
    literals(region) {
      const known = this.root(region).predicate;
      return (known ? [known] : []).concat(this.cuts(region).map(([index, holds]) =>
        holds ? `p${index + 1}: ${this.predicates[index]}` : `¬p${index + 1}: not (${this.predicates[index]})`));
    }
    // The predicate that made the region, for its box.
    newest(region) {
      if (!region.cut) return region.predicate;
      const [index, holds] = region.cut;
      return (holds ? "" : "not ") + this.predicates[index];
    }
    describe(region) {
      const place = this.places[region.place];
      const lines = [`Region ${region.number} at ${place.name}${place.line ? `, line ${place.line}` : ""}`];
      const literals = this.literals(region);
      lines.push(...(literals.length ? literals : ["all states"]));
      return lines.join("\n");
    }
  }

  // ---- where it stands

  function place(growth, state) {
    const groups = new Map(growth.places.map((_, index) => [index, []]));
    for (const region of state.regions) groups.get(region.place).push(region);
    const spots = new Map(), frames = [], rows = [];
    let top = PAD;
    growth.layers.forEach((layer, depth) => {
      const blocks = [];
      for (const node of layer) {
        if (node === START || node === ERROR) { blocks.push({node, width: 64, height: 30}); continue; }
        const regions = groups.get(node);
        if (!regions.length) continue;
        const columns = regions.length <= 5 ? regions.length : Math.ceil(Math.sqrt(regions.length) * 1.7);
        blocks.push({
          node, regions, columns, width: columns * (WIDTH + GAP) - GAP + 2 * PAD,
          height: HEAD + Math.ceil(regions.length / columns) * (HEIGHT + GAP) - GAP + PAD,
        });
      }
      const height = Math.max(0, ...blocks.map((block) => block.height));
      let left = -(blocks.reduce((sum, block) => sum + block.width + BETWEEN, -BETWEEN)) / 2;
      for (const block of blocks) {
        frames.push({...block, left, top, depth});
        if (block.regions === undefined) {
          spots.set(block.node, {left, top, width: block.width, height: block.height, depth, frame: block.node});
        } else {
          block.regions.forEach((region, index) => spots.set(region.number, {
            left: left + PAD + (index % block.columns) * (WIDTH + GAP),
            top: top + HEAD + Math.floor(index / block.columns) * (HEIGHT + GAP),
            width: WIDTH, height: HEIGHT, depth, frame: block.node,
          }));
        }
        left += block.width + BETWEEN;
      }
      rows.push({top, bottom: top + height, blocks: frames.filter((frame) => frame.depth === depth)});
      top += height + (blocks.length ? DOWN : 0);
    });
    const all = frames.length ? frames : [{left: 0, width: 0}];
    const left = Math.min(...all.map((frame) => frame.left)), right = Math.max(...all.map((frame) => frame.left + frame.width));
    return {spots, frames, rows, left: left - 90, width: right - left + 180, height: Math.max(top, 40)};
  }

  // Where to pass a row on the way from x to the end: `straight`, or else the gap with the shortest detour.
  function gap(row, x, straight, end) {
    if (row.blocks.every((block) => straight < block.left - 4 || straight > block.left + block.width + 4)) return straight;
    const gaps = row.blocks.flatMap((block) => [block.left - BETWEEN / 2, block.left + block.width + BETWEEN / 2]);
    const length = (at) => Math.abs(at - x) + Math.abs(at - end);
    return gaps.reduce((best, at) => length(at) < length(best) ? at : best);
  }

  function route(layout, source, target, shift = 0) {
    const from = layout.spots.get(source), to = layout.spots.get(target);
    if (!from || !to) return null;
    const spread = ((source * 7 + target * 13) % 9 - 4) * 2 + shift;
    const x = from.left + from.width / 2 + shift, end = to.left + to.width / 2 + shift;
    if (source === target) {
      const right = from.left + from.width, y = from.top + from.height / 2;
      return `M${right},${y - 9} C${right + 26 + shift},${y - 16} ${right + 26 + shift},${y + 16} ${right},${y + 9}`;
    }
    if (from.frame === to.frame) {
      const rise = 22 + shift;
      return `M${x},${from.top} C${x},${from.top - rise} ${end},${to.top - rise} ${end},${to.top}`;
    }
    if (to.depth <= from.depth) {
      const between = layout.rows.slice(to.depth, from.depth + 1).flatMap((row) => row.blocks);
      const lane = Math.min(...between.map((block) => block.left)) - 40 + spread;
      const y = from.top + from.height / 2 + shift, up = to.top + to.height / 2 + shift;
      return `M${from.left},${y} C${lane},${y} ${lane},${up} ${to.left},${up}`;
    }
    let path = `M${x},${from.top + from.height}`, at = x, y = from.top + from.height;
    const move = (nextX, nextY) => {
      const bend = (nextY - y) / 2;
      path += ` C${at},${y + bend} ${nextX},${nextY - bend} ${nextX},${nextY}`;
      [at, y] = [nextX, nextY];
    };
    for (let depth = from.depth + 1; depth < to.depth; depth++) {
      const row = layout.rows[depth];
      if (!row.blocks.length) continue;
      const straight = at + (end - at) / (to.depth - depth + 1);
      move(gap(row, at, straight, end) + spread, row.top);
      path += ` L${at},${row.bottom}`;
      y = row.bottom;
    }
    move(end, to.top);
    return path;
  }

  // ---- the drawing

  function draw(svg, growth, state, shown, picked, pick) {
    const layout = place(growth, state), told = state.told, step = state.step;
    svg.replaceChildren();
    svg.classList.toggle("dense", state.edges.length > MOST_CLEAR);
    svg.setAttribute("viewBox", `${layout.left} 0 ${layout.width} ${layout.height}`);
    const marker = svgElement(svgElement(svg, "defs"), "marker", {
      id: svg.id + "-tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9, markerHeight: 9,
      orient: "auto", markerUnits: "userSpaceOnUse",
    });
    svgElement(marker, "path", {d: "M0,0 L8,4 L0,8 z", class: "tip"});
    const pairs = (chain) => {
      const found = new Set();
      for (let index = 0; index + 1 < chain.length; index++)
        for (const source of growth.leaves(chain[index], step))
          for (const target of growth.leaves(chain[index + 1], step)) found.add(key(source, target));
      return found;
    };
    const trace = pairs(told.trace), frontier = pairs(told.frontier || []);
    const ends = new Set((told.frontier || []).flatMap((number) => growth.leaves(number, step)));
    for (const frame of layout.frames) {
      if (!frame.regions) continue;
      svgElement(svg, "rect", {class: "frame", x: frame.left, y: frame.top, width: frame.width, height: frame.height, rx: 6});
    }
    const lines = [];
    const edge = (source, target, removed) => {
      const path = route(layout, source, target), pair = key(source, target);
      if (path === null) return;
      const classes = ["edge"];
      if (removed) classes.push("removed");
      else if (target === ERROR || state.boxed.has(target)) classes.push("boxed");
      if (trace.has(pair)) classes.push("trace");
      if (frontier.has(pair)) classes.push("frontier");
      const made = svgElement(svg, "path", {d: path, class: classes.join(" "), "marker-end": `url(#${svg.id}-tip)`});
      svgElement(made, "title", {}, `${nameOf(source)} → ${nameOf(target)}${removed ? " (removed in this step)" : ""}`);
      lines.push({made, source, target});
    };
    const pointedAt = ({source, target}) => trace.has(key(source, target)) || frontier.has(key(source, target));
    for (const on of [false, true])  // what is pointed at lies above the rest
      for (const one of state.edges) if (pointedAt(one) === on) edge(one.source, one.target, false);
    for (const [source, target] of told.removed) edge(source, target, true);
    const walks = state.walks.filter((walk) => shown(walk.number));
    walks.forEach((walk, index) => drawWalk(svg, growth, layout, walk, step, (index - (walks.length - 1) / 2) * 4));
    for (const frame of layout.frames) {
      if (!frame.regions) continue;
      const {name, line} = growth.places[frame.node];
      const head = svgElement(svg, "text", {class: "head dim", x: frame.left + PAD, y: frame.top + 14},
        cut(line ? `line ${line} · ${name}` : name, Math.floor(frame.width / 7)));
      svgElement(head, "title", {}, name);
    }
    const emphasise = (number) => {
      svg.classList.toggle("emphasis", number !== null);
      for (const {made, source, target} of lines)
        made.classList.toggle("faint", number !== null && source !== number && target !== number);
    };
    for (const region of state.regions) {
      const at = layout.spots.get(region.number);
      if (!at) continue;
      const group = svgElement(svg, "g", {class: "region"});
      if (state.boxed.has(region.number)) group.classList.add("boxed");
      if (ends.has(region.number)) group.classList.add("frontier");
      if (picked === region.number) group.classList.add("picked");
      svgElement(group, "rect", {x: at.left, y: at.top, width: at.width, height: at.height});
      svgElement(group, "title", {}, growth.describe(region));
      const short = growth.cuts(region).map(([index, holds]) => `${holds ? "" : "¬"}p${index + 1}`).reverse().join(" ∧ ");
      svgElement(group, "text", {class: "id", x: at.left + 7, y: at.top + 16}, String(region.number));
      svgElement(group, "text", {class: "dim", x: at.left + at.width - 7, y: at.top + 16, "text-anchor": "end"}, cut(short, 15));
      svgElement(group, "text", {x: at.left + 7, y: at.top + 33}, cut(growth.newest(region), 20));
      group.addEventListener("click", () => pick(region.number));
      group.addEventListener("mouseenter", () => emphasise(region.number));
      group.addEventListener("mouseleave", () => emphasise(null));
    }
    drawEnds(svg, layout, state, ends, emphasise);
    const follow = (told.frontier || told.removed[0] || []).flatMap((number) => growth.leaves(number, step)).map((id) => layout.spots.get(id));
    return {layout, follow: follow.find((spot) => spot)};
  }

  function drawEnds(svg, layout, state, ends, emphasise) {
    for (const number of [START, ERROR]) {
      const at = layout.spots.get(number);
      if (!at) continue;
      const x = at.left + at.width / 2, bottom = at.top + at.height;
      const group = svgElement(svg, "g", {class: number === START ? "start" : "region error"});
      if (state.boxed.has(number)) group.classList.add("boxed");
      if (number === ERROR && ends.has(ERROR)) group.classList.add("frontier");
      if (number === START) {
        svgElement(group, "path", {d: `M${x - 9},${bottom - 14} L${x + 9},${bottom - 14} L${x},${bottom} z`});
        svgElement(group, "text", {x, y: bottom - 18, "text-anchor": "middle"}, "start");
      } else {
        svgElement(group, "rect", {x: at.left, y: at.top, width: at.width, height: at.height});
        svgElement(group, "text", {x, y: at.top + 20, "text-anchor": "middle"}, "error");
      }
      group.addEventListener("mouseenter", () => emphasise(number));
      group.addEventListener("mouseleave", () => emphasise(null));
    }
  }

  function drawWalk(svg, growth, layout, walk, step, shift) {
    const way = walk.regions.map((number) => growth.walked(number, step));
    if (way[0] !== START) way.unshift(START);
    const drawn = new Set(), stroke = colourOf(walk.number);
    for (let index = 0; index + 1 < way.length; index++) {
      const pair = key(way[index], way[index + 1]);
      const path = drawn.has(pair) ? null : route(layout, way[index], way[index + 1], shift + 3);
      drawn.add(pair);
      if (path !== null) svgElement(svg, "path", {d: path, class: "walk", stroke});
    }
    const last = layout.spots.get(way[way.length - 1]);
    if (last) {
      const x = last.left + last.width / 2 + shift * 4, y = last.top + last.height;
      svgElement(svg, "circle", {cx: x, cy: y + 7, r: 5, fill: stroke});
    }
  }

  // ---- as a view of the player

  class RegionView {
    constructor(data) {
      this.growth = new Growth(data);
      this.steps = data.steps;
      this.chosen = new Map();  // test -> whether its walk is shown, where the user said so
      this.legend = [
        ["Red border", ": error can be reached from there. "], ["Thick orange", ": the frontier. "],
        ["Thick red", ": the abstract error trace. "], ["Dashed", ": removed in this step. "],
        ["Coloured lines", ": tests, a dot where they end. "],
        ["", "Boxes of one place stand in one frame; click a box for its predicate; Ctrl and wheel zoom, dragging moves."],
      ];
    }
    shown(state) {
      const few = state.walks.length <= MOST_WALKS, newest = Math.max(0, ...state.walks.map((walk) => walk.number));
      return (test) => this.chosen.get(test) ?? (few || test === (state.told.test || newest));
    }
    draw(svg, step, picked, pick) {
      const state = this.growth.at(step);
      return draw(svg, this.growth, state, this.shown(state), picked, pick);
    }
    chips(step) {
      const state = this.growth.at(step), showing = this.shown(state);
      return state.walks.sort((one, other) => one.number - other.number).map((walk) => ({
        title: `${walk.regions.map(nameOf).join(", ")}: ${walk.outcome}`,
        text: `test ${walk.number}${walk.inputs ? ` (${cut(walk.inputs, 24)})` : ""}: ${cut(walk.outcome, 30)}`,
        colour: colourOf(walk.number), pressed: showing(walk.number),
        choose: () => this.chosen.set(walk.number, !showing(walk.number)),
      }));
    }
    detail(step, picked) {
      const region = this.growth.byNumber.get(picked);
      return region ? this.growth.describe(region) : "";
    }
  }

  counterpoint.kinds.regions = (data) => new RegionView(data);
})();
