// "pos-connect/svelte" has types only.
export {};
