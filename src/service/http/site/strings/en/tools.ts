import type { TranslatedTexts } from '../../../../../library/tools/declare/facts.ts';
/** Texts of a control; labels of its values by their names, '' of none. */
export interface OptionText {
  readonly label: string;
  /** Default: the declaration's description. */
  readonly hint?: string;
  readonly values?: Readonly<Record<string, string>>;
}

const formats = { same: 'Same', wav: 'WAV', mp3: 'MP3', m4a: 'M4A', flac: 'FLAC', ogg: 'Ogg', opus: 'Opus' };
const targets = {
  podcast: 'Podcast −16',
  streaming: 'Streaming −14',
  broadcast: 'Broadcast −23',
  audiobook: 'Audiobook',
  custom: 'Own',
};

const sounds = { keep: 'Keep', cut: 'Cut out', mute: 'Mute', lower: 'Lower' };

/** By option. Others are named as in their declaration. */
export const options = {
  noise_reduction: {
    label: 'How much noise to turn down',
    hint: '100 removes what can be removed; 90 leaves a tenth.',
  },
  auto_volume: { label: 'Set loudness as well', hint: 'The whole file to −16 LUFS, true peaks below −1 dBTP.' },
  output_format: {
    label: 'Format of the result',
    hint: 'Same keeps the format of the input; a video stays a video.',
    values: formats,
  },
  format: { label: 'Format', hint: 'Of the result.', values: formats },
  language: { label: 'Spoken language', hint: 'Detected if left empty.' },
  verbatim: { label: 'Keep “um” and “uh”', hint: 'Needed to cut them by their words later.' },
  speaker_labels: {
    label: 'Tell speakers apart',
    hint: 'Numbered in the order of their first words, up to 8 people, no names.',
  },
  text: { label: 'The script', hint: 'Plain text, SRT or VTT. Give this or a file.' },
  ranges: { label: 'Stretches', hint: 'One per line, as 0:08.0-0:14.5 or in seconds: 8-14.5' },
  mode: {
    label: 'What to do with them',
    hint: '',
    values: {
      remove: 'Remove them',
      keep: 'Keep only them',
      mute: 'Mute them',
      bleep: 'Bleep',
      noise: 'Noise of the room',
    },
  },
  output: { label: 'The result', hint: '', values: { joined: 'One file', separate: 'A file each' } },
  order: {
    label: 'Order of what is kept',
    hint: 'As listed, the end can come first, and a stretch twice. Of sound alone.',
    values: { recorded: 'As recorded', given: 'As listed' },
  },
  crossfade_ms: { label: 'Crossfade at seams', hint: 'How long the end of one and the beginning of the next overlap.' },
  min_pause_seconds: { label: 'Shorten pauses over', hint: 'Shorter ones are left alone.' },
  speed: { label: 'Speed', hint: '1.25 takes a fifth off the length, 0.5 doubles it. The pitch stays.' },
  title: { label: 'Title', hint: '' },
  artist: { label: 'Who is heard', hint: '' },
  album: { label: 'Show or album', hint: '' },
  date: { label: 'Year or date', hint: '' },
  genre: { label: 'Genre', hint: '' },
  comment: { label: 'A few words about it', hint: '' },
  chapters: { label: 'Chapters', hint: 'One per line, as 0:00 Intro.' },
  keep_seconds: { label: 'Keep of each', hint: 'Room tone of the recording itself.' },
  target: { label: 'Loudness', hint: 'In LUFS.', values: targets },
  custom_lufs: { label: 'Own loudness', hint: 'Integrated loudness of the result.' },
  bitrate_kbps: { label: 'Bitrate', hint: 'For MP3, M4A, Ogg and Opus. Left empty: what suits the format.' },
  sample_rate: { label: 'Sample rate', hint: '' },
  channels: { label: 'Channels', hint: '', values: { mono: 'Mono', stereo: 'Stereo' } },
  match_loudness: { label: 'Make them equally loud first', hint: 'By integrated loudness.' },
  offset_seconds: { label: 'Move the sound', hint: 'Positive: later against the picture; negative: earlier.' },
  detail: { label: 'Silent stretches', hint: '', values: { concise: 'Up to 50', full: 'All' } },
  dry_run: { label: 'Only list the cuts', hint: 'You get a list and no recording.' },
  cut_ids: { label: 'Cuts to make', hint: 'Ids from an earlier list, one per line. Left empty: all.' },
  fillers: {
    label: 'Fillers and repeats',
    hint: 'Muted or lowered, everything stays in its place. Lower means by 15 dB.',
    values: sounds,
  },
  repeats: { label: 'Words said twice as well', hint: 'A word or phrase of up to 3 words; the second is kept.' },
  find_only: { label: 'Only look', hint: 'You get a list and no recordings.' },
  words: { label: 'Words and names', hint: 'One per line. What sounds the same counts.', values: { '': 'none' } },
  match: {
    label: 'What counts as a word',
    hint: '',
    values: { words: 'The word alone', forms: 'Plurals and cases too', parts: 'Within longer words too' },
  },
  patterns: {
    label: 'Numbers and addresses',
    hint: 'Of card, iban, phone, email, web, address and number, one per line.',
    values: { '': 'none' },
  },
  speaker_numbers: {
    label: 'Speakers',
    hint: 'By their numbers in the transcript, one per line.',
    values: { '': 'none' },
  },
  guard_ms: { label: 'Around each word', hint: 'How far before and behind it the sound is taken.' },
  reference: { label: 'Recording whose clock counts', hint: 'Its number in the list. Empty: the longest.' },
  ends: {
    label: 'Beginning and end',
    hint: '',
    values: { pad: 'From the first start to the last end', trim: 'Only what all have', reference: 'As the reference' },
  },
  correct_drift: { label: 'Bring clocks together', hint: 'Otherwise recordings are only moved, by whole samples.' },
  duck: { label: 'Lower music under voices', hint: 'While someone speaks, by 12 dB or more.' },
  role: { label: 'What it is', hint: '', values: { voice: 'Voice', music: 'Music', effects: 'Effects' } },
  volume_db: { label: 'Gain', hint: '' },
  method: {
    label: 'What is noise',
    hint: 'Steady noise alone leaves birds, a crowd and footsteps; not for music.',
    values: { voice: 'All but voices and music', steady: 'Steady noise alone' },
  },
  voice_db: { label: 'Level of voices', hint: 'From where they were.' },
  room_db: {
    label: 'Level of noise and room',
    hint: 'From where it was; 0 takes nothing away. Left empty: as much as is to be turned down.',
    values: { '': 'as much as is to be turned down' },
  },
  music_db: { label: 'Level of music without a voice', hint: 'From where it was.' },
  translate: { label: 'Translate into English', hint: 'What is said in another language is written in English.' },
  vocabulary: {
    label: 'Names and terms',
    hint: 'That may be said, one per line, as they are written; up to 500.',
    values: { '': 'none' },
  },
  voices: {
    label: 'Known voices',
    hint: 'Names of voices of the account, one per line; or all.',
    values: { '': 'none' },
  },
  speakers: { label: 'How many people speak', hint: 'Found out if left empty.', values: { '': 'found out' } },
  min_speakers: { label: 'At least so many people', hint: 'Found out if left empty.', values: { '': 'found out' } },
  max_speakers: { label: 'At most so many people', hint: 'Found out if left empty.', values: { '': 'found out' } },
  speaker_channels: { label: 'A channel for each speaker', hint: 'Two microphones, or the ends of a call.' },
  captions: {
    label: 'Further files',
    hint: 'Of ass, ttml (EBU-TT-D), docx and rttm, one per line.',
    values: { '': 'none' },
  },
  caption_profile: {
    label: 'Captions for',
    hint: 'Length of lines, speed, and looks where they are drawn.',
    values: { standard: 'Everything', broadcast: 'Broadcast', youtube: 'YouTube', shorts: 'Shorts' },
  },
  policy: {
    label: 'Rules of',
    hint: 'What the recording is held against.',
    values: {
      podcast: 'Podcasts',
      acx: 'ACX audiobooks',
      'ebu-r128': 'EBU R 128',
      'netflix-dialogue': 'Netflix dialogue',
      custom: 'Own',
    },
  },
  rules: {
    label: 'Own rules',
    hint: 'A JSON list such as [{"measure": "integratedLufs", "min": -17, "max": -15}].',
    values: { '': 'none' },
  },
  karaoke: { label: 'The time of each word in captions', hint: 'In VTT and ASS, and where captions are drawn.' },
  sound_events: { label: 'Other sounds as well', hint: 'Music, applause, sirens, ringing, thunder and animals.' },
  breaths: { label: 'Breaths', hint: 'Between words. Lower means by 15 dB.', values: sounds },
  mouth_clicks: { label: 'Clicks of the mouth', hint: 'In pauses. Lower means by 15 dB.', values: sounds },
  coughs: { label: 'Coughs', hint: 'Between words. Lower means by 15 dB.', values: sounds },
  stutters: { label: 'Stutters', hint: 'h-h-here, and words that break off. Lower means by 15 dB.', values: sounds },
  fit_peaks: {
    label: 'Fit peaks',
    hint: 'Lowers the level where peaks lie above full scale, so that none is clipped.',
  },
  fix_phase: { label: 'Mend opposite channels', hint: 'Turns a channel over that would cancel another in mono.' },
  keep_encoding: {
    label: 'Do not encode again',
    hint: 'Copies the packets of MP3, M4A, Opus, Vorbis and FLAC. Where parts meet, all but FLAC end at the nearest packet.',
  },
  title_chapters: { label: 'A chapter for each file', hint: 'With its title or name, where no file has chapters.' },
} satisfies Readonly<Record<string, OptionText>>;

/** Files by their input's name, where the declaration speaks to programmers. */
export const inputs: Readonly<Record<string, string>> = {
  plan_file_id: 'The edited plan (JSON): the result of a run that only looked',
};

/**
 * By id of a tool: its texts in this language, where the tool's declaration has none. A tool of which nothing is here
 * is shown in English.
 */
export const toolTexts: Readonly<Record<string, TranslatedTexts>> = {};
