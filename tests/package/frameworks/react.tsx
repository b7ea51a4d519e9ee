import { useRef } from "react";
import type { Order, PosConnect, ReceiptKeypad, ReceiptResult } from "pos-connect";
import {
  ConnectFrame,
  PosConnectProvider,
  useCharge,
  useConnect,
  useConnection,
  useOutbox,
  usePosConnect,
} from "pos-connect/react";
import { fakePosConnect } from "pos-connect/testing";

export function Receipt({ orderId, onDone }: { orderId: string; onDone: (result: ReceiptResult) => void }) {
  const keypad = useRef<ReceiptKeypad>(null);
  const ask = async () => {
    if (keypad.current) onDone(await keypad.current.ask({ orderId, onSend: () => {} }));
  };
  return <>
    <button onClick={ask}>Receipt</button>
    <ereceipt-keypad ref={keypad} region="IL" locale="he" className="wide" />
  </>;
}

// @ts-expect-error: a region is a text
export const wrong = () => <ereceipt-keypad region={7} />;

const options = { baseUrl: "https://relay.example", connectUrl: "https://auth.example/connect", clientId: "acme" };

export function Till({ order }: { order: Order }) {
  const { status, connection, error, disconnect } = useConnection();
  const { connect, isConnecting, error: why } = useConnect({ locale: "he" });
  const { charge, isCharging } = useCharge({ region: "IL", print: ({ externalId }) => console.log(externalId) });
  const { refused, retry, discard } = useOutbox();
  const pos: PosConnect | null = usePosConnect();
  const sell = async () => console.log((await charge(order, { context: "Paid" })).receipt.kind);
  return <>
    <p>{status} {connection?.account?.name} {error?.code} {why?.code}</p>
    <button onClick={connect} disabled={isConnecting}>Connect</button>
    <button onClick={disconnect}>Disconnect</button>
    <button onClick={sell} disabled={isCharging}>Charge</button>
    <button onClick={() => pos?.store.get()}>Profile</button>
    {refused.map(({ id }) => <button key={id} onClick={() => retry(id).then(() => discard(id))}>{id}</button>)}
    <ConnectFrame options={{ theme: "dark" }} onConnected={({ held }) => console.log(held)} className="frame">
      {({ error, retry }) => <button onClick={retry}>{error.code}</button>}
    </ConnectFrame>
  </>;
}

export const real = <PosConnectProvider options={options}><p /></PosConnectProvider>;
export const fake = <PosConnectProvider client={fakePosConnect()}><p /></PosConnectProvider>;

// @ts-expect-error: nothing to create a client from
export const none = <PosConnectProvider><p /></PosConnectProvider>;
// @ts-expect-error: the frame has its own container
export const contained = <ConnectFrame options={{ container: "#area" }} />;
