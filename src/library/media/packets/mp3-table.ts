// The table in the first frame of an MP3 that FFmpeg's writer makes, with LAME's extension.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { tagBytes } from '../tags/id3-frames.ts';

/** From the word "Xing" or "Info" on: after flags, two numbers, 100 places, the quality, and the encoder's name. */
const delayAt = 141;
/** The last two bytes of the extension: a checksum of all of the frame before them. */
const checksumAt = 154;
const most = 4095;

/** CRC-16 with the polynomial 0x8005, least significant bit first, as LAME has it. */
function checksum(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}

/**
 * Writes how much at both ends of a finished MP3 is not heard, in frames, as LAME counts them: less the decoder's own
 * delay at the start, and with it at the end.
 */
export function stateDelay(path: string, delay: number, padding: number): void {
  const handle = openSync(path, 'r+');
  try {
    const head = Buffer.alloc(10);
    readSync(handle, head, 0, 10, 0);
    const start = tagBytes(head);
    const frame = Buffer.alloc(400);
    readSync(handle, frame, 0, frame.length, start);
    const at = Math.max(frame.indexOf('Xing', 0, 'latin1'), frame.indexOf('Info', 0, 'latin1'));
    if (at < 0 || at > 48) return;
    frame.writeUIntBE(Math.min(most, delay) * 2 ** 12 + Math.min(most, padding), at + delayAt, 3);
    frame.writeUInt16BE(checksum(frame.subarray(0, at + checksumAt)), at + checksumAt);
    writeSync(handle, frame, at + delayAt, checksumAt + 2 - delayAt, start + at + delayAt);
  } finally {
    closeSync(handle);
  }
}
