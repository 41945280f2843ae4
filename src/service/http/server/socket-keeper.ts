import type { WebSocket } from '@fastify/websocket';

/** A websocket that receives the latest state of something. */
export interface KeptSocket {
  /** Sends the text. While an earlier one is being sent, only the latest is kept. */
  say(text: string): void;
  /** Sends the text, then closes the socket. */
  end(text: string): void;
  /** Closes with an error code: 1011 for an internal error. */
  fail(code: number, reason: string): void;
  /** Calls back when the socket has closed; at once if it already has. */
  onGone(callback: () => void): void;
}

/**
 * Keeps mostly idle sockets: closes those that do not answer pings, and buffers at most one message for each.
 */
export interface SocketKeeper {
  /** Number of open sockets: the owner's, or all. */
  count(owner?: string): number;
  /** For one whose messages are read elsewhere. */
  hold(socket: WebSocket, owner: string): void;
  keep(socket: WebSocket, owner: string): KeptSocket;
  /** Closes all sockets; terminates those that do not close in time. */
  close(): void;
}

/** Clients should send no messages. */
const mostMessages = 100;
const goingAway = 1001;
const policyViolation = 1008;
const farewellMs = 1000;

/** @param beatMs interval of pings; a socket without an answer by the next ping is terminated. Default: 30 s */
export function createSocketKeeper(beatMs = 30_000): SocketKeeper {
  interface Alive {
    readonly socket: WebSocket;
    answered: boolean;
  }
  const alive = new Set<Alive>();
  const owners = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  function beat(): void {
    for (const each of alive) {
      // One that is not read answers later.
      if (!each.answered && !each.socket.isPaused) {
        each.socket.terminate();
        continue;
      }
      each.answered = false;
      each.socket.ping();
    }
  }

  function count(owner: string, change: number): void {
    const now = (owners.get(owner) ?? 0) + change;
    if (now > 0) owners.set(owner, now);
    else owners.delete(owner);
  }

  function hold(socket: WebSocket, owner: string): void {
    const own: Alive = { socket, answered: true };
    alive.add(own);
    count(owner, 1);
    timer ??= setInterval(beat, beatMs).unref();
    socket.on('pong', () => void (own.answered = true));
    socket.once('close', () => {
      alive.delete(own);
      count(owner, -1);
      if (alive.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
  }

  return {
    count: (owner) => (owner === undefined ? alive.size : (owners.get(owner) ?? 0)),
    hold,

    keep(socket, owner) {
      hold(socket, owner);
      let messages = 0;
      socket.on('message', () => {
        messages += 1;
        if (messages > mostMessages) socket.close(policyViolation, 'Expected no messages');
      });

      let sending = false;
      let waiting: string | null = null;
      let ended = false;
      const send = (text: string): void => {
        sending = true;
        // Called when the system has accepted the bytes, not when they are buffered here.
        socket.send(text, () => {
          sending = false;
          const next = waiting;
          waiting = null;
          if (next !== null) send(next);
          else if (ended) socket.close(1000);
        });
      };
      const say = (text: string): void => {
        if (ended || socket.readyState !== socket.OPEN) return;
        if (sending) waiting = text;
        else send(text);
      };
      return {
        say,
        end(text) {
          say(text);
          ended = true;
        },
        fail(code, reason) {
          ended = true;
          socket.close(code, reason);
        },
        onGone(callback) {
          if (socket.readyState === socket.CLOSED) callback();
          else socket.once('close', callback);
        },
      };
    },

    close() {
      for (const { socket } of alive) socket.close(goingAway, 'The service is stopping');
      setTimeout(() => {
        for (const { socket } of alive) socket.terminate();
      }, farewellMs).unref();
    },
  };
}
