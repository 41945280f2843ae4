/** An idempotency key: 128 random bits, also where `crypto.randomUUID` is missing, as on pages without https. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
