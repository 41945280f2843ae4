import type {
  IBinaryKeyData,
  IDataObject,
  IExecuteFunctions,
  IHttpRequestOptions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
} from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes, NodeOperationError, sleep } from 'n8n-workflow';
import { jsonFields, keyless, requiredFields, toolInputs, toolProperties } from './tools';

interface Upload {
  url: string;
}
interface Multipart {
  partUrl: string;
  partSizeBytes: number;
  completeUrl: string;
}
interface FileRecord extends IDataObject {
  id: string;
  status: string;
  filename: string;
  contentType: string;
  error: { message: string } | null;
}
interface Job extends IDataObject {
  id: string;
  status: string;
  outputs: FileRecord[];
  error: { code: string; message: string } | null;
}

const credentials = 'earshotApi';
/** As n8n keeps it. */
type Sound = Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0];
const pollMs = 1000;
/** Of a file that will be ready, or refused. */
const waiting = ['awaiting_upload', 'processing'];

async function call<Answer>(
  node: IExecuteFunctions,
  method: 'GET' | 'POST',
  path: string,
  body?: IDataObject,
): Promise<Answer> {
  const { baseUrl } = await node.getCredentials<{ baseUrl: string }>(credentials);
  const url = `${baseUrl.replace(/\/$/, '')}/api/v1${path}`;
  const options: IHttpRequestOptions = { method, url, json: true, ...(body === undefined ? {} : { body }) };
  const answer: unknown = await node.helpers.httpRequestWithAuthentication.call(node, credentials, options);
  // A proxy's page of HTML, or another program at that address.
  if (typeof answer !== 'object' || answer === null)
    throw new NodeOperationError(node.getNode(), `Expected the answer of an Earshot service from ${method} ${url}`);
  return answer as Answer;
}

/** Sends a binary field, above 16 MB in parts, and waits until the service has looked at it. */
async function upload(node: IExecuteFunctions, item: number, field: string): Promise<string> {
  const { fileName, mimeType } = node.helpers.assertBinaryData(item, field);
  const bytes = await node.helpers.getBinaryDataBuffer(item, field);
  const made = await call<{ file: FileRecord; upload: Upload | null; multipart: Multipart | null }>(
    node,
    'POST',
    '/files',
    {
      filename: fileName ?? `${field}.${mimeType.split('/').pop() ?? 'wav'}`,
      sizeBytes: bytes.length,
    },
  );
  const put = async (url: string, body: Buffer): Promise<unknown> =>
    await node.helpers.httpRequest({ method: 'PUT', url, body, headers: { 'Content-Type': mimeType } });
  if (made.multipart === null) await put(made.upload?.url ?? '', bytes);
  else {
    const { partUrl, partSizeBytes, completeUrl } = made.multipart;
    if (!(partSizeBytes >= 1))
      throw new NodeOperationError(node.getNode(), `Expected a size of parts but received ${partSizeBytes}`);
    for (let at = 0; at < bytes.length; at += partSizeBytes)
      await put(partUrl.replace('{n}', String(at / partSizeBytes + 1)), bytes.subarray(at, at + partSizeBytes));
    await node.helpers.httpRequest({ method: 'POST', url: completeUrl });
  }
  for (;;) {
    const file = await call<FileRecord>(node, 'GET', `/files/${made.file.id}?wait=20`);
    if (file.status === 'ready') return file.id;
    if (!waiting.includes(file.status))
      throw new NodeOperationError(node.getNode(), file.error?.message ?? `The file was ${file.status}`, {
        itemIndex: item,
      });
    await sleep(pollMs);
  }
}

/** The body of POST /jobs: files that were sent, and what was chosen. */
async function bodyOf(node: IExecuteFunctions, item: number, tool: string): Promise<IDataObject> {
  const body: IDataObject = keyless.includes(tool) ? { tool } : { tool, idempotency_key: `n8n-${crypto.randomUUID()}` };
  const chosen = node.getNodeParameter('options', item, {}) as IDataObject;
  for (const name of requiredFields[tool] ?? []) chosen[name] = node.getNodeParameter(name, item) as string;
  for (const [name, value] of Object.entries(chosen)) {
    const isJson = (jsonFields[tool] ?? []).includes(name) && typeof value === 'string';
    if (value !== '') body[name] = isJson ? (JSON.parse(value) as IDataObject) : value;
  }
  for (const [name, { multiple, itemKey }] of Object.entries(toolInputs[tool] ?? {})) {
    const fields = (node.getNodeParameter(`file_${name}`, item, '') as string).split(',').map((field) => field.trim());
    const ids: string[] = [];
    for (const field of fields.filter((each) => each !== '')) ids.push(await upload(node, item, field));
    if (ids.length === 0) continue;
    const more = (body[name] ?? []) as IDataObject[];
    body[name] =
      itemKey === undefined ? (multiple ? ids : ids[0]) : ids.map((id, at) => ({ ...more[at], [itemKey]: id }));
  }
  return body;
}

/** Clean, level, cut, transcribe and measure recordings with an Earshot service. */
export class Earshot implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Earshot',
    name: 'earshot',
    icon: { light: 'file:earshot.svg', dark: 'file:earshot.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: '={{$parameter["operation"]}}',
    description: 'Clean, level, cut, transcribe and measure recordings',
    defaults: { name: 'Earshot' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: credentials, required: true }],
    properties: toolProperties,
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const made: INodeExecutionData[] = [];
    for (let item = 0; item < this.getInputData().length; item++) {
      try {
        const tool = this.getNodeParameter('operation', item) as string;
        let job = await call<Job>(this, 'POST', '/jobs', await bodyOf(this, item, tool));
        while (job.status === 'queued' || job.status === 'running') {
          await sleep(pollMs);
          job = await call<Job>(this, 'GET', `/jobs/${job.id}`);
        }
        if (job.status !== 'succeeded')
          throw new NodeOperationError(this.getNode(), job.error?.message ?? `The job was ${job.status}`, {
            itemIndex: item,
          });
        const binary: IBinaryKeyData = {};
        for (const [at, { id, filename, contentType }] of job.outputs.entries()) {
          const { url } = await call<{ url: string }>(this, 'GET', `/files/${id}/download`);
          // As it comes: an hour of WAV would be 600 MB in memory.
          const bytes = (await this.helpers.httpRequest({ method: 'GET', url, encoding: 'stream' })) as Sound;
          binary[at === 0 ? 'data' : `data_${at}`] = await this.helpers.prepareBinaryData(bytes, filename, contentType);
        }
        made.push({ json: job, binary, pairedItem: { item } });
      } catch (thrown) {
        if (!this.continueOnFail())
          throw thrown instanceof NodeOperationError
            ? thrown
            : new NodeApiError(this.getNode(), thrown as never, { itemIndex: item });
        made.push({ json: { error: (thrown as Error).message }, pairedItem: { item } });
      }
    }
    return [made];
  }
}
