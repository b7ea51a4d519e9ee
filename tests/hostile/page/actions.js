// What can happen in a storm. Each takes the world and its dice.
import { FLOW } from "./storm-flow.js";
import { HANDS } from "./storm-hands.js";
import { MERCHANT } from "./storm-merchant.js";
import { WEATHER } from "./storm-weather.js";

export const ACTIONS = [...FLOW, ...MERCHANT, ...HANDS, ...WEATHER];
