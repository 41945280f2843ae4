// A first session with the service, to paste into a shell: with curl, or with PowerShell. docs/rest-api.md shows the
// first.
import { shortPath } from '../../library/core/files/short-path.ts';

/**
 * Uses API, AUTH and IN: uploads IN, gets a quote, removes the noise, downloads the result, removes the fillers from
 * it, reads the transcript, and shows the ledger.
 */
export const curlSession: readonly string[] = [
  `call() { curl -sS -H "$AUTH" -H 'Content-Type: application/json' "$@"; echo; }`,
  `NEW=$(call $API/files -d "{\\"filename\\":\\"$(basename $IN)\\",\\"sizeBytes\\":$(wc -c < $IN | tr -d ' ')}")`,
  `FILE=$(echo "$NEW" | grep -o 'file_[0-9A-Za-z]*' | head -1)`,
  `curl -sS -T $IN "$(echo "$NEW" | grep -o 'http[^"]*/file' | head -1)"; echo`,
  `call "$API/files/$FILE?wait=20"`,
  `call $API/quote -d "{\\"tool\\":\\"remove_noise\\",\\"fileIds\\":[\\"$FILE\\"]}"`,
  `call "$API/files/$FILE/peaks?wait=20&level=5&count=10"`,
  'run() { JOB=$(call $API/jobs -d "{\\"tool\\":\\"$1\\",\\"file_id\\":\\"$2\\",\\"idempotency_key\\":\\"$1-$2\\"}" ' +
    "| grep -o 'job_[0-9A-Za-z]*' | head -1)",
  '  until DONE=$(call $API/jobs/$JOB); echo "$DONE" | grep -qE \'"status":"(succeeded|failed|cancelled)"\'; do ' +
    'sleep 0.2; done; echo "$DONE"; }',
  `out() { echo "$DONE" | grep -o '"id":"file_[0-9A-Za-z]*' | sed -n "$1p" | cut -c7-; }`,
  'fetch() { curl -sS -OJ "$(call $API/files/$1/download | grep -o \'http[^"]*\')"; }',
  'run remove_noise $FILE; CLEAN=$(out 1); fetch $CLEAN',
  'run remove_fillers $CLEAN; fetch $(out 1)',
  'call $API/files/$(out 2)/transcript',
  `call $API/ledger`,
];
/**
 * The same with $API, $KEY and $IN, for Windows PowerShell 5.1 and newer. Uses "$($NAME)?", because "$NAME?" would be
 * another variable.
 */
const powershellSession: readonly string[] = [
  'function call($path, $body) { if ($body) { irm "$API/$path" -Headers $KEY -Method Post -ContentType ' +
    'application/json -Body (ConvertTo-Json $body) }',
  '  else { irm "$API/$path" -Headers $KEY } }',
  '$NEW = call files @{ filename = $IN.Name; sizeBytes = $IN.Length }; $FILE = $NEW.file.id',
  'irm "$($NEW.uploadPageUrl)/file" -Method Put -InFile $IN.FullName -ContentType application/octet-stream',
  'call "files/$($FILE)?wait=20"',
  "call quote @{ tool = 'remove_noise'; fileIds = @($FILE) }",
  'call "files/$($FILE)/peaks?wait=20&level=5&count=10"',
  'function run($tool, $id) { $job = (call jobs @{ tool = $tool; file_id = $id; idempotency_key = "$tool-$id" }).id',
  "  do { Start-Sleep -Milliseconds 200; $done = call \"jobs/$job\" } until ($done.status -in 'succeeded', 'failed', " +
    "'cancelled'); $done }",
  'function fetch($file) { iwr (call "files/$($file.id)/download").url -OutFile $file.filename -UseBasicParsing }',
  '$CLEAN = (run remove_noise $FILE).outputs[0]; fetch $CLEAN',
  '$CUT = (run remove_fillers $CLEAN.id).outputs; fetch $CUT[0]',
  'call "files/$($CUT[1].id)/transcript"',
  'call ledger',
];

/** @param samplePath path of the file to upload */
export function firstSession(
  { address, key, samplePath }: { readonly address: string; readonly key: string; readonly samplePath: string },
  system: NodeJS.Platform = process.platform,
): readonly string[] {
  const path = shortPath(samplePath);
  return system === 'win32'
    ? [
        `$API = '${address}/api/v1'; $KEY = @{ Authorization = 'Bearer ${key}' }; $IN = Get-Item ` +
          `'${path.replaceAll("'", "''")}'`,
        ...powershellSession,
      ]
    : [`API=${address}/api/v1; AUTH='Authorization: Bearer ${key}'; IN=${path}`, ...curlSession];
}
