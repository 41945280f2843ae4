// Preloaded into every process and thread of a measurement (NODE_OPTIONS): while the one source file is loaded, the
// varied literals take the place of those that are written there. No copy of the tree is needed.
import { registerHooks } from 'node:module';
import process from 'node:process';
import { type Varied, variedText } from './varied-text.ts';

const given = process.env['EARSHOT_VARIATION'];
if (given !== undefined) {
  const variation = JSON.parse(given) as Varied;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url !== variation.url) return loaded;
      const text = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
      process.env['EARSHOT_VARIED'] = 'yes';
      return { ...loaded, source: variedText(text, variation) };
    },
  });
}
