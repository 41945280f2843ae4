// Files by path for one run. What the run writes lies in blocks of a store; inputs stay where the browser has them.
import type { Store } from './store.ts';

const blockBytes = 2 ** 20;
/** Of an input, what is read at once. */
const windowBytes = 2 ** 20;

export interface FileStats {
  readonly size: number;
  readonly mtimeMs: number;
  isFile(): boolean;
  isDirectory(): boolean;
}

const failed = (code: string, path: string): Error => Object.assign(new Error(`${code}: ${path}`), { code });

/** Reads a blob at once: workers alone can. */
type ReadBlob = (blob: Blob) => ArrayBuffer;

interface Node {
  readonly size: number;
  read(bytes: Uint8Array, at: number): void;
}

/** An input: a window of it is kept. */
class BlobNode implements Node {
  readonly size: number;
  readonly blob: Blob;
  private readonly readBlob: ReadBlob;
  private window = new Uint8Array(0);
  private from = 0;

  constructor(blob: Blob, readBlob: ReadBlob) {
    this.blob = blob;
    this.size = blob.size;
    this.readBlob = readBlob;
  }

  read(bytes: Uint8Array, at: number): void {
    const isInside = at >= this.from && at + bytes.length <= this.from + this.window.length;
    if (!isInside) {
      const end = Math.min(this.size, at + Math.max(windowBytes, bytes.length));
      this.window = new Uint8Array(this.readBlob(this.blob.slice(at, end)));
      this.from = at;
    }
    bytes.set(this.window.subarray(at - this.from, at - this.from + bytes.length));
  }
}

/** What the run writes. */
class StoredNode implements Node {
  size = 0;
  readonly blocks: number[] = [];
  private readonly tree: FileTree;

  constructor(tree: FileTree) {
    this.tree = tree;
  }

  private each(bytes: Uint8Array, at: number, use: (part: Uint8Array, place: number) => void): void {
    for (let done = 0; done < bytes.length;) {
      const from = (at + done) % blockBytes;
      const size = Math.min(blockBytes - from, bytes.length - done);
      const block = this.blocks[Math.floor((at + done) / blockBytes)] as number;
      use(bytes.subarray(done, done + size), block * blockBytes + from);
      done += size;
    }
  }

  read(bytes: Uint8Array, at: number): void {
    this.each(bytes, at, (part, place) => this.tree.store.read(part, place));
  }

  write(bytes: Uint8Array, at: number): void {
    const end = at + bytes.length;
    if (at > this.size) this.write(new Uint8Array(at - this.size), this.size);
    while (this.blocks.length * blockBytes < end) this.blocks.push(this.tree.freeBlock());
    this.each(bytes, at, (part, place) => this.tree.store.write(part, place));
    this.size = Math.max(this.size, end);
  }
}

interface Open {
  readonly node: Node;
  readonly path: string;
  at: number;
}

/** The files of a run. Folders are names alone. */
export class FileTree {
  readonly store: Store;
  private readonly readBlob: ReadBlob;
  private readonly nodes = new Map<string, Node>();
  private readonly opened = new Map<number, Open>();
  private readonly free: number[] = [];
  private blocks = 0;
  private nextHandle = 3;

  constructor(store: Store, readBlob: ReadBlob) {
    this.store = store;
    this.readBlob = readBlob;
  }

  freeBlock(): number {
    return this.free.pop() ?? this.blocks++;
  }

  addInput(path: string, blob: Blob): void {
    this.nodes.set(path, new BlobNode(blob, this.readBlob));
  }

  private nodeOf(path: string): Node {
    const node = this.nodes.get(path);
    if (!node) throw failed('ENOENT', path);
    return node;
  }

  private openOf(handle: number): Open {
    const open = this.opened.get(handle);
    if (!open) throw failed('EBADF', String(handle));
    return open;
  }

  exists(path: string): boolean {
    return this.nodes.has(path);
  }

  /** @param flags of fopen: r, r+, w, w+, a, wx */
  open(path: string, flags = 'r'): number {
    if (flags.includes('x') && this.nodes.has(path)) throw failed('EEXIST', path);
    if (flags.startsWith('w')) {
      this.remove(path);
      this.nodes.set(path, new StoredNode(this));
    } else if (flags.startsWith('a') && !this.nodes.has(path)) this.nodes.set(path, new StoredNode(this));
    const node = this.nodeOf(path);
    const handle = this.nextHandle++;
    this.opened.set(handle, { node, path, at: flags.startsWith('a') ? node.size : 0 });
    return handle;
  }

  close(handle: number): void {
    this.opened.delete(handle);
  }

  /** @param at null: where the last call ended */
  read(handle: number, bytes: Uint8Array, at: number | null): number {
    const open = this.openOf(handle);
    const from = at ?? open.at;
    const part = bytes.subarray(0, Math.max(0, Math.min(bytes.length, open.node.size - from)));
    if (part.length > 0) open.node.read(part, from);
    if (at === null) open.at += part.length;
    return part.length;
  }

  write(handle: number, bytes: Uint8Array, at: number | null): number {
    const open = this.openOf(handle);
    if (!(open.node instanceof StoredNode)) throw failed('EROFS', open.path);
    open.node.write(bytes, at ?? open.at);
    if (at === null) open.at += bytes.length;
    return bytes.length;
  }

  truncate(handle: number, size: number): void {
    const { node, path } = this.openOf(handle);
    if (!(node instanceof StoredNode)) throw failed('EROFS', path);
    if (size > node.size) node.write(new Uint8Array(size - node.size), node.size);
    node.size = size;
    this.free.push(...node.blocks.splice(Math.ceil(size / blockBytes)));
  }

  private statsOf(size: number): FileStats {
    return { size, mtimeMs: 0, isFile: () => true, isDirectory: () => false };
  }

  stats(path: string): FileStats {
    return this.statsOf(this.nodeOf(path).size);
  }

  openStats(handle: number): FileStats {
    return this.statsOf(this.openOf(handle).node.size);
  }

  remove(path: string): void {
    const node = this.nodes.get(path);
    if (node instanceof StoredNode) this.free.push(...node.blocks);
    this.nodes.delete(path);
  }

  rename(from: string, to: string): void {
    const node = this.nodeOf(from);
    if (from === to) return;
    this.remove(to);
    this.nodes.delete(from);
    this.nodes.set(to, node);
  }

  readAll(path: string): Uint8Array<ArrayBuffer> {
    const node = this.nodeOf(path);
    const bytes = new Uint8Array(node.size);
    if (bytes.length > 0) node.read(bytes, 0);
    return bytes;
  }

  writeAll(path: string, bytes: Uint8Array): void {
    const handle = this.open(path, 'w');
    this.write(handle, bytes, 0);
    this.close(handle);
  }

  /** The file itself, where it is an input; null: the run has written it. */
  inputOf(path: string): Blob | null {
    const node = this.nodeOf(path);
    return node instanceof BlobNode ? node.blob : null;
  }

  private storedOf(paths: readonly string[]): readonly StoredNode[] {
    return paths.map((path) => this.nodeOf(path)).filter((node) => node instanceof StoredNode);
  }

  /**
   * Moves what these files hold to the store's front, over whatever else lies there.
   * @returns bytes of the store that they take
   */
  gather(paths: readonly string[]): number {
    const nodes = this.storedOf(paths);
    const count = nodes.reduce((sum, { blocks }) => sum + blocks.length, 0);
    const used = new Set(nodes.flatMap(({ blocks }) => blocks));
    const free = Array.from({ length: count }, (_, block) => block).filter((block) => !used.has(block));
    const bytes = new Uint8Array(blockBytes);
    for (const { blocks } of nodes)
      for (const [index, block] of blocks.entries()) {
        if (block < count) continue;
        const to = free.shift() as number;
        this.store.read(bytes, block * blockBytes);
        this.store.write(bytes, to * blockBytes);
        blocks[index] = to;
      }
    return count * blockBytes;
  }

  /**
   * A file's bytes as parts of what stays of the store.
   * @param kept the store's front, as `gather` has measured it
   */
  partsOf(path: string, kept: Blob): Blob[] {
    const node = this.nodeOf(path);
    if (node instanceof BlobNode) return [node.blob];
    const { blocks, size } = node as StoredNode;
    const parts: Blob[] = [];
    for (let from = 0; from < blocks.length;) {
      let to = from + 1;
      while (blocks[to] === (blocks[to - 1] as number) + 1) to += 1;
      const at = (blocks[from] as number) * blockBytes;
      parts.push(kept.slice(at, at + Math.min(to * blockBytes, size) - from * blockBytes));
      from = to;
    }
    return parts;
  }
}
