"""Tags, pictures and chapters put into files of every kind by mutagen, and read back from what tools made of them.

    python3 tags.py make FOLDER              writes source.mp3, source.flac, ... with all that each kind can hold
    python3 tags.py look FILE                prints, as JSON, which entries FILE has: {"title": true, "sylt": false, ...}

An entry counts where another program would look for it: the frame, atom or comment of its own, with its language,
description and type. MKV is read by ffprobe.
"""

import base64
import json
import subprocess
import sys
from pathlib import Path

import mutagen.flac
import mutagen.id3 as id3
import mutagen.mp4 as mp4
from mutagen.aiff import AIFF
from mutagen.flac import FLAC, Picture
from mutagen.mp3 import MP3
from mutagen.mp4 import MP4
from mutagen.oggopus import OggOpus
from mutagen.oggvorbis import OggVorbis
from mutagen.wave import WAVE

# id: values, ID3 frame, Vorbis comment, MP4 atom (a name without "----:" that has more than four letters is free-form)
TEXTS = {
    "title": (["Tïtle – 終わり"], "TIT2", "TITLE", "\xa9nam"),
    "artist": (["First Ärtist", "Second Artist"], "TPE1", "ARTIST", "\xa9ART"),
    "album": (["The Album"], "TALB", "ALBUM", "\xa9alb"),
    "albumartist": (["Album Artist"], "TPE2", "ALBUMARTIST", "aART"),
    "composer": (["Composer One", "Composer Two"], "TCOM", "COMPOSER", "\xa9wrt"),
    "lyricist": (["A Lyricist"], "TEXT", "LYRICIST", "----:LYRICIST"),
    "conductor": (["A Conductor"], "TPE3", "CONDUCTOR", "----:CONDUCTOR"),
    "remixer": (["A Remixer"], "TPE4", "REMIXER", "----:REMIXER"),
    "genre": (["Jazz", "Spoken"], "TCON", "GENRE", "\xa9gen"),
    "date": (["2024-03-05"], "TDRC", "DATE", "\xa9day"),
    "originaldate": (["1999-12-31"], "TDOR", "ORIGINALDATE", "----:ORIGINALDATE"),
    "copyright": (["2024 Some Press"], "TCOP", "COPYRIGHT", "cprt"),
    "publisher": (["A Publisher"], "TPUB", "PUBLISHER|LABEL|ORGANIZATION", "----:PUBLISHER|----:LABEL"),
    "encodedby": (["A Person"], "TENC", "ENCODEDBY|ENCODED-BY", "----:ENCODEDBY|----:ENCODED-BY"),
    "grouping": (["A Grouping"], "TIT1", "GROUPING", "\xa9grp"),
    "subtitle": (["A Subtitle"], "TIT3", "SUBTITLE", "----:SUBTITLE"),
    "discsubtitle": (["A Disc Subtitle"], "TSST", "DISCSUBTITLE", "----:DISCSUBTITLE"),
    "isrc": (["USAT29900609"], "TSRC", "ISRC", "----:ISRC"),
    "key": (["F#m"], "TKEY", "INITIALKEY|KEY", "----:initialkey|----:KEY"),
    "language": (["deu"], "TLAN", "LANGUAGE", "----:LANGUAGE"),
    "mood": (["Calm"], "TMOO", "MOOD", "----:MOOD"),
    "media": (["CD"], "TMED", "MEDIA", "----:MEDIA"),
    "albumsort": (["Album, The"], "TSOA", "ALBUMSORT", "soal"),
    "artistsort": (["Artist, First"], "TSOP", "ARTISTSORT", "soar"),
    "albumartistsort": (["Artist, Album"], "TSO2", "ALBUMARTISTSORT", "soaa"),
    "composersort": (["One, Composer"], "TSOC", "COMPOSERSORT", "soco"),
    "titlesort": (["Title, A"], "TSOT", "TITLESORT", "sonm"),
    "barcode": (["4006381333931"], "TXXX:BARCODE", "BARCODE", "----:BARCODE"),
    "catalognumber": (["CAT 1"], "TXXX:CATALOGNUMBER", "CATALOGNUMBER", "----:CATALOGNUMBER"),
    "mbalbumid": (
        ["66c662b6-6e2f-4930-8610-912e24c63ed1"],
        "TXXX:MusicBrainz Album Id",
        "MUSICBRAINZ_ALBUMID",
        "----:MusicBrainz Album Id",
    ),
    "mbartistid": (
        ["aaaaaaaa-6e2f-4930-8610-912e24c63ed1", "bbbbbbbb-6e2f-4930-8610-912e24c63ed1"],
        "TXXX:MusicBrainz Artist Id",
        "MUSICBRAINZ_ARTISTID",
        "----:MusicBrainz Artist Id",
    ),
    "releasetype": (["album"], "TXXX:MusicBrainz Album Type", "RELEASETYPE", "----:MusicBrainz Album Type"),
    "own": (["A value of my own"], "TXXX:My Own Name", "My Own Name", "----:My Own Name"),
    "podcastcategory": (["Technology"], "TCAT", "PODCASTCATEGORY|CATEGORY", "catg"),
    "podcastkeywords": (["walking, talking"], "TKWD", "PODCASTKEYWORDS|KEYWORDS", "keyw"),
    "podcastid": (["episode-guid-1"], "TGID", "PODCASTID", "egid"),
    "podcastdesc": (["What the episode is about, at length"], "TDES", "PODCASTDESC|SYNOPSIS", "ldes|desc"),
    "podcasturl": (["https://example.org/feed.xml"], "WFED", "PODCASTURL", "purl"),
    "website": (["https://example.org/artist"], "WOAR", "WEBSITE|WWWARTIST", "----:WEBSITE|----:WWWARTIST"),
    "license": (["https://example.org/license"], "WCOP", "LICENSE|WWWCOPYRIGHT", "----:LICENSE|----:WWWCOPYRIGHT"),
    "wpub": (["https://example.org/press"], "WPUB", "WWWPUBLISHER", "----:WWWPUBLISHER"),
    "work": (["A Work"], "TXXX:WORK", "WORK", "\xa9wrk"),
    "movement": (["A Movement"], "MVNM", "MOVEMENTNAME", "\xa9mvn"),
    "tvshow": (["A Show"], "TXXX:TVSHOW|TXXX:SHOW", "TVSHOW|SHOW", "tvsh"),
}
LINK = "https://example.org/more"
LYRICS = "First line\nSecond line ä"
COMMENT = "A plain remark"
CHAPTERS = [(0, 1500, "Opening ä", "https://example.org/1"), (1500, 3000, "Ending", "https://example.org/2")]


def picture(color, kind="mjpeg", size="32x24"):
    args = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"color={color}:s={size}", "-frames:v", "1", "-c:v", kind]
    return subprocess.run([*args, "-f", "image2pipe", "-"], check=True, stdout=subprocess.PIPE).stdout


# type, media type, description, bytes
def pictures():
    return [
        (3, "image/jpeg", "Front ä", picture("red")),
        (4, "image/png", "Back", picture("blue", "png")),
        (8, "image/jpeg", "The artist", picture("green")),
    ]


def id3_frames():
    frames = []
    for values, frame, _, _ in TEXTS.values():
        name, _, desc = frame.split("|")[0].partition(":")
        if name == "TXXX":
            frames.append(id3.TXXX(encoding=3, desc=desc, text=values))
        elif name.startswith("W"):
            frames.append(getattr(id3, name)(url=values[0]))
        else:
            frames.append(getattr(id3, name)(encoding=3, text=values))
    frames += [
        id3.TRCK(encoding=3, text="3/12"),
        id3.TPOS(encoding=3, text="1/2"),
        id3.TBPM(encoding=3, text="123"),
        id3.TCMP(encoding=3, text="1"),
        id3.PCST(value=0),
        id3.COMM(encoding=3, lang="eng", desc="", text=COMMENT),
        id3.COMM(encoding=3, lang="deu", desc="Über", text="Mit Beschreibung"),
        id3.USLT(encoding=3, lang="eng", desc="", text=LYRICS),
        id3.USLT(encoding=3, lang="deu", desc="Deutsch", text="Erste Zeile"),
        id3.SYLT(encoding=3, lang="eng", format=2, type=1, desc="sung", text=[("One", 0), ("Two", 1000)]),
        id3.UFID(owner="http://musicbrainz.org", data=b"cccccccc-6e2f-4930-8610-912e24c63ed1"),
        id3.UFID(owner="http://example.org", data=b"\x01\x02id"),
        id3.POPM(email="me@example.org", rating=196, count=7),
        id3.PRIV(owner="example", data=b"\x00\x01\xff\xfe\x00"),
        id3.GEOB(encoding=3, mime="text/plain", filename="a.txt", desc="A file", data=b"data"),
        id3.WXXX(encoding=3, desc="More", url=LINK),
        id3.TMCL(encoding=3, people=[["violin", "A Violinist"]]),
        id3.TIPL(encoding=3, people=[["producer", "A Producer"]]),
        *[id3.APIC(encoding=3, mime=mime, type=kind, desc=desc, data=data) for kind, mime, desc, data in pictures()],
        id3.CTOC(element_id="toc", flags=3, child_element_ids=["c0", "c1"], sub_frames=[id3.TIT2(text=["List"])]),
    ]
    for n, (start, end, title, link) in enumerate(CHAPTERS):
        sub = [
            id3.TIT2(encoding=3, text=[title]),
            id3.WXXX(encoding=3, desc="chapter url", url=link),
            id3.APIC(encoding=3, mime="image/jpeg", type=0, desc="", data=picture(["yellow", "white"][n])),
        ]
        frames.append(
            id3.CHAP(
                element_id=f"c{n}",
                start_time=start,
                end_time=end,
                start_offset=0xFFFFFFFF,
                end_offset=0xFFFFFFFF,
                sub_frames=sub,
            )
        )
    return frames


def flac_picture(kind, mime, desc, data):
    one = Picture()
    one.type, one.mime, one.desc, one.data = kind, mime, desc, data
    one.width, one.height, one.depth = 32, 24, 24
    return one


def put_comments(tags):
    for values, _, name, _ in TEXTS.values():
        tags[name.split("|")[0]] = values
    tags["TRACKNUMBER"], tags["TRACKTOTAL"] = "3", "12"
    tags["DISCNUMBER"], tags["DISCTOTAL"] = "1", "2"
    tags["BPM"], tags["COMPILATION"] = "123", "1"
    tags["COMMENT"], tags["LYRICS"], tags["DESCRIPTION"] = COMMENT, LYRICS, "A description"
    tags["MUSICBRAINZ_TRACKID"] = "cccccccc-6e2f-4930-8610-912e24c63ed1"
    tags["PERFORMER"], tags["PRODUCER"] = "A Violinist (violin)", "A Producer"
    for n, (start, _, title, link) in enumerate(CHAPTERS):
        tags[f"CHAPTER00{n + 1}"] = f"00:00:0{start / 1000:.3f}"
        tags[f"CHAPTER00{n + 1}NAME"], tags[f"CHAPTER00{n + 1}URL"] = title, link


def put_atoms(tags):
    for values, _, _, atom in TEXTS.values():
        atom = atom.split("|")[0]
        if atom.startswith("----:"):
            tags["----:com.apple.iTunes:" + atom[5:]] = [mp4.MP4FreeForm(value.encode()) for value in values]
        else:
            tags[atom] = values
    tags["trkn"], tags["disk"], tags["tmpo"], tags["cpil"], tags["pcst"] = [(3, 12)], [(1, 2)], [123], True, True
    tags["\xa9cmt"], tags["\xa9lyr"], tags["desc"] = [COMMENT], [LYRICS], ["A description"]
    tags["tves"], tags["tvsn"], tags["stik"], tags["rtng"] = [4], [2], [21], [2]
    tags["----:com.apple.iTunes:MusicBrainz Track Id"] = [mp4.MP4FreeForm(b"cccccccc-6e2f-4930-8610-912e24c63ed1")]
    tags["----:com.apple.iTunes:PRODUCER"] = [mp4.MP4FreeForm(b"A Producer")]
    tags["----:com.apple.iTunes:PERFORMER"] = [mp4.MP4FreeForm(b"A Violinist (violin)")]
    tags["----:org.example:Foreign"] = [mp4.MP4FreeForm(b"Another's")]
    tags["cnID"] = [12345]
    kinds = {"image/jpeg": mp4.MP4Cover.FORMAT_JPEG, "image/png": mp4.MP4Cover.FORMAT_PNG}
    tags["covr"] = [mp4.MP4Cover(data, kinds[mime]) for _, mime, _, data in pictures()]


ID3_KINDS = {".mp3": MP3, ".wav": WAVE, ".aiff": AIFF}
COMMENT_KINDS = {".flac": FLAC, ".ogg": OggVorbis, ".opus": OggOpus}
MP4_KINDS = (".m4a", ".mp4")
VIDEO = ["-f", "lavfi", "-i", "testsrc=s=64x48:r=10:d=3", "-c:v", "libx264"]


def make(folder):
    sound = ["-f", "lavfi", "-i", "sine=440:d=3:r=48000"]
    for kind in [*ID3_KINDS, *COMMENT_KINDS, *MP4_KINDS, ".mkv"]:
        path = str(Path(folder) / f"source{kind}")
        video = VIDEO if kind in (".mp4", ".mkv") else []
        names = []
        if kind == ".mkv":
            for values, _, name, _ in TEXTS.values():
                names += ["-metadata", f"{name.split('|')[0]}={values[0]}"] if len(values) == 1 else []
            names += ["-metadata", "PART_NUMBER=3/12", "-metadata", f"COMMENT={COMMENT}", "-metadata", "BPM=123"]
        listed = Path(folder) / "chapters.txt"
        listed.write_text(
            ";FFMETADATA1\n"
            + "".join(f"[CHAPTER]\nTIMEBASE=1/1000\nSTART={a}\nEND={b}\ntitle={title}\n" for a, b, title, _ in CHAPTERS)
        )
        marks = ["-f", "ffmetadata", "-i", str(listed)] if kind in (".mkv", *MP4_KINDS) else []
        inputs = [*sound, *(video[:4]), *marks]
        subprocess.run(["ffmpeg", "-v", "error", "-y", *inputs, *video[4:], *names, path], check=True)
        if kind in ID3_KINDS:
            file = ID3_KINDS[kind](path)
            file.delete()
            if file.tags is None:
                file.add_tags()
            for frame in id3_frames():
                file.tags.add(frame)
            file.save()
        elif kind in COMMENT_KINDS:
            file = COMMENT_KINDS[kind](path)
            put_comments(file)
            listed = [flac_picture(*one) for one in pictures()]
            if kind == ".flac":
                for one in listed:
                    file.add_picture(one)
            else:
                file["METADATA_BLOCK_PICTURE"] = [base64.b64encode(one.write()).decode() for one in listed]
            file.save()
        elif kind in MP4_KINDS:
            file = MP4(path)
            put_atoms(file)
            file.save()


def same(found, wanted):
    return [str(one) for one in found] == wanted


def look_id3(tags):
    get = lambda name: tags.getall(name) if tags else []
    seen = {}
    for name, (values, frames, _, _) in TEXTS.items():
        found = []
        for frame in frames.split("|"):
            for one in get(frame):
                found += [one.url] if frame.startswith("W") else one.text
        seen[name] = same(found, values)
    first = lambda name: str(get(name)[0]) if get(name) else None
    seen["track"], seen["disc"] = first("TRCK") == "3/12", first("TPOS") == "1/2"
    seen["bpm"], seen["compilation"] = first("TBPM") == "123", first("TCMP") == "1"
    seen["podcast"] = len(get("PCST")) > 0
    text_of = lambda one: one.text[0] if isinstance(one.text, list) else one.text
    has = lambda name, lang, desc, text: any(
        one.desc == desc and text_of(one) == text and (lang is None or one.lang == lang) for one in get(name)
    )
    seen["comment"], seen["lyrics"] = has("COMM", None, "", COMMENT), has("USLT", None, "", LYRICS)
    seen["comment with language"] = has("COMM", "deu", "Über", "Mit Beschreibung")
    seen["lyrics with language"] = has("USLT", "deu", "Deutsch", "Erste Zeile")
    seen["sylt"] = any(one.desc == "sung" and one.text == [("One", 0), ("Two", 1000)] for one in get("SYLT"))
    seen["ufid"] = any(one.data == b"\x01\x02id" for one in get("UFID"))
    seen["mbtrackid"] = any(
        one.owner == "http://musicbrainz.org" and one.data == b"cccccccc-6e2f-4930-8610-912e24c63ed1"
        for one in get("UFID")
    )
    seen["popm"] = any((one.rating, one.count) == (196, 7) for one in get("POPM"))
    seen["priv"] = any(one.data == b"\x00\x01\xff\xfe\x00" for one in get("PRIV"))
    seen["geob"] = any(one.data == b"data" and one.filename == "a.txt" for one in get("GEOB"))
    seen["wxxx"] = any(one.url == LINK and one.desc == "More" for one in get("WXXX"))
    seen["musician"] = any(["violin", "A Violinist"] in one.people for one in get("TMCL"))
    seen["producer"] = any(["producer", "A Producer"] in one.people for one in get("TIPL"))
    seen["description"] = any(str(one) == "A description" for one in get("TXXX:DESCRIPTION") + get("TXXX:description"))
    look_pictures(seen, [(one.type, one.mime, one.desc, one.data) for one in get("APIC")], True)
    chapters = sorted(get("CHAP"), key=lambda one: one.start_time)
    look_chapters(seen, [(one.start_time, str(one.sub_frames.get("TIT2"))) for one in chapters])
    sub = lambda one, name: one.sub_frames.getall(name)
    seen["chapter links"] = [[x.url for x in sub(one, "WXXX")] for one in chapters] == [[c[3]] for c in CHAPTERS]
    seen["chapter pictures"] = [[x.data for x in sub(one, "APIC")] for one in chapters] == [
        [picture("yellow")],
        [picture("white")],
    ]
    number = lambda name: any(str(one) in ("4", "2", "21") for one in get(name))
    seen["tvepisode"] = number("TXXX:TVEPISODE") or number("TXXX:episode_sort")
    seen["tvseason"] = number("TXXX:TVSEASON") or number("TXXX:season_number")
    seen["advisory"] = number("TXXX:ITUNESADVISORY")
    seen["media type"] = number("TXXX:ITUNESMEDIATYPE") or number("TXXX:media_type")
    seen["foreign"] = any(str(one) == "Another's" for one in get("TXXX:Foreign"))
    seen["catalogue id"] = False
    return seen


def look_pictures(seen, found, typed):
    wanted = pictures()
    for n, name in enumerate(["front cover", "back cover", "artist's picture"]):
        seen[name] = any(one[3] == wanted[n][3] for one in found)
    if typed:
        seen["picture types"] = [one[0] for one in found] == [3, 4, 8]
        seen["picture descriptions"] = [one[2] for one in found] == [one[2] for one in wanted]


def look_chapters(seen, found):
    seen["chapters"] = [(round(start / 10), title) for start, title in found] == [
        (round(start / 10), title) for start, _, title, _ in CHAPTERS
    ]


def look_comments(get, found_pictures):
    """`get` gives all values of a name."""
    seen = {}
    for name, (values, _, names, _) in TEXTS.items():
        seen[name] = any(same(get(one), values) for one in names.split("|"))
    is_one = lambda value, *names: any(get(name) == [value] for name in names)
    seen["track"] = is_one("3", "TRACKNUMBER") and is_one("12", "TRACKTOTAL", "TOTALTRACKS")
    seen["disc"] = is_one("1", "DISCNUMBER") and is_one("2", "DISCTOTAL", "TOTALDISCS")
    seen["bpm"], seen["compilation"] = is_one("123", "BPM"), is_one("1", "COMPILATION")
    seen["podcast"] = is_one("1", "PODCAST")
    seen["comment"], seen["lyrics"] = COMMENT in get("COMMENT"), LYRICS in get("LYRICS")
    seen["comment with language"] = any(
        "Mit Beschreibung" in get(name) for name in ("COMMENT", "COMMENT:deu", "COMMENT:Ueber")
    )
    seen["lyrics with language"] = any(
        "Erste Zeile" in get(name) for name in ("LYRICS", "LYRICS:deu:Deutsch", "LYRICS:Deutsch")
    )
    seen["mbtrackid"] = is_one("cccccccc-6e2f-4930-8610-912e24c63ed1", "MUSICBRAINZ_TRACKID", "MusicBrainz Track Id")
    seen["wxxx"] = any(LINK in get(name) for name in ("WWW", "WWW:More", "WXXX:More", "WXXX"))
    seen["musician"] = any("A Violinist" in one for one in get("PERFORMER"))
    seen["producer"] = is_one("A Producer", "PRODUCER")
    seen["description"] = is_one("A description", "DESCRIPTION")
    for name in ("sylt", "ufid", "popm", "priv", "geob", "chapter pictures", "catalogue id"):
        seen[name] = False
    seen["popm"] = any(get(name) for name in ("RATING:me@example.org",))
    look_pictures(seen, found_pictures, True)
    starts = []
    for n in range(1, len(CHAPTERS) + 1):
        time, title = get(f"CHAPTER00{n}"), get(f"CHAPTER00{n}NAME")
        if time and title:
            starts.append((float(time[0].split(":")[-1]) * 1000, title[0]))
    look_chapters(seen, starts)
    seen["chapter links"] = [get(f"CHAPTER00{n + 1}URL") for n in range(2)] == [[one[3]] for one in CHAPTERS]
    seen["tvepisode"], seen["tvseason"] = is_one("4", "TVEPISODE", "EPISODE_SORT"), is_one("2", "TVSEASON")
    seen["advisory"], seen["media type"] = is_one("2", "ITUNESADVISORY"), is_one("21", "ITUNESMEDIATYPE", "MEDIA_TYPE")
    seen["foreign"] = is_one("Another's", "Foreign")
    return seen


def look_mp4(file, path):
    tags = file.tags or {}
    free = lambda name: [bytes(one).decode() for one in tags.get("----:com.apple.iTunes:" + name, [])]

    def atom(name):
        if name.startswith("----:"):
            return free(name[5:])
        return [one.decode() if isinstance(one, bytes) else str(one) for one in tags.get(name, [])]

    seen = look_comments(free, [])
    for name, (values, _, _, atoms) in TEXTS.items():
        seen[name] = any(same(atom(one), values) for one in atoms.split("|"))
    seen["track"], seen["disc"] = tags.get("trkn") == [(3, 12)], tags.get("disk") == [(1, 2)]
    seen["bpm"], seen["compilation"], seen["podcast"] = tags.get("tmpo") == [123], tags.get("cpil"), tags.get("pcst")
    seen["comment"], seen["lyrics"] = COMMENT in atom("\xa9cmt"), LYRICS in atom("\xa9lyr")
    seen["comment with language"] |= "Mit Beschreibung" in atom("\xa9cmt")
    seen["lyrics with language"] |= "Erste Zeile" in atom("\xa9lyr")
    seen["description"] = atom("desc") == ["A description"]
    seen["tvepisode"], seen["tvseason"] = tags.get("tves") == [4], tags.get("tvsn") == [2]
    seen["media type"], seen["advisory"] = tags.get("stik") == [21], tags.get("rtng") == [2]
    seen["catalogue id"] = tags.get("cnID") == [12345]
    seen["foreign"] = [bytes(one) for one in tags.get("----:org.example:Foreign", [])] == [b"Another's"] or seen[
        "foreign"
    ]
    look_pictures(seen, [(3, "", "", bytes(one)) for one in tags.get("covr", [])], False)
    seen["picture types"] = seen["picture descriptions"] = False
    look_chapters(seen, [(one.start * 1000, one.title) for one in file.chapters or []])
    streams = probe(path)["streams"]
    seen["chapter pictures"] = sum(one["codec_name"] in ("mjpeg", "png") for one in streams) > len(tags.get("covr", []))
    seen["chapter links"] = CHAPTERS[0][3].encode() in Path(path).read_bytes()
    return seen


def probe(path):
    shown = ["ffprobe", "-v", "error", "-show_format", "-show_streams", "-show_chapters", "-of", "json", path]
    return json.loads(subprocess.run(shown, check=True, stdout=subprocess.PIPE).stdout)


def look_mkv(path):
    read = probe(path)
    tags = {name.upper(): value for name, value in read["format"].get("tags", {}).items()}
    renamed = {"TRACKNUMBER": "TRACK", "ALBUMARTIST": "ALBUM_ARTIST"}
    get = lambda name: [tags[name.upper()]] if name.upper() in tags else []
    seen = look_comments(lambda name: get(name) or get(renamed.get(name, name)), [])
    for name, (values, _, names, _) in TEXTS.items():
        found = [one for option in names.split("|") for one in get(option) or get(renamed.get(option, option))]
        seen[name] = any(one == values[0] or one == "; ".join(values) for one in found)
    seen["track"] = bool(get("TRACK")) or bool(get("PART_NUMBER")) or bool(get("TRACKNUMBER"))
    return seen


def look(path):
    kind = Path(path).suffix
    if kind in ID3_KINDS:
        return look_id3(ID3_KINDS[kind](path).tags)
    if kind in COMMENT_KINDS:
        file = COMMENT_KINDS[kind](path)
        listed = (
            file.pictures
            if kind == ".flac"
            else [Picture(base64.b64decode(one)) for one in file.get("METADATA_BLOCK_PICTURE", [])]
        )
        return look_comments(
            lambda name: list(file.get(name, [])) if name.isascii() else [], [(one.type, one.mime, one.desc, one.data) for one in listed]
        )
    return look_mkv(path) if kind == ".mkv" else look_mp4(MP4(path), path)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    else:
        print(json.dumps({path: {name: bool(is_there) for name, is_there in look(path).items()} for path in sys.argv[2:]}))
