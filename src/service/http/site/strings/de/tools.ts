import type { Strings } from '../en/index.ts';

const formats = { same: 'Gleich', wav: 'WAV', mp3: 'MP3', m4a: 'M4A', flac: 'FLAC', ogg: 'Ogg', opus: 'Opus' };

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
  mode: { label: 'Was damit geschieht', hint: '', values: { remove: 'Entfernen', keep: 'Nur sie behalten' } },
  output: { label: 'Das Ergebnis', hint: '', values: { joined: 'Eine Datei', separate: 'Je eine Datei' } },
  crossfade_ms: {
    label: 'Überblendung an Nahtstellen',
    hint: 'Wie lange das Ende des einen und der Anfang des nächsten sich überdecken.',
  },
  min_pause_seconds: { label: 'Pausen kürzen ab', hint: 'Kürzere bleiben, wie sie sind.' },
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
  dry_run: { label: 'Schnitte nur auflisten', hint: 'Sie bekommen eine Liste und keine Aufnahme.' },
  cut_ids: { label: 'Auszuführende Schnitte', hint: 'Kennungen aus einer früheren Liste, eine je Zeile. Leer: alle.' },
  repeats: { label: 'Auch doppelt Gesagtes', hint: 'Ein Wort oder bis zu 3 Wörter; das zweite Mal bleibt.' },
  duck: { label: 'Musik unter Stimmen absenken', hint: 'Während jemand spricht, um 12 dB oder mehr.' },
  role: { label: 'Was es ist', hint: '', values: { voice: 'Stimme', music: 'Musik', effects: 'Effekte' } },
  volume_db: { label: 'Pegel', hint: '' },
};

export const toolTexts: Strings['toolTexts'] = {
  'remove-noise': {
    title: 'Rauschen entfernen',
    summary: 'Brummen, Rauschen und Rumpeln gehen, die Stimme bleibt',
    description:
      'Nimmt Hintergrundgeräusche und Rumpeln aus Sprachaufnahmen. Die Stimme, ihr Platz im Stereobild und ihr Zeitverlauf bleiben.',
  },
  'enhance-voice': {
    title: 'Stimme verbessern',
    summary: 'Eine schlecht aufgenommene Stimme klingt nah und klar',
    description:
      'Lässt eine schlecht aufgenommene Stimme näher und klarer klingen: nimmt Rauschen und Hall weg, stellt fehlende Höhen wieder her und gleicht Klang, Zischen und Pegel aus.',
  },
  loudness: {
    title: 'Lautheit einstellen',
    summary: 'Auf Podcast, Streaming, Rundfunk oder Hörbuch',
    description:
      'Bringt eine Aufnahme mit einem einzigen Pegel und begrenzten Spitzen auf die Lautheit eines Ziels, oder durch die Prüfung für ACX-Hörbücher.',
  },
  'level-speakers': {
    title: 'Sprecher angleichen',
    summary: 'Alle gleich laut',
    description:
      'Macht alle, die in einem Gespräch sprechen, gleich laut: in einer Aufnahme oder auf Spuren mit je einer Person, und bringt das Ergebnis auf eine Ziellautheit.',
  },
  transcribe: {
    title: 'Verschriftlichen',
    summary: 'Jedes Wort mit Zeit und Sprecher',
    description:
      'Schreibt auf, was gesagt wird, mit der Zeit jedes Wortes und wer es sagt: als JSON, als Untertitel (SubRip, WebVTT) und als Text.',
  },
  'align-script': {
    title: 'Manuskript ausrichten',
    summary: 'Wann jedes Wort eines Textes gesagt wird',
    description: 'Findet, wann jedes Wort eines Manuskripts in einer Aufnahme gesprochen wird.',
  },
  'media-info': {
    title: 'Datei vermessen',
    summary: 'Lautheit, Spitzen, Rauschen und Stille',
    description:
      'Vermisst eine Aufnahme: Format, Lautheit (EBU R 128), Spitzenpegel, Grundrauschen, stille Abschnitte und die Prüfung für ACX-Hörbücher.',
  },
  'remove-fillers': {
    title: 'Füllwörter entfernen',
    summary: 'Ähm, äh und doppelt Gesagtes',
    description:
      'Schneidet Ähm, Äh und wiederholte Wörter heraus und lässt jedes andere Wort, Atmer und Raumklang, wie sie waren. Ein Video wird mit seinem Bild geschnitten. Das Transkript des Ergebnisses kommt mit.',
  },
  'remove-silence': {
    title: 'Stille kürzen',
    summary: 'Lange Pausen werden kurz',
    description:
      'Kürzt die Pausen einer Aufnahme, ohne ein Wort zu berühren, und behält den Raumklang dazwischen. Ein Video wird mit seinem Bild geschnitten.',
  },
  cut: {
    title: 'Schneiden',
    summary: 'Nach Zeit, auf das Sample genau',
    description:
      'Entfernt Abschnitte einer Aufnahme oder behält nur sie, auf das Sample genau. Ein Video wird mit seinem Bild geschnitten.',
  },
  join: {
    title: 'Aneinanderhängen',
    summary: 'Bis zu 20 Dateien nacheinander',
    description:
      'Hängt 2 bis 20 Aufnahmen der Reihe nach aneinander, gleich welche Formate, Raten und Kanäle sie haben. Videos werden zu einem Video, wenn alle Dateien Videos sind und das Format gleich bleibt.',
  },
  mix: {
    title: 'Spuren mischen',
    summary: 'Musik tritt hinter Stimmen zurück',
    description:
      'Mischt Stimmen, Musik und Effekte zu einer Datei mit einer Ziellautheit; auf Wunsch wird die Musik unter den Stimmen leiser.',
  },
  'swap-audio': {
    title: 'Tonspur tauschen',
    summary: 'Neuer Ton, das Bild unberührt',
    description: 'Ersetzt den Ton eines Videos. Bild, Untertitel, Kapitel und Angaben werden unverändert übernommen.',
  },
  convert: {
    title: 'Umwandeln',
    summary: 'MP3, WAV, M4A, FLAC, Ogg, Opus',
    description: 'Wandelt den Ton einer Audio- oder Videodatei in MP3, WAV, M4A, FLAC, OGG oder Opus um.',
  },
};

export const inputs: Strings['inputs'] = {
  file_id: 'Audio- oder Videodatei',
  file_ids: 'Audio- oder Videodateien',
  video_file_id: 'Video mit seinem Bild',
  audio_file_id: 'Neuer Ton, Audio- oder Videodatei',
  script_file_id: 'Das Manuskript als Datei (TXT, SRT, VTT)',
  transcript_file_id: 'Ein wörtliches Transkript dieser Aufnahme (JSON)',
  track_file_ids: 'Spuren mit je einer Person, die gleichzeitig beginnen',
  tracks: 'Spuren, die gleichzeitig beginnen',
};
