import { it } from 'vitest';
import { makeNumbered, seenIn, cut, expected } from './numbered.ts';
it.each((process.env['EXTS'] ?? 'mp4,mkv,ts,mov').split(','))('%s', async (ext) => {
  const src = makeNumbered(`/tmp/vsrc.${ext}`, { count: 500, codec: ['-c:v','libx264','-g','60','-bf','3'], flashEvery: 25 });
  const keeps = [{startSeconds:0.5,endSeconds:4.1},{startSeconds:5,endSeconds:5.04},{startSeconds:6.3,endSeconds:7},{startSeconds:9,endSeconds:18.2}];
  for (const encodeAll of [true,false]) {
    const t=performance.now();
    const sink = await cut(src, `/tmp/vout${encodeAll}.${ext}`, keeps, {encodeAll});
    console.log(ext, sink.approach, sink.pictures(), sink.warnings, performance.now()-t);
    const seen = seenIn(`/tmp/vout${encodeAll}.${ext}`); const exp = expected(seenIn(src), keeps);
    console.log(seen.length, exp.length, JSON.stringify(seen.map(s=>s.number))===JSON.stringify(exp.map(s=>s.number)), Math.max(...seen.map((s,i)=>Math.abs(s.seconds-exp[i]!.seconds))), seen.slice(0,3));
    if(seen.length!==exp.length) console.log(seen.map(s=>s.number).join(' '));
  }
}, 60000);
