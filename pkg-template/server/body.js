/** The bytes of a request or a response, `null` if there are more than `limit`. */
export async function bodyOf({ body }, limit) {
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
