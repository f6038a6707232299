// Puts the parts of the page together.
(() => {
  const {data, shown, choose} = report, find = (id) => document.getElementById(id);
  const root = document.documentElement;
  find("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  const listing = new report.listing.Listing(find("source-body"));
  let run = null;
  find("source").hidden = !data.files.length;
  shown.changed.push((part) => report.checks.show(find("checks-body"), part));
  shown.changed.push((part) => {
    const there = part.findings.length > 0;
    find("run").hidden = !there;
    find("work").classList.toggle("with-run", there && data.files.length > 0);
    listing.current = null;
    listing.values = new Map();
    listing.show(part);
    run = there ? new report.run.Run(find("run-body"), part, listing) : null;
  });
  document.addEventListener("click", (event) => {
    const place = event.target.closest(".place");
    if (place) listing.go(Number(place.dataset.file), Number(place.dataset.line));
  });
  const tabs = [...document.querySelectorAll("[role=tab]")];
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => choose(index));
    tab.addEventListener("keydown", (event) => {
      const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!by) return;
      const next = (index + by + tabs.length) % tabs.length;
      choose(next);
      tabs[next].focus();
    });
  });
  document.addEventListener("keydown", (event) => {
    const busy = event.target.closest("input, select, textarea, .growth, [role=tablist]");
    if (!run || !run.steps.length || busy || event.ctrlKey || event.metaKey || event.altKey) return;
    const wanted = {ArrowLeft: () => run.back(), ArrowRight: () => event.shiftKey ? run.over() : run.forward()}[event.key];
    if (!wanted) return;
    event.preventDefault();
    run.go(wanted());
  });
  choose(0);
})();
