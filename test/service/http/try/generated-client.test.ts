// The free API agrees with the list of tools by construction, and a client made of openapi.json runs a free tool.
import { OpenAPIClientAxios } from 'openapi-client-axios';
import { beforeAll, expect, it } from 'vitest';
import { toolIds } from '../../../../src/library/contract/tool-ids.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { createFakeMedia, named } from './fake-media.ts';

const services = useServices();
let service: TestService;
beforeAll(async () => {
  service = await services.start({ media: createFakeMedia() });
});

interface OpenTool {
  readonly id: string;
  readonly slug: string;
  readonly free: { readonly dailyUses: number };
  readonly input: { readonly properties: Readonly<Record<string, object>> };
}

it('a client made of openapi.json runs a free tool and follows its link', async () => {
  const definition = (await (await fetch(`${service.base}/api/openapi.json`)).json()) as object;
  const api = new OpenAPIClientAxios({
    definition: definition as never,
    axiosConfigDefaults: { baseURL: service.base },
  });
  // oxlint-disable-next-line typescript/no-explicit-any -- the client's operations are only known from the document
  const client: any = await api.getClient();
  const form = new FormData();
  form.append('noise_reduction', '80');
  form.append('file', named('600s.wav'), '600s.wav');
  const answer = await client.tryRemoveNoise({ Prefer: 'respond-async' }, form);
  expect(answer.status).toBe(202);
  const { searchParams } = new URL(answer.data.statusUrl as string);
  let run = answer.data;
  while (run.status !== 'succeeded') run = (await client.getFreeRun({ id: run.id, t: searchParams.get('t') })).data;
  expect(run).toMatchObject({ tool: 'remove_noise', processedSeconds: 60, finishPriceCredits: 500 });
  const bytes = await client.get(run.outputs[0].url, { responseType: 'text' });
  expect(bytes.data).toBe('RIFF of 600s.wav, 60 s');
});

it('has a path for every tool of the list, with its options and its uses', async () => {
  const [document, list] = (await Promise.all(
    ['/api/openapi.json', '/api/v1/tools'].map(async (path) => (await fetch(service.base + path)).json()),
  )) as [
    {
      paths: Record<
        string,
        { post?: { requestBody: { content: Record<string, { schema: { properties: object } }> } } }
      >;
    },
    { data: OpenTool[] },
  ];
  expect(list.data.map(({ id }) => id).sort()).toEqual([...toolIds].sort());
  for (const { id, slug, free, input } of list.data) {
    const post = document.paths[`/api/try/${slug}`]?.post ?? expect.fail(slug);
    const form = Object.keys(post.requestBody.content['multipart/form-data']?.schema.properties ?? {});
    const options = Object.keys(input.properties).filter(
      (name) => !/^(tool|idempotency_key|preview_from|.*file_ids?)$/.test(name),
    );
    expect(form, slug).toEqual(expect.arrayContaining(options));
    const refused = await fetch(`${service.base}/api/try/${slug}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(refused.headers.get('ratelimit-policy')).toBe(`"${id}-daily";q=${free.dailyUses};w=86400`);
  }
});
