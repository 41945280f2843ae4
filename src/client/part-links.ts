import type { MultipartUpload, PartLinks } from './api-types.ts';
import type { Requests } from './request.ts';

/** Links for sending parts directly to the object store. */
export interface DirectLinks {
  /** null: send the part to the service. */
  of(part: number): Promise<string | null>;
  /** The store cannot be reached from here. */
  drop(): void;
}

/** Links asked for at a time. */
const linksAtOnce = 100;

/** Asks for links. Older services offer none. */
export function createPartLinks(
  requests: Requests,
  { completeUrl, partCount }: Pick<MultipartUpload, 'completeUrl' | 'partCount'>,
  signal: AbortSignal | undefined,
): DirectLinks {
  const to = completeUrl.replace(/\/complete$/, '/links');
  const pages = new Map<number, Promise<ReadonlyMap<number, string>>>();
  let dropped = to === completeUrl;
  const ask = async (first: number): Promise<ReadonlyMap<number, string>> => {
    const length = Math.min(linksAtOnce, partCount - first + 1);
    const parts = Array.from({ length }, (_, index) => first + index);
    const { links } = await requests.json<PartLinks>({ method: 'POST', to, json: { parts }, signal });
    return new Map(links.map(({ part, url }) => [part, url]));
  };
  return {
    async of(part) {
      if (dropped) return null;
      const first = part - ((part - 1) % linksAtOnce);
      const page = pages.get(first) ?? ask(first);
      pages.set(first, page);
      try {
        return (await page).get(part) ?? null;
      } catch (thrown) {
        if (signal?.aborted) throw thrown;
        dropped = true;
        return null;
      }
    },
    drop() {
      dropped = true;
    },
  };
}
