import type { JSONWebKeySet } from 'jose';

const LIMIT_BYTES = 262_144;

/** The document at `url`, parsed; at most 256 KiB, from there and nowhere else. Rejects for any other answer than a 200 with JSON. */
export async function fetchKeySet(url: string, signal: AbortSignal): Promise<JSONWebKeySet> {
  const headers = { Accept: 'application/jwk-set+json, application/json' };
  const response = await fetch(url, { headers, signal, redirect: 'error' });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new Error(`The key set was answered with ${response.status}.`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop by throwing cancels what still comes.
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > LIMIT_BYTES) throw new Error(`The key set is larger than ${LIMIT_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as JSONWebKeySet;
}
