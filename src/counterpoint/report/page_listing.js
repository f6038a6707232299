// The source: rows by the hundred, made when they come into view; marks of checks, facts, coverage, values of a run.
report.listing = (() => {
  const CHUNK = 100, ROW = 20, MOST_IDLE = 6000, FACTS = 3;
  const {data, make, button, base, inside, shown} = report;
  const KEYWORDS = new Set(("auto break case char const continue default do double else enum extern float for goto if inline int long "
    + "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool _Noreturn bool "
    + "size_t uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t NULL true false assert").split(" "));
  const TOKENS = /(\/\/.*$|\/\*[^]*?(?:\*\/|$))|("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|\b(\d[\w.]*)\b|([A-Za-z_]\w*)/g;
  const WORDS = {proved: "✓", refuted: "✗", unknown: "?"}, WORST = ["refuted", "unknown", "proved"];

  // Whether each line of a piece begins inside of a comment.
  function comments(lines) {
    const starts = [];
    let open = false;
    for (const line of lines) {
      starts.push(open);
      let rest = line;
      if (open) {
        const end = line.indexOf("*/");
        if (end < 0) continue;
        rest = line.slice(end + 2);
      }
      open = false;
      if (rest.includes("/*")) for (const found of rest.matchAll(TOKENS)) open = Boolean(found[1] && found[1].startsWith("/*") && !found[1].slice(2).endsWith("*/"));
    }
    return starts;
  }

  function paint(parent, text, open) {
    let from = 0;
    if (open) {
      const end = text.indexOf("*/");
      from = end < 0 ? text.length : end + 2;
      make(parent, "span", {className: "q"}, text.slice(0, from));
    }
    const rest = text.slice(from), directive = /^\s*#\s*\w+/.exec(rest);
    let at = 0;
    if (directive && from === 0) { make(parent, "span", {className: "p"}, directive[0]); at = directive[0].length; }
    for (const found of rest.matchAll(TOKENS)) {
      if (found.index < at) continue;
      const kind = found[1] ? "q" : found[2] ? "s" : found[3] ? "d" : KEYWORDS.has(found[4]) ? "k" : "";
      if (!kind) continue;
      if (found.index > at) parent.append(rest.slice(at, found.index));
      make(parent, "span", {className: kind}, found[0]);
      at = found.index + found[0].length;
    }
    parent.append(rest.slice(at));
  }

  class Listing {
    constructor(parent) {
      this.bar = make(parent, "div", {className: "row-of"});
      this.legend = make(parent, "p", {className: "legend"});
      this.lines = make(parent, "div", {className: "lines", tabIndex: 0, role: "region", "aria-label": "Source"});
      this.file = -1;
      this.marks = new Map();  // file -> line -> checks
      this.facts = new Map();  // file -> line -> facts
      this.values = new Map();  // line -> text, of this file
      this.current = null;  // [file, line] of a run
      this.fails = new Set();
      this.controls();
      this.observer = new IntersectionObserver((seen) => {
        for (const one of seen) if (one.isIntersecting) this.fill(one.target);
      }, {root: this.lines, rootMargin: "600px"});
    }
    controls() {
      const files = make(null, "select", {"aria-label": "File"});
      data.files.forEach((file, index) => make(files, "option", {value: index}, file.name));
      files.addEventListener("change", () => this.open(Number(files.value)));
      if (data.files.length > 1) this.bar.append(files); else if (data.files.length) make(this.bar, "code", {}, data.files[0].name);
      this.files = files;
      this.functions = make(this.bar, "select", {"aria-label": "Go to a function"});
      this.functions.addEventListener("change", () => { if (this.functions.value) this.go(this.file, Number(this.functions.value)); });
      const find = make(this.bar, "input", {type: "search", placeholder: "Find …", "aria-label": "Find in the source"});
      find.addEventListener("keydown", (event) => { if (event.key === "Enter") this.find(find.value, event.shiftKey); });
      this.switches = {};
      for (const what of ["coverage", "checks", "facts"]) {
        const made = this.switches[what] = button(this.bar, what, () => {
          const off = this.lines.classList.toggle("no-" + what);
          made.setAttribute("aria-pressed", String(!off));
        }, {"aria-pressed": "true"});
      }
    }
    explain() {
      const add = (kind, text) => { const one = make(this.legend, "span"); make(one, "span", {className: kind}); one.append(text); };
      this.legend.replaceChildren();
      this.switches.coverage.hidden = !data.runs;
      this.switches.checks.hidden = !this.marks.size;
      this.switches.facts.hidden = !this.facts.size;
      if (data.runs) {
        const code = data.files.reduce((sum, file) => sum + length(file.code), 0), ran = data.files.reduce((sum, file) => sum + length(file.covered), 0);
        add("bar-ran", `run by tests (${ran} of ${code} lines, ${data.runs} tests)`);
        add("bar-never", "never run by them");
      } else if (data.note) make(this.legend, "span", {}, `No coverage: ${data.note}`);
      if (this.marks.size) {
        const there = new Set([...this.marks.values()].flatMap((lines) => [...lines.values()].flat().map((check) => check.answer)));
        for (const [answer, text] of [["proved", "✓ proved"], ["refuted", "✗ fails"], ["unknown", "? open"]].filter(([one]) => there.has(one))) {
          const one = make(this.legend, "span", {className: "m"});
          make(one, "span", {className: answer}, text);
        }
      }
    }
    // Another part: its checks and facts are on the lines.
    show(part) {
      const by = (found, at, what) => {
        if (at[0] < 0) return;
        if (!found.has(at[0])) found.set(at[0], new Map());
        const lines = found.get(at[0]);
        lines.set(at[1], [...(lines.get(at[1]) || []), what]);
      };
      this.marks = new Map(), this.facts = new Map();
      for (const [file, line, , kind, what, answer] of part.checks) by(this.marks, [file, line], {kind, what, answer});
      for (const fact of part.facts) by(this.facts, fact.at, fact);
      this.fails = new Set(part.findings.map((found) => found.at.join(":")));
      this.explain();
      const file = this.file;
      this.file = -1;
      if (data.files.length) this.open(Math.max(0, file));
      if (!part.findings.length) this.begin(part);
    }
    // What is worth seeing first: an open check, a fact, or the function where runs begin.
    begin(part) {
      const open = part.checks.find((row) => row[0] >= 0 && row[5] !== "proved"), fact = part.facts.find((one) => one.at[0] >= 0);
      const file = data.files.findIndex((one) => one.functions.some(([name]) => name === data.entry));
      const entry = file >= 0 && [file, data.files[file].functions.find(([name]) => name === data.entry)[1]];
      const wanted = open || (fact && fact.at) || entry;
      if (!wanted) return;
      this.open(wanted[0]);
      this.reveal(wanted[1]);
    }
    open(number) {
      if (number === this.file) return;
      this.file = number;
      this.files.value = number;
      const file = data.files[number];
      this.functions.replaceChildren();
      make(this.functions, "option", {value: ""}, "function …");
      for (const [name, line] of file.functions) make(this.functions, "option", {value: line}, name);
      this.functions.hidden = !file.functions.length;
      this.observer.disconnect();
      const holder = make(null, "div", {className: "inside"});
      this.chunks = [];
      let next = 1;
      for (const [first, lines] of file.pieces) {
        if (first > next) make(holder, "div", {className: "gap"}, `… lines ${next} to ${first - 1} are not on the page …`);
        next = first + lines.length;
        const open = comments(lines);
        for (let start = 0; start < lines.length; start += CHUNK) {
          const made = make(holder, "div"), some = lines.slice(start, start + CHUNK);
          const chunk = {made, first: first + start, lines: some, open: open.slice(start, start + CHUNK), rows: null};
          made.chunk = chunk;
          made.style.height = `${ROW * (some.length + this.extra(chunk))}px`;
          this.chunks.push(chunk);
        }
      }
      if (next <= file.length && file.pieces.length && next <= file.length - 1) make(holder, "div", {className: "gap"}, "… the rest is not on the page …");
      this.lines.replaceChildren(holder);
      for (const chunk of this.chunks) this.observer.observe(chunk.made);
      if (this.chunks.length) this.fill(this.chunks[0].made);
      if (file.length <= MOST_IDLE) this.idle(number, 1);
      this.mark();
    }
    extra(chunk) {
      const facts = this.facts.get(this.file) || new Map();
      let count = 0;
      for (let line = chunk.first; line < chunk.first + chunk.lines.length; line++)
        for (const {formulas} of facts.get(line) || []) count += first(formulas) + (formulas.length > first(formulas) ? 1 : 0);
      return count;
    }
    // So that the browser's own search finds everything in files that are not large.
    idle(number, index) {
      const later = window.requestIdleCallback || ((action) => setTimeout(action, 30));
      later(() => {
        if (number !== this.file || index >= this.chunks.length) return;
        this.fill(this.chunks[index].made);
        this.idle(number, index + 1);
      });
    }
    fill(made) {
      const {chunk} = made;
      this.observer.unobserve(made);
      if (!chunk || chunk.rows) return;
      const rows = document.createDocumentFragment(), facts = this.facts.get(this.file) || new Map();
      chunk.rows = chunk.lines.map((text, index) => {
        const line = chunk.first + index;
        for (const fact of facts.get(line) || []) this.fact(rows, fact);
        return this.row(rows, line, text, chunk.open[index]);
      });
      made.replaceChildren(rows);
      made.style.height = "";
    }
    row(parent, line, text, open) {
      const file = data.files[this.file], row = make(parent, "div", {className: "l"});
      row.dataset.line = line;
      if (data.runs && inside(file.code, line)) row.classList.add(inside(file.covered, line) ? "ran" : "never");
      const number = make(row, "span", {className: "n"}, String(line));
      if (row.classList.contains("never")) number.title = "no test ran this line";
      const marks = make(row, "span", {className: "m"}), checks = (this.marks.get(this.file) || new Map()).get(line);
      if (checks) {
        const worst = WORST.find((answer) => checks.some((check) => check.answer === answer));
        make(marks, "span", {className: worst, "aria-label": worst}, WORDS[worst]);
        marks.title = checks.map((check) => `${check.answer}: ${check.what || check.kind}`).join("\n");
      }
      if (this.fails.has(`${this.file}:${line}`)) row.classList.add("fails");
      paint(make(row, "code", {className: "c"}), text, open);
      this.dress(row, line);
      return row;
    }
    fact(parent, {where, formulas}) {
      const add = (before, text, first) => {
        const row = make(null, "div", {className: "fact", title: `always true here (${where})`});
        make(row, "span", {className: first ? "place-of" : "place-of again"}, where === "loop" ? "each time here:" : `${where}:`);
        row.append(text);
        before ? before.before(row) : parent.append(row);
      };
      const most = first(formulas);
      formulas.slice(0, most).forEach((text, index) => add(null, text, !index));
      if (formulas.length <= most) return;
      const rest = make(parent, "div", {className: "fact"});
      button(rest, `${formulas.length - most} more`, () => {
        formulas.slice(most).forEach((text) => add(rest, text));
        rest.remove();
      });
    }
    rowOf(line) {
      const chunk = (this.chunks || []).find((one) => one.first <= line && line < one.first + one.lines.length);
      return chunk && {chunk, row: chunk.rows && chunk.rows[line - chunk.first]};
    }
    dress(row, line) {
      const text = this.values.get(line), now = this.current && this.current[0] === this.file && this.current[1] === line;
      row.classList.toggle("now", Boolean(now));
      row.classList.toggle("seen", text !== undefined);
      const old = row.querySelector(".v");
      if (old) old.remove();
      if (text) make(row, "span", {className: "v"}, text);
    }
    mark() {
      for (const row of this.dressed || []) this.dress(row, Number(row.dataset.line));
      this.dressed = [];
      const wanted = [...this.values.keys()];
      if (this.current && this.current[0] === this.file) wanted.push(this.current[1]);
      for (const line of wanted) {
        const found = this.rowOf(line);
        if (!found || !found.row) continue;
        this.dress(found.row, line);
        this.dressed.push(found.row);
      }
    }
    // A run is at a place; `values` are of the lines of its file that its present call executed.
    at(place, values) {
      this.current = place;
      if (place[0] >= 0 && place[0] !== this.file) this.open(place[0]);
      this.values = values;
      this.mark();
      if (place[0] >= 0) this.reveal(place[1]);
    }
    reveal(line) {
      const found = this.rowOf(line);
      if (!found) return null;
      this.fill(found.chunk.made);
      this.mark();
      const row = found.chunk.rows[line - found.chunk.first], top = row.offsetTop - this.lines.offsetTop, height = this.lines.clientHeight;
      if (top < this.lines.scrollTop + 2 * ROW || top > this.lines.scrollTop + height - 4 * ROW) this.lines.scrollTop = top - height / 3;
      return row;
    }
    go(file, line) {
      if (file < 0) return;
      this.open(file);
      const row = this.reveal(line);
      for (const old of this.lines.querySelectorAll(".aim")) old.classList.remove("aim");
      if (row) row.classList.add("aim");
      document.getElementById("source").scrollIntoView({block: "nearest"});
    }
    find(text, back) {
      if (!text || !this.chunks) return;
      const lines = this.chunks.flatMap((chunk) => chunk.lines.map((line, index) => [chunk.first + index, line]));
      const hits = lines.filter(([, line]) => line.toLowerCase().includes(text.toLowerCase())).map(([line]) => line);
      if (!hits.length) return;
      const aim = this.lines.querySelector(".aim"), from = aim ? Number(aim.dataset.line) : back ? Infinity : 0;
      const next = back ? hits.filter((line) => line < from).pop() ?? hits[hits.length - 1] : hits.find((line) => line > from) ?? hits[0];
      this.go(this.file, next);
    }
  }
  const first = (formulas) => formulas.length > FACTS + 1 ? FACTS : formulas.length;
  const length = (ranges) => ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  return {Listing, base};
})();
