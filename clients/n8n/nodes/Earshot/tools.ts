// Made by scripts/write-n8n-node.ts from the tools' declarations: edit those, then `npm run client:types`.
import type { INodeProperties } from 'n8n-workflow';

export const toolProperties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    options: [
      {
        name: 'Align a script',
        value: 'align_script',
        description: 'Find when each word of a script is said',
        action: 'Find when each word of a script is said',
      },
      {
        name: 'Burn in captions',
        value: 'burn_captions',
        description: 'Draw captions into the picture of a video',
        action: 'Draw captions into the picture of a video',
      },
      {
        name: 'Change speed',
        value: 'change_speed',
        description: 'Play faster or slower at the same pitch',
        action: 'Play faster or slower at the same pitch',
      },
      {
        name: 'Check for delivery',
        value: 'check_audio',
        description: 'Hold a recording against the rules of a podcast, ACX, EBU R 128 or your own',
        action: 'Hold a recording against the rules of a podcast, ACX, EBU R 128 or your own',
      },
      {
        name: 'Convert',
        value: 'convert_audio',
        description: 'Convert to MP3, WAV, M4A, FLAC, OGG or Opus',
        action: 'Convert to MP3, WAV, M4A, FLAC, OGG or Opus',
      },
      {
        name: 'Cut',
        value: 'cut_audio',
        description: 'Remove passages, or keep only them',
        action: 'Remove passages, or keep only them',
      },
      {
        name: 'Enhance voice',
        value: 'enhance_voice',
        description: 'Make a poor recording of a voice sound close and clear',
        action: 'Make a poor recording of a voice sound close and clear',
      },
      {
        name: 'Join',
        value: 'join_audio',
        description: 'Join recordings into one',
        action: 'Join recordings into one',
      },
      {
        name: 'Label',
        value: 'label_audio',
        description: 'Set title, artist, show, cover and chapters',
        action: 'Set title, artist, show, cover and chapters',
      },
      {
        name: 'Level speakers',
        value: 'level_speakers',
        description: 'Make all speakers equally loud',
        action: 'Make all speakers equally loud',
      },
      {
        name: 'Media info',
        value: 'analyze_audio',
        description: 'Measure loudness, peaks, noise and silence',
        action: 'Measure loudness, peaks, noise and silence',
      },
      {
        name: 'Mix tracks',
        value: 'mix_tracks',
        description: 'Mix voices and music, ducked where somebody speaks',
        action: 'Mix voices and music, ducked where somebody speaks',
      },
      {
        name: 'Redact',
        value: 'redact_audio',
        description: 'Take names and numbers out, and check that none is left',
        action: 'Take names and numbers out, and check that none is left',
      },
      {
        name: 'Remove fillers',
        value: 'remove_fillers',
        description: 'Cut out um, uh and words said twice',
        action: 'Cut out um, uh and words said twice',
      },
      {
        name: 'Remove noise',
        value: 'remove_noise',
        description: 'Take background noise away',
        action: 'Take background noise away',
      },
      {
        name: 'Remove silence',
        value: 'remove_silence',
        description: 'Shorten long pauses',
        action: 'Shorten long pauses',
      },
      {
        name: 'Set loudness',
        value: 'adjust_loudness',
        description: 'Bring recordings to a loudness: podcast, streaming, broadcast, audiobook',
        action: 'Bring recordings to a loudness: podcast, streaming, broadcast, audiobook',
      },
      {
        name: 'Swap the soundtrack',
        value: 'replace_audio',
        description: "Swap a video's soundtrack",
        action: "Swap a video's soundtrack",
      },
      {
        name: 'Sync recordings',
        value: 'align_recordings',
        description: 'Line up recorders that did not start together',
        action: 'Line up recorders that did not start together',
      },
      {
        name: 'Transcribe',
        value: 'transcribe_audio',
        description: 'Write down what is said, with times and speakers',
        action: 'Write down what is said, with times and speakers',
      },
    ],
    default: 'remove_noise',
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_id',
    type: 'string',
    default: 'data',
    required: true,
    description: 'Audio or video file: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['analyze_audio'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Detail',
        name: 'detail',
        description: 'concise lists up to 50 silent stretches, full lists all',
        type: 'options',
        options: [
          {
            name: 'Concise',
            value: 'concise',
          },
          {
            name: 'Full',
            value: 'full',
          },
        ],
        default: 'concise',
      },
    ],
    displayOptions: {
      show: {
        operation: ['analyze_audio'],
      },
    },
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_id',
    type: 'string',
    default: 'data',
    required: true,
    description: 'Audio or video file: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['adjust_loudness'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Custom Lufs',
        name: 'custom_lufs',
        description: 'Integrated loudness in LUFS; only with target custom',
        type: 'number',
        typeOptions: {
          minValue: -30,
          maxValue: -5,
        },
        default: -30,
      },
      {
        displayName: 'Output Format',
        name: 'output_format',
        description: "same keeps the input's format; a video stays a video",
        type: 'options',
        options: [
          {
            name: 'Same',
            value: 'same',
          },
          {
            name: 'Wav',
            value: 'wav',
          },
          {
            name: 'Mp3',
            value: 'mp3',
          },
          {
            name: 'M4a',
            value: 'm4a',
          },
          {
            name: 'Flac',
            value: 'flac',
          },
        ],
        default: 'same',
      },
      {
        displayName: 'Target',
        name: 'target',
        description: 'podcast -16 LUFS, streaming -14, broadcast -23, audiobook (ACX checks), custom (custom_lufs)',
        type: 'options',
        options: [
          {
            name: 'Podcast',
            value: 'podcast',
          },
          {
            name: 'Streaming',
            value: 'streaming',
          },
          {
            name: 'Broadcast',
            value: 'broadcast',
          },
          {
            name: 'Audiobook',
            value: 'audiobook',
          },
          {
            name: 'Custom',
            value: 'custom',
          },
        ],
        default: 'podcast',
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
    ],
    displayOptions: {
      show: {
        operation: ['adjust_loudness'],
      },
    },
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_id',
    type: 'string',
    default: 'data',
    required: true,
    description: 'Audio or video file: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['convert_audio'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Bitrate Kbps',
        name: 'bitrate_kbps',
        description: 'For mp3, m4a, ogg and opus, in kbit/s; default chosen by the format',
        type: 'number',
        typeOptions: {
          minValue: 16,
          maxValue: 320,
        },
        default: 16,
      },
      {
        displayName: 'Channels',
        name: 'channels',
        description: "Default the input's",
        type: 'options',
        options: [
          {
            name: 'Mono',
            value: 'mono',
          },
          {
            name: 'Stereo',
            value: 'stereo',
          },
        ],
        default: 'mono',
      },
      {
        displayName: 'Fit Peaks',
        name: 'fit_peaks',
        description: 'Lower the level where peaks lie above full scale, so that none is clipped',
        type: 'boolean',
        default: false,
      },
      {
        displayName: 'Fix Phase',
        name: 'fix_phase',
        description: 'Turn a channel over that is the opposite of another, so that they do not cancel in mono',
        type: 'boolean',
        default: false,
      },
      {
        displayName: 'Format',
        name: 'format',
        description: 'Format of the output',
        type: 'options',
        options: [
          {
            name: 'Mp3',
            value: 'mp3',
          },
          {
            name: 'Wav',
            value: 'wav',
          },
          {
            name: 'M4a',
            value: 'm4a',
          },
          {
            name: 'Flac',
            value: 'flac',
          },
          {
            name: 'Ogg',
            value: 'ogg',
          },
          {
            name: 'Opus',
            value: 'opus',
          },
        ],
        default: 'mp3',
      },
      {
        displayName: 'Preview From',
        name: 'preview_from',
        description:
          'Free, and only of 20 s from this second on: a file as they were and one as they become, equally loud',
        type: 'number',
        typeOptions: {
          minValue: 0,
          maxValue: 36000,
        },
        default: 0,
      },
      {
        displayName: 'Sample Rate',
        name: 'sample_rate',
        description: "In Hz; default the input's",
        type: 'options',
        options: [
          {
            name: '8000',
            value: 8000,
          },
          {
            name: '16000',
            value: 16000,
          },
          {
            name: '22050',
            value: 22050,
          },
          {
            name: '24000',
            value: 24000,
          },
          {
            name: '32000',
            value: 32000,
          },
          {
            name: '44100',
            value: 44100,
          },
          {
            name: '48000',
            value: 48000,
          },
        ],
        default: 8000,
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
    ],
    displayOptions: {
      show: {
        operation: ['convert_audio'],
      },
    },
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_id',
    type: 'string',
    default: 'data',
    required: true,
    description: 'Audio or video file: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['cut_audio'],
      },
    },
  },
  {
    displayName: 'Ranges',
    name: 'ranges',
    description: 'Stretches as [start, end] in seconds, in any order',
    type: 'json',
    default: '[]',
    required: true,
    displayOptions: {
      show: {
        operation: ['cut_audio'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Crossfade Ms',
        name: 'crossfade_ms',
        description: 'Crossfade at each seam of a joined output, in ms',
        type: 'number',
        typeOptions: {
          minValue: 0,
          maxValue: 200,
        },
        default: 20,
      },
      {
        displayName: 'Keep Encoding',
        name: 'keep_encoding',
        description:
          'Copy MP3, M4A, Opus, Ogg Vorbis and FLAC packet by packet instead of encoding it again; where stretches meet, edges move to the nearest packet (of FLAC and ALAC they stay)',
        type: 'boolean',
        default: false,
      },
      {
        displayName: 'Mode',
        name: 'mode',
        description: 'remove the ranges, keep only them, or mute them',
        type: 'options',
        options: [
          {
            name: 'Remove',
            value: 'remove',
          },
          {
            name: 'Keep',
            value: 'keep',
          },
          {
            name: 'Mute',
            value: 'mute',
          },
        ],
        default: 'remove',
      },
      {
        displayName: 'Order',
        name: 'order',
        description: 'Order of kept ranges: that of the recording, or as given, where a range may come twice',
        type: 'options',
        options: [
          {
            name: 'Recorded',
            value: 'recorded',
          },
          {
            name: 'Given',
            value: 'given',
          },
        ],
        default: 'recorded',
      },
      {
        displayName: 'Output',
        name: 'output',
        description: 'joined into one file, or separate: one file per range that stays',
        type: 'options',
        options: [
          {
            name: 'Joined',
            value: 'joined',
          },
          {
            name: 'Separate',
            value: 'separate',
          },
        ],
        default: 'joined',
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
    ],
    displayOptions: {
      show: {
        operation: ['cut_audio'],
      },
    },
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_id',
    type: 'string',
    default: 'data',
    required: true,
    description: 'Audio or video file: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['remove_silence'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Keep Encoding',
        name: 'keep_encoding',
        description:
          'Copy MP3, M4A, Opus, Ogg Vorbis and FLAC packet by packet instead of encoding it again; where stretches meet, edges move to the nearest packet (of FLAC and ALAC they stay)',
        type: 'boolean',
        default: false,
      },
      {
        displayName: 'Keep Seconds',
        name: 'keep_seconds',
        description: 'How much of each pause stays',
        type: 'number',
        typeOptions: {
          minValue: 0,
          maxValue: 1,
        },
        default: 0.25,
      },
      {
        displayName: 'Min Pause Seconds',
        name: 'min_pause_seconds',
        description: 'Pauses at least this long are shortened',
        type: 'number',
        typeOptions: {
          minValue: 0.3,
          maxValue: 5,
        },
        default: 0.7,
      },
      {
        displayName: 'Preview From',
        name: 'preview_from',
        description:
          'Free, and only of 20 s from this second on: a file as they were and one as they become, equally loud',
        type: 'number',
        typeOptions: {
          minValue: 0,
          maxValue: 36000,
        },
        default: 0,
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
    ],
    displayOptions: {
      show: {
        operation: ['remove_silence'],
      },
    },
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_ids',
    type: 'string',
    default: '',
    required: true,
    description:
      'Audio or video files, in order: the name of the binary field that holds it; several with commas between',
    displayOptions: {
      show: {
        operation: ['join_audio'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Crossfade Ms',
        name: 'crossfade_ms',
        description: 'How long each file overlaps the next, in ms',
        type: 'number',
        typeOptions: {
          minValue: 0,
          maxValue: 5000,
        },
        default: 0,
      },
      {
        displayName: 'Keep Encoding',
        name: 'keep_encoding',
        description:
          'Copy MP3, M4A, Opus, Ogg Vorbis and FLAC packet by packet instead of encoding it again; where stretches meet, edges move to the nearest packet (of FLAC and ALAC they stay)',
        type: 'boolean',
        default: false,
      },
      {
        displayName: 'Match Loudness',
        name: 'match_loudness',
        description: 'Bring the files to the same integrated loudness first',
        type: 'boolean',
        default: true,
      },
      {
        displayName: 'Output Format',
        name: 'output_format',
        description: 'same is the format of the first file',
        type: 'options',
        options: [
          {
            name: 'Same',
            value: 'same',
          },
          {
            name: 'Wav',
            value: 'wav',
          },
          {
            name: 'Mp3',
            value: 'mp3',
          },
          {
            name: 'M4a',
            value: 'm4a',
          },
          {
            name: 'Flac',
            value: 'flac',
          },
        ],
        default: 'same',
      },
      {
        displayName: 'Title Chapters',
        name: 'title_chapters',
        description: 'Where no file has chapters, make each a chapter with its title, or its name',
        type: 'boolean',
        default: true,
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
    ],
    displayOptions: {
      show: {
        operation: ['join_audio'],
      },
    },
  },
  {
    displayName: 'Video Binary Field',
    name: 'file_video_file_id',
    type: 'string',
    default: '',
    required: true,
    description: 'Video with its picture: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['replace_audio'],
      },
    },
  },
  {
    displayName: 'Audio Binary Field',
    name: 'file_audio_file_id',
    type: 'string',
    default: '',
    required: true,
    description: 'New sound, audio or video file: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['replace_audio'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Offset Seconds',
        name: 'offset_seconds',
        description: 'Moves the sound against the picture: positive later, negative earlier',
        type: 'number',
        typeOptions: {
          minValue: -36000,
          maxValue: 36000,
        },
        default: 0,
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
    ],
    displayOptions: {
      show: {
        operation: ['replace_audio'],
      },
    },
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_id',
    type: 'string',
    default: '',
    required: false,
    description: 'One recording with everyone: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['level_speakers'],
      },
    },
  },
  {
    displayName: 'Track Binary Field',
    name: 'file_track_file_ids',
    type: 'string',
    default: '',
    required: false,
    description:
      'Tracks of one speaker each, all starting at the same time: the name of the binary field that holds it; several with commas between',
    displayOptions: {
      show: {
        operation: ['level_speakers'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Custom Lufs',
        name: 'custom_lufs',
        description: 'Integrated loudness in LUFS; only with target custom',
        type: 'number',
        typeOptions: {
          minValue: -30,
          maxValue: -5,
        },
        default: -30,
      },
      {
        displayName: 'Output Format',
        name: 'output_format',
        description: "same keeps each input's format; a video stays a video",
        type: 'options',
        options: [
          {
            name: 'Same',
            value: 'same',
          },
          {
            name: 'Wav',
            value: 'wav',
          },
          {
            name: 'Mp3',
            value: 'mp3',
          },
          {
            name: 'M4a',
            value: 'm4a',
          },
          {
            name: 'Flac',
            value: 'flac',
          },
        ],
        default: 'same',
      },
      {
        displayName: 'Preview From',
        name: 'preview_from',
        description:
          'Free, and only of 20 s from this second on: a file as they were and one as they become, equally loud',
        type: 'number',
        typeOptions: {
          minValue: 0,
          maxValue: 36000,
        },
        default: 0,
      },
      {
        displayName: 'Target',
        name: 'target',
        description: 'podcast -16 LUFS, streaming -14, broadcast -23, custom (custom_lufs)',
        type: 'options',
        options: [
          {
            name: 'Podcast',
            value: 'podcast',
          },
          {
            name: 'Streaming',
            value: 'streaming',
          },
          {
            name: 'Broadcast',
            value: 'broadcast',
          },
          {
            name: 'Custom',
            value: 'custom',
          },
        ],
        default: 'podcast',
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
    ],
    displayOptions: {
      show: {
        operation: ['level_speakers'],
      },
    },
  },
  {
    displayName: 'Tracks Binary Field',
    name: 'file_tracks',
    type: 'string',
    default: '',
    required: true,
    description:
      'Tracks, all starting at the same time: the name of the binary field that holds it; several with commas between',
    displayOptions: {
      show: {
        operation: ['mix_tracks'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Custom Lufs',
        name: 'custom_lufs',
        description: 'Integrated loudness in LUFS; only with target custom',
        type: 'number',
        typeOptions: {
          minValue: -30,
          maxValue: -5,
        },
        default: -30,
      },
      {
        displayName: 'Duck',
        name: 'duck',
        description:
          'Lowers music while someone speaks on a voice track: by 12 dB, or more where less than 10 LU would lie between them',
        type: 'boolean',
        default: false,
      },
      {
        displayName: 'Output Format',
        name: 'output_format',
        description: "same keeps the first track's format; a video stays a video",
        type: 'options',
        options: [
          {
            name: 'Same',
            value: 'same',
          },
          {
            name: 'Wav',
            value: 'wav',
          },
          {
            name: 'Mp3',
            value: 'mp3',
          },
          {
            name: 'M4a',
            value: 'm4a',
          },
          {
            name: 'Flac',
            value: 'flac',
          },
        ],
        default: 'same',
      },
      {
        displayName: 'Target',
        name: 'target',
        description: 'podcast -16 LUFS, streaming -14, broadcast -23, custom (custom_lufs)',
        type: 'options',
        options: [
          {
            name: 'Podcast',
            value: 'podcast',
          },
          {
            name: 'Streaming',
            value: 'streaming',
          },
          {
            name: 'Broadcast',
            value: 'broadcast',
          },
          {
            name: 'Custom',
            value: 'custom',
          },
        ],
        default: 'podcast',
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
      {
        displayName: 'Tracks',
        name: 'tracks',
        description: 'Settings of each track, in the order of the files. Default: every track a voice at 0 dB',
        type: 'json',
        default: '[]',
      },
    ],
    displayOptions: {
      show: {
        operation: ['mix_tracks'],
      },
    },
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_id',
    type: 'string',
    default: 'data',
    required: true,
    description: 'Audio or video file: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['remove_noise'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Auto Volume',
        name: 'auto_volume',
        description: 'Bring the whole file to -16 LUFS with one gain, peaks limited to -1 dBTP',
        type: 'boolean',
        default: true,
      },
      {
        displayName: 'Method',
        name: 'method',
        description:
          'voice keeps voices, and music without one; steady takes away only what is always there, such as hiss and fans, and keeps birds, a crowd, footsteps; not for music',
        type: 'options',
        options: [
          {
            name: 'Voice',
            value: 'voice',
          },
          {
            name: 'Steady',
            value: 'steady',
          },
        ],
        default: 'voice',
      },
      {
        displayName: 'Music Db',
        name: 'music_db',
        description: 'Level of music in passages without a voice, dB from where it was',
        type: 'number',
        typeOptions: {
          minValue: -60,
          maxValue: 12,
        },
        default: 0,
      },
      {
        displayName: 'Noise Reduction',
        name: 'noise_reduction',
        description:
          'Percent of the noise that is turned down: 100 removes what can be removed, 50 halves it (-6 dB), 90 leaves a tenth (-20 dB)',
        type: 'number',
        typeOptions: {
          minValue: 10,
          maxValue: 100,
        },
        default: 100,
      },
      {
        displayName: 'Output Format',
        name: 'output_format',
        description: "same keeps the input's format; a video stays a video",
        type: 'options',
        options: [
          {
            name: 'Same',
            value: 'same',
          },
          {
            name: 'Wav',
            value: 'wav',
          },
          {
            name: 'Mp3',
            value: 'mp3',
          },
          {
            name: 'M4a',
            value: 'm4a',
          },
          {
            name: 'Flac',
            value: 'flac',
          },
        ],
        default: 'same',
      },
      {
        displayName: 'Preview From',
        name: 'preview_from',
        description:
          'Free, and only of 20 s from this second on: a file as they were and one as they become, equally loud',
        type: 'number',
        typeOptions: {
          minValue: 0,
          maxValue: 36000,
        },
        default: 0,
      },
      {
        displayName: 'Room Db',
        name: 'room_db',
        description:
          'Level of noise, ambience and reverberation, dB from where it was; 0 takes nothing away. Default: as noise_reduction says',
        type: 'number',
        typeOptions: {
          minValue: -60,
          maxValue: 0,
        },
        default: -60,
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
      {
        displayName: 'Voice Db',
        name: 'voice_db',
        description: 'Level of voices, dB from where they were',
        type: 'number',
        typeOptions: {
          minValue: -24,
          maxValue: 12,
        },
        default: 0,
      },
    ],
    displayOptions: {
      show: {
        operation: ['remove_noise'],
      },
    },
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_id',
    type: 'string',
    default: 'data',
    required: true,
    description: 'Audio or video file: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['enhance_voice'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Auto Volume',
        name: 'auto_volume',
        description:
          'Bring the whole file to -16 LUFS with one gain, peaks limited to -1 dBTP; speakers are not balanced',
        type: 'boolean',
        default: true,
      },
      {
        displayName: 'Noise Reduction',
        name: 'noise_reduction',
        description: 'Share of the regenerated voice in percent; lower mixes back the original sound',
        type: 'number',
        typeOptions: {
          minValue: 10,
          maxValue: 100,
        },
        default: 100,
      },
      {
        displayName: 'Output Format',
        name: 'output_format',
        description: "same keeps the input's format; a video stays a video",
        type: 'options',
        options: [
          {
            name: 'Same',
            value: 'same',
          },
          {
            name: 'Wav',
            value: 'wav',
          },
          {
            name: 'Mp3',
            value: 'mp3',
          },
          {
            name: 'M4a',
            value: 'm4a',
          },
          {
            name: 'Flac',
            value: 'flac',
          },
        ],
        default: 'same',
      },
      {
        displayName: 'Preview From',
        name: 'preview_from',
        description:
          'Free, and only of 20 s from this second on: a file as they were and one as they become, equally loud',
        type: 'number',
        typeOptions: {
          minValue: 0,
          maxValue: 36000,
        },
        default: 0,
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
    ],
    displayOptions: {
      show: {
        operation: ['enhance_voice'],
      },
    },
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_id',
    type: 'string',
    default: 'data',
    required: true,
    description: 'Audio or video file: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['transcribe_audio'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Caption Profile',
        name: 'caption_profile',
        description: 'Whom captions are for, by length of lines and speed; shorts: a few words at a time',
        type: 'options',
        options: [
          {
            name: 'Standard',
            value: 'standard',
          },
          {
            name: 'Broadcast',
            value: 'broadcast',
          },
          {
            name: 'Youtube',
            value: 'youtube',
          },
          {
            name: 'Shorts',
            value: 'shorts',
          },
        ],
        default: 'standard',
      },
      {
        displayName: 'Captions',
        name: 'captions',
        description: 'Further files: ass (styled captions), ttml (EBU-TT-D), docx, rttm (who speaks when)',
        type: 'json',
        default: '[]',
      },
      {
        displayName: 'Karaoke',
        name: 'karaoke',
        description: 'The time of each word in VTT and ASS',
        type: 'boolean',
        default: false,
      },
      {
        displayName: 'Language',
        name: 'language',
        description: 'Code of the language that is spoken; default detected',
        type: 'string',
        default: '',
      },
      {
        displayName: 'Max Speakers',
        name: 'max_speakers',
        description: 'How many people speak at most',
        type: 'number',
        typeOptions: {
          minValue: 1,
          maxValue: 8,
        },
        default: 1,
      },
      {
        displayName: 'Min Speakers',
        name: 'min_speakers',
        description: 'How many people speak at least',
        type: 'number',
        typeOptions: {
          minValue: 1,
          maxValue: 8,
        },
        default: 1,
      },
      {
        displayName: 'Sound Events',
        name: 'sound_events',
        description: 'Also tell music, applause, sirens, ringing, thunder and animals',
        type: 'boolean',
        default: false,
      },
      {
        displayName: 'Speaker Channels',
        name: 'speaker_channels',
        description: 'Each speaker has a channel: two microphones, or the ends of a call',
        type: 'boolean',
        default: false,
      },
      {
        displayName: 'Speaker Labels',
        name: 'speaker_labels',
        description: 'Number the speakers in the order of their first words, up to 8 people, no names',
        type: 'boolean',
        default: true,
      },
      {
        displayName: 'Speakers',
        name: 'speakers',
        description: 'How many people speak, where that is known',
        type: 'number',
        typeOptions: {
          minValue: 1,
          maxValue: 8,
        },
        default: 1,
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
      {
        displayName: 'Translate',
        name: 'translate',
        description: 'Write in English what is said in another language',
        type: 'boolean',
        default: false,
      },
      {
        displayName: 'Verbatim',
        name: 'verbatim',
        description: 'Keep fillers such as um and uh',
        type: 'boolean',
        default: true,
      },
      {
        displayName: 'Vocabulary',
        name: 'vocabulary',
        description: 'Names and terms that may be said, as written, up to 8 words each',
        type: 'json',
        default: '[]',
      },
      {
        displayName: 'Voices',
        name: 'voices',
        description: 'Names of known voices, which then stand in place of numbers; or all',
        type: 'json',
        default: '[]',
      },
    ],
    displayOptions: {
      show: {
        operation: ['transcribe_audio'],
      },
    },
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_id',
    type: 'string',
    default: 'data',
    required: true,
    description: 'Audio or video file: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['align_script'],
      },
    },
  },
  {
    displayName: 'Script Binary Field',
    name: 'file_script_file_id',
    type: 'string',
    default: '',
    required: false,
    description:
      'The script as a TXT, SRT or VTT file. Either this or text: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['align_script'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Text',
        name: 'text',
        description: 'The script: plain text, SRT or VTT. Either this or script_file_id',
        type: 'string',
        default: '',
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
    ],
    displayOptions: {
      show: {
        operation: ['align_script'],
      },
    },
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_id',
    type: 'string',
    default: 'data',
    required: true,
    description: 'Audio or video file: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['remove_fillers'],
      },
    },
  },
  {
    displayName: 'Transcript Binary Field',
    name: 'file_transcript_file_id',
    type: 'string',
    default: '',
    required: false,
    description:
      'A verbatim transcript of this recording; without it the recording is transcribed: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['remove_fillers'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Breaths',
        name: 'breaths',
        description: 'Breaths between words',
        type: 'options',
        options: [
          {
            name: 'Keep',
            value: 'keep',
          },
          {
            name: 'Cut',
            value: 'cut',
          },
          {
            name: 'Mute',
            value: 'mute',
          },
          {
            name: 'Lower',
            value: 'lower',
          },
        ],
        default: 'keep',
      },
      {
        displayName: 'Coughs',
        name: 'coughs',
        description: 'Coughs between words',
        type: 'options',
        options: [
          {
            name: 'Keep',
            value: 'keep',
          },
          {
            name: 'Cut',
            value: 'cut',
          },
          {
            name: 'Mute',
            value: 'mute',
          },
          {
            name: 'Lower',
            value: 'lower',
          },
        ],
        default: 'keep',
      },
      {
        displayName: 'Cut Ids',
        name: 'cut_ids',
        description: 'Ids of cuts from a dry run of the same transcript; needs transcript_file_id. Default: all',
        type: 'json',
        default: '[]',
      },
      {
        displayName: 'Dry Run',
        name: 'dry_run',
        description: 'List the cuts with their ids and make no audio',
        type: 'boolean',
        default: false,
      },
      {
        displayName: 'Fillers',
        name: 'fillers',
        description: 'Fillers and repeats; lower is by 15 dB',
        type: 'options',
        options: [
          {
            name: 'Cut',
            value: 'cut',
          },
          {
            name: 'Mute',
            value: 'mute',
          },
          {
            name: 'Lower',
            value: 'lower',
          },
        ],
        default: 'cut',
      },
      {
        displayName: 'Keep Encoding',
        name: 'keep_encoding',
        description:
          'Copy MP3, M4A, Opus, Ogg Vorbis and FLAC packet by packet instead of encoding it again; where stretches meet, edges move to the nearest packet (of FLAC and ALAC they stay)',
        type: 'boolean',
        default: false,
      },
      {
        displayName: 'Language',
        name: 'language',
        description:
          'Code of the language whose fillers are looked for: en, de, fr, es, it, nl, pt, pl, ja, ko; default detected',
        type: 'string',
        default: '',
      },
      {
        displayName: 'Mouth Clicks',
        name: 'mouth_clicks',
        description: 'Clicks of lips and tongue in pauses',
        type: 'options',
        options: [
          {
            name: 'Keep',
            value: 'keep',
          },
          {
            name: 'Cut',
            value: 'cut',
          },
          {
            name: 'Mute',
            value: 'mute',
          },
          {
            name: 'Lower',
            value: 'lower',
          },
        ],
        default: 'keep',
      },
      {
        displayName: 'Preview From',
        name: 'preview_from',
        description:
          'Free, and only of 20 s from this second on: a file as they were and one as they become, equally loud',
        type: 'number',
        typeOptions: {
          minValue: 0,
          maxValue: 36000,
        },
        default: 0,
      },
      {
        displayName: 'Repeats',
        name: 'repeats',
        description: 'Also up to 3 words that are said twice in a row, keeping the second',
        type: 'boolean',
        default: true,
      },
      {
        displayName: 'Stutters',
        name: 'stutters',
        description: "A word's first sound said again before it (h-h-here), and words that break off (wh- what)",
        type: 'options',
        options: [
          {
            name: 'Keep',
            value: 'keep',
          },
          {
            name: 'Cut',
            value: 'cut',
          },
          {
            name: 'Mute',
            value: 'mute',
          },
          {
            name: 'Lower',
            value: 'lower',
          },
        ],
        default: 'keep',
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
    ],
    displayOptions: {
      show: {
        operation: ['remove_fillers'],
      },
    },
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_id',
    type: 'string',
    default: 'data',
    required: true,
    description: 'Audio or video file: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['check_audio'],
      },
    },
  },
  {
    displayName: 'Captions Binary Field',
    name: 'file_captions_file_id',
    type: 'string',
    default: '',
    required: false,
    description:
      'Its captions, SRT or VTT, which are held against the rules for captions: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['check_audio'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Policy',
        name: 'policy',
        description: 'What the recording has to meet; custom: rules',
        type: 'options',
        options: [
          {
            name: 'Podcast',
            value: 'podcast',
          },
          {
            name: 'Acx',
            value: 'acx',
          },
          {
            name: 'Ebu R128',
            value: 'ebu-r128',
          },
          {
            name: 'Netflix Dialogue',
            value: 'netflix-dialogue',
          },
          {
            name: 'Custom',
            value: 'custom',
          },
        ],
        default: 'podcast',
      },
      {
        displayName: 'Rules',
        name: 'rules',
        description: 'With policy custom',
        type: 'json',
        default: '[]',
      },
    ],
    displayOptions: {
      show: {
        operation: ['check_audio'],
      },
    },
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_ids',
    type: 'string',
    default: '',
    required: true,
    description:
      'Recordings of one event, in any order: the name of the binary field that holds it; several with commas between',
    displayOptions: {
      show: {
        operation: ['align_recordings'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Correct Drift',
        name: 'correct_drift',
        description: 'Bring all clocks to that of the reference; false moves recordings only, by whole samples',
        type: 'boolean',
        default: true,
      },
      {
        displayName: 'Ends',
        name: 'ends',
        description:
          'pad: from the first start to the last end, with silence; trim: only what all have; reference: as long as the reference',
        type: 'options',
        options: [
          {
            name: 'Pad',
            value: 'pad',
          },
          {
            name: 'Trim',
            value: 'trim',
          },
          {
            name: 'Reference',
            value: 'reference',
          },
        ],
        default: 'pad',
      },
      {
        displayName: 'Find Only',
        name: 'find_only',
        description: 'Only say how the recordings lie, and write no files',
        type: 'boolean',
        default: false,
      },
      {
        displayName: 'Output Format',
        name: 'output_format',
        description: 'Format of the outputs; both are lossless',
        type: 'options',
        options: [
          {
            name: 'Wav',
            value: 'wav',
          },
          {
            name: 'Flac',
            value: 'flac',
          },
        ],
        default: 'wav',
      },
      {
        displayName: 'Reference',
        name: 'reference',
        description: 'Whose clock counts: how many files down the list, 1 for the first. Default: the longest',
        type: 'number',
        typeOptions: {
          minValue: 1,
          maxValue: 10,
        },
        default: 1,
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
    ],
    displayOptions: {
      show: {
        operation: ['align_recordings'],
      },
    },
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_id',
    type: 'string',
    default: 'data',
    required: true,
    description: 'Video with its picture: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['burn_captions'],
      },
    },
  },
  {
    displayName: 'Captions Binary Field',
    name: 'file_captions_file_id',
    type: 'string',
    default: '',
    required: true,
    description: 'Captions: a transcript (JSON), SRT or VTT: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['burn_captions'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Caption Profile',
        name: 'caption_profile',
        description: 'Looks, and of a transcript lengths of lines and speed; shorts: a few large words at a time',
        type: 'options',
        options: [
          {
            name: 'Standard',
            value: 'standard',
          },
          {
            name: 'Broadcast',
            value: 'broadcast',
          },
          {
            name: 'Youtube',
            value: 'youtube',
          },
          {
            name: 'Shorts',
            value: 'shorts',
          },
        ],
        default: 'standard',
      },
      {
        displayName: 'Karaoke',
        name: 'karaoke',
        description: 'Words light up while they are said; needs a transcript',
        type: 'boolean',
        default: false,
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
    ],
    displayOptions: {
      show: {
        operation: ['burn_captions'],
      },
    },
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_id',
    type: 'string',
    default: 'data',
    required: true,
    description: 'Audio or video file: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['redact_audio'],
      },
    },
  },
  {
    displayName: 'Transcript Binary Field',
    name: 'file_transcript_file_id',
    type: 'string',
    default: '',
    required: false,
    description:
      'A verbatim transcript of this recording; without it the recording is transcribed: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['redact_audio'],
      },
    },
  },
  {
    displayName: 'Plan Binary Field',
    name: 'file_plan_file_id',
    type: 'string',
    default: '',
    required: false,
    description:
      'The result of a run with find_only, edited: its places are taken out, but those with "keep": true: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['redact_audio'],
      },
    },
  },
  {
    displayName: 'Captions Binary Field',
    name: 'file_captions_file_id',
    type: 'string',
    default: '',
    required: false,
    description:
      'Captions of this recording (SRT, VTT), which come back without what was taken out: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['redact_audio'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Find Only',
        name: 'find_only',
        description: 'List what would be taken out, as a plan, and make no audio',
        type: 'boolean',
        default: false,
      },
      {
        displayName: 'Guard Ms',
        name: 'guard_ms',
        description: 'How far before and behind a word its sound is taken, in ms',
        type: 'number',
        typeOptions: {
          minValue: 0,
          maxValue: 500,
        },
        default: 20,
      },
      {
        displayName: 'Language',
        name: 'language',
        description: 'Code of the language that is spoken; default detected',
        type: 'string',
        default: '',
      },
      {
        displayName: 'Match',
        name: 'match',
        description: 'words: alone; forms: also plurals and cases; parts: also within longer words, as in compounds',
        type: 'options',
        options: [
          {
            name: 'Words',
            value: 'words',
          },
          {
            name: 'Forms',
            value: 'forms',
          },
          {
            name: 'Parts',
            value: 'parts',
          },
        ],
        default: 'words',
      },
      {
        displayName: 'Mode',
        name: 'mode',
        description: "What is heard instead: nothing, a tone of 1 kHz, or noise of the room's colour",
        type: 'options',
        options: [
          {
            name: 'Mute',
            value: 'mute',
          },
          {
            name: 'Bleep',
            value: 'bleep',
          },
          {
            name: 'Noise',
            value: 'noise',
          },
        ],
        default: 'mute',
      },
      {
        displayName: 'Patterns',
        name: 'patterns',
        description: 'Numbers and addresses by their form, written or spoken; number: four digits and more',
        type: 'json',
        default: '[]',
      },
      {
        displayName: 'Ranges',
        name: 'ranges',
        description: 'Stretches as [start, end] in seconds, in any order',
        type: 'json',
        default: '[]',
      },
      {
        displayName: 'Speaker Numbers',
        name: 'speaker_numbers',
        description: 'Everything that these speakers say, by their numbers in the transcript',
        type: 'json',
        default: '[]',
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
      {
        displayName: 'Words',
        name: 'words',
        description: 'Words and phrases, in any case, with or without accents and hyphens; what sounds the same counts',
        type: 'json',
        default: '[]',
      },
    ],
    displayOptions: {
      show: {
        operation: ['redact_audio'],
      },
    },
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_id',
    type: 'string',
    default: 'data',
    required: true,
    description: 'Audio or video file: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['change_speed'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Output Format',
        name: 'output_format',
        description: "same keeps the input's format; of a video its sound, as m4a",
        type: 'options',
        options: [
          {
            name: 'Same',
            value: 'same',
          },
          {
            name: 'Wav',
            value: 'wav',
          },
          {
            name: 'Mp3',
            value: 'mp3',
          },
          {
            name: 'M4a',
            value: 'm4a',
          },
          {
            name: 'Flac',
            value: 'flac',
          },
        ],
        default: 'same',
      },
      {
        displayName: 'Speed',
        name: 'speed',
        description: 'How many times as fast: 1.25 takes a fifth off the length, 0.5 doubles it',
        type: 'number',
        typeOptions: {
          minValue: 0.25,
          maxValue: 4,
        },
        default: 1.25,
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
    ],
    displayOptions: {
      show: {
        operation: ['change_speed'],
      },
    },
  },
  {
    displayName: 'File Binary Field',
    name: 'file_file_id',
    type: 'string',
    default: 'data',
    required: true,
    description: 'Audio or video file: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['label_audio'],
      },
    },
  },
  {
    displayName: 'Cover Binary Field',
    name: 'file_cover_file_id',
    type: 'string',
    default: '',
    required: false,
    description: 'Picture that becomes the cover, JPEG or PNG: the name of the binary field that holds it',
    displayOptions: {
      show: {
        operation: ['label_audio'],
      },
    },
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'Album',
        name: 'album',
        description: 'The show, or the album',
        type: 'string',
        default: '',
      },
      {
        displayName: 'Artist',
        name: 'artist',
        description: 'Who is heard',
        type: 'string',
        default: '',
      },
      {
        displayName: 'Chapters',
        name: 'chapters',
        description: 'In place of its own; an empty list takes them away',
        type: 'json',
        default: '[]',
      },
      {
        displayName: 'Comment',
        name: 'comment',
        description: 'A few words about it',
        type: 'string',
        default: '',
      },
      {
        displayName: 'Date',
        name: 'date',
        description: 'The year, or a date as 2026-11-30',
        type: 'string',
        default: '',
      },
      {
        displayName: 'Genre',
        name: 'genre',
        description: 'Such as Podcast',
        type: 'string',
        default: '',
      },
      {
        displayName: 'Title',
        name: 'title',
        description: 'Of the recording; an empty text takes a tag away',
        type: 'string',
        default: '',
      },
      {
        displayName: 'Track',
        name: 'track',
        description: "The sound track: number from 1, or language (deu). Default: the file's own",
        type: 'string',
        default: '',
      },
    ],
    displayOptions: {
      show: {
        operation: ['label_audio'],
      },
    },
  },
];

/** Fields of files by tool. */
export const toolInputs: Record<string, Record<string, { multiple: boolean; itemKey?: string }>> = {
  analyze_audio: {
    file_id: {
      multiple: false,
    },
  },
  adjust_loudness: {
    file_id: {
      multiple: false,
    },
  },
  convert_audio: {
    file_id: {
      multiple: false,
    },
  },
  cut_audio: {
    file_id: {
      multiple: false,
    },
  },
  remove_silence: {
    file_id: {
      multiple: false,
    },
  },
  join_audio: {
    file_ids: {
      multiple: true,
    },
  },
  replace_audio: {
    video_file_id: {
      multiple: false,
    },
    audio_file_id: {
      multiple: false,
    },
  },
  level_speakers: {
    file_id: {
      multiple: false,
    },
    track_file_ids: {
      multiple: true,
    },
  },
  mix_tracks: {
    tracks: {
      multiple: true,
      itemKey: 'file_id',
    },
  },
  remove_noise: {
    file_id: {
      multiple: false,
    },
  },
  enhance_voice: {
    file_id: {
      multiple: false,
    },
  },
  transcribe_audio: {
    file_id: {
      multiple: false,
    },
  },
  align_script: {
    file_id: {
      multiple: false,
    },
    script_file_id: {
      multiple: false,
    },
  },
  remove_fillers: {
    file_id: {
      multiple: false,
    },
    transcript_file_id: {
      multiple: false,
    },
  },
  check_audio: {
    file_id: {
      multiple: false,
    },
    captions_file_id: {
      multiple: false,
    },
  },
  align_recordings: {
    file_ids: {
      multiple: true,
    },
  },
  burn_captions: {
    file_id: {
      multiple: false,
    },
    captions_file_id: {
      multiple: false,
    },
  },
  redact_audio: {
    file_id: {
      multiple: false,
    },
    transcript_file_id: {
      multiple: false,
    },
    plan_file_id: {
      multiple: false,
    },
    captions_file_id: {
      multiple: false,
    },
  },
  change_speed: {
    file_id: {
      multiple: false,
    },
  },
  label_audio: {
    file_id: {
      multiple: false,
    },
    cover_file_id: {
      multiple: false,
    },
  },
};

/** Options that are JSON. */
export const jsonFields: Record<string, string[]> = {
  analyze_audio: [],
  adjust_loudness: [],
  convert_audio: [],
  cut_audio: ['ranges'],
  remove_silence: [],
  join_audio: [],
  replace_audio: [],
  level_speakers: [],
  mix_tracks: ['tracks'],
  remove_noise: [],
  enhance_voice: [],
  transcribe_audio: ['vocabulary', 'voices', 'captions'],
  align_script: [],
  remove_fillers: ['cut_ids'],
  check_audio: ['rules'],
  align_recordings: [],
  burn_captions: [],
  redact_audio: ['words', 'patterns', 'speaker_numbers', 'ranges'],
  change_speed: [],
  label_audio: ['chapters'],
};

/** Options that must be given. */
export const requiredFields: Record<string, string[]> = {
  analyze_audio: [],
  adjust_loudness: [],
  convert_audio: [],
  cut_audio: ['ranges'],
  remove_silence: [],
  join_audio: [],
  replace_audio: [],
  level_speakers: [],
  mix_tracks: [],
  remove_noise: [],
  enhance_voice: [],
  transcribe_audio: [],
  align_script: [],
  remove_fillers: [],
  check_audio: [],
  align_recordings: [],
  burn_captions: [],
  redact_audio: [],
  change_speed: [],
  label_audio: [],
};

/** Tools that cost nothing, and take no key against doing it twice. */
export const keyless: string[] = ['analyze_audio', 'check_audio'];
