import { Transform } from 'node:stream';

/** What of a line that is too long is looked at for its id, from either end. */
const endBytes = 1024;
const newline = 0x0a;

/**
 * Passes on lines of at most so many bytes, each as one chunk. A longer one is dropped as it arrives, in no memory, and
 * `refuse` is told its JSON-RPC id: null where it is not found at either end of the line.
 */
export function wholeLines(mostBytes: number, refuse: (id: string | number | null) => void): Transform {
  let parts: Buffer[] = [];
  let bytes = 0;
  let head = '';
  let tail = Buffer.alloc(0);
  const take = (part: Buffer): void => {
    const fitted = bytes <= mostBytes;
    bytes += part.length;
    if (bytes <= mostBytes) {
      parts.push(part);
      return;
    }
    if (fitted)
      head = Buffer.concat([...parts, part])
        .subarray(0, endBytes)
        .toString();
    const before = fitted ? parts : [tail];
    tail = Buffer.from(Buffer.concat([...before.slice(-2), part.subarray(-endBytes)]).subarray(-endBytes));
    parts = [];
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let from = 0;
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
        take(chunk.subarray(from, at));
        from = at + 1;
        if (bytes <= mostBytes) this.push(Buffer.concat([...parts, Buffer.from('\n')]));
        else refuse(idIn(head, tail.toString()));
        parts = [];
        bytes = 0;
      }
      if (from < chunk.length) take(chunk.subarray(from));
      done();
    },
  });
}

const id = String.raw`"id"\s*:\s*(-?\d{1,15}|"[^"\\]{0,200}")`;
/** Before anything that nests, or as the last field, perhaps with the version after it. */
const atStart = new RegExp(String.raw`^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"]{0,100}"\s*,){0,2}\s*${id}\s*,`);
const atEnd = new RegExp(String.raw`,\s*${id}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`);

function idIn(head: string, tail: string): string | number | null {
  const found = atStart.exec(head)?.[1] ?? atEnd.exec(tail)?.[1];
  return found === undefined ? null : (JSON.parse(found) as string | number);
}
