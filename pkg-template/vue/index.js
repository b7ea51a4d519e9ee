// A client for the components of an app, and composables on it.
import { computed, defineComponent, h, inject, onBeforeUnmount, onMounted, shallowRef } from "vue";
import { charge, connect, connectIn, disconnectOf, given, outboxOf, Provided } from "../provided.js";

const KEY = Symbol("pos-connect");

export const posConnect = {
  install(app, source) {
    const provided = typeof source?.subscribe === "function" ? given(source) : new Provided(source);
    const state = shallowRef(provided.state);
    const client = shallowRef(provided.client);
    const stop = provided.subscribe(() => {
      state.value = provided.state;
      client.value = provided.client;
    });
    app.provide(KEY, { provided, state, client });
    if (typeof window === "undefined") return;
    const letGo = provided.hold();
    app.onUnmount(() => {
      stop();
      letGo();
    });
  },
};

function useProvided() {
  const shared = inject(KEY, null);
  if (!shared) throw new Error("pos-connect: call app.use(posConnect, options) first.");
  return shared;
}

/** Members of the state, each as a ref. */
const refsOf = (state, names) => Object.fromEntries(names.map((name) => [name, computed(() => state.value[name])]));

export const usePosConnect = () => useProvided().client;

export function useConnection() {
  const { provided, state } = useProvided();
  const shown = refsOf(state, ["status", "connection", "hasEnded", "error"]);
  return { ...shown, disconnect: disconnectOf(provided) };
}

export function useConnect(options) {
  const { provided, state } = useProvided();
  const error = shallowRef();
  const show = (why) => {
    error.value = why;
  };
  return { connect: () => connect(provided, options, show), ...refsOf(state, ["isConnecting"]), error };
}

export const ConnectFrame = defineComponent({
  name: "ConnectFrame",
  inheritAttrs: false,
  props: ["options"],
  emits: ["connected"],
  setup(props, { attrs, emit, slots }) {
    const { provided } = useProvided();
    const area = shallowRef(null);
    const failure = shallowRef();
    let stop;
    const begin = () => {
      failure.value = undefined;
      const connected = (tokens) => emit("connected", tokens);
      const failed = (error) => {
        failure.value = { error, retry: begin };
      };
      stop = connectIn(provided, { ...props.options, container: area.value }, connected, failed);
    };
    onMounted(begin);
    onBeforeUnmount(() => stop());
    return () => [h("div", { ...attrs, ref: area }), failure.value && slots.default?.(failure.value)];
  },
});

export function useCharge(options) {
  const { provided } = useProvided();
  const running = shallowRef(0);
  const step = (by) => {
    running.value += by;
  };
  return {
    charge: (order, more) => charge(provided, order, { ...options, ...more }, step),
    isCharging: computed(() => running.value > 0),
  };
}

export function useOutbox() {
  const { provided, state } = useProvided();
  return { ...refsOf(state, ["waiting", "refused"]), ...outboxOf(provided) };
}
