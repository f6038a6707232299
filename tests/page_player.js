// Runs a page's script on as much of a document as it uses, goes through all steps, and prints what was drawn at each:
// node page_player.js PAGE
const fs = require("fs");
class Element {
  constructor(name) {
    Object.assign(this, {name, children: [], attributes: {}, listeners: {}, style: {}, clientWidth: 900, clientHeight: 500});
    Object.assign(this, {scrollLeft: 0, scrollTop: 0, dataset: {}, textContent: ""});
    const classes = this.classes = new Set();
    this.classList = {
      add: (one) => classes.add(one),
      toggle: (one, on) => (on ?? !classes.has(one)) ? classes.add(one) : classes.delete(one),
    };
  }
  get id() { return this.attributes.id; }
  get parentElement() { return this.parent; }
  append(...made) { for (const one of made) { one.parent = this; this.children.push(one); } }
  replaceChildren(...made) { this.children = []; this.append(...made); }
  setAttribute(key, value) {
    if (String(value).includes("NaN") || value === undefined) throw new Error(`${this.name} ${key} ${value}`);
    this.attributes[key] = value;
    if (key === "class") String(value).split(" ").forEach((one) => this.classes.add(one));
  }
  addEventListener(what, action) { this.listeners[what] = action; }
  scrollTo() {}
  querySelector(name) { return this.find((one) => one.name === name)[0]; }
  find(wanted) { return this.children.flatMap((one) => [...(wanted(one) ? [one] : []), ...one.find(wanted)]); }
}
const page = fs.readFileSync(process.argv[2], "utf8");
const sections = [...page.matchAll(/<section class=growth data-kind=(\w+)>[^]*?<script type='application\/json'>([^]*?)<\/script>/g)].map(([, kind, data]) => {
  const section = new Element("section"), script = new Element("script");
  section.dataset.kind = kind;
  script.textContent = data;
  section.append(script);
  return section;
});
global.document = {
  createElementNS: (_, name) => new Element(name), createElement: (name) => new Element(name),
  querySelectorAll: () => sections,
};
eval(page.match(/<script>([^]*?)<\/script>/)[1]);
for (const section of sections) {
  const forward = section.find((one) => one.textContent === "Forward")[0];
  const [svg] = section.find((one) => one.name === "svg");
  const [said] = section.find((one) => one.className === "said");
  for (let steps = section.find((one) => one.name === "li").length; steps > 0; steps--) {
    const of = (name) => svg.find((one) => one.classes.has(name));
    const texts = (found) => found.map((one) => (one.children.find((text) => text.classes.has("id")) || {textContent: "error"}).textContent);
    const boxes = svg.find((one) => one.name === "g");
    for (const box of boxes.flatMap((one) => one.children)) if (box.listeners.click) { box.listeners.click(); box.listeners.click(); }
    console.log(JSON.stringify({
      said: said.textContent, nodes: texts(of("region")), gone: texts(of("gone")), trace: texts(of("boxed")),
      edges: of("edge").length - of("cover").length, covers: of("cover").length,
    }));
    forward.listeners.click();
  }
}
