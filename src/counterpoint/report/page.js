// What the parts of a page share: its data (counterpoint/report/page_data.py), elements with text, places, the part that is
// chosen. Text from the data is put into the page as text only; the page's policy forbids the rest.
"use strict";
const report = (() => {
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const make = (parent, name, properties = {}, text = null) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties))
      if (key in made && key !== "list") made[key] = value; else made.setAttribute(key, value);
    if (text !== null) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  };
  const button = (parent, text, action, properties = {}) => {
    const made = make(parent, "button", {type: "button", ...properties}, text);
    made.addEventListener("click", action);
    return made;
  };
  const base = (name) => name.slice(name.lastIndexOf("/") + 1);
  // `at` is [file, line]; what is not on the page is text only.
  const place = (parent, at, text) => at[0] < 0 ? make(parent, "span", {className: "dim"}, text)
    : make(parent, "button", {type: "button", className: "place", "data-file": at[0], "data-line": at[1]}, text);
  const inside = (ranges, line) => {
    let low = 0, high = ranges.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1, [from, to] = ranges[middle];
      if (line < from) high = middle - 1; else if (line > to) low = middle + 1; else return true;
    }
    return false;
  };
  // The text of a line without blanks around it; "" where it is not on the page.
  const line = ([file, number]) => {
    const piece = file < 0 ? null : data.files[file].pieces.find(([first, lines]) => first <= number && number < first + lines.length);
    return piece ? piece[1][number - piece[0]].trim() : "";
  };
  const cut = (text, most) => text.length <= most ? text : `${text.slice(0, most - 1)}…`;
  const shown = {part: 0, changed: []};  // `changed`: called with the part whenever another one is chosen

  function choose(number) {
    shown.part = number;
    for (const one of document.querySelectorAll("[data-part]:not([role=tab])")) one.hidden = Number(one.dataset.part) !== number;
    for (const tab of document.querySelectorAll("[role=tab]")) {
      const mine = Number(tab.dataset.part) === number;
      tab.setAttribute("aria-selected", String(mine));
      tab.tabIndex = mine ? 0 : -1;
    }
    for (const action of shown.changed) action(data.parts[number]);
  }
  return {data, make, button, base, place, inside, line, cut, shown, choose};
})();
