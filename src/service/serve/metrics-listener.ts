import { createServer, type Server } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** Serves only GET /metrics of the app, on a separate address. */
export async function listenForMetrics(
  app: FastifyInstance,
  token: string,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Server> {
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
        response.writeHead(404).end();
        return;
      }
      const { statusCode, headers, payload } = await app.inject({
        method: 'GET',
        url: '/metrics',
        headers: { host: 'localhost', authorization: `Bearer ${token}` },
      });
      response.writeHead(statusCode, { 'content-type': headers['content-type'], 'cache-control': 'no-store' });
      response.end(payload);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  return server;
}
