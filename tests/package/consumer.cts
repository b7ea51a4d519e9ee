// What a CommonJS file may take: the entries that have a module of its kind. Never run.
import { usePosConnect, type PosConnectProviderProps } from "pos-connect/react";
import { createBackEnd, memoryStorage, type BackEnd } from "pos-connect/server";
import { fakePosConnect, PosConnectError } from "pos-connect/testing";
import { useConnection } from "pos-connect/vue";

export const code = (error: unknown) => (error instanceof PosConnectError ? error.code : undefined);
export const all: [() => unknown, () => unknown, unknown] = [usePosConnect, useConnection, fakePosConnect];
export const props: PosConnectProviderProps["children"] = null;
export const backEnd: BackEnd = createBackEnd({
  serviceUrl: "https://auth.example.com",
  clientId: "a",
  clientSecret: "b",
  storage: memoryStorage(),
  tillOf: (authorization) => (authorization ? { id: "till-1", merchant: "bakery-17" } : null),
  mayChangeAccount: async (merchant) => merchant === "bakery-17",
});
