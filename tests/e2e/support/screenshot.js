import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { engine } from "./environment.js";

/** Writes a picture into the folder `POS_SCREENSHOTS`, if there is one. The demo login is masked meanwhile. */
export async function screenshot(window, name) {
  const folder = process.env.POS_SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await window.executeScript(`for (const id of ["login-email", "login-password"]) {
    const code = document.getElementById(id);
    if (code) { code.dataset.text = code.textContent; code.textContent = "••••••••"; }
  }`);
  const picture = await window.takeScreenshot();
  await window.executeScript(`for (const code of document.querySelectorAll("code[data-text]")) {
    code.textContent = code.dataset.text;
    delete code.dataset.text;
  }`);
  await writeFile(join(folder, `${engine()}-${name}.png`), Buffer.from(picture, "base64"));
}
