import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../service/config.ts';
import type { Operator } from '../service/operator.ts';
import { makeDemoClip } from './demo-clip.ts';
import { shortPath } from '../core/short-path.ts';

export interface FirstStart {
  readonly accountId: string;
  readonly key: string;
  readonly credits: number;
  /** A recording to try things with. */
  readonly samplePath: string;
}

/** Where there is no account yet: makes one with a key, so that the first request needs nothing else. */
export async function firstStart(operator: Operator, config: Config): Promise<FirstStart | null> {
  const { items } = await operator.listAccounts({ cursor: null, limit: 1 });
  if (items.length > 0) return null;
  const account = await operator.createAccount({ name: 'first', credits: config.firstCredits });
  const { secret } = await operator.addKey(account.id, 'first key');
  const samplePath = join(config.data, 'sample.wav');
  if (!existsSync(samplePath)) await writeFile(samplePath, makeDemoClip());
  return { accountId: account.id, key: secret, credits: config.firstCredits, samplePath };
}

/** What a person reads after the start. */
export function banner(
  config: Config,
  address: string | null,
  legacyAddress: string | null,
  first: FirstStart | null,
): string {
  const lines = [
    '',
    address === null ? 'Earshot works on jobs (no API on this machine)' : `Earshot is listening on ${address}`,
    ...(legacyAddress === null ? [] : [`The older API is at ${legacyAddress}/v1`]),
    `Data: ${config.data}${config.databaseUrl === null ? '' : ', database: DATABASE_URL'}`,
  ];
  if (address !== null && first !== null) lines.push('', ...firstSteps(address, first));
  else if (address !== null)
    lines.push(
      '',
      `API description: ${address}/api/openapi.json`,
      'Another key: earshot keys create <account>; accounts: earshot accounts list',
    );
  lines.push('', 'Ctrl-C ends it; running jobs finish or go back to the queue.', '');
  return lines.join('\n');
}

/** A session for a shell with curl alone, ready to paste. The README shows the same. */
function firstSteps(address: string, { key, credits, samplePath, accountId }: FirstStart): string[] {
  return [
    `This is the first start: account ${accountId} with ${credits} credits was made for you. ` +
      'Its API key is shown once:',
    '',
    `    ${key}`,
    '',
    'Try it in another terminal:',
    '',
    `    API=${address}/api/v1; AUTH='Authorization: Bearer ${key}'; IN=${shortPath(samplePath)}`,
    ...curlSession.map((line) => `    ${line}`),
  ];
}

/**
 * Sets out from API, AUTH and IN: uploads IN, quotes, starts a job, waits for it, reads peaks, downloads the result,
 * shows the ledger.
 */
export const curlSession: readonly string[] = [
  `call() { curl -sS -H "$AUTH" -H 'Content-Type: application/json' "$@"; echo; }`,
  `NEW=$(call $API/files -d "{\\"filename\\":\\"$(basename $IN)\\",\\"sizeBytes\\":$(wc -c < $IN | tr -d ' ')}")`,
  `FILE=$(echo "$NEW" | grep -o 'file_[0-9A-Za-z]*' | head -1)`,
  `curl -sS -T $IN "$(echo "$NEW" | grep -o 'http[^"]*/file' | head -1)"; echo`,
  `call "$API/files/$FILE?wait=20"`,
  `call $API/quote -d "{\\"tool\\":\\"adjust_loudness\\",\\"fileIds\\":[\\"$FILE\\"]}"`,
  'JOB=$(call $API/jobs -d ' +
    `"{\\"tool\\":\\"adjust_loudness\\",\\"file_id\\":\\"$FILE\\",\\"idempotency_key\\":\\"first-$FILE\\"}" | grep ` +
    `-o 'job_[0-9A-Za-z]*' | head -1)`,
  `until DONE=$(call $API/jobs/$JOB); echo "$DONE" | grep -qE '"status":"(succeeded|failed|cancelled)"'; do sleep ` +
    '0.2; done; echo "$DONE"',
  `call "$API/files/$FILE/peaks?wait=20&level=5&count=10"`,
  `OUT=$(echo "$DONE" | grep -o 'file_[0-9A-Za-z]*' | head -1)`,
  `curl -sS -OJ "$(call $API/files/$OUT/download | grep -o 'http[^"]*')"`,
  `call $API/ledger`,
];
