# Reads timelines with other programs' readers: opentimelineio 0.18.1 with otio-cmx3600-adapter, otio-fcp-adapter and
# otio-fcpx-xml-adapter 1.0.0, and rpp 0.5. Prints a line of JSON for each: clips, and the length in seconds.
import json
import sys
import opentimelineio as otio
import rpp


def timeline(found):
    if isinstance(found, otio.schema.Timeline):
        return found
    return next(iter(found.find_children(descended_from_type=otio.schema.Timeline)))


rate = float(sys.argv[1])
for path in sys.argv[2:]:
    try:
        if path.endswith('.rpp'):
            items = rpp.loads(open(path, encoding='utf8').read()).findall('.//ITEM')
            number = lambda item, name: float(item.find(name)[1])
            ends = [number(item, 'POSITION') + number(item, 'LENGTH') for item in items]
            print(json.dumps({'clips': len(items), 'seconds': max(ends)}))
        else:
            options = {'rate': rate} if path.endswith('.edl') else {}
            read = timeline(otio.adapters.read_from_file(path, **options))
            track = next(iter(read.audio_tracks()), None) or read.tracks[0]
            clips = [each for each in track if isinstance(each, otio.schema.Clip)]
            print(json.dumps({'clips': len(clips), 'seconds': track.duration().to_seconds()}))
    except Exception as failed:
        print(json.dumps({'failed': f'{type(failed).__name__}: {str(failed)[:80]}'}))
