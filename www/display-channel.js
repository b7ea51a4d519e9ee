// What the till and the customer's display, a window of the same origin, share: a channel to talk, and a lock that the
// display holds as long as it lives. Nothing of it is stored.
const nameOf = (till) => `till-display-${till}`;

export const channelOf = (till) => new BroadcastChannel(nameOf(till));

/** Runs `work` once nobody else holds the lock of that till's display. */
export const withLock = (till, work) => navigator.locks.request(nameOf(till), work);
