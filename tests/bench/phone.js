// Equal outputs: for each keystroke both engines give the text to show and, if the number is valid, its E.164, national and international forms, its
// region and its kind. Ours has all of these in what `parsePhone` returns; theirs gives them one by one. They agree on which of these keystrokes make a
// valid number, but for one of 2,103, and on all of these but punctuation of the international form (theirs has no hyphens) and the kind of nine, which its metadata for
// mobile numbers cannot tell from landlines. How a number that is not complete yet is grouped, each decides for itself.
const ours = await import("/pos-connect/index.js");
const theirs = await import("/peer.js");
await ours.init();

const PARSES = 10_000;
const samples = Object.entries(theirs.examples).filter(([region]) => region.length === 2);

const engines = {
  ours: {
    format: (typed, region) => ours.formatPhoneAsYouType(typed, { region }),
    parse: (typed, region) => {
      const phone = ours.parsePhone(typed, { region });
      return phone.verdict === "valid" && [phone.e164, phone.national, phone.international, phone.region, phone.kind];
    },
  },
  theirs: {
    format: (typed, region) => theirs.formatIncompletePhoneNumber(typed, region),
    parse: (typed, region) => {
      const phone = theirs.parsePhoneNumberFromString(typed, region);
      return phone?.isValid() && [phone.number, phone.formatNational(), phone.formatInternational(), phone.country, phone.getType()];
    },
  },
};

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
  return { "first key": first, "keystroke p50": at(0.5), "keystroke p99": at(0.99), "10,000 parses": parseAll(engine) };
}

window.measure = async (oursFirst) => {
  const result = {};
  for (const name of oursFirst ? ["ours", "theirs"] : ["theirs", "ours"]) result[name] = figures(engines[name]);
  return { ...result, numbers: samples.length, keystrokes: samples.reduce((sum, [, national]) => sum + national.length, 0), version: ours.phoneMetadataVersion() };
};
