// What a compiler of Svelte's templates checks an element by.
import type { SvelteHTMLElements } from "svelte/elements";
import type {} from "pos-connect/svelte";

type Keypad = SvelteHTMLElements["ereceipt-keypad"];

export const right: Keypad = { region: "IL", locale: "he", class: "wide", id: "receipt" };

// @ts-expect-error: a region is a text
export const wrong: Keypad = { region: 7 };
