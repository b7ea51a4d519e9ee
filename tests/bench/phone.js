// Measures the engines that its address names.
const names = location.search.slice(1).split("&");
const { examples } = await import("/peer.js");
const engines = {};
for (const name of names) engines[name] = (await import(`./engine.js?${name}`)).default;

const PARSES = 10_000;
const samples = Object.entries(examples).filter(([region]) => region.length === 2);

// Each keystroke several times over, as the clock ticks every 5 µs; but the first key of all is timed alone.
const REPEATS = 20;

function type({ format, parse }) {
  const times = [];
  for (const [region, national] of samples) {
    for (let length = 1; length <= national.length; length += 1) {
      const typed = national.slice(0, length);
      const repeats = times.length === 0 ? 1 : REPEATS;
      const begun = performance.now();
      for (let count = 0; count < repeats; count += 1) {
        format(typed, region);
        parse(typed, region);
      }
      times.push((performance.now() - begun) / repeats);
    }
  }
  return times;
}

function parseAll({ parse }) {
  const begun = performance.now();
  for (let count = 0; count < PARSES; count += 1) {
    const [region, national] = samples[count % samples.length];
    parse(national, region);
  }
  return performance.now() - begun;
}

function figures(engine) {
  const times = type(engine);
  const first = times[0];
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return {
    "first key": first,
    "keystroke p50": at(0.5),
    "keystroke p99": at(0.99),
    "10,000 parses": parseAll(engine),
  };
}

window.measure = async (order) => {
  const result = {};
  for (const name of order) result[name] = figures(engines[name]);
  const versions = Object.values(engines).flatMap(({ version }) => version?.() ?? []);
  const keystrokes = samples.reduce((sum, [, national]) => sum + national.length, 0);
  return { ...result, numbers: samples.length, keystrokes, versions: [...new Set(versions)] };
};
