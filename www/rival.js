/**
 * Someone else who has the vendor's keys and the integration token: picks the token set up with a plain request. Gives
 * the HTTP status.
 */
export async function takeTokensFirst({ baseUrl, clientId, clientSecret }, integrationToken) {
  const url = new URL(`${baseUrl.replace(/\/$/, "")}/v1/auth/integration/token`);
  url.searchParams.set("client_id", clientId);
  url.searchParams.set("client_secret", clientSecret);
  url.searchParams.set("integration_token", integrationToken);
  const response = await fetch(url, { cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer" });
  await response.body?.cancel();
  return response.status;
}
