// The formats of timelines: a writer each over one neutral form.
import type { Timeline, TimelineFormat, WrittenTimeline } from './form/timeline.ts';
import { writeEdl } from './write/edl.ts';
import { writeFcpxml } from './write/fcpxml.ts';
import { writeAudacity, writeCsv } from './write/lists.ts';
import { writeOtio } from './write/otio.ts';
import { writeReaper } from './write/reaper.ts';
import { writeXmeml } from './write/xmeml.ts';

interface FormatFacts {
  readonly extension: string;
  readonly contentType: string;
  write(timeline: Timeline): WrittenTimeline;
}

export const timelineFormats: Readonly<Record<TimelineFormat, FormatFacts>> = {
  otio: { extension: 'otio', contentType: 'application/json', write: writeOtio },
  fcpxml: { extension: 'fcpxml', contentType: 'application/xml', write: writeFcpxml },
  xmeml: { extension: 'xml', contentType: 'application/xml', write: writeXmeml },
  edl: { extension: 'edl', contentType: 'text/plain; charset=utf-8', write: writeEdl },
  reaper: { extension: 'rpp', contentType: 'text/plain; charset=utf-8', write: writeReaper },
  audacity: { extension: 'labels.txt', contentType: 'text/plain; charset=utf-8', write: writeAudacity },
  csv: { extension: 'csv', contentType: 'text/csv; charset=utf-8', write: writeCsv },
};
