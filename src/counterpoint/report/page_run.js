// A failing run, stepped forward and back: the line in the source, values beside it, variables by call, the list of steps
// with calls that fold. Folded calls are stepped over.
report.run = (() => {
  const {data, make, button, base, place, line, cut} = report;
  const BRIEF = 30;  // steps of a run up to which all are told at first
  const SHORT = 44;  // characters of a line in the list of steps

  class Run {
    constructor(parent, part, listing) {
      this.parent = parent, this.part = part, this.listing = listing;
      this.choose(0);
    }
    choose(number) {
      this.number = number, this.finding = this.part.findings[number], this.steps = this.finding.steps;
      this.brief = this.steps.length > BRIEF && this.steps.some((step) => step.aside);
      this.folded = new Set(), this.chosen = "", this.step = Math.max(0, this.steps.length - 1);
      this.draw();
      if (this.steps.length) this.go(this.step, false);
    }
    // ---- which steps are there

    below(index) {  // the first step behind the calls that the step at `index` makes
      let end = index + 1;
      while (end < this.steps.length && this.steps[end].depth > this.steps[index].depth) end++;
      return end;
    }
    visible() {
      const found = [];
      for (let index = 0; index < this.steps.length; index = this.folded.has(index) ? this.below(index) : index + 1)
        if (!this.brief || !this.steps[index].aside || index === this.step) found.push(index);
      return found;
    }
    forward() { return this.visible().find((index) => index > this.step); }
    back() { return this.visible().filter((index) => index < this.step).pop(); }
    over() {
      const {depth} = this.steps[this.step];
      return this.visible().find((index) => index > this.step && this.steps[index].depth <= depth);
    }
    changes(by) {
      const found = this.steps.map((step, index) => [step, index]).filter(([step]) => (step.changes || []).some(([name]) => name === this.chosen));
      const indices = found.map(([, index]) => index);
      return by > 0 ? indices.find((index) => index > this.step) : indices.filter((index) => index < this.step).pop();
    }
    // ---- what is known at a step

    frames() {
      const stack = [], statics = new Map();
      this.steps.slice(0, this.step + 1).forEach((step, index) => {
        while (stack.length && stack[stack.length - 1].depth > step.depth) stack.pop();
        let top = stack[stack.length - 1];
        if (!top || top.depth < step.depth || top.name !== step.function) {
          if (top && top.depth === step.depth) stack.pop();
          stack.push(top = {depth: step.depth, name: step.function, values: new Map()});
        }
        for (const [name, text, bits, outward] of step.changes || []) {
          const owner = stack.find((one) => one.depth === step.depth - outward) || top;
          (outward < 0 ? statics : owner.values).set(name, {text, bits, index});
        }
      });
      return {stack: stack.reverse(), statics};
    }
    beside() {
      const now = this.steps[this.step], values = new Map();
      for (let index = this.step; index >= 0 && this.steps[index].depth >= now.depth; index--) {
        const step = this.steps[index], [file, line] = step.at;
        if (step.depth === now.depth && file === now.at[0] && !values.has(line)) values.set(line, told(step, 6));
      }
      return values;
    }
    // ---- drawing

    draw() {
      this.parent.replaceChildren();
      const {finding, steps} = this;
      if (this.part.findings.length > 1) {
        const bar = make(this.parent, "div", {className: "row-of", role: "group", "aria-label": "Findings"});
        this.part.findings.forEach((found, index) => button(bar, `${index + 1}: ${found.where || found.kind}`, () => this.choose(index), {title: found.message, "aria-pressed": String(index === this.number)}));
      }
      if (this.part.findings.length > 1) {
        const what = make(this.parent, "p");
        make(what, "strong", {}, finding.message);
        what.append(" at ");
        place(what, finding.at, finding.where);
      }
      if (steps.length) this.drawControls(); else make(this.parent, "p", {className: "dim"}, "The run is too long to be told step by step. Its inputs:");
      this.drawInputs();
    }
    drawControls() {
      const last = this.steps.length - 1, stepper = make(this.parent, "div", {className: "stepper"});
      const bar = make(stepper, "div", {className: "row-of"});
      const add = (text, label, wanted) => button(bar, text, () => this.go(wanted()), {title: label, "aria-label": label});
      add("|◀", "first step", () => 0);
      add("◀ Back", "one step back (left arrow)", () => this.back());
      add("Forward ▶", "one step forward (right arrow)", () => this.forward());
      add("Over", "forward, over calls (shift and right arrow)", () => this.over());
      add("▶|", "the violation", () => last);
      const second = make(stepper, "div", {className: "row-of"});
      this.slider = make(second, "input", {type: "range", min: 0, max: last, value: last, "aria-label": "step"});
      this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
      this.count = make(second, "span", {className: "dim"});
      this.told = make(stepper, "p", {className: "told", "aria-live": "polite"});
      const names = [...new Set(this.steps.flatMap((step) => (step.changes || []).map(([name]) => name)))].sort();
      if (names.length) this.drawChooser(names);
      this.variables = make(this.parent, "div", {className: "vars", tabIndex: 0, role: "region", "aria-label": "Variables"});
      this.drawTrace();
    }
    drawChooser(names) {
      const bar = make(this.parent, "div", {className: "row-of"});
      this.names = make(bar, "select", {"aria-label": "variable"});
      make(this.names, "option", {value: ""}, "follow a variable …");
      for (const name of names) make(this.names, "option", {value: name}, name);
      this.names.addEventListener("change", () => this.follow(this.names.value));
      this.before = button(bar, "◀ change", () => this.go(this.changes(-1)), {title: "where it changed before", disabled: true});
      this.after = button(bar, "change ▶", () => this.go(this.changes(1)), {title: "where it changes next", disabled: true});
    }
    follow(name) {
      this.chosen = this.chosen === name ? "" : name;
      this.names.value = this.chosen;
      this.show();
    }
    drawTrace() {
      const head = make(this.parent, "div", {className: "row-of"});
      make(head, "h3", {}, "Steps");
      const aside = this.steps.filter((step) => step.aside).length;
      if (aside) {
        const made = button(head, `what bears on it only`, () => {
          this.brief = !this.brief;
          made.setAttribute("aria-pressed", String(this.brief));
          this.hide();
        }, {"aria-pressed": String(this.brief), title: `${aside} of ${this.steps.length} steps do not bear on the failure, as far as data goes`});
      }
      const calls = this.steps.map((_, index) => index).filter((index) => this.below(index) > index + 1);
      if (calls.length) {
        button(head, "fold calls", () => { this.folded = new Set(calls); this.hide(); });
        button(head, "unfold", () => { this.folded.clear(); this.hide(); });
      }
      const list = this.list = make(this.parent, "ol", {className: "trace", tabIndex: 0, "aria-label": "Steps"});
      this.items = this.steps.map((step, index) => this.item(list, step, index));
      if (this.finding.omitted) this.gap();
      if (this.brief) this.hide(false);
    }
    item(list, step, index) {
      const item = make(list, "li", {className: step.aside ? "aside" : ""});
      item.style.setProperty("--depth", Math.min(step.depth, 12));
      if (this.below(index) > index + 1) {
        item.fold = button(item, "▾", () => {
          this.folded.has(index) ? this.folded.delete(index) : this.folded.add(index);
          this.hide();
        }, {className: "fold", "aria-expanded": "true", "aria-label": "the calls of this line"});
      } else make(item, "span", {className: "fold"});
      const made = button(item, "", () => this.go(index), {className: "step"});
      if (step.folded) make(made, "span", {className: "loop"}, `⟳ ${step.folded.toLocaleString("en")} more iterations `);
      make(made, "span", {className: "dim"}, `${where(step)} `);
      made.append(cut(line(step.at) || step.source || "", SHORT), " ");
      make(made, "b", {}, told(step, 4));
      return item;
    }
    gap() {
      const text = `… ${this.finding.omitted.toLocaleString("en")} steps are left out …`;
      const row = make(null, "li", {className: "gone"}, text), behind = this.items[this.finding.gap];
      behind ? behind.before(row) : this.list.prepend(row);
    }
    hide(follow = true) {
      const there = new Set(this.visible());
      this.items.forEach((item, index) => {
        item.hidden = !there.has(index);
        if (item.fold) {
          item.fold.textContent = this.folded.has(index) ? "▸" : "▾";
          item.fold.setAttribute("aria-expanded", String(!this.folded.has(index)));
        }
      });
      if (!follow) return;
      if (!there.has(this.step)) this.go([...there].filter((index) => index < this.step).pop()); else this.show();
    }
    drawInputs() {
      const {inputs, unshown} = this.finding;
      if (!inputs.length) return;
      make(this.parent, "h3", {}, "Inputs, in the order of their use");
      const table = make(make(this.parent, "div", {className: "vars", tabIndex: 0, role: "region", "aria-label": "Inputs"}), "table");
      for (const input of inputs) {
        const row = make(table, "tr");
        place(make(row, "td"), input.at, input.where);
        make(row, "td", {title: input.type}, input.name);
        make(row, "td", {}, input.value + (input.times > 1 ? `  (${input.times} times)` : ""));
      }
      if (unshown) make(this.parent, "p", {className: "dim"}, `${unshown.toLocaleString("en")} more are in the JSON result.`);
    }
    // ---- moving

    go(index, reveal = true) {
      if (index === undefined || index < 0 || index >= this.steps.length) return;
      for (const call of [...this.folded]) if (call < index && index < this.below(call)) { this.folded.delete(call); this.hide(); }
      this.step = index;
      if (this.brief) this.hide(false);
      this.show(reveal);
    }
    show(reveal = true) {
      const step = this.steps[this.step];
      this.slider.value = this.step;
      this.slider.setAttribute("aria-valuetext", `${this.step + 1} of ${this.steps.length}`);
      this.count.textContent = `step ${this.step + 1} of ${this.steps.length}`;
      this.told.textContent = `${where(step)}${step.function ? ` in ${step.function}` : ""}${step.changes ? `: ${told(step, 8)}` : ""}${step.folded ? ` (${step.folded} more iterations)` : ""}`;
      this.items.forEach((item, index) => item.classList.toggle("now", index === this.step));
      const item = this.items[this.step], top = item.offsetTop - this.list.offsetTop;
      if (top < this.list.scrollTop || top > this.list.scrollTop + this.list.clientHeight - 30) this.list.scrollTop = top - this.list.clientHeight / 2;
      this.drawVariables();
      this.listing.at(step.at, this.beside());
      if (this.before) {
        this.before.disabled = !this.chosen || this.changes(-1) === undefined;
        this.after.disabled = !this.chosen || this.changes(1) === undefined;
      }
    }
    drawVariables() {
      const {stack, statics} = this.frames();
      this.variables.replaceChildren();
      stack.forEach(({name, values}, index) => this.table(values, `${index ? "called from " : ""}${name || "the program"}`));
      this.table(statics, "of no call");
    }
    table(values, title) {
      if (!values.size) return;
      const table = make(this.variables, "table");
      make(table, "caption", {}, title);
      for (const [name, {text, bits, index}] of values) {
        const row = make(table, "tr", {className: index === this.step ? "new" : ""});
        button(make(row, "td"), name, () => this.follow(name), {"aria-pressed": String(name === this.chosen), title: "follow its changes"});
        make(row, "td", {}, text);
        make(row, "td", {className: "dim"}, bits === text || bits === `0x${text}` ? "" : bits);
      }
    }
  }

  const where = (step) => step.at[0] < 0 ? step.where || "" : `${base(data.files[step.at[0]].name)}:${step.at[1]}`;
  function told(step, most) {
    const changes = step.changes || [], texts = changes.slice(0, most).map(([name, text]) => `${name} = ${text}`);
    return texts.join(", ") + (changes.length > most ? ", …" : "");
  }
  return {Run};
})();
