// Runs in the till's page before its own scripts: notes each look of the header and the steps with a button that can be
// pressed, and holds back the calls of the path that the session storage names.
const send = window.fetch;
window.looks = [];
window.held = 0;

window.fetch = (input, init) => {
  if (new URL(input.url ?? input, location).pathname !== sessionStorage.getItem("hold")) return send(input, init);
  window.held += 1;
  return new Promise(() => {});
};

new MutationObserver(() => {
  const button = document.querySelector("#connect");
  if (!button || button.disabled) return;
  const texts = ["#connection", "#connect", "#steps"].map((css) => document.querySelector(css).textContent);
  if (window.looks.at(-1)?.join() !== texts.join()) window.looks.push(texts);
}).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });

/** Whether the browser has forgotten the tokens: nothing is left to hand over, not after a reload either. */
window.isHandedOver = async () => {
  const [{ PosConnect }, { loadSettings }] = await Promise.all([import("./sdk.js"), import("./settings.js")]);
  const pos = await PosConnect.create((await loadSettings()).options);
  try {
    return (await pos.resume()) === null;
  } finally {
    pos.destroy();
  }
};
