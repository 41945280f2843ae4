// A page for every tool, from its declaration alone.
import * as Type from 'typebox/type';
import { describe, expect, it } from 'vitest';
import { passageName } from '../../../../src/library/contract/passage-order.ts';
import { runStages } from '../../../../src/library/core/progress/stages.ts';
import { soundTrackName } from '../../../../src/library/tools/declare/sound-track.ts';
import { offeredTools, type OfferedTool } from '../../../../src/service/offers/offers.ts';
import { de } from '../../../../src/service/http/site/strings/de/index.ts';
import { useApps } from '../support.ts';

/** Options that forms do not have. */
const formless: readonly string[] = [soundTrackName, passageName];

const start = useApps();

/** A tool that nothing outside its declaration knows of. */
const [first] = offeredTools as readonly [OfferedTool];
const added = {
  ...first,
  id: 'find_peak',
  slug: 'find-peak',
  title: 'Find the peak',
  summary: 'Say where a recording is loudest',
  description: 'Says where a recording is <loudest>.',
  options: Type.Object({
    quietest_dbfs: Type.Optional(
      Type.Number({ minimum: -90, maximum: 0, default: -60, description: 'Peaks below this are none' }),
    ),
    how_many: Type.Optional(Type.Integer({ minimum: 1, maximum: 9, default: 1, description: 'Peaks to list' })),
    side: Type.Optional(Type.Enum(['left', 'right'], { description: 'Only this channel' })),
    names: Type.Optional(Type.Array(Type.String(), { description: 'Names of the peaks' })),
  }),
  optionRules: { side: { field: 'how_many', values: ['2'], required: false } },
  shown: {
    purpose: 'convert',
    place: 2,
    next: null,
    sign: '<path d="M1 2v3"/>',
    translations: { de: { title: 'Spitze finden', summary: '', description: '', examples: [] } },
  },
  examples: [{ description: 'Find it', command: 'find-peak talk.wav' }],
} as unknown as OfferedTool;

const open = (tools: readonly OfferedTool[] = offeredTools) =>
  start(
    {
      tools: {
        offers: () =>
          Promise.resolve(
            tools.map(({ id }) => ({
              id,
              creditsPerMinute: 2,
              free: { enabled: true, seconds: 120, dailyUses: 3 },
              unavailable: null,
            })),
          ),
      },
      freeRuns: {
        visitor: () => ({ account: null, subject: 'somebody' }),
        allowance: async (_visitor, tool) => ({ tool, dailyUses: 3, usesLeft: 2, seconds: 120, resetsAt: new Date() }),
      },
    },
    { tools },
  );

const get = async (url: string, language = 'en'): Promise<string> =>
  (await fetch(url, { headers: { 'accept-language': language, accept: 'text/html' } })).text();

describe('a tool page', () => {
  it('draws what is chosen where a tool declares it or asks for times, and nowhere else', async () => {
    const { base } = await start();
    const drawn = async (slug: string): Promise<string | null> => {
      const page = await (await fetch(`${base}/tools/${slug}`)).text();
      return /"look":(?:null|"([^"]*)")/.exec(page)?.[1] ?? null;
    };
    for (const [slug, script] of [
      ['cut', 'ranges'],
      ['remove-silence', 'pauses'],
      ['swap-audio', 'offset'],
    ] as const)
      expect(await drawn(slug)).toMatch(new RegExp(`^/assets/${script}\\.(?:\\w+\\.)?js$`));
    for (const slug of ['align-script', 'transcribe', 'join']) expect([slug, await drawn(slug)]).toEqual([slug, null]);
  });

  it('is there for every tool, with a control for each option and the price before the start', async () => {
    const { base } = await open();
    for (const tool of offeredTools) {
      const html = await get(`${base}/tools/${tool.slug}`);
      expect(html.match(/<h1>[^<]+/g)).toEqual([`<h1>${tool.title}`]);
      expect(html).toContain(`action="/api/try/${tool.slug}"`);
      expect(html).toContain(tool.alwaysFree ? 'this tool is free' : '2 credits a minute');
      expect(html).toContain('2 of 3');
      for (const name of Object.keys(tool.options.properties ?? {}))
        if (tool.inputs[name]?.itemKey === undefined && !formless.includes(name))
          expect(html, `${tool.id} ${name}`).toMatch(new RegExp(`name="${name}"`));
      for (const { command } of tool.examples) expect(html).toContain(command.slice(0, 20));
      // What a browser without a script needs: a named field for files, and a button that sends.
      expect(html).toMatch(/<input [^>]*type="file" name="\w+"/);
      expect(html).toMatch(/<button class="btn go l" type="submit">/);
    }
  });

  it('is in German for every tool of this version, each option included', async () => {
    const { base } = await open();
    for (const tool of offeredTools) {
      const html = await get(`${base}/tools/${tool.slug}`, 'de');
      expect(html).toContain(`<h1>${tool.shown.translations.de.title}`);
      for (const name of Object.keys(tool.options.properties ?? {}))
        if (tool.inputs[name]?.itemKey === undefined && !formless.includes(name))
          expect(Object.keys(de.options), `${tool.id} ${name}`).toContain(name);
      for (const name of Object.keys(tool.inputs)) expect(Object.keys(de.inputs)).toContain(name);
      const { examples } = tool.shown.translations.de;
      expect(examples, tool.id).toHaveLength(tool.examples.length);
      for (const text of examples) expect(html).toContain(`<p class="small soft">${text}</p>`);
    }
  });

  it('says which files a tool takes and needs, and how many', async () => {
    const { base } = await open();
    const titles = async (slug: string, language: string): Promise<readonly string[]> =>
      [...(await get(`${base}/tools/${slug}`, language)).matchAll(/"title":"([^"]*)","min"/g)].map(
        ([, title = '']) => title,
      );
    expect(await titles('check', 'de')).toEqual(['Audio- oder Videodatei', 'Untertitel (SRT, VTT) (nicht nötig)']);
    expect(await titles('burn-captions', 'de')).toEqual(['Video mit seinem Bild', 'Untertitel (JSON, SRT, VTT)']);
    expect((await titles('remove-fillers', 'en'))[1]).toMatch(/ \(optional\)$/);
    // One of the two is needed.
    expect((await titles('align-script', 'en')).join()).not.toContain('(optional)');
    for (const slug of ['sync', 'join', 'mix'])
      expect(await get(`${base}/tools/${slug}`)).toContain('curl -F file=@recording.wav -F file=@2-recording.wav');
    expect(await get(`${base}/tools/convert`)).not.toContain('2-recording');
  });

  it('has a request over HTTP with all that its tool cannot do without', async () => {
    const { base } = await open();
    for (const tool of offeredTools) {
      const html = (await get(`${base}/tools/${tool.slug}`)).replaceAll('&quot;', '"');
      const [, call = ''] = /<code>curl ([^\\]*)/.exec(html) ?? [];
      const fields = [...call.matchAll(/-F (?:'(\w+)=([^']*)'|(\w+)=@)/g)];
      const given = new Map(fields.map(([, option = '', value = '', file = '']) => [option || file, value]));
      const isGiven = (field: string): boolean => given.has(field) || given.has(field.replace(/_file_ids?$/, ''));
      for (const either of tool.fieldRules.exactlyOne ?? [])
        expect(either.filter((field) => isGiven(field) || field === 'file_id').length, call).toBe(1);
      const options = fields.filter(([, option]) => option !== undefined);
      const read = ([, name = '', value = '']: RegExpMatchArray): [string, unknown] => [
        name,
        value.startsWith('[') ? JSON.parse(value) : value,
      ];
      tool.parseOptions(Object.fromEntries(options.map(read)));
    }
    const html = (await get(`${base}/tools/redact`)).replaceAll('&quot;', '"');
    expect(html).toContain(`curl -F file=@recording.wav -F 'words=["Ann Taylor","Miller"]'`);
  });

  it('says of a format what this tool does with it', async () => {
    const { base } = await open();
    const same = /Same keeps the format of the input/;
    expect(await get(`${base}/tools/remove-noise`)).toMatch(same);
    expect(await get(`${base}/tools/sync`)).not.toMatch(same);
  });

  it('names every stage of a run in German', () => {
    expect(Object.keys(de.bench.stages)).toEqual(expect.arrayContaining([...runStages]));
  });

  it('is there for a tool that was added by its declaration, without another line', async () => {
    const { base } = await open([...offeredTools, added]);
    const html = await get(`${base}/tools/find-peak`);
    for (const part of [
      '<h1>Find the peak</h1>',
      '<p class="lead">Says where a recording is &lt;loudest>.</p>',
      '>Quietest</label>',
      '<span>dBFS</span>',
      'Peaks below this are none From -90 to 0 dBFS.',
      'type="range"',
      'name="side" value="left"',
      'data-only="how_many" data-values="2"',
      'data-list="lines"',
      'Usual: none',
    ])
      expect(html).toContain(part);
    const index = await get(`${base}/tools`);
    expect(index).toContain('href="/tools/find-peak"');
    expect(index).toContain('<path d="M1 2v3"/>');
    expect(index.indexOf('/tools/find-peak"')).toBeGreaterThan(index.indexOf('/tools/convert"'));
    expect(await get(`${base}/tools/find-peak`, 'de')).toContain('<h1>Spitze finden</h1>');
  });

  it('is none for a tool that there is not', async () => {
    const { base } = await open();
    expect((await fetch(`${base}/tools/nothing`, { headers: { accept: 'text/html' } })).status).toBe(404);
  });
});
