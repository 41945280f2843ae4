import type { Strings } from '../en/index.ts';

const formats = { same: 'Gleich', wav: 'WAV', mp3: 'MP3', m4a: 'M4A', flac: 'FLAC', ogg: 'Ogg', opus: 'Opus' };

const sounds = { keep: 'Behalten', cut: 'Herausschneiden', mute: 'Stumm', lower: 'Leiser' };

export const options: Strings['options'] = {
  noise_reduction: {
    label: 'Wie viel Rauschen weg soll',
    hint: '100 nimmt weg, was weggehen kann; 90 lässt ein Zehntel.',
  },
  auto_volume: { label: 'Auch die Lautheit einstellen', hint: 'Die ganze Datei auf −16 LUFS, Spitzen unter −1 dBTP.' },
  output_format: {
    label: 'Format des Ergebnisses',
    hint: 'Gleich behält das Format der Eingabe; ein Video bleibt ein Video.',
    values: formats,
  },
  format: { label: 'Format', hint: 'Des Ergebnisses.', values: formats },
  language: { label: 'Gesprochene Sprache', hint: 'Leer: Sie wird herausgefunden.' },
  verbatim: { label: '„Ähm“ und „äh“ behalten', hint: 'Nötig, um sie später über ihre Wörter zu schneiden.' },
  speaker_labels: {
    label: 'Sprecher unterscheiden',
    hint: 'Bis zu 8 Personen, in der Reihenfolge ihrer ersten Wörter nummeriert, ohne Namen.',
  },
  text: { label: 'Das Manuskript', hint: 'Text, SRT oder VTT. Entweder dies oder eine Datei.' },
  ranges: { label: 'Abschnitte', hint: 'Einer je Zeile, als 0:08.0-0:14.5 oder in Sekunden: 8-14.5' },
  mode: {
    label: 'Was damit geschieht',
    hint: '',
    values: {
      remove: 'Entfernen',
      keep: 'Nur sie behalten',
      mute: 'Stumm schalten',
      bleep: 'Piepton',
      noise: 'Raumrauschen',
    },
  },
  output: { label: 'Das Ergebnis', hint: '', values: { joined: 'Eine Datei', separate: 'Je eine Datei' } },
  order: {
    label: 'Reihenfolge des Behaltenen',
    hint: 'Wie aufgeführt kann das Ende zuerst kommen, und ein Abschnitt zweimal. Nur bei reinem Ton.',
    values: { recorded: 'Wie aufgenommen', given: 'Wie aufgeführt' },
  },
  crossfade_ms: {
    label: 'Überblendung an Nahtstellen',
    hint: 'Wie lange das Ende des einen und der Anfang des nächsten sich überdecken.',
  },
  min_pause_seconds: { label: 'Pausen kürzen ab', hint: 'Kürzere bleiben, wie sie sind.' },
  speed: { label: 'Tempo', hint: '1,25 nimmt ein Fünftel der Länge, 0,5 verdoppelt sie. Die Tonhöhe bleibt.' },
  title: { label: 'Titel', hint: '' },
  artist: { label: 'Wer zu hören ist', hint: '' },
  album: { label: 'Sendung oder Album', hint: '' },
  date: { label: 'Jahr oder Datum', hint: '' },
  genre: { label: 'Genre', hint: '' },
  comment: { label: 'Ein paar Worte dazu', hint: '' },
  chapters: { label: 'Kapitel', hint: 'Eines je Zeile, als 0:00 Einleitung.' },
  keep_seconds: { label: 'Von jeder behalten', hint: 'Raumklang der Aufnahme selbst.' },
  target: {
    label: 'Lautheit',
    hint: 'In LUFS.',
    values: {
      podcast: 'Podcast −16',
      streaming: 'Streaming −14',
      broadcast: 'Rundfunk −23',
      audiobook: 'Hörbuch',
      custom: 'Eigene',
    },
  },
  custom_lufs: { label: 'Eigene Lautheit', hint: 'Integrierte Lautheit des Ergebnisses.' },
  bitrate_kbps: { label: 'Bitrate', hint: 'Für MP3, M4A, Ogg und Opus. Leer: was zum Format passt.' },
  sample_rate: { label: 'Abtastrate', hint: '' },
  channels: { label: 'Kanäle', hint: '', values: { mono: 'Mono', stereo: 'Stereo' } },
  match_loudness: { label: 'Zuerst gleich laut machen', hint: 'Nach integrierter Lautheit.' },
  offset_seconds: { label: 'Ton verschieben', hint: 'Positiv: später als das Bild; negativ: früher.' },
  detail: { label: 'Stille Abschnitte', hint: '', values: { concise: 'Bis zu 50', full: 'Alle' } },
  dry_run: { label: 'Nur auflisten, was herausfällt', hint: 'Sie bekommen eine Liste und keine Aufnahme.' },
  cut_ids: {
    label: 'Stellen, die herausfallen',
    hint: 'Kennungen aus einer früheren Liste, eine je Zeile. Leer: alle.',
  },
  fillers: {
    label: 'Füllwörter und Wiederholungen',
    hint: 'Stumm oder leiser bleibt alles an seinem Platz. Leiser heißt um 15 dB.',
    values: sounds,
  },
  repeats: { label: 'Auch doppelt Gesagtes', hint: 'Ein Wort oder bis zu 3 Wörter; das zweite Mal bleibt.' },
  find_only: { label: 'Nur nachsehen', hint: 'Sie bekommen eine Liste und keine Aufnahmen.' },
  words: { label: 'Wörter und Namen', hint: 'Je Zeile eines. Was gleich klingt, zählt mit.', values: { '': 'keine' } },
  match: {
    label: 'Was als das Wort zählt',
    hint: '',
    values: { words: 'Das Wort allein', forms: 'Auch Mehrzahl und Fälle', parts: 'Auch in längeren Wörtern' },
  },
  patterns: {
    label: 'Nummern und Adressen',
    hint: 'Aus card, iban, phone, email, web, address und number, je Zeile eines.',
    values: { '': 'keine' },
  },
  speaker_numbers: {
    label: 'Sprecher',
    hint: 'Nach ihren Nummern im Transkript, je Zeile eine.',
    values: { '': 'keine' },
  },
  guard_ms: { label: 'Um jedes Wort', hint: 'Wie weit davor und dahinter der Ton entfernt wird.' },
  reference: { label: 'Aufnahme, deren Uhr gilt', hint: 'Ihre Nummer in der Liste. Leer: die längste.' },
  ends: {
    label: 'Anfang und Ende',
    hint: '',
    values: {
      pad: 'Vom ersten Anfang bis zum letzten Ende',
      trim: 'Nur was alle haben',
      reference: 'Wie die maßgebliche Aufnahme',
    },
  },
  correct_drift: { label: 'Uhren angleichen', hint: 'Sonst wird nur verschoben, um ganze Abtastwerte.' },
  duck: { label: 'Musik unter Stimmen absenken', hint: 'Während jemand spricht, um 12 dB oder mehr.' },
  role: { label: 'Was es ist', hint: '', values: { voice: 'Stimme', music: 'Musik', effects: 'Effekte' } },
  volume_db: { label: 'Pegel', hint: '' },
  method: {
    label: 'Was Rauschen ist',
    hint: 'Nur stetiges Rauschen lässt Vögel, Publikum und Schritte; nicht für Musik.',
    values: { voice: 'Alles außer Stimmen und Musik', steady: 'Nur stetiges Rauschen' },
  },
  voice_db: { label: 'Pegel der Stimmen', hint: 'Von dort aus, wo sie waren.' },
  room_db: {
    label: 'Pegel von Rauschen und Raum',
    hint: 'Von dort aus, wo er war; 0 nimmt nichts weg. Leer: so viel, wie weg soll.',
    values: { '': 'so viel, wie weg soll' },
  },
  music_db: { label: 'Pegel der Musik ohne Stimme', hint: 'Von dort aus, wo er war.' },
  translate: {
    label: 'Ins Englische übersetzen',
    hint: 'Was in einer anderen Sprache gesagt wird, steht auf Englisch da.',
  },
  vocabulary: {
    label: 'Namen und Fachwörter',
    hint: 'Die vorkommen können, eines je Zeile, wie man sie schreibt; bis zu 500.',
    values: { '': 'keine' },
  },
  voices: {
    label: 'Bekannte Stimmen',
    hint: 'Namen von Stimmen des Kontos, einer je Zeile; oder all.',
    values: { '': 'keine' },
  },
  speakers: {
    label: 'Wie viele Personen sprechen',
    hint: 'Leer: Es wird herausgefunden.',
    values: { '': 'herausfinden' },
  },
  min_speakers: {
    label: 'Mindestens so viele Personen',
    hint: 'Leer: Es wird herausgefunden.',
    values: { '': 'herausfinden' },
  },
  max_speakers: {
    label: 'Höchstens so viele Personen',
    hint: 'Leer: Es wird herausgefunden.',
    values: { '': 'herausfinden' },
  },
  speaker_channels: { label: 'Ein Kanal je Person', hint: 'Zwei Mikrofone, oder die beiden Enden eines Anrufs.' },
  captions: {
    label: 'Weitere Dateien',
    hint: 'Von ass, ttml (EBU-TT-D), docx und rttm, eine je Zeile.',
    values: { '': 'keine' },
  },
  caption_profile: {
    label: 'Untertitel für',
    hint: 'Länge der Zeilen, Tempo und, wo sie gezeichnet werden, Aussehen.',
    values: { standard: 'Alles', broadcast: 'Rundfunk', youtube: 'YouTube', shorts: 'Shorts' },
  },
  policy: {
    label: 'Regeln für',
    hint: 'Wonach die Aufnahme geprüft wird.',
    values: {
      podcast: 'Podcasts',
      acx: 'Hörbücher bei ACX',
      'ebu-r128': 'EBU R 128',
      'netflix-dialogue': 'Dialog bei Netflix',
      custom: 'Eigene',
    },
  },
  rules: {
    label: 'Eigene Regeln',
    hint: 'Eine JSON-Liste wie [{"measure": "integratedLufs", "min": -17, "max": -15}].',
    values: { '': 'keine' },
  },
  karaoke: { label: 'Zeit jedes Wortes in Untertiteln', hint: 'In VTT und ASS, und wo Untertitel gezeichnet werden.' },
  sound_events: { label: 'Auch andere Geräusche', hint: 'Musik, Applaus, Sirenen, Klingeln, Donner und Tiere.' },
  breaths: { label: 'Atmer', hint: 'Zwischen Wörtern. Leiser heißt um 15 dB.', values: sounds },
  mouth_clicks: { label: 'Schmatzer', hint: 'In Pausen. Leiser heißt um 15 dB.', values: sounds },
  coughs: { label: 'Husten', hint: 'Zwischen Wörtern. Leiser heißt um 15 dB.', values: sounds },
  stutters: { label: 'Stottern', hint: 'h-h-hier, und abgebrochene Wörter. Leiser heißt um 15 dB.', values: sounds },
  fit_peaks: {
    label: 'Spitzen einpassen',
    hint: 'Senkt den Pegel, wo Spitzen über Vollaussteuerung liegen, damit keine beschnitten wird.',
  },
  fix_phase: {
    label: 'Gegenphasige Kanäle richten',
    hint: 'Dreht einen Kanal um, der einen anderen in Mono auslöschen würde.',
  },
  keep_encoding: {
    label: 'Nicht neu kodieren',
    hint: 'Kopiert die Pakete von MP3, M4A, Opus, Vorbis und FLAC. Wo sich Teile treffen, enden sie (außer FLAC) am nächsten Paket.',
  },
  title_chapters: { label: 'Ein Kapitel je Datei', hint: 'Mit Titel oder Namen, wo keine Datei Kapitel hat.' },
};

export const inputs: Strings['inputs'] = {
  file_id: 'Audio- oder Videodatei',
  file_ids: 'Audio- oder Videodateien',
  video_file_id: 'Video mit seinem Bild',
  audio_file_id: 'Neuer Ton, Audio- oder Videodatei',
  cover_file_id: 'Bild für das Cover (JPEG, PNG)',
  captions_file_id: 'Untertitel ({kinds})',
  plan_file_id: 'Der bearbeitete Plan (JSON): das Ergebnis eines Laufs, der nur nachsieht',
  script_file_id: 'Das Manuskript als Datei (TXT, SRT, VTT)',
  transcript_file_id: 'Ein wörtliches Transkript dieser Aufnahme (JSON)',
  track_file_ids: 'Spuren mit je einer Person, die gleichzeitig beginnen',
  tracks: 'Spuren, die gleichzeitig beginnen',
};

/** Those of German are in the declarations of the tools. */
export const toolTexts: Strings['toolTexts'] = {};
