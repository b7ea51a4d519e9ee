// `?keypad`: the real one. `?button`: ten plain buttons that write their digit, as the least that a page can do.
const place = document.getElementById("place");
const DIGITS = "0502345678";
const SHORTEST = 16; // what Event Timing reports at least
const events = [];
let taps = 0;

if (location.search === "?keypad") {
  const { defineKeypad } = await import("/pos-connect/index.js");
  await defineKeypad();
  const element = document.createElement("ereceipt-keypad");
  place.append(element);
  const ask = () => element.ask({ orderId: "bench", region: "IL" });
  ask();
  window.clearDisplay = ask;
} else {
  const display = place.appendChild(document.createElement("p"));
  for (const digit of "0123456789") {
    const button = place.appendChild(document.createElement("button"));
    button.textContent = digit;
    button.style.cssText = "inline-size: 64px; block-size: 64px";
    button.addEventListener("pointerdown", () => { display.textContent += digit; });
  }
  window.clearDisplay = () => { display.textContent = ""; };
}

const buttons = () => Array.from((place.querySelector("ereceipt-keypad")?.shadowRoot ?? place).querySelectorAll("button"));
window.keys = () => Array.from(DIGITS, (digit) => {
  const { x, y, width, height } = buttons().find((button) => button.textContent.trim() === digit).getBoundingClientRect();
  return [Math.round(x + width / 2), Math.round(y + height / 2)];
});
addEventListener("pointerdown", () => { taps += 1; }, true);
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (entry.name === "pointerdown") events.push(entry.duration);
}).observe({ type: "event", durationThreshold: SHORTEST });

window.durations = () => {
  // What was faster than the API reports is there as its shortest.
  const all = [...events, ...Array(Math.max(0, taps - events.length)).fill(SHORTEST)].toSorted((a, b) => a - b);
  const at = (share) => all[Math.min(all.length - 1, Math.floor(all.length * share))];
  return { events: all.length, p95: at(0.95), p99: at(0.99) };
};
window.ready = true;
