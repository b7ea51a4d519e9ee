import { chromium } from "playwright-core";
import { LIMIT } from "./wait.js";

/** Chromium for Playwright's own calls. */
export const launch = () =>
  chromium.launch({
    executablePath: process.env.POS_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
    timeout: LIMIT,
  });
