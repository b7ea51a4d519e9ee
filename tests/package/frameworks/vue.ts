// What a compiler of Vue's templates checks an element by, and the composables.
import { createApp, type GlobalComponents } from "vue";
import type { Order } from "pos-connect";
import { fakePosConnect } from "pos-connect/testing";
import {
  ConnectFrame,
  posConnect,
  useCharge,
  useConnect,
  useConnection,
  useOutbox,
  usePosConnect,
} from "pos-connect/vue";

type Keypad = InstanceType<GlobalComponents["ereceipt-keypad"]>["$props"];

export const right: Keypad = { region: "IL", locale: "he", class: "wide", id: "receipt" };

// @ts-expect-error: a region is a text
export const wrong: Keypad = { region: 7 };

const options = { baseUrl: "https://relay.example", connectUrl: "https://auth.example/connect", clientId: "acme" };
createApp({}).use(posConnect, options).use(posConnect, fakePosConnect());
// @ts-expect-error: nothing to create a client from
createApp({}).use(posConnect, {});

export async function setup(order: Order) {
  const { status, connection, error, disconnect } = useConnection();
  const { connect, isConnecting, error: why } = useConnect({ locale: "he" });
  const { charge, isCharging } = useCharge({ region: "IL", print: ({ externalId }) => console.log(externalId) });
  const { refused, retry, discard } = useOutbox();
  await connect();
  console.log((await charge(order, { context: "Paid" })).receipt.kind, usePosConnect().value?.state.status);
  for (const { id } of refused.value) console.log(await retry(id), await discard(id));
  console.log(status.value, connection.value?.account?.name, error.value?.code, why.value?.code);
  console.log(isConnecting.value || isCharging.value);
  await disconnect();
}

type Frame = InstanceType<typeof ConnectFrame>["$props"];
export const frame: Frame = {
  options: { theme: "dark" },
  onConnected: ({ held }) => console.log(held),
  class: "frame",
};
// @ts-expect-error: the frame has its own container
export const contained: Frame = { options: { container: "#area" } };
