// `parsePhone` and `formatPhoneAsYouType`, with a whole number and with one that is being typed, before and after the
// module is loaded.
import { turn } from "./clock.js";
import { SCRIPTS, written } from "./digits.js";
import * as places from "./places.js";
import { forget, record } from "./recorders.js";

/** The forms in which a number comes. */
const forms = (number) => ({
  typed: number.typed,
  spaced: [...number.typed].join(" "),
  "with its country": number.e164,
  "without its plus": number.withCode,
  "too long": `${number.typed}00`,
});

/** Wrong options: their errors must not quote what was typed beside them. */
const OPTIONS = { IL: { region: "IL" }, "no region": undefined, "a wrong region": { region: "XX" }, "no options": 5 };

async function call(sdk, name, text, options, number, say) {
  const see = (found) => found.forEach(({ place, where }) => say(`${place}: ${where}`));
  places.arm();
  try {
    sdk[name](text, options);
  } catch (error) {
    see(places.statics(number));
    record("errors", `thrown by ${name}`, error);
  }
  see(places.statics(number));
  await turn();
  see([...places.statics(number), ...places.inMemory(number), ...places.atOnce(number)]);
}

/** A number of its own for each, as it may also be written to where it is not looked for at once. */
async function calls(sdk, when, report) {
  for (const name of ["parsePhone", "formatPhoneAsYouType"]) {
    for (const script of SCRIPTS) {
      const number = places.freshNumber();
      forget();
      for (const [form, digits] of Object.entries(forms(number))) {
        for (const [which, options] of Object.entries(OPTIONS)) {
          const say = (leak) => report.leaks.push(`${when}, ${name}, ${script}, ${form}, ${which}: ${leak}`);
          await call(sdk, name, written(digits, script), options, number, say);
          report.calls += 1;
        }
      }
      const typing = (leak) => report.leaks.push(`${when}, ${name}, ${script}, being typed: ${leak}`);
      for (let length = 1; length <= number.typed.length; length += 1) {
        await call(sdk, name, written(number.typed.slice(0, length), script), OPTIONS.IL, number, typing);
        report.calls += 1;
      }
      for (const { place, where } of await places.everywhere(number)) typing(`${place}: ${where}`);
    }
  }
}

export async function phones(sdk) {
  const report = { calls: 0, leaks: [] };
  await calls(sdk, "before init", report);
  await sdk.init();
  await calls(sdk, "after init", report);
  return { ...report, leaks: [...new Set(report.leaks)] };
}
