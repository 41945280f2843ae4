// Timelines over REST: of results, and edited ones back as ranges.
import { describe, expect, it } from 'vitest';
import type { Origin } from '../../../../src/service/rules/jobs/origins.ts';
import type { StoredFile } from '../../../../src/service/rules/files/stored-file.ts';
import { storedFile, useApps } from '../support.ts';

const start = useApps();

const film = (changes: Partial<NonNullable<StoredFile['media']>> = {}): StoredFile =>
  storedFile({
    filename: 'film ü.mov',
    hasVideo: true,
    durationSeconds: 60,
    media: { codec: 'aac', sampleRate: 48_000, channels: 2, width: 1920, height: 1080, ...changes },
  });

/** A service with a result that was made so. */
const made = (origin: Partial<Origin>) =>
  start({
    origins: {
      of: async () => ({
        file: storedFile({ id: 'file_2', kind: 'output', filename: 'talk.cut.wav' }),
        origin: { tool: 'cut_audio', result: {}, inputs: { file_id: [storedFile()] }, outputs: [], ...origin },
      }),
    },
  });

const keptRanges = [
  [0, 12.5],
  [15, 61.5],
];

describe('the timeline of a result', () => {
  it('of a cut comes back as its ranges', async () => {
    const { call } = await made({ result: { keptRanges, keptSeconds: 59, removedSeconds: 2.5 } });
    for (const format of ['otio', 'fcpxml', 'edl']) {
      const { status, headers, text } = await call('GET', `/api/v1/files/file_2/timeline?format=${format}`);
      expect(status).toBe(200);
      expect(headers.get('content-disposition')).toBe(`attachment; filename=talk.cut.${format}`);
      expect(headers.get('svc-timeline-without')).toBeNull();
      const back = await call('POST', '/api/v1/files/file_1/timeline', { body: { timeline: text } });
      expect(back.json).toEqual({ ranges: keptRanges, ignored: [] });
    }
  });

  it.each(['xmeml', 'reaper', 'audacity', 'csv'])('is written as %s', async (format) => {
    const { call } = await made({ result: { keptRanges } });
    const { status, text } = await call('GET', `/api/v1/files/file_2/timeline?format=${format}`);
    expect(status).toBe(200);
    expect(text).toMatch(format === 'audacity' ? /^0\.0+\t12\.5/ : /talk\.wav/);
  });

  it('of cut silences, of joined files and of a transcript holds what was done', async () => {
    const silence = await made({ tool: 'remove_silence', result: { cuts: [[2, 3]] } });
    const labels = await silence.call('GET', '/api/v1/files/file_2/timeline?format=audacity');
    expect(labels.text.split('\n').slice(0, 2)).toEqual(['0.000000\t2.000000\tkept 1', '3.000000\t61.500000\tkept 2']);

    const joined = await made({
      tool: 'join_audio',
      inputs: { file_ids: [storedFile(), storedFile({ id: 'file_3', filename: 'outro.wav', durationSeconds: 10 })] },
      result: {
        files: [
          { startSeconds: 0, durationSeconds: 61.5, gainDb: -1 },
          { startSeconds: 60.5, durationSeconds: 10, gainDb: 2 },
        ],
      },
    });
    const edl = await joined.call('GET', '/api/v1/files/file_2/timeline?format=edl');
    expect(edl.headers.get('svc-timeline-without')).toMatch(/gain/);
    const reaper = await joined.call('GET', '/api/v1/files/file_2/timeline?format=reaper');
    expect(reaper.text.match(/FILE "[^"]+"/g)).toEqual(['FILE "talk.wav"', 'FILE "outro.wav"']);

    const said = await made({ tool: 'transcribe_audio', outputs: [storedFile({ id: 'file_4', format: 'json' })] });
    expect((await said.call('GET', '/api/v1/files/file_2/timeline?format=otio')).json.tracks.markers).toHaveLength(1);
  });

  it('of a film is on its own frames, and asks for a rate that is not known', async () => {
    const result = { keptRanges: [[0, 10]] };
    const known = await made({ result, inputs: { file_id: [film({ frameRate: 29.97, timecode: '01:00:00;00' })] } });
    const edl = await known.call('GET', '/api/v1/files/file_2/timeline?format=edl');
    expect(edl.text).toContain('01:00:00;00 01:00:10;00');

    const older = await made({ result, inputs: { file_id: [film()] } });
    const refused = await older.call('GET', '/api/v1/files/file_2/timeline?format=edl');
    expect([refused.status, refused.json.error.details.field]).toEqual([400, 'frameRate']);
    const given = await older.call('GET', '/api/v1/files/file_2/timeline?format=edl&frameRate=25');
    expect(given.text).toContain('00:00:00:00 00:00:10:00');
  });

  it('is refused of what leaves none, and in a format that there is not', async () => {
    const { call } = await made({ tool: 'remove_noise', result: {} });
    expect((await call('GET', '/api/v1/files/file_2/timeline?format=otio')).json.error.message).toContain(
      'Expected a run that cuts, joins, mixes or transcribes but received one of Remove noise',
    );
    expect((await call('GET', '/api/v1/files/file_2/timeline?format=aaf')).json.error.details.field).toBe('format');
  });
});

describe('an edited timeline', () => {
  it('is refused where it is none, or of another recording', async () => {
    const { call } = await start();
    const read = (timeline: string) => call('POST', '/api/v1/files/file_1/timeline', { body: { timeline } });
    expect((await read('nothing')).json.error.code).toBe('file_invalid');
    expect((await read('<a>'.repeat(3000))).json.error.code).toBe('file_invalid');
    const other =
      'TITLE: x\n001  AX  AA  C  00:00:00:00 00:02:00:00 00:00:00:00 00:02:00:00\n* FROM CLIP NAME: talk.wav\n';
    expect((await read(other)).json.error.code).toBe('ranges_outside');
    expect((await read('x'.repeat(600_001))).status).toBe(400);
  });
});
