import { clarity } from "clarity-js";
import { recorder } from "./recorder.js";

const upload = (data) => void fetch(recorder, { method: "POST", body: data });
const start = () => clarity.start({ projectId: "key", upload, content: true, track: false, lean: false, delay: 500 });
start();
globalThis.recording = { start, stop: () => clarity.stop() };
