import { EarshotError } from '../../../library/core/errors/errors.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import { toolIds, type ToolId } from '../../../library/contract/tool-ids.ts';
import type { Config } from '../settings/config.ts';
import { isPictureFile, isTextFile } from '../files/guards.ts';
import { usesLeft, utcDay, type FreeUses } from '../accounts/free.ts';
import { loadReadyFiles, requireAvailable, requireDuration, requireTotalLength } from './inputs.ts';
import type { InputRole } from '../../../library/contract/tool-inputs.ts';
import type { ToolFacts } from '../../../library/contract/tool-facts.ts';
import type { FileStore } from '../files/file-store.ts';
import type { Prices } from '../tools/prices.ts';
import type { StoredFile } from '../files/stored-file.ts';
import { freeOffer, type FactsByTool } from '../tools/tool-facts.ts';
import type { Account } from '../accounts/account.ts';

export interface ToolOffer {
  /** Why the tool cannot run in this installation and what to install; null: it can run. */
  readonly unavailable: string | null;
  readonly id: ToolId;
  readonly creditsPerMinute: number;
  readonly free: { readonly enabled: boolean; readonly seconds: number | null; readonly dailyUses: number };
}

export interface Quote {
  readonly tool: ToolId;
  readonly seconds: number;
  readonly credits: number;
  readonly free: { readonly seconds: number; readonly usesLeftToday: number };
}

/** Prices and free allowances of the tools. */
export interface Tools {
  /** Every tool with its price and its free allowance. */
  offers(): Promise<readonly ToolOffer[]>;
  /**
   * The price of one run on these files now, and its free part.
   * @throws EarshotError not_found, file_not_ready
   */
  quote(account: Account, tool: ToolId, fileIds: readonly string[]): Promise<Quote>;
  /** Credits by tool for one file of that length. */
  pricesFor(durationSeconds: number): Readonly<Record<ToolId, number>>;
}

export interface ToolsDeps {
  readonly tools: FactsByTool;
  readonly prices: Prices;
  readonly files: FileStore;
  readonly freeUses: FreeUses;
  readonly config: Pick<Config, 'maxSeconds' | 'freeVariant' | 'freeEnabled'>;
  readonly now?: () => Date;
}

/** Prices and free allowances of the tools. */
export function createTools({ tools, prices, files, freeUses, config, now = () => new Date() }: ToolsDeps): Tools {
  const offerOf = async (id: ToolId): Promise<ToolOffer> => {
    const unavailable = await tools[id].unavailable();
    return {
      id,
      creditsPerMinute: prices.creditsPerMinute(id),
      free: freeOffer(tools[id], config, unavailable === null),
      unavailable: unavailable === null ? null : `${unavailable.message}. ${unavailable.nextAction}`,
    };
  };

  async function quote(account: Account, id: ToolId, fileIds: readonly string[]): Promise<Quote> {
    const tool = tools[id];
    const at = now();
    await requireAvailable(tool);
    const loaded = await loadReadyFiles(
      files,
      { accountId: account.id },
      fileIds.map((fileId) => ({ field: 'fileIds', id: fileId })),
      at,
    );
    const media = loaded.filter((file) => !isTextFile(file));
    const pictures = loaded.filter(isPictureFile);
    const texts = loaded.filter((file) => isTextFile(file) && !isPictureFile(file));
    checkCount(tool, 'text', texts);
    checkCount(tool, 'picture', pictures);
    checkCount(tool, 'media', media);
    checkNeeds(tool, media);
    const given = Object.entries(tool.inputs)
      .filter(([, role]) => role.kind === 'text')
      .map(([field]) => field)
      .slice(0, texts.length);

    const durations = media.map((file) => requireDuration(file, 'fileIds', config.maxSeconds));
    const { lengthSeconds, billedSeconds, credits } = prices.ofRun(id, durations, given);
    requireTotalLength(tool, lengthSeconds, config.maxSeconds);
    const taken = await freeUses.taken({ id: account.id, day: utcDay(at) });
    const offer = freeOffer(tool, config);
    return {
      tool: id,
      seconds: billedSeconds,
      credits,
      free: {
        seconds: Math.min(offer.seconds ?? lengthSeconds, lengthSeconds),
        usesLeftToday: usesLeft(offer, taken[id] ?? 0),
      },
    };
  }

  return {
    offers: () => Promise.all(toolIds.map(offerOf)),
    quote,
    pricesFor: (durationSeconds) => prices.forLength(durationSeconds),
  };
}

/**
 * The input fields for files of a kind, in order. If all media fields are optional, they are alternatives: then the one
 * that takes most files.
 */
function rolesFor(tool: ToolFacts, kind: InputRole['kind']): readonly InputRole[] {
  const roles = Object.values(tool.inputs).filter((role) => role.kind === kind);
  if (kind !== 'media' || roles.some(({ min }) => min > 0)) return roles;
  return roles.toSorted((a, b) => b.max - a.max).slice(0, 1);
}

/** Refuses files that no job would accept. */
function checkNeeds(tool: ToolFacts, media: readonly StoredFile[]): void {
  const byFile = rolesFor(tool, 'media').flatMap((role) => Array.from({ length: role.max }, () => role.needs));
  for (const [index, { id, hasAudio, hasVideo }] of media.entries()) {
    const needs = byFile[index] ?? 'any';
    const details = { field: 'fileIds', id };
    if (needs.includes('audio') && !hasAudio)
      throw new EarshotError('no_audio', `Expected sound in ${id} for ${tool.id} but it has none`, { details });
    if (needs.includes('video') && !hasVideo)
      throw new EarshotError('wrong_file_type', `Expected a video for ${tool.id} but ${id} has no picture`, {
        details,
      });
  }
}

/** Checks only for too many files: a quote for fewer than the job needs is possible. */
function checkCount(tool: ToolFacts, kind: InputRole['kind'], given: readonly StoredFile[]): void {
  const most = rolesFor(tool, kind).reduce((sum, role) => sum + role.max, 0);
  const [first] = given;
  if (most === 0 && first)
    throw new EarshotError(
      'wrong_file_type',
      `Expected audio or video files for ${tool.id} but ${first.id} is ${first.format ?? 'text'}`,
      { details: { field: 'fileIds', id: first.id } },
    );
  if (kind === 'media' && !first) throw badValue('fileIds', `at least 1 audio or video file for ${tool.id}`, 0);
  if (given.length > most)
    throw badValue(
      'fileIds',
      `at most ${most} ${kind === 'media' ? 'audio or video' : kind} ${most === 1 ? 'file' : 'files'} for ${tool.id}`,
      given.length,
    );
}
