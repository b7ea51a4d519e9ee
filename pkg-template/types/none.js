// "pos-connect/react", "/vue" and "/svelte" have types only.
export {};
