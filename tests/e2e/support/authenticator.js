// What a merchant signs in with beside the password: an app's codes, and a passkey.
import { createHmac } from "node:crypto";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** What an app shows (RFC 6238), that has the key of the page; so many times 30 seconds from now. */
export function codeOf(key, steps) {
  const bits = Array.from(key.replaceAll(" ", ""), (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0"));
  const bytes = bits.join("").match(/.{8}/g).map((byte) => Number.parseInt(byte, 2));
  const time = Buffer.alloc(8);
  time.writeBigInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const hash = createHmac("sha1", Buffer.from(bytes)).update(time).digest();
  const number = hash.readUInt32BE(hash.at(-1) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

/** Gives a window of Chromium a device that keeps passkeys, and whose owner says yes until told otherwise. */
export async function addDevice(window) {
  await window.sendDevToolsCommand("WebAuthn.enable", {});
  const options = { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true };
  const { authenticatorId } = await window.sendAndGetDevToolsCommand("WebAuthn.addVirtualAuthenticator", {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  });
  const answers = (isUserVerified) =>
    window.sendDevToolsCommand("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
  return { answers };
}
