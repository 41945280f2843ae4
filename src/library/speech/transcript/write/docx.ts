// A transcript as an Office Open XML document (ECMA-376), for people who go on writing with it.
import { xmlText } from '../../../core/xml-text.ts';
import type { Transcript } from '../../../contract/transcript.ts';
import { paragraphsOf } from './plain-text.ts';
import { type CaptionOptions, speakerName, stamp } from './subtitles.ts';
import { zip } from './zip.ts';

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const relationships = 'http://schemas.openxmlformats.org/package/2006/relationships';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

const run = (text: string, properties = ''): string =>
  `<w:r>${properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`}<w:t ` +
  `xml:space="preserve">${xmlText(text)}</w:t></w:r>`;

/** A paragraph per turn, with the time of its start and the speaker's name. */
export function toDocx(transcript: Transcript, options: CaptionOptions = {}): Uint8Array<ArrayBuffer> {
  const paragraphs = paragraphsOf(transcript, options).map(({ speaker, named, startSeconds, text }) => {
    const time = run(`${stamp(startSeconds, '.').slice(0, 8)}  `, '<w:color w:val="808080"/>');
    const name = named && speaker !== null ? run(`${speakerName(speaker, options)}: `, '<w:b/>') : '';
    return `<w:p><w:pPr><w:spacing w:after="160"/></w:pPr>${time}${name}${run(text)}</w:p>`;
  });
  return zip({
    '[Content_Types].xml':
      `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      `<Override PartName="/word/document.xml" ContentType="${word}.document.main+xml"/>` +
      `<Override PartName="/word/styles.xml" ContentType="${word}.styles+xml"/></Types>`,
    '_rels/.rels':
      `${declaration}<Relationships xmlns="${relationships}">` +
      `<Relationship Id="rId1" Type="${office}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/_rels/document.xml.rels':
      `${declaration}<Relationships xmlns="${relationships}">` +
      `<Relationship Id="rId1" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
    'word/styles.xml':
      `${declaration}<w:styles xmlns:w="${main}"><w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/>` +
      `<w:lang w:val="${xmlText(transcript.language)}"/></w:rPr></w:rPrDefault></w:docDefaults>` +
      '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style></w:styles>',
    'word/document.xml':
      `${declaration}<w:document xmlns:w="${main}"><w:body>${paragraphs.join('')}` +
      '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" ' +
      'w:header="708" w:footer="708" w:gutter="0"/></w:sectPr></w:body></w:document>',
  });
}
