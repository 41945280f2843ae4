// Inputs that come through a FIFO, as those of a shell's `<(command)`.
import { constants, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { EarshotError } from '../../core/errors/errors.ts';
import { pathError } from '../../core/errors/file-errors.ts';

/** Ten minutes: a command before the pipe may work for long before it writes. */
export const longestSilenceSeconds = 600;

export const isFifo = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;

/**
 * What is written into a FIFO; it is opened when it is read first, and only once.
 * @param silenceSeconds without a byte, or a writer, are an error
 */
export const fifoSource = (path: string, silenceSeconds = longestSilenceSeconds): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]() {
    let socket: Socket;
    try {
      // A plain open would block a thread until there is a writer, perhaps forever.
      const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      socket = new Socket({ fd, readable: true, writable: false });
    } catch (thrown) {
      throw pathError(thrown, path, 'file');
    }
    socket.setTimeout(silenceSeconds * 1000, () => {
      const message = `nothing came through ${path} for ${silenceSeconds} s`;
      socket.destroy(new EarshotError('bad_request', message));
    });
    const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    return {
      next: () => chunks.next(),
      return() {
        socket.destroy();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  },
});
