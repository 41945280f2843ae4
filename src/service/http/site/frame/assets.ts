// Scripts, styles and fonts of the website: built files under names that hold a hash of their content, kept by browsers
// for a year. A service that runs on its sources builds each when it is first asked for.
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { packagePath, sourceUrl } from '../../../../library/core/running-files.ts';
import { type EngineFiles, findEngine } from './engine-files.ts';

const deflate = promisify(gzip);

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.mp3': 'audio/mpeg',
  '.opus': 'audio/ogg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

/** Compressed as they are. */
const packed = new Set(['.mp3', '.opus', '.png', '.woff2']);

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  /** Compressed; null when that saves nothing. */
  readonly gzipped: Buffer | null;
  /** Does its name change with its content? */
  readonly immutable: boolean;
}

export interface Assets {
  /** The name that it is served under: "tool.js" -> "tool.0123456789.js". */
  nameOf(asset: string): string;
  /** The files of `earshot/browser`, which are served below engine/<version>/; null: they are not built. */
  engine(): EngineFiles | null;
  /** null when there is no such asset. */
  read(servedName: string): Promise<Asset | null>;
}

/** One for all services of a process: their files are the same. */
let foundEngine: EngineFiles | null | undefined;
const engine = (): EngineFiles | null => (foundEngine ??= findEngine());

/** @returns assets, loaded when they are first asked for */
export function createAssets(): Assets {
  const manifest = sourceUrl('site/manifest.json');
  const source = existsSync(manifest) ? builtFiles(manifest) : sourceFiles();
  const kept = new Map<string, Promise<Asset | null>>();
  return {
    nameOf: source.nameOf,
    engine,
    read(name) {
      let asset = kept.get(name);
      if (asset === undefined) {
        asset = name.startsWith(engineAt)
          ? ofEngine(name)
          : source.bytesOf(name).then((bytes) => bytes && finish(name, bytes, source.immutable));
        kept.set(name, asset);
        // Requests for unknown names must not fill the memory.
        asset.then(
          (found) => found ?? kept.delete(name),
          () => kept.delete(name),
        );
      }
      return asset;
    },
  };
}

export const engineAt = 'engine/';

/** null: of another version, or none. */
async function ofEngine(servedName: string): Promise<Asset | null> {
  const files = engine();
  const at = `${engineAt}${files?.version}/`;
  const name = servedName.slice(at.length);
  if (files === null || !servedName.startsWith(at) || !files.names.includes(name)) return null;
  return finish(name, await files.read(name), true);
}

interface FileSource {
  readonly immutable: boolean;
  nameOf(asset: string): string;
  bytesOf(name: string): Promise<Buffer | null>;
}

async function finish(name: string, bytes: Buffer, immutable: boolean): Promise<Asset> {
  const extension = extname(name);
  return {
    type: types[extension] ?? 'application/octet-stream',
    bytes,
    gzipped: packed.has(extension) ? null : await deflate(bytes, { level: 9 }),
    immutable,
  };
}

function builtFiles(manifest: URL): FileSource {
  const names = JSON.parse(readFileSync(manifest, 'utf8')) as Readonly<Record<string, string>>;
  const served = new Set(Object.values(names));
  return {
    immutable: true,
    nameOf: (asset) => names[asset] ?? asset,
    bytesOf: (name) => (served.has(name) ? readFile(new URL(name, manifest)) : Promise.resolve(null)),
  };
}

/** The exports of scripts/build-site.mjs. */
interface Builder {
  buildScript(name: string): Promise<string>;
  buildStyle(): string;
  exampleSounds: readonly string[];
  makeExample(name: string): Promise<Buffer>;
  iconNames: readonly string[];
  makeIcon(name: string): Promise<Buffer>;
  plainFiles(): readonly string[];
  scriptNames(): readonly string[];
}

function sourceFiles(): FileSource {
  let builder: Promise<Builder> | undefined;
  return {
    immutable: false,
    nameOf: (asset) => asset,
    async bytesOf(name) {
      builder ??= import(pathToFileURL(packagePath('scripts/build-site.mjs')).href) as Promise<Builder>;
      const { buildScript, buildStyle, exampleSounds, iconNames, makeExample, makeIcon, plainFiles, scriptNames } =
        await builder;
      if (iconNames.includes(name)) return makeIcon(name);
      if (exampleSounds.includes(name)) return makeExample(name);
      if (name === 'site.css') return Buffer.from(buildStyle());
      const plain = plainFiles().find((path) => basename(path) === name);
      if (plain !== undefined) return readFile(plain);
      const script = basename(name, '.js');
      return extname(name) === '.js' && scriptNames().includes(script) ? Buffer.from(await buildScript(script)) : null;
    },
  };
}
