// EBU-TT-D (EBU Tech 3380), the profile of W3C's TTML that European broadcasters and players take.
import { xmlText } from '../../../core/xml-text.ts';
import type { Transcript } from '../../../contract/transcript.ts';
import { captionsOf } from './captions.ts';
import { type CaptionOptions, prefixOf, stamp } from './subtitles.ts';

/** UTF-8, LF. Captions stand in the lower part of the picture, white on black, centred. */
export function toTtml(transcript: Transcript, options: CaptionOptions = {}): string {
  const captions = captionsOf(
    transcript,
    prefixOf(transcript, options),
    options.profile ?? 'broadcast',
    options.byHand,
  );
  const cues = captions.map(
    ({ startSeconds, endSeconds, lines }, index) =>
      `      <tt:p xml:id="c${index + 1}" region="bottom" style="paragraph" begin="${stamp(startSeconds, '.')}" ` +
      `end="${stamp(endSeconds, '.')}"><tt:span style="text">${lines.map(xmlText).join('<tt:br/>')}</tt:span></tt:p>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<tt:tt xmlns:tt="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xmlns:tts="http://www.w3.org/ns/ttml#styling" xmlns:ebuttm="urn:ebu:tt:metadata" xmlns:ebutts="urn:ebu:tt:style" ttp:timeBase="media" ttp:cellResolution="32 15" xml:lang="${xmlText(transcript.language)}">
  <tt:head>
    <tt:metadata>
      <ebuttm:documentMetadata>
        <ebuttm:conformsToStandard>urn:ebu:tt:distribution:2014-01</ebuttm:conformsToStandard>
      </ebuttm:documentMetadata>
    </tt:metadata>
    <tt:styling>
      <tt:style xml:id="paragraph" tts:fontFamily="proportionalSansSerif" tts:fontSize="100%" tts:lineHeight="125%" tts:textAlign="center" ebutts:linePadding="0.5c"/>
      <tt:style xml:id="text" tts:color="#ffffff" tts:backgroundColor="#000000c2"/>
    </tt:styling>
    <tt:layout>
      <tt:region xml:id="bottom" tts:origin="10% 10%" tts:extent="80% 80%" tts:displayAlign="after"/>
    </tt:layout>
  </tt:head>
${cues.length === 0 ? '' : `  <tt:body>\n    <tt:div>\n${cues.join('\n')}\n    </tt:div>\n  </tt:body>\n`}</tt:tt>
`;
}
