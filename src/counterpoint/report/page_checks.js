// The table of checks: filtered by answer, those that are not proved first; a click shows the line.
report.checks = (() => {
  const MOST = 200, ORDER = ["refuted", "unknown", "proved"];
  const LABELS = {all: "all", refuted: "fail", unknown: "open", proved: "proved"};
  const {make, button, place} = report;

  function show(parent, part) {
    parent.replaceChildren();
    const section = parent.closest("section"), rows = part.checks;
    section.hidden = !rows.length;
    for (const link of document.querySelectorAll(".for-checks")) link.hidden = !rows.length;
    if (!rows.length) return;
    const sorted = ORDER.flatMap((answer) => rows.filter((row) => row[5] === answer));
    const bar = make(parent, "div", {className: "row-of", role: "group", "aria-label": "Show checks"});
    const table = make(parent, "div", {className: "table scroll", tabIndex: 0, role: "region", "aria-label": "Checks"});
    let chosen = "all", most = MOST;
    const choices = ["all", ...ORDER].map((answer) => {
      const count = answer === "all" ? rows.length : rows.filter((row) => row[5] === answer).length;
      return [answer, button(bar, `${LABELS[answer]} ${count}`, () => { chosen = answer; most = MOST; draw(); }, {disabled: !count})];
    });
    function draw() {
      for (const [answer, made] of choices) made.setAttribute("aria-pressed", String(answer === chosen));
      const wanted = sorted.filter((row) => chosen === "all" || row[5] === chosen);
      const made = make(null, "table"), head = make(make(made, "thead"), "tr"), body = make(made, "tbody");
      for (const title of ["Answer", "Place", "What could go wrong", "Kind", "By, or why not"]) make(head, "th", {scope: "col"}, title);
      for (const row of wanted.slice(0, most)) line(body, row);
      table.replaceChildren(made);
      if (wanted.length > most) button(table, `show all ${wanted.length}`, () => { most = Infinity; draw(); }, {className: "more"});
    }
    draw();
  }

  function line(body, [file, number, where, kind, what, answer, cause, by, why, behind]) {
    const row = make(body, "tr");
    make(make(row, "td"), "span", {className: `tag ${answer}`}, answer === "unknown" ? "open" : answer === "refuted" ? "fails" : answer);
    place(make(row, "td", {className: "where"}), [file, number], where);
    make(row, "td", {className: "what"}, what);
    make(row, "td", {className: "dim"}, cause ? `${kind} (${cause})` : kind);
    const said = [answer === "unknown" ? why : by && `by ${by}`, behind && "only behind another violation"].filter(Boolean).join("; ");
    make(row, "td", {className: "dim"}, said);
  }
  return {show};
})();
