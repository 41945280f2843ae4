import { EarshotError } from '../../library/core/errors/errors.ts';
import type { PartPlace } from '../rules/files/object-store.ts';

/** Counts an arriving body against what was announced. */
export interface BodyLength {
  /** @throws EarshotError file_too_large, or bad_request when the body is longer than announced */
  add(chunk: Buffer): void;
  /** Its bytes. @throws EarshotError bad_request when the body is shorter than announced */
  finish(): number;
}

function countTo(exactBytes: number, wrongSize: (received: string) => EarshotError): BodyLength {
  let sizeBytes = 0;
  return {
    add(chunk) {
      sizeBytes += chunk.length;
      if (sizeBytes > exactBytes) throw wrongSize(`more than ${exactBytes}`);
    },
    finish() {
      if (sizeBytes !== exactBytes) throw wrongSize(String(sizeBytes));
      return sizeBytes;
    },
  };
}

/** Of a whole object. */
export function bodyLength(maxBytes: number, exactBytes?: number): BodyLength {
  let sizeBytes = 0;
  const exact =
    exactBytes === undefined
      ? null
      : countTo(
          exactBytes,
          (received) =>
            new EarshotError('bad_request', `Expected a body of ${exactBytes} bytes but received ${received}`, {
              details: { field: 'body', expected: exactBytes },
            }),
        );
  return {
    add(chunk) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes)
        throw new EarshotError('file_too_large', `Expected at most ${maxBytes} bytes but received more`, {
          details: { maxBytes },
        });
      exact?.add(chunk);
    },
    finish() {
      exact?.finish();
      return sizeBytes;
    },
  };
}

/** Of a part of an upload. */
export const partLength = ({ number, exactBytes }: PartPlace): BodyLength =>
  countTo(
    exactBytes,
    (received) =>
      new EarshotError('bad_request', `Expected ${exactBytes} bytes for part ${number} but received ${received}`, {
        details: { field: 'body', expected: exactBytes, part: number },
      }),
  );
