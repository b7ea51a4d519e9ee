// The smallest app there is: it creates a till, twice, and says so.

/** The text of a module that imports the package as `name`. */
export function createOne(name) {
  return `import { PosConnect } from "${name}";
const baseUrl = "https://service.example";
const options = { baseUrl, connectUrl: baseUrl + "/connect", clientId: "vendor" };
Promise.all([PosConnect.create(options), PosConnect.create(options)])
  .then((tills) => (tills.every((till) => till instanceof PosConnect) ? "ready" : "not a PosConnect"))
  .catch((error) => \`\${error.code}: \${error.message}\`)
  .then((result) => { document.body.dataset.result = JSON.stringify(result); });
`;
}
