// Recognisers from the model hub: any Whisper in the layout of the onnx-community, any TDT transducer in onnx-asr's.
// The revision and every file's size and SHA-256 are pinned before the first large file is fetched.
import { createHash } from 'node:crypto';
import { HUB_URL, modelInfo } from '@huggingface/hub';
import { isAbortError } from '../core/abort.ts';
import { EarshotError } from '../core/errors/errors.ts';
import { closeAnswer } from '../core/outgoing-request.ts';
import type { AddedModel } from './added-models.ts';
import { addedId } from './added-models.ts';
import { installModel, type InstallOptions } from './install.ts';
import type { HubRepository } from './hub-name.ts';
import type { ModelFile } from './manifest.ts';
import { ask, bodyOf } from './requests.ts';
import { type ModelVariant, recogniserFamilies, recogniserFiles, type RecogniserFamily } from './recogniser-files.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A larger description is invalid; small files are stored by git itself. */
const mostDescriptionBytes = 64 * 1024 * 1024;

interface Hub {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly token: string | undefined;
  readonly signal: AbortSignal | undefined;
}

const hubOf = (environment: Environment, signal: AbortSignal | undefined): Hub => {
  const token = environment['HF_TOKEN'] || undefined;
  return {
    url: (environment['HF_ENDPOINT'] || HUB_URL).replace(/(?<!\/)\/+$/, ''),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    token,
    signal,
  };
};

const encodedPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
const fileUrl = ({ url }: Hub, { name, revision }: HubRepository, path: string): string =>
  `${url}/${name}/resolve/${encodeURIComponent(revision)}/${encodedPath(path)}`;

/** The error for a failed request to the hub. */
function refused(repository: HubRepository, thrown: unknown): EarshotError {
  const status = (thrown as { statusCode?: unknown }).statusCode;
  const what = `${repository.name}@${repository.revision}`;
  if (status === 401 || status === 403)
    return new EarshotError('fetch_failed', `Expected to read ${what} but the hub answered ${status}`, {
      nextAction: 'The name is wrong, or the repository is private or gated: set HF_TOKEN to a token with read access.',
      cause: thrown,
    });
  if (status === 404)
    return new EarshotError('not_found', `There is no ${what} on the hub`, {
      nextAction: 'Check owner, name and revision.',
      cause: thrown,
    });
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return new EarshotError('fetch_failed', `Expected to read ${what} but ${why}`, { retryable: true, cause: thrown });
}

interface Contents {
  /** The commit of the revision. */
  readonly commit: string;
  readonly names: readonly string[];
  readonly licence: string;
  /** How many languages its page lists; 0 if none. */
  readonly languages: number;
}

async function contentsOf(hub: Hub, repository: HubRepository): Promise<Contents> {
  try {
    const { sha, filePaths, tags, cardData } = await modelInfo({
      name: repository.name,
      revision: repository.revision,
      hubUrl: hub.url,
      additionalFields: ['sha', 'filePaths', 'tags', 'cardData'],
      ...(hub.token === undefined ? {} : { accessToken: hub.token }),
      fetch: async (url, init) => {
        const answer = await ask(url as string, {
          headers: Object.fromEntries(new Headers(init?.headers as Record<string, string>)),
          signal: hub.signal,
        });
        return new Response(await bodyOf(answer, mostDescriptionBytes), {
          status: answer.statusCode ?? 0,
          headers: answer.headers as Record<string, string>,
        });
      },
    });
    if (!/^[0-9a-f]{40}$/.test(sha ?? '')) throw new Error('the hub does not name its commit');
    const licence = (tags ?? []).find((tag) => tag.startsWith('license:'))?.slice('license:'.length);
    return {
      commit: sha,
      names: filePaths ?? [],
      licence: licence ?? 'not stated',
      languages: [cardData?.language ?? []].flat().length,
    };
  } catch (thrown) {
    if (isAbortError(thrown)) throw thrown;
    throw refused(repository, thrown);
  }
}

interface Facts {
  readonly bytes: number;
  /** SHA-256 of a large file (X-Linked-ETag), SHA-1 of git's object of a small one. */
  readonly hash: string;
}

/** Size and hash as the hub states them, without following the redirect to the bytes. */
async function factsOf(hub: Hub, repository: HubRepository, path: string): Promise<Facts> {
  const url = fileUrl(hub, repository, path);
  const answer = await ask(url, { method: 'HEAD', headers: hub.headers, signal: hub.signal, followRedirects: false });
  closeAnswer(answer);
  const { statusCode: status = 0, headers } = answer;
  if (status >= 400) throw refused(repository, Object.assign(new Error(`${path}: ${status}`), { statusCode: status }));
  const bytes = Number(headers['x-linked-size'] ?? headers['content-length'] ?? Number.NaN);
  const hash = String(headers['x-linked-etag'] ?? headers.etag ?? '').replace(/^W\/|"/g, '');
  if (!Number.isSafeInteger(bytes) || !/^([0-9a-f]{64}|[0-9a-f]{40})$/.test(hash))
    throw new EarshotError('fetch_failed', `Expected size and hash of ${url} but the hub states none`);
  return { bytes, hash };
}

async function readSmall(hub: Hub, repository: HubRepository, path: string, facts: Facts): Promise<Buffer> {
  const url = fileUrl(hub, repository, path);
  if (facts.bytes > mostDescriptionBytes)
    throw new EarshotError('file_invalid', `Expected at most ${mostDescriptionBytes} bytes of ${url}`);
  const answer = await ask(url, { headers: hub.headers, signal: hub.signal });
  if (answer.statusCode !== 200) {
    closeAnswer(answer);
    throw refused(repository, Object.assign(new Error(path), { statusCode: answer.statusCode }));
  }
  const bytes = await bodyOf(answer, mostDescriptionBytes);
  const hash =
    facts.hash.length === 64
      ? createHash('sha256').update(bytes)
      : createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes);
  if (bytes.length !== facts.bytes || hash.digest('hex') !== facts.hash)
    throw new EarshotError('file_invalid', `Expected ${url} to be as the hub states but received other bytes`, {
      retryable: true,
    });
  return bytes;
}

/**
 * Checks what a recogniser needs before its networks are fetched.
 * @param languages that the model's page lists
 */
function readDescriptions(
  family: RecogniserFamily,
  texts: ReadonlyMap<string, Buffer>,
  repository: HubRepository,
  languages: number,
): { readonly languages?: number } {
  const parse = (name: string): Record<string, unknown> => {
    try {
      return JSON.parse(texts.get(name)?.toString('utf8') ?? '') as Record<string, unknown>;
    } catch {
      throw new EarshotError('unsupported_format', `Expected JSON in ${name} of ${repository.name}`);
    }
  };
  const { model_type: type } = parse('config.json');
  const { modelType, languages: readLanguages } = recogniserFamilies[family];
  if (type !== modelType)
    throw new EarshotError(
      'unsupported_format',
      `Expected ${modelType} as model_type of ${repository.name} but it is ${JSON.stringify(type)}`,
      { nextAction: 'See docs/models.md for the supported layouts.' },
    );
  const known = readLanguages(parse, languages, repository.name);
  return known > 0 ? { languages: known } : {};
}

export interface AddFromHubOptions extends Pick<
  InstallOptions,
  'folder' | 'signal' | 'onProgress' | 'onNote' | 'download'
> {
  readonly variant: ModelVariant;
  readonly environment?: Environment;
}

/**
 * Fetches a recogniser into the models folder: its revision pinned to a commit, its files to the sizes and hashes that
 * the hub states (X-Linked-Size, X-Linked-ETag). Interrupted downloads are continued. HF_ENDPOINT names another hub,
 * HF_TOKEN is sent to it.
 * @throws EarshotError bad_request, not_found, fetch_failed, unsupported_format, file_invalid, limit_exceeded;
 *   AbortError
 */
export async function addFromHub(
  repository: HubRepository,
  { variant, environment = process.env, ...options }: AddFromHubOptions,
): Promise<AddedModel> {
  const hub = hubOf(environment, options.signal);
  const { commit, names, licence, languages } = await contentsOf(hub, repository);
  const pinned = { name: repository.name, revision: commit };
  const { family, descriptions, networks } = recogniserFiles(names, variant, repository.name);
  const texts = new Map<string, Buffer>();
  const files: ModelFile[] = [];
  for (const name of [...descriptions, ...networks]) {
    const facts = await factsOf(hub, pinned, name);
    let sha256 = facts.hash;
    if (descriptions.includes(name) || facts.hash.length !== 64) {
      const bytes = await readSmall(hub, pinned, name, facts);
      texts.set(name, bytes);
      sha256 = createHash('sha256').update(bytes).digest('hex');
    }
    files.push({ name, bytes: facts.bytes, sha256, url: fileUrl(hub, pinned, name) });
  }
  const model: AddedModel = {
    id: addedId(repository.name),
    title: repository.name,
    purpose: 'Transcribes speech',
    licence,
    homepage: `${hub.url}/${repository.name}`,
    sampleRatesHz: [16_000],
    ...readDescriptions(family, texts, repository, languages),
    made: `Revision ${commit}, variant ${variant}.`,
    family,
    variant,
    revision: commit,
    files,
  };
  await installModel(model, {
    ...options,
    mirrors: [],
    headers: hub.headers,
    record: `${JSON.stringify(model, null, 2)}\n`,
  });
  return model;
}
