import { beforeAll, describe, expect, it } from 'vitest';
import { toolIds } from '../../../src/library/contract/tool-ids.ts';
import { createAccounts } from '../../../src/service/rules/accounts/accounts.ts';
import { createPrices } from '../../../src/service/rules/tools/prices.ts';
import type { Account } from '../../../src/service/rules/accounts/account.ts';
import type { StoredFile } from '../../../src/service/rules/files/stored-file.ts';
import type { JobRequest } from '../../../src/library/contract/job-request.ts';
import { indexTools } from '../../../src/service/rules/tools/tool-facts.ts';
import { createTools } from '../../../src/service/rules/jobs/tools.ts';
import { useDatabases } from '../../fixtures/service/database.ts';
import type { Host } from './host.ts';
import { createStockedHost, requestFor } from './stocked-host.ts';
import { fakeTools, mediaRole } from './tool-facts.ts';

const databases = useDatabases();

let host: Host;
let account: Account;
let audio: StoredFile;
let long: StoredFile;
let text: StoredFile;
let transcript: StoredFile;

beforeAll(async () => {
  ({ host, account, audio, long, text, transcript } = await createStockedHost(await databases.freshStores()));
  return () => host[Symbol.asyncDispose]();
});

const request = (changes: Partial<JobRequest> = {}): JobRequest => requestFor(audio, changes);

const idOf = (file: StoredFile): string => file.id;

describe('quotes, offers and accounts', () => {
  const toolsOf = (changes: Parameters<typeof fakeTools>[0] = {}, config: Partial<Host['config']> = {}) => {
    const tools = indexTools(fakeTools(changes));
    const all = { ...host.config, ...config };
    return createTools({
      tools,
      prices: createPrices(tools, all.prices),
      files: host.stores.files,
      freeUses: host.stores.freeUses,
      config: all,
    });
  };

  it.each<[Parameters<ReturnType<typeof toolsOf>['quote']>[1], () => StoredFile[], object]>([
    [
      'remove_noise',
      () => [long],
      { tool: 'remove_noise', seconds: 601, credits: 11, free: { seconds: 180, usesLeftToday: 3 } },
    ],
    ['remove_noise', () => [audio], { seconds: 60, credits: 1, free: { seconds: 60, usesLeftToday: 3 } }],
    ['join_audio', () => [long, audio, audio], { seconds: 721, credits: 13, free: { seconds: 180, usesLeftToday: 3 } }],
    ['mix_tracks', () => [audio, long], { seconds: 601, credits: 11 }],
    ['replace_audio', () => [audio, long], { seconds: 60, credits: 1 }],
    ['level_speakers', () => [audio, long], { seconds: 601, credits: 11 }],
    ['analyze_audio', () => [long], { seconds: 601, free: { seconds: 600.6, usesLeftToday: 20 } }],
    ['remove_fillers', () => [long], { credits: 21 }],
    ['remove_fillers', () => [long, transcript], { credits: 11 }],
  ])('quotes %s', async (tool, files, expected) => {
    const fresh = await host.account(0);
    const own = await Promise.all(
      files().map(({ durationSeconds, filename, format, hasAudio, media }) =>
        host.file(fresh, { durationSeconds, filename, format, hasAudio, media }),
      ),
    );
    expect(await toolsOf().quote(fresh, tool, own.map(idOf))).toMatchObject(expected);
  });

  it('quotes what the job then costs', async () => {
    for (const [tool, inputs] of [
      ['join_audio', { file_ids: [long, audio].map(idOf) }],
      ['cut_audio', { file_id: [long.id] }],
    ] as const) {
      const { credits } = await toolsOf().quote(account, tool, Object.values(inputs).flat());
      expect((await host.jobs.create(account, request({ tool, inputs, free: false }))).job.price).toBe(credits);
    }
  });

  it('refuses to quote files that do not fit', async () => {
    const tools = toolsOf();
    await expect(tools.quote(account, 'remove_noise', ['file_none'])).rejects.toMatchObject({
      code: 'not_found',
      details: { field: 'fileIds' },
    });
    await expect(tools.quote(account, 'remove_noise', [text.id])).rejects.toMatchObject({ code: 'wrong_file_type' });
    await expect(tools.quote(account, 'remove_fillers', [transcript.id])).rejects.toMatchObject({
      code: 'bad_request',
    });
    await expect(tools.quote(account, 'cut_audio', [audio.id, audio.id])).rejects.toMatchObject({
      code: 'bad_request',
    });
    // One recording or up to ten tracks, never both.
    await expect(
      tools.quote(
        account,
        'level_speakers',
        Array.from({ length: 11 }, () => audio.id),
      ),
    ).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining('at most 10') as string });
  });

  it('quotes no job that would be refused for want of sound or picture', async () => {
    const mute = await host.file(account, { filename: 'mute.mp4', format: 'mp4', hasAudio: false, hasVideo: true });
    const video = { ...mediaRole(), needs: 'video' as const };
    const tools = toolsOf({ replace_audio: { inputs: { video_file_id: video, audio_file_id: mediaRole() } } });
    await expect(tools.quote(account, 'remove_noise', [mute.id])).rejects.toMatchObject({
      code: 'no_audio',
      details: { id: mute.id },
    });
    await expect(tools.quote(account, 'replace_audio', [audio.id, mute.id])).rejects.toMatchObject({
      code: 'wrong_file_type',
      details: { id: audio.id },
    });
    expect(await tools.quote(account, 'replace_audio', [mute.id, audio.id])).toMatchObject({ seconds: 60 });
  });

  it('offers every tool, with the variant and the prices of this service', async () => {
    const offers = await toolsOf(
      { enhance_voice: { unavailable: () => Promise.resolve({ message: 'no model', nextAction: 'install it' }) } },
      { freeVariant: 'b', prices: { cut_audio: 7 } },
    ).offers();
    expect(offers.map(({ id }) => id)).toEqual(toolIds);
    const by = Object.fromEntries(offers.map((offer) => [offer.id, offer]));
    expect(by['cut_audio']).toEqual({
      id: 'cut_audio',
      creditsPerMinute: 7,
      free: { enabled: true, seconds: 3600, dailyUses: 10 },
      unavailable: null,
    });
    expect(by['enhance_voice']).toMatchObject({ free: { enabled: false }, unavailable: 'no model. install it' });
    expect(by['analyze_audio']).toMatchObject({ creditsPerMinute: 0, free: { enabled: true } });
    expect((await toolsOf({}, { freeEnabled: false }).offers()).every(({ free }) => !free.enabled)).toBe(true);
  });

  it('shows an account its uses, prices and limits, and only what moved its balance', async () => {
    const owner = await host.account(50);
    const file = await host.file(owner);
    const tools = indexTools(fakeTools());
    const accounts = createAccounts({
      accounts: host.stores.accounts,
      ledger: host.stores.ledger,
      freeUses: host.stores.freeUses,
      tools,
      prices: createPrices(tools, { cut_audio: 7 }),
      config: host.config,
    });
    await host.jobs.create(owner, request({ inputs: { file_id: [file.id] }, free: true }));
    await host.jobs.create(owner, request({ inputs: { file_id: [file.id] } }));
    const view = await accounts.view(await host.operator.account(owner.id));
    expect(view).toMatchObject({
      account: { balance: 50, reserved: 1 },
      freeUsesLeft: { remove_noise: 2, cut_audio: 3, analyze_audio: 20 },
      prices: { cut_audio: 7, remove_fillers: 2 },
      limits: { maxFileSeconds: 36_000, uploadsAtOnce: 4, requestsPerMinute: 600 },
    });
    expect(
      (await accounts.ledger(owner, { cursor: null, limit: 10 })).items.map(({ kind, credits }) => [kind, credits]),
    ).toEqual([['grant', 50]]);
  });
});
