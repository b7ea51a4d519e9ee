// What a compiler of Vue's templates checks an element by.
import type { GlobalComponents } from "vue";
import type {} from "pos-connect/vue";

type Keypad = InstanceType<GlobalComponents["ereceipt-keypad"]>["$props"];

export const right: Keypad = { region: "IL", locale: "he", class: "wide", id: "receipt" };

// @ts-expect-error: a region is a text
export const wrong: Keypad = { region: 7 };
