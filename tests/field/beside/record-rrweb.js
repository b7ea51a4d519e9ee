import { record } from "rrweb";
import { recorder } from "./recorder.js";

const send = (event) => fetch(recorder, { method: "POST", body: JSON.stringify(event), keepalive: true });
record({ emit: (event) => void send(event), maskAllInputs: false });
