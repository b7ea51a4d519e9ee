// Page objects for Playwright. They take what its tests have, and import nothing.

/** Milliseconds. What is typed faster is a scanner's; what is pressed sooner was meant for what stood there before. */
const BETWEEN_KEYS = 50;
const BEFORE_PRESS = 500;

/** @param page a page whose frame shows the connect page, or the frame that is the connect page, as in a window */
export function connectPage(page) {
  const isFrame = typeof page.parentFrame === "function";
  const inside = isFrame ? page : page.frameLocator("iframe.pos-connect-frame");
  const find = (css) => inside.locator(css);
  const shows = (name) => find(`body[data-page="${name}"]`).waitFor();

  async function choose(store) {
    const list = find("select[name=store]");
    if (await list.count()) return list.selectOption(store ? { label: store } : { index: 1 });
    const choices = find(".choice:has([name=store])");
    return (store ? choices.filter({ hasText: store }) : choices).first().click();
  }

  return {
    shows,
    async signIn({ email, password }) {
      await shows("sign-in");
      await find("#email").fill(email);
      await find("#password").fill(password);
      await find("#sign-in").click();
    },
    async consent({ store, ereceipts = false } = {}) {
      await shows("consent");
      await choose(store);
      if (ereceipts) await find("#ereceipts").check();
      await find("#connect").click();
    },
    cancel: () => find("#cancel").click(),
  };
}

/** @param page the page, or the frame, that the keypad is in */
export function keypad(page) {
  const find = (part) => page.locator(`ereceipt-keypad [part~="${part}"]`);
  const { keyboard } = page.keyboard ? page : page.page();

  async function shows() {
    await find("send").waitFor();
    await page.waitForTimeout(BEFORE_PRESS);
  }

  async function press(part) {
    await shows();
    await find(part).click();
  }

  return {
    shows,
    async type(number) {
      await find("send").waitFor();
      await keyboard.type(number, { delay: BETWEEN_KEYS });
    },
    async tap(number) {
      await shows();
      for (const key of number) await find("key").getByText(key, { exact: true }).click();
    },
    send: () => press("send"),
    scan: () => press("scan"),
    async done() {
      await find("done").waitFor();
      await page.waitForTimeout(BEFORE_PRESS);
      await find("done").click();
    },
    print: () => press("print"),
    none: () => press("none"),
  };
}
