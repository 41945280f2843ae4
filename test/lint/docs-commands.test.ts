import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { slow } from '../fixtures/rounds.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const script = fileURLToPath(new URL('../../scripts/docs-commands.ts', import.meta.url));

it('docs:check refuses commands, flags, requests and variables that are not there', slow, async () => {
  const page = join(temporaryFolder('earshot-docs-commands-'), 'page.md');
  const rows = [
    ['`--loud`', '`--target -23`'],
    ['`--batch`', '`--no-such-flag`'],
    ['x', '`--target whisper`'],
    ['x', '`earshot louder talk.wav`'],
    ['x', '`earshot master host.wav --no-such-flag`'],
    ['x', '`earshot cut talk.wav --ranges 500-600 -o part.wav`'],
    ['x', '`POST /api/v1/productions`'],
    ['x', '`EARSHOT_NO_SUCH`'],
    [
      'x',
      '`POST /api/v1/jobs`, `EARSHOT_MODELS`, `earshot remove-noise talk.wav -o - \\| earshot loudness - -o out.wav`',
    ],
  ];
  writeFileSync(
    page,
    `## One\n\n\`\`\`sh\nearshot loudness talk.wav  # the first\n\`\`\`\n\n${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`,
  );
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, [script, page], (_error, _stdout, stderr) => resolve(stderr));
  });
  const refused = [...said.matchAll(/page\.md: ([^:]+): /g)].map(([, code]) => code);
  expect(refused).toEqual([
    '--no-such-flag',
    '--target whisper',
    'earshot louder talk.wav',
    'earshot master host.wav --no-such-flag',
    'earshot cut talk.wav --ranges 500-600 -o part.wav',
    'POST /api/v1/productions',
    'EARSHOT_NO_SUCH',
  ]);
});
