/** Where a recorder sends to: our own server, which keeps what comes. */
export const recorder = new URL(new URLSearchParams(location.search).get("recorder"), location.href).href;
