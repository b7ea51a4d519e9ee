// The page around the simulated till: it says that it is a simulation, and shows the till once the service worker
// answers.
const frame = document.querySelector("iframe");
const till = new URL("till/", location.href);

/** The page of the till that a window of its own was opened for (see worker.js), else the till. */
function asked() {
  const page = new URL(new URLSearchParams(location.search).get("page") ?? "", till);
  return (page.href.startsWith(till.href) ? page : till).href;
}

/** Resolves once a worker answers for this folder. */
async function working() {
  const registration = await navigator.serviceWorker.register("worker.js");
  const fresh = registration.active ? null : registration.installing;
  const failed = new Promise((_, reject) => {
    // A file was missing, or the network.
    const look = () => fresh.state === "redundant" && reject(new Error("The service worker could not be installed."));
    fresh?.addEventListener("statechange", look);
  });
  await Promise.race([navigator.serviceWorker.ready, failed]);
}

try {
  await working();
  frame.addEventListener("load", () => { document.body.dataset.state = "ready"; }, { once: true });
  frame.src = asked();
  frame.hidden = false;
} catch (error) {
  console.error(error);
  document.body.dataset.state = "failed";
}
