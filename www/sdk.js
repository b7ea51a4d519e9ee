// The one place that says where the package is: this till's server mounts it at /pos-connect/.
// In your project: import { PosConnect, PosConnectError } from "pos-connect".
export { init, PosConnect, PosConnectError } from "./pos-connect/index.js";
