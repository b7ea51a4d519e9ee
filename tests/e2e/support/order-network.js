// Runs in the till's page before its own scripts: does to a call that sends an order what the session storage says.
// "hold": it never leaves, and fails with `cut()`. "lose": its answer never comes. "refuse": the service does not take
// it. And it notes each order that the service says it has: the same one, sent again, is answered as the first time.
const send = window.fetch;
window.held = 0;
const held = [];
window.cut = () => held.splice(0).forEach((reject) => reject(new TypeError("the network is cut")));

/** Runs in a store that a killed browser does not lose. */
function withServed(act) {
  return new Promise((resolve) => {
    const opening = indexedDB.open("served");
    opening.onupgradeneeded = () => opening.result.createObjectStore("orders");
    opening.onsuccess = () => {
      const changing = opening.result.transaction("orders", "readwrite", { durability: "strict" });
      const asked = act(changing.objectStore("orders"));
      changing.oncomplete = () => {
        opening.result.close();
        resolve(asked.result);
      };
    };
  });
}

window.served = () => withServed((store) => store.getAllKeys());

async function note(answer) {
  if (!answer.ok) return;
  const { order, receivedAt } = await answer.clone().json();
  await withServed((store) => store.put(true, `${order.externalId} ${receivedAt}`));
}

window.fetch = async (input, init) => {
  const { pathname } = new URL(input.url ?? input, location);
  if (pathname !== "/v1/orders") return send(input, init);
  const deed = sessionStorage.getItem("orders");
  if (!deed || deed === "lose") {
    const answer = await send(input, init);
    await note(answer);
    if (!deed) return answer;
  }
  window.held += 1;
  if (deed !== "refuse") return new Promise((_, reject) => deed === "hold" && held.push(reject));
  const problem = { success: false, status: 422, code: "invalid_member", pointer: "/lines/0/name" };
  return new Response(JSON.stringify(problem), {
    status: 422,
    headers: { "content-type": "application/problem+json" },
  });
};
