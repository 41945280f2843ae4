/** Frees caches of megabytes per step now, without waiting for garbage collection. */
export function freeMemory({ buffer }: Float32Array): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached && buffer.byteLength > 0) buffer.transfer(0);
}

/**
 * The same for a file of weights of tens of megabytes. Small files share their buffer with others and are not freed.
 */
export function freeFile({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength > 0 && buffer.byteLength === byteLength) buffer.transfer(0);
}
