// Both engines do for each keystroke what a keypad needs: the text to show, and whether the number is valid.
const ours = await import("/pos-connect/index.js");
const theirs = await import("/peer.js");
await ours.init();

const PARSES = 10_000;
const samples = Object.entries(theirs.examples).filter(([region]) => region.length === 2);

const engines = {
  ours: {
    start: () => (typed, region) => ours.formatPhoneAsYouType(typed, { region }) && ours.parsePhone(typed, { region }).verdict === "valid",
    parse: (typed, region) => ours.parsePhone(typed, { region }).e164,
  },
  theirs: {
    // Its formatter keeps what was typed and takes one more character; that is its fastest use.
    start: () => {
      let formatter;
      let length = 0;
      return (typed, region) => {
        if (!formatter || typed.length <= length) formatter = new theirs.AsYouType(region);
        length = typed.length;
        formatter.input(typed.at(-1));
        return formatter.isValid();
      };
    },
    parse: (typed, region) => theirs.parsePhoneNumber(typed, region)?.number,
  },
};

function type({ start }) {
  const times = [];
  for (const [region, national] of samples) {
    const key = start();
    for (let length = 1; length <= national.length; length += 1) {
      const typed = national.slice(0, length);
      const begun = performance.now();
      key(typed, region);
      times.push(performance.now() - begun);
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
  return { "first key": first, "keystroke p50": at(0.5), "keystroke p99": at(0.99), "10,000 parses": parseAll(engine) };
}

window.measure = async (oursFirst) => {
  const result = {};
  for (const name of oursFirst ? ["ours", "theirs"] : ["theirs", "ours"]) result[name] = figures(engines[name]);
  return { ...result, numbers: samples.length, keystrokes: samples.reduce((sum, [, national]) => sum + national.length, 0), version: ours.phoneMetadataVersion() };
};
