import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PNG } from "pngjs";
import { engine } from "./environment.js";

/** The pixels of a picture: `{ data, width, height }`, four bytes a pixel. */
export const pixels = (png) => PNG.sync.read(png);

/**
 * Writes a picture into the folder `POS_SCREENSHOTS`, if there is one. The demo login, its second factor, and what
 * leads to the connect page, are masked meanwhile.
 */
export async function screenshot(window, name) {
  const folder = process.env.POS_SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await window.executeScript(`
    const secrets = ["login-email", "login-password"].map((id) => document.getElementById(id)?.textContent);
    for (const { textContent } of document.querySelectorAll(".pos-connect-link, #key, .recovery-codes li"))
      secrets.push(textContent);
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    window.masked = [];
    while (texts.nextNode()) {
      const { currentNode: node, currentNode: { data } } = texts;
      node.data = secrets.filter(Boolean).reduce((text, secret) => text.replaceAll(secret, "•".repeat(12)), data);
      if (node.data !== data) window.masked.push([node, data]);
    }
    // As large as before, and no code any more.
    document.querySelector(".pos-connect-qr path, .qr path")?.setAttribute("transform", "scale(1 0.2)");`);
  // WebKit takes the picture of the last frame that was painted: the mask must be in it.
  await window.executeAsyncScript(
    "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)));",
  );
  const picture = await window.takeScreenshot();
  await window.executeScript(
    `for (const [node, data] of window.masked) node.data = data;
    delete window.masked;
    document.querySelector(".pos-connect-qr path, .qr path")?.removeAttribute("transform");`,
  );
  await writeFile(join(folder, `${engine()}-${name}.png`), Buffer.from(picture, "base64"));
}
