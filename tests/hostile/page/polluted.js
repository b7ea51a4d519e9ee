// Members on Object.prototype that the package's own objects have, and that the page's own service does not read.
const names = `held kind at iv sealed told over unanswered isLost ended element reason operation retryable then toJSON
preventScroll durability`;
for (const [at, name] of names.split(/\s+/).entries()) {
  const value = name === "toJSON" ? undefined : `polluted ${name}`;
  Object.defineProperty(Object.prototype, name, { __proto__: null, value, configurable: true, writable: at % 2 === 0 });
}
