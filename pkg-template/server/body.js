/** The service's own limit for a list of customers. */
export const BODY_LIMIT = 1 << 20;

/** An order without its lines would be refused for good. */
export const bodyWasRead = () => new Error("The body has been read: add the back end before what reads bodies.");

/** The bytes of a request or a response, `null` if there are more than `limit`. */
export async function bodyOf({ body, bodyUsed }, limit) {
  if (bodyUsed) throw bodyWasRead();
  if (!body) return undefined;
  const chunks = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limit) return null;
    chunks.push(chunk);
  }
  return new Blob(chunks);
}
