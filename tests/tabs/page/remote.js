// Without a driver (support/remote.js): pages in frames. Asks what to do, and says what came of it with the next
// question.
const frames = [];

const actions = {
  /** Loads the page into a frame of its own, anew if it is there. */
  async load(index) {
    frames[index]?.remove();
    frames[index] = document.createElement("iframe");
    frames[index].src = "/";
    await loading(index, () => document.body.append(frames[index]));
  },
  reload: (index) => loading(index, () => frames[index].contentWindow.location.reload()),
  run: (index, name, ...args) => frames[index].contentWindow.rig[name](...args),
};

function loading(index, begin) {
  return new Promise((resolve) => {
    frames[index].addEventListener("load", resolve, { once: true });
    begin();
  });
}

for (let result; ;) {
  const response = await fetch("/remote", { method: "POST", body: JSON.stringify(result ?? null) });
  const [name, ...args] = await response.json();
  result = await actions[name](...args);
}
