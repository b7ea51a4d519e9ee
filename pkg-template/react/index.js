"use client";
// A client for the components below a provider, and hooks on it. Plain JavaScript: no build step, and no JSX.
import {
  createContext,
  createElement,
  Fragment,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { charge, connect, connectIn, disconnectOf, given, outboxOf, Provided } from "../provided.js";
import { LOADING } from "../state.js";

const Context = createContext(null);

export function PosConnectProvider({ options, client, children }) {
  const data = dataOf(options);
  // Other data is another client. Other functions are not: components make new ones each time they render.
  const provided = useMemo(() => (client ? given(client) : new Provided(options)), [client, data]);
  useEffect(() => {
    provided.options = options;
  });
  useEffect(() => provided.hold(), [provided]);
  return createElement(Context.Provider, { value: provided }, children);
}

/** The options as a text. Of a function it says only that there is one. */
const dataOf = (options) => JSON.stringify(options, (_, value) => (typeof value === "function" ? "" : value));

function useProvided() {
  const provided = useContext(Context);
  if (!provided) throw new Error("pos-connect: there is no <PosConnectProvider> above this component.");
  return provided;
}

function useClientState() {
  const provided = useProvided();
  const state = useSyncExternalStore(
    provided.subscribe,
    () => provided.state,
    () => LOADING,
  );
  return { provided, state };
}

export function usePosConnect() {
  const provided = useProvided();
  return useSyncExternalStore(
    provided.subscribe,
    () => provided.client,
    () => null,
  );
}

export function useConnection() {
  const { provided, state } = useClientState();
  const { status, connection, hasEnded, error } = state;
  return { status, connection, hasEnded, error, disconnect: disconnectOf(provided) };
}

export function useConnect(options) {
  const { provided, state } = useClientState();
  const [error, setError] = useState();
  // Takes nothing, so that a button can have it as its `onClick`.
  return { connect: () => connect(provided, options, setError), isConnecting: state.isConnecting, error };
}

export function ConnectFrame({ options, onConnected, children, ...rest }) {
  const provided = useProvided();
  const area = useRef(null);
  const newest = useRef(null);
  const [{ number, error }, setAttempt] = useState({ number: 1 });
  useEffect(() => {
    newest.current = { options, onConnected };
  });
  useEffect(
    () =>
      connectIn(
        provided,
        { ...newest.current.options, container: area.current },
        (tokens) => newest.current.onConnected?.(tokens),
        (error) => setAttempt({ number, error }),
      ),
    [provided, number],
  );
  const retry = () => setAttempt({ number: number + 1 });
  const frame = createElement("div", { ...rest, ref: area });
  return createElement(Fragment, null, frame, error ? children?.({ error, retry }) : null);
}

export function useCharge(options) {
  const provided = useProvided();
  const [running, setRunning] = useState(0);
  const step = (by) => setRunning((running) => running + by);
  return {
    charge: (order, more) => charge(provided, order, { ...options, ...more }, step),
    isCharging: running > 0,
  };
}

export function useOutbox() {
  const { provided, state } = useClientState();
  return { waiting: state.waiting, refused: state.refused, ...outboxOf(provided) };
}
