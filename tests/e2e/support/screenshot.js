import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { engine } from "./environment.js";

/** Writes a picture into the folder `POS_SCREENSHOTS`, if there is one. The demo login is masked meanwhile. */
export async function screenshot(window, name) {
  const folder = process.env.POS_SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await window.executeScript(`
    const secrets = ["login-email", "login-password"].map((id) => document.getElementById(id)?.textContent).filter(Boolean);
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    window.masked = [];
    while (texts.nextNode()) {
      const { currentNode: node, currentNode: { data } } = texts;
      node.data = secrets.reduce((text, secret) => text.replaceAll(secret, "•".repeat(12)), data);
      if (node.data !== data) window.masked.push([node, data]);
    }`);
  // WebKit takes the picture of the last frame that was painted: the mask must be in it.
  await window.executeAsyncScript("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)));");
  const picture = await window.takeScreenshot();
  await window.executeScript("for (const [node, data] of window.masked) node.data = data; delete window.masked;");
  await writeFile(join(folder, `${engine()}-${name}.png`), Buffer.from(picture, "base64"));
}
