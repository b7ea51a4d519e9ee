import { chromium } from "playwright-core";

/** Chromium for Playwright's own calls. */
export const launch = () =>
  chromium.launch({ executablePath: process.env.POS_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
