// The keypad of the package that the address names; or ten plain buttons that write their digit, the least that a page
// can do.
const name = decodeURIComponent(location.search.slice(1));
const place = document.getElementById("place");
const DIGITS = "0502345678";
const SHORTEST = 16; // what Event Timing reports at least
const events = [];
let taps = 0;
let opened; // ms from the first ask to the paint

async function keypad() {
  const { defineKeypad } = await import(`/${name}/index.js`);
  const element = place.appendChild(new (await defineKeypad())());
  const ask = () => element.ask({ orderId: "bench", region: "IL" });
  const start = performance.now();
  ask();
  await painted();
  if (!element.shadowRoot.querySelector("[part~=send]")?.checkVisibility()) throw new Error("The keypad is not open.");
  opened = performance.now() - start;
  window.clearDisplay = ask;
  return element.shadowRoot;
}

/** The task after the next frame. */
const painted = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    requestAnimationFrame(() => port2.postMessage(null));
  });

function bareButtons() {
  const display = place.appendChild(document.createElement("p"));
  for (const digit of "0123456789") {
    const button = place.appendChild(document.createElement("button"));
    button.textContent = digit;
    button.style.cssText = "inline-size: 64px; block-size: 64px";
    button.addEventListener("pointerdown", () => {
      display.textContent += digit;
    });
  }
  window.clearDisplay = () => {
    display.textContent = "";
  };
  return place;
}

const root = name === "bare button" ? bareButtons() : await keypad();
const buttons = Array.from(root.querySelectorAll("button"));
const buttonOf = (digit) => buttons.find((button) => button.textContent.trim() === digit);
window.keys = () =>
  Array.from(DIGITS, (digit) => {
    const { x, y, width, height } = buttonOf(digit).getBoundingClientRect();
    return [Math.round(x + width / 2), Math.round(y + height / 2)];
  });
addEventListener(
  "pointerdown",
  () => {
    taps += 1;
  },
  true,
);
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (entry.name === "pointerdown") events.push(entry.duration);
}).observe({ type: "event", durationThreshold: SHORTEST });

window.durations = () => {
  // What was faster than the API reports is there as its shortest.
  const all = [...events, ...Array(Math.max(0, taps - events.length)).fill(SHORTEST)].toSorted((a, b) => a - b);
  const at = (share) => all[Math.min(all.length - 1, Math.floor(all.length * share))];
  return { events: all.length, p95: at(0.95), p99: at(0.99), opened };
};
window.ready = true;
