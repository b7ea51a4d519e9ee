// What goes wrong on real counters, on purpose: a barcode scanner that types, and a slow touch screen that clicks late
// and twice.
const BARCODE = "4006381333931";
const SCAN_AFTER = 3000;
const KEY_GAP = 5; // a scanner's pace; nobody types at 200 keys a second
const CLICK_DELAY = 350;
const GHOST_DELAY = 450;

/** Starts what is switched on; gives a function that ends it. */
export function simulateKiosk({ scanner, ghosts }) {
  const stops = [scanner && scanLater(), ghosts && slowDown()].filter(Boolean);
  return () => { for (const stop of stops) stop(); };
}

const deepestFocus = () => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element ?? document.body;
};

function scanLater() {
  const timer = setTimeout(() => {
    const keys = [...BARCODE, "Enter"];
    const begin = performance.now() - keys.length * KEY_GAP;
    keys.forEach((key, index) => {
      for (const type of ["keydown", "keyup"]) {
        const event = new KeyboardEvent(type, { key, bubbles: true, cancelable: true, composed: true });
        // As a real key's: when it was pressed, however late a busy page hears of it.
        Object.defineProperty(event, "timeStamp", { value: begin + index * KEY_GAP });
        deepestFocus().dispatchEvent(event);
      }
    });
  }, SCAN_AFTER);
  return () => clearTimeout(timer);
}

/** Holds every click back, lets it come late, and once more after that. */
function slowDown() {
  const ours = new WeakSet();
  const timers = new Set();
  const later = ({ timeStamp }, target, init, delay) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      const click = new PointerEvent("click", init);
      // However late a busy page lets it come.
      Object.defineProperty(click, "timeStamp", { value: timeStamp + delay });
      ours.add(click);
      target.dispatchEvent(click);
    }, delay);
    timers.add(timer);
  };
  const hold = (event) => {
    if (ours.has(event)) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    const { detail, clientX, clientY, pointerId, pointerType } = event;
    const init = { bubbles: true, cancelable: true, composed: true, detail, clientX, clientY, pointerId, pointerType };
    const [target] = event.composedPath();
    later(event, target, init, CLICK_DELAY);
    if (detail > 0) later(event, target, init, GHOST_DELAY); // A keyboard's click (detail 0) has no ghost.
  };
  addEventListener("click", hold, true);
  return () => {
    removeEventListener("click", hold, true);
    timers.forEach(clearTimeout);
  };
}
