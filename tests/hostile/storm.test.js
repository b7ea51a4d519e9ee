// A till, its shoppers and its network, as wild as they come, in a page of nobody else's.
import { stormsIn } from "./storm.js";

stormsIn("bare");
