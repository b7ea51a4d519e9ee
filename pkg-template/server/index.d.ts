/**
 * For a vendor's own back end in Node 20 and newer, in the place of the relay: everything that the SDK calls. It adds
 * the client secret, picks the tokens up once, keeps them, and passes orders, customers and the store's profile on.
 *
 * @module pos-connect/server
 */
import type { IncomingMessage, ServerResponse } from "node:http";

/** Who calls, as your authentication found out. */
export interface Till {
  /** The till's name at the service: 1 to 64 visible ASCII characters. Each till counts its own order numbers. */
  id: string;
  /** Whose till it is. Tills of one merchant share a connection. */
  merchant: string;
}

/**
 * Where the connections are kept. A value is JSON that only this module reads. It holds the merchant's tokens, so
 * encrypt it. An error of yours becomes a 502, and the till asks again.
 */
export interface BackEndStorage {
  /** What was saved last for a merchant, or `null`. */
  load(merchant: string): Promise<unknown>;
  /**
   * Calls `work` while no `work` runs for this merchant in another of your processes, and gives its result. Within a
   * process, a back end calls it for one merchant at a time. `value` is what was saved last, or `null`. `save` resolves
   * when its value is on the disk, and may be called several times. A lock is held for 20 seconds at most.
   */
  locked<Result>(
    merchant: string,
    work: (value: unknown, save: (value: unknown) => Promise<void>) => Promise<Result>,
  ): Promise<Result>;
}

/** The options of `createBackEnd`. */
export interface BackEndOptions {
  /** The service, such as `https://auth.example.com`. Plain `http:` only to this machine: the secret goes there. */
  serviceUrl: string;
  /** Yours at the service (§2.4). */
  clientId: string;
  /** Yours at the service (§2.4). Take it from the environment or from a secret store. */
  clientSecret: string;
  /** Where it keeps what it knows of each merchant. */
  storage: BackEndStorage;
  /** Finds the till that calls by its `Authorization` header, `null` if it is none of yours. */
  tillOf(authorization: string | null, request: Request): Till | null | Promise<Till | null>;
  /** The origins of your tills' pages, exactly, if they differ from this back end's. */
  origins?: readonly string[];
  /**
   * Whether a merchant may connect with another account or store than before. Orders that wait in the tills then go
   * there. Without it, no merchant may: the till gets `other_account`, and the new tokens are revoked.
   */
  mayChangeAccount?(merchant: string): boolean | Promise<boolean>;
  /**
   * Gets what became a 502, with the request ID that the till was told, and what failed while no till waited. By
   * default it goes to `console.error`.
   */
  onError?(error: unknown, requestId?: string): void;
}

/** What `createBackEnd` gives, to add to a server. */
export interface BackEnd {
  /** For Hono, Next.js, Deno, Bun and whatever else has the web platform's `Request` and `Response`. */
  fetch(request: Request): Promise<Response>;
  /** For `node:http`, Express, Connect and a hook of Fastify. Add it before anything that reads bodies. */
  middleware(request: IncomingMessage, response: ServerResponse, next?: () => void): Promise<void>;
}

/** Makes one back end for the process. It throws a `TypeError` for an option that is missing, unknown or wrong. */
export function createBackEnd(options: BackEndOptions): BackEnd;

/** For trials and tests: everything is gone with the process, and another process does not see it. */
export function memoryStorage(): BackEndStorage;
