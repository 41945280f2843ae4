// Preloaded into every process and thread of a measurement (NODE_OPTIONS): while the one source file is loaded, the
// varied literals take the place of those that are written there. No copy of the tree is needed.
import { registerHooks } from 'node:module';
import process from 'node:process';
import type { Edit } from './variations.ts';

const given = process.env['EARSHOT_VARIATION'];
if (given !== undefined) {
  const { url: varied, edits } = JSON.parse(given) as { readonly url: string; readonly edits: readonly Edit[] };
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url !== varied) return loaded;
      let text = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
      for (const { start, end, text: was, becomes } of edits.toSorted((a, b) => b.start - a.start)) {
        if (text.slice(start, end) !== was) throw new Error(`${varied} changed while its constants were measured`);
        text = text.slice(0, start) + becomes + text.slice(end);
      }
      process.env['EARSHOT_VARIED'] = 'yes';
      return { ...loaded, source: text };
    },
  });
}
