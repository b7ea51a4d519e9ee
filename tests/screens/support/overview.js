// One page that shows all pictures of a run, the flawed ones first.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const STYLE = `body { font: 14px system-ui; margin: 1rem; color-scheme: light dark }
  div { display: flex; flex-wrap: wrap; gap: 8px; align-items: flex-start }
  figure { margin: 0; max-width: 330px } img { max-width: 330px; max-height: 260px; border: 1px solid gray }
  .flawed img { border: 3px solid crimson } figcaption { font-size: 12px; overflow-wrap: anywhere }`;

/** Adds the pictures of a file of states to what is there, and writes `index.html` anew. */
export async function writeOverview(folder, name, shots) {
  await writeFile(join(folder, `${name}.json`), JSON.stringify(shots));
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json")).sort();
  const read = async (file) => [file, JSON.parse(await readFile(join(folder, file), "utf8"))];
  const parts = await Promise.all(files.map(read));
  const sections = parts.map(([file, all]) => section(file.replace(".json", ""), all));
  const count = parts.reduce((sum, [, all]) => sum + all.length, 0);
  await writeFile(
    join(folder, "index.html"),
    `<!doctype html><meta charset="utf-8"><title>Screens</title><style>${STYLE}</style>
    <h1>${count} screens</h1>${sections.join("")}`,
  );
}

function section(name, shots) {
  const states = grouped(shots);
  const part = ([state, all]) => {
    const figures = all.sort((a, b) => b.flaws.length - a.flaws.length).map(figure);
    return `<h2>${escaped(`${name}: ${state}`)}</h2><div>${figures.join("")}</div>`;
  };
  return [...states].map(part).join("");
}

function figure({ file, view: { size, percent, language, theme }, flaws }) {
  const caption = [`${size.join("×")}, ${percent} %, ${language}, ${theme}`, ...flaws].join("; ");
  return `<figure${flaws.length ? ' class="flawed"' : ""}>
    <a href="${escaped(file)}"><img loading="lazy" src="${escaped(file)}" alt=""></a>
    <figcaption>${escaped(caption)}</figcaption></figure>`;
}

function grouped(shots) {
  const states = new Map();
  for (const shot of shots) states.set(shot.state, [...(states.get(shot.state) ?? []), shot]);
  return states;
}
