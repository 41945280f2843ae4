// A bucket's prefix that recordings fall into, or that results go into. A bucket has no rename: a recording is claimed
// by an object that only one writer can make, and whose owner has to renew it. See decision 73.
import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  type Aside,
  type Claim,
  freeName,
  type Inbox,
  isRecordingName,
  isUnfinished,
  type Results,
} from '../../library/contract/watched-places.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { contentTypeOfExtension, unknownContentType } from '../../library/core/files/content-types.ts';
import { removeFolder } from '../../library/core/files/remove-folder.ts';
import { ownerPrefix } from '../../library/core/machine/owner-names.ts';
import { startMark } from '../../library/core/machine/start-mark.ts';
import type { ListedObject, WatchedObjects } from '../adapters/s3/watched-objects.ts';

/** Folder of claims, in the inbox. */
const claimsFolder = '.earshot-claims/';
/** A claim whose object has not changed for so long is of a watcher that is gone... */
const usualStaleMs = 60_000;
/** ...so that a watcher renews its own, and stops in time where it cannot. */
const beatsInStale = 5;

/** What a claim's object says. */
interface ClaimText {
  readonly id: string;
  readonly name: string;
  /** Of which process; see `ownMark`. */
  readonly owner: { readonly machine: string; readonly pid: number; readonly start: string };
  /** Counts the renewals: each changes the object. */
  readonly beat: number;
  readonly files: readonly ListedObject[];
  /** Where the recording goes; null: it is being worked on. */
  readonly settled: { readonly prefix: string; readonly reason: string | null } | null;
}

/** Machine, boot and process ids' space: only in these the number of a process says whether it runs. */
function machineMark(): string {
  const read = (how: () => string): string => {
    try {
      return how();
    } catch {
      return '';
    }
  };
  const boot = read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'));
  const space = read(() => readlinkSync('/proc/self/ns/pid'));
  // Elsewhere a name alone does not tell machines apart: the claims of ended watchers are told by time.
  const mark = boot === '' || space === '' ? randomBytes(16).toString('hex') : `${hostname()} ${boot} ${space}`;
  return createHash('sha256').update(mark).digest('hex').slice(0, 16);
}

const machine = machineMark();
const ownMark = (): ClaimText['owner'] => ({ machine, pid: process.pid, start: startMark(process.pid) ?? '' });

/** null: only time tells. */
const runs = ({ owner }: ClaimText): boolean | null =>
  owner.machine === machine ? startMark(owner.pid) === owner.start : null;

const isOfThisProcess = ({ owner }: ClaimText): boolean => owner.machine === machine && owner.pid === process.pid;
/** Ids of claims that this process works on. */
const held = new Set<string>();

const localFolder = (): Promise<string> => mkdtemp(join(tmpdir(), ownerPrefix('.earshot')));

/**
 * A prefix that recordings fall into.
 * @param prefix empty, or with its slash at the end
 * @param staleMs after which a claim is of a watcher that is gone, where its process cannot be seen. Default: 60 s
 */
export const bucketInbox = (objects: WatchedObjects, prefix: string, staleMs = usualStaleMs): Inbox =>
  new BucketInbox(objects, prefix, staleMs);

class BucketInbox implements Inbox {
  readonly pauseSeconds = 10;
  unsure = 0;
  private readonly objects: WatchedObjects;
  private readonly prefix: string;
  private readonly claims: string;
  private readonly staleMs: number;
  /** Claims of others: their etags, and since when they have been so. */
  private readonly watched = new Map<string, { readonly etag: string; readonly since: number }>();

  constructor(objects: WatchedObjects, prefix: string, staleMs: number) {
    this.objects = objects;
    this.prefix = prefix;
    this.claims = prefix + claimsFolder;
    this.staleMs = staleMs;
  }

  async open(): Promise<void> {
    const { objects } = this;
    // Where conditions are ignored, two watchers would take one recording.
    const probe = `${this.claims}probe-${randomBytes(6).toString('hex')}`;
    const first = await objects.writeText(probe, '1', null);
    const [second, third] = [await objects.writeText(probe, '2', null), await objects.writeText(probe, '3', '"0"')];
    await objects.remove(probe);
    if (first === null || second !== null || third !== null)
      throw new EarshotError('bad_request', 'This store does not keep the conditions If-None-Match and If-Match', {
        nextAction: 'Watch a folder, or a bucket of a store with conditional writes, such as Amazon S3.',
      });
  }

  async looks(): Promise<ReadonlyMap<string, string>> {
    const { objects, folders } = await this.objects.list(this.prefix);
    const claimed = new Set((await this.objects.list(this.claims)).objects.map(({ key }) => key));
    const nameOf = (key: string): string => key.slice(this.prefix.length).replace(/\/$/, '');
    const isFree = (key: string): boolean => isRecordingName(nameOf(key)) && !claimed.has(this.keyOf(nameOf(key)));
    const looks = new Map<string, string>();
    for (const file of objects.filter(({ key }) => isFree(key))) looks.set(nameOf(file.key), lookOf([file]));
    for (const folder of folders.filter(isFree)) {
      const files = (await this.objects.list(folder)).objects.filter(({ key }) => key !== folder && !isHidden(key));
      if (files.length > 0) looks.set(nameOf(folder), lookOf(files));
    }
    return looks;
  }

  async claim(name: string): Promise<Claim | null> {
    const { objects } = this;
    const key = this.keyOf(name);
    const text = { id: randomBytes(6).toString('hex'), name, owner: ownMark(), beat: 0, settled: null };
    const etag = await objects.writeText(key, JSON.stringify({ ...text, files: [] }), null);
    if (etag === null) return null;
    // Looked at under the claim: another watcher may have done it meanwhile.
    const files = await this.filesOf(name);
    const whole: ClaimText = { ...text, files };
    const renewed = files.length === 0 ? null : await objects.writeText(key, JSON.stringify(whole), etag);
    if (renewed !== null) return this.claimOf(whole, renewed);
    if (files.length === 0) await objects.remove(key);
    return null;
  }

  async *abandoned(): AsyncGenerator<Claim> {
    const { objects, watched } = this;
    this.unsure = 0;
    const listed = (await objects.list(this.claims)).objects.filter(({ key }) => key.endsWith('.json'));
    for (const key of watched.keys()) if (!listed.some((each) => each.key === key)) watched.delete(key);
    for (const { key } of listed) {
      const there = await objects.readText(key);
      if (there === null) continue;
      const text = JSON.parse(there.text) as ClaimText;
      if (!this.isAbandoned(key, text, there.etag)) continue;
      const ours: ClaimText = { ...text, owner: ownMark(), beat: text.beat + 1 };
      const etag = await objects.writeText(key, JSON.stringify(ours), there.etag);
      if (etag === null) continue;
      if (text.files.length > 0) yield this.claimOf(ours, etag);
      // Its watcher ended between the claim and its look.
      else await objects.remove(key);
    }
  }

  private isAbandoned(key: string, text: ClaimText, etag: string): boolean {
    const before = this.watched.get(key);
    const isSame = before?.etag === etag;
    this.watched.set(key, isSame ? before : { etag, since: performance.now() });
    // A claim of this process that it gave up is as one of an ended watcher.
    const running = isOfThisProcess(text) ? held.has(text.id) : runs(text);
    if (running !== null) return !running;
    if (isSame && performance.now() - before.since >= this.staleMs) return true;
    // Seen once, or still as it was: it may be of a watcher that is gone. One that was renewed is not.
    if (before === undefined || isSame) this.unsure += 1;
    return false;
  }

  private async filesOf(name: string): Promise<readonly ListedObject[]> {
    const folder = await this.objects.list(`${this.prefix}${name}/`);
    const parts = folder.objects.filter(({ key }) => !key.endsWith('/') && !isHidden(key) && !isUnfinished(key));
    if (parts.length > 0) return parts;
    const single = await this.objects.stat(this.prefix + name);
    return single === null ? [] : [single.object];
  }

  private keyOf(name: string): string {
    return `${this.claims}${encodeURIComponent(name)}.json`;
  }

  private claimOf(text: ClaimText, etag: string): Claim {
    const { objects, prefix, staleMs } = this;
    return new BucketClaim({ objects, prefix, key: this.keyOf(text.name), staleMs }, text, etag);
  }
}

const isHidden = (key: string): boolean => basename(key).startsWith('.');

/** Another text as long as something writes. */
const lookOf = (files: readonly ListedObject[]): string =>
  files.some(({ key }) => isUnfinished(key))
    ? `${performance.now()}`
    : files.map(({ key, sizeBytes, etag }) => `${key} ${sizeBytes} ${etag}`).join(', ');

interface ClaimPlace {
  readonly objects: WatchedObjects;
  readonly prefix: string;
  readonly key: string;
  readonly staleMs: number;
}

class BucketClaim implements Claim {
  readonly lost: AbortSignal;
  private readonly place: ClaimPlace;
  private readonly stop = new AbortController();
  private readonly beats: NodeJS.Timeout;
  private text: ClaimText;
  private etag: string;
  /** Of the last time that it was known to be ours. */
  private knownAt = performance.now();
  private writing: Promise<unknown> = Promise.resolve();
  private folder: string | null = null;

  constructor(place: ClaimPlace, text: ClaimText, etag: string) {
    this.place = place;
    this.text = text;
    this.etag = etag;
    this.lost = this.stop.signal;
    held.add(text.id);
    this.beats = setInterval(() => void this.beat(), place.staleMs / beatsInStale).unref();
  }

  get id(): string {
    return this.text.id;
  }

  get name(): string {
    return this.text.name;
  }

  get isSettled(): boolean {
    return this.text.settled !== null;
  }

  async files(signal: AbortSignal): Promise<readonly string[] | null> {
    this.folder ??= await localFolder();
    const paths: string[] = [];
    for (const file of this.text.files) {
      const path = join(this.folder, basename(file.key));
      const body = await this.place.objects.read(file);
      if (body === null) return null;
      await pipeline(body, createWriteStream(path), { signal });
      paths.push(path);
    }
    return paths;
  }

  async settle(aside: Aside, reason?: string): Promise<void> {
    const { objects, prefix } = this.place;
    const extension = extname(this.name);
    const isFree = async (name: string): Promise<boolean> => !(await objects.hasAny(`${prefix}${aside}/${name}`));
    const name = await freeName(basename(this.name, extension), extension, isFree);
    await this.rewrite({ settled: { prefix: `${prefix}${aside}/${name}`, reason: reason ?? null } });
  }

  async giveBack(): Promise<void> {
    await this.leave();
    await this.place.objects.remove(this.place.key).catch(() => undefined);
  }

  /** Each part may have been done before a kill. */
  async end(): Promise<void> {
    const { objects, prefix, key } = this.place;
    const { settled, files, name } = this.text;
    if (settled !== null) {
      if (settled.reason !== null) await objects.writeText(`${settled.prefix}.txt`, settled.reason, null);
      for (const file of files) {
        const rest = file.key.slice(prefix.length + name.length);
        // Another recording of that name stays.
        if ((await objects.stat(file.key))?.object.etag !== file.etag) continue;
        if (await objects.copy(file, settled.prefix + rest)) await objects.remove(file.key);
      }
    }
    await this.leave();
    await objects.remove(key);
  }

  private async leave(): Promise<void> {
    clearInterval(this.beats);
    await this.writing.catch(() => undefined);
    if (this.folder !== null) await removeFolder(this.folder);
    held.delete(this.id);
  }

  private async beat(): Promise<void> {
    try {
      await this.rewrite({});
    } catch {
      // The store may answer the next one; without an answer for long, others take this watcher for dead.
      if (performance.now() - this.knownAt > this.place.staleMs * 0.7) this.giveUp();
    }
  }

  private giveUp(): void {
    this.stop.abort();
    void this.leave();
  }

  /** One after the other: each needs the etag of the one before. */
  private rewrite(change: Partial<ClaimText>): Promise<void> {
    const write = async (): Promise<void> => {
      this.lost.throwIfAborted();
      const text = { ...this.text, ...change, beat: this.text.beat + 1 };
      const etag = await this.place.objects.writeText(this.place.key, JSON.stringify(text), this.etag);
      if (etag === null) {
        this.giveUp();
        this.lost.throwIfAborted();
      }
      [this.text, this.etag, this.knownAt] = [text, etag ?? '', performance.now()];
    };
    const next = this.writing.catch(() => undefined).then(write);
    this.writing = next;
    return next;
  }
}

/**
 * A prefix for results.
 * @param prefix empty, or with its slash at the end
 * @param addressOf of a key, for people
 */
export function bucketResults(objects: WatchedObjects, prefix: string, addressOf: (key: string) => string): Results {
  const folders = new Map<string, string>();
  const nameKey = (id: string): string => `${prefix}.earshot-${id}.json`;
  const doneKey = (id: string): string => `${prefix}.earshot-${id}-done.json`;
  const drop = async (id: string): Promise<void> => {
    const folder = folders.get(id);
    folders.delete(id);
    if (folder !== undefined) await removeFolder(folder);
  };

  async function send(id: string, path: string): Promise<string> {
    const name = basename(path);
    const extension = extname(name);
    const contentType = contentTypeOfExtension(extension.slice(1)) ?? unknownContentType;
    const isPlaced = async (each: string): Promise<boolean> => {
      const key = prefix + each;
      if (await objects.upload(key, path, { contentType, owner: id, replaces: false })) return true;
      // What a killed watcher had sent for this claim is sent again.
      if ((await objects.stat(key))?.owner !== id) return false;
      return await objects.upload(key, path, { contentType, owner: id, replaces: true });
    };
    return prefix + (await freeName(basename(name, extension), extension, isPlaced));
  }

  return {
    open: async () => void (await objects.list(prefix)),
    async begin(id, usual) {
      await drop(id);
      const folder = await localFolder();
      folders.set(id, folder);
      const making = join(folder, 'results');
      await mkdir(making);
      const earlier = await objects.readText(nameKey(id));
      if (earlier !== null) return { folder: making, baseName: (JSON.parse(earlier.text) as { base: string }).base };
      const baseName = await freeName(usual, '', async (base) => !(await objects.hasAny(`${prefix}${base}.`)));
      await objects.writeText(nameKey(id), JSON.stringify({ base: baseName }), null);
      return { folder: making, baseName };
    },
    async commit(id) {
      const making = join(folders.get(id) ?? '', 'results');
      const keys: string[] = [];
      for (const name of (await readdir(making)).toSorted()) keys.push(await send(id, join(making, name)));
      await objects.writeText(doneKey(id), JSON.stringify({ keys }), null);
      await drop(id);
    },
    isCommitted: async (id) => (await objects.stat(doneKey(id))) !== null,
    async putInPlace(id) {
      const done = await objects.readText(doneKey(id));
      const { keys } = JSON.parse(done?.text ?? '{"keys":[]}') as { keys: string[] };
      return keys.map(addressOf);
    },
    drop,
    async forget(id) {
      await drop(id);
      await objects.remove(nameKey(id));
      await objects.remove(doneKey(id));
    },
  };
}
