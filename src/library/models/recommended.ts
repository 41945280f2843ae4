/**
 * The recogniser to use where accuracy matters more than processor time. At 0.7 GB it is not among the default weights.
 */
export const recommendedRecogniser = {
  id: 'hf:istupakov/parakeet-tdt-0.6b-v3-onnx',
  title: 'NVIDIA Parakeet TDT 0.6B v3',
  licence: 'CC-BY-4.0',
  sampleRatesHz: [16_000],
  /** Size of the variant `quantized`, rounded up; `models add` prints the exact number. */
  bytes: 0.7e9,
  /** ISO 639-1 (NVIDIA's model card). */
  languages: 'bg cs da de el en es et fi fr hr hu it lt lv mt nl pl pt ro ru sk sl sv uk'.split(' '),
  gain:
    "less than half of whisper-base's mistakes by onnx-asr's measurements; takes two to three times its processor " +
    'time',
} as const;

export const addRecommended = `earshot models add ${recommendedRecogniser.id}`;
