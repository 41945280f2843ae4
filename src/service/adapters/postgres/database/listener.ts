import pg from 'pg';
import type { Log } from '../../../rules/shared/log.ts';

const longestPauseMs = 2000;
/** A dead peer is detected after this time, here and in the server. */
const keepAlive = { idleSeconds: 10, intervalSeconds: 5, count: 3 } as const;

/** The connection of a process that bypasses the pooler: for notifications. */
export interface Listener {
  /**
   * Calls back for each notification of the channel, and after every (re)connection, when some may have been missed.
   * Returns a function that stops.
   */
  listen(channel: string, onPayload: (payload: string) => void, onConnect?: () => void): () => void;
  /** Resolves when listening has begun. */
  connected(): Promise<void>;
  /** Closes the connection. */
  close(): Promise<void>;
}

interface Subscription {
  readonly channel: string;
  readonly onPayload: (payload: string) => void;
  readonly onConnect: () => void;
}

/** Connects at the first use, and reconnects by itself. @param url of the server itself, not of a pooler */
export const createListener = (url: string, log: Log): Listener => new OneConnection(url, log);

class OneConnection implements Listener {
  private readonly url: string;
  private readonly log: Log;
  private readonly subscriptions = new Set<Subscription>();
  private client: pg.Client | undefined;
  private connecting: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private pauseMs = 50;
  private closed = false;
  private asking: Promise<unknown> = Promise.resolve();

  constructor(url: string, log: Log) {
    this.url = url;
    this.log = log;
  }

  listen(channel: string, onPayload: (payload: string) => void, onConnect: () => void = () => {}): () => void {
    const own: Subscription = { channel, onPayload, onConnect };
    const isNew = ![...this.subscriptions].some((each) => each.channel === channel);
    this.subscriptions.add(own);
    if (this.connecting === undefined) {
      if (!this.closed && this.timer === undefined) void this.connected();
    } else if (isNew) void this.listenLate(own, this.connecting);
    return () => this.subscriptions.delete(own);
  }

  /** A connection attempt may already have read the list of channels. */
  private async listenLate({ channel, onConnect }: Subscription, connecting: Promise<void>): Promise<void> {
    await connecting;
    // After an error the next connection listens.
    await this.ask(`listen ${pg.escapeIdentifier(channel)}`, []).catch(() => {});
    onConnect();
  }

  /** One statement at a time, as the driver requires. */
  private async ask<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const before = this.asking;
    const asked = (async () => {
      await before.catch(() => {});
      return (await this.client?.query<Row>(text, [...values]))?.rows ?? [];
    })();
    this.asking = asked;
    return asked;
  }

  connected(): Promise<void> {
    this.connecting ??= this.connect();
    return this.connecting;
  }

  private async connect(): Promise<void> {
    const fresh = new pg.Client({
      connectionString: this.url,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAlive.idleSeconds * 1000,
      connectionTimeoutMillis: 10_000,
      // A silently broken connection is detected by `leads`, which queries regularly.
      query_timeout: 10_000,
      application_name: 'earshot-changes',
    });
    this.client = fresh;
    fresh.on('error', (error) => this.drop(fresh, error));
    fresh.on('end', () => this.drop(fresh, undefined));
    fresh.on('notification', ({ channel, payload }) => {
      for (const each of this.subscriptions) if (each.channel === channel) each.onPayload(payload ?? '');
    });
    try {
      await fresh.connect();
      await fresh.query(
        `set tcp_keepalives_idle = ${keepAlive.idleSeconds}; set tcp_keepalives_interval = ` +
          `${keepAlive.intervalSeconds}; set tcp_keepalives_count = ${keepAlive.count}`,
      );
      for (const channel of new Set([...this.subscriptions].map((each) => each.channel)))
        await fresh.query(`listen ${pg.escapeIdentifier(channel)}`);
      this.pauseMs = 50;
      for (const { onConnect } of this.subscriptions) onConnect();
    } catch (error) {
      this.drop(fresh, error as Error);
    }
  }

  private drop(failed: pg.Client, error: Error | undefined): void {
    if (this.client !== failed) return;
    this.client = undefined;
    this.connecting = undefined;
    void failed.end().catch(() => {});
    if (this.closed) return;
    if (error !== undefined)
      this.log.warn(
        { err: error },
        'Lost the connection for change notifications; waiting calls poll until it is back',
      );
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.connected();
    }, this.pauseMs);
    this.timer.unref();
    this.pauseMs = Math.min(longestPauseMs, this.pauseMs * 2);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    const open = this.client;
    this.client = undefined;
    await open?.end().catch(() => {});
  }
}
