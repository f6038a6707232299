// Plays the steps of a picture: the controls that all kinds of graphs share. A kind makes a view out of its data, with
// `steps` (each with a `text`), `legend` (words with their meanings), and what there is at a step: `draw`, `chips` (buttons), `detail` of what is picked.
"use strict";
const counterpoint = (() => {
  const svgElement = (parent, name, attributes = {}, text = null) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== null) made.textContent = text;
    parent.append(made);
    return made;
  };
  const element = (parent, name, properties = {}) => {
    const made = Object.assign(document.createElement(name), properties);
    parent.append(made);
    return made;
  };
  const cut = (text, most) => text.length <= most ? text : text.slice(0, most - 1) + "…";
  const there = (thing, step) => thing.born <= step && (thing.died === null || step < thing.died);

  function show(section, number) {
    const view = kinds[section.dataset.kind](JSON.parse(section.querySelector("script").textContent));
    const last = view.steps.length - 1;
    if (last < 0) return;
    let step = 0, scale = null, picked = null, timer = null;
    const bar = element(section, "div", {className: "bar"});
    const button = (text, action, title) => {
      const made = element(bar, "button", {type: "button", textContent: text, title});
      made.addEventListener("click", action);
      return made;
    };
    button("First", () => go(0), "to the beginning");
    button("Back", () => go(step - 1), "one step back");
    const play = button("Play", () => timer === null ? start() : stop(), "all steps, one after the other");
    button("Forward", () => go(step + 1), "one step forward");
    button("Last", () => go(last), "to the end");
    const slider = element(bar, "input", {type: "range", min: 0, max: last, value: 0});
    slider.setAttribute("aria-label", "step");
    slider.addEventListener("input", () => go(Number(slider.value)));
    const count = element(bar, "span");
    button("−", () => zoom(scale / 1.25), "smaller");
    button("+", () => zoom(scale * 1.25), "larger");
    button("Fit", () => { scale = null; render(); }, "the whole width");
    const said = element(section, "p", {className: "said"});
    said.setAttribute("aria-live", "polite");
    const canvas = element(section, "div", {className: "canvas"});
    const svg = svgElement(canvas, "svg", {id: "growth" + number, role: "img"});
    const tests = element(section, "div", {className: "tests"});
    const detail = element(section, "pre", {className: "detail"});
    const legend = element(section, "p", {className: "key"});
    for (const [word, meaning] of view.legend) {
      if (word) element(legend, "b", {textContent: word});
      legend.append(meaning);
    }
    const all = element(element(section, "details"), "summary", {textContent: "All steps"}).parentElement;
    const list = element(all, "ol", {start: 0});
    view.steps.forEach((each, index) => {
      const item = element(list, "li", {textContent: each.text});
      item.addEventListener("click", () => go(index));
    });

    function stop() { clearInterval(timer); timer = null; play.textContent = "Play"; }
    function start() {
      if (step === last) go(0);
      play.textContent = "Pause";
      timer = setInterval(() => step < last ? go(step + 1, true) : stop(), 1200);
    }
    function go(wanted, playing = false) {
      if (!playing && timer !== null) stop();
      step = Math.max(0, Math.min(last, wanted));
      render(true);
    }
    function zoom(wanted) { scale = Math.max(0.08, Math.min(4, wanted)); render(); }
    function pick(wanted) { picked = picked === wanted ? null : wanted; render(); }
    function render(moved = false) {
      const {layout, follow} = view.draw(svg, step, picked, pick);
      if (scale === null) scale = Math.max(0.35, Math.min(1, (canvas.clientWidth - 20) / layout.width));
      svg.setAttribute("width", layout.width * scale);
      svg.setAttribute("height", layout.height * scale);
      if (moved && follow) reveal(follow, layout);
      slider.value = step;
      count.textContent = `step ${step} of ${last}`;
      said.textContent = view.steps[step].text;
      [...list.children].forEach((item, index) => item.classList.toggle("now", index === step));
      tests.replaceChildren(...view.chips(step).map(({title, text, colour, pressed, choose}) => {
        const chip = Object.assign(document.createElement("button"), {type: "button", title, textContent: text});
        chip.style.borderColor = colour;
        chip.setAttribute("aria-pressed", String(pressed));
        chip.addEventListener("click", () => { choose(); render(); });
        return chip;
      }));
      detail.textContent = view.detail(step, picked);
    }
    function reveal(spot, layout) {
      const x = (spot.left - layout.left + spot.width / 2) * scale, y = (spot.top + spot.height / 2) * scale;
      const hidden = x < canvas.scrollLeft || x > canvas.scrollLeft + canvas.clientWidth
        || y < canvas.scrollTop || y > canvas.scrollTop + canvas.clientHeight;
      if (hidden) canvas.scrollTo({left: x - canvas.clientWidth / 2, top: y - canvas.clientHeight / 2});
    }
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(scale * (event.deltaY < 0 ? 1.15 : 1 / 1.15));
    }, {passive: false});
    canvas.addEventListener("pointermove", (event) => {
      if (!(event.buttons & 1)) return;
      canvas.scrollLeft -= event.movementX;
      canvas.scrollTop -= event.movementY;
    });
    render();
  }

  const kinds = {};  // name -> data -> view
  const play = () => document.querySelectorAll(".growth").forEach(show);
  return {svgElement, element, cut, there, kinds, play};
})();
