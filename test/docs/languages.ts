import { readdirSync } from 'node:fs'
import { buildPhp, phpName } from '../../clients/generate/php.ts'
import { npmClientFiles } from '../support/npm-client.ts'
import { bodyOf, type Vector } from '../vectors/vector.ts'
import { type Block, blocks, textOf } from './pages.ts'
import { runProgram } from './program.ts'

export interface Language {
  name: string
  fence: string
  extension: string
  command: string
  /** Reads requests from stdin, one per line: secret, time, body, header names and values. Prints ids or null. */
  checkAll: string
}

export const languages: Language[] = [
  {
    name: 'Node',
    fence: 'js',
    extension: 'mjs',
    command: process.execPath,
    checkAll: `
import { readFileSync } from 'node:fs'
import { verifyWebhook, WebhookVerificationError } from '@payment-intents-mru/client'
for (const line of readFileSync(0, 'utf8').trimEnd().split('\\n')) {
  const [secret, now, body, ...rest] = line.split('\\t')
  const headers = {}
  for (let at = 0; at < rest.length; at += 2) headers[text(rest[at]).toLowerCase()] = text(rest[at + 1])
  const webhook = { body: Buffer.from(body, 'base64'), headers, secret: text(secret), now: new Date(now * 1000) }
  console.log(await verifyWebhook(webhook).then(({ eventId }) => eventId, refused))
}
function refused(error) {
  if (error instanceof WebhookVerificationError || error instanceof TypeError) return null
  throw error
}
function text(field) { return Buffer.from(field, 'base64').toString() }
`,
  },
  {
    name: 'Python',
    fence: 'python',
    extension: 'py',
    command: 'python3',
    checkAll: `
import sys
from base64 import b64decode
from payment_intents_mru import WebhookVerificationError, verify_webhook
def verify(secret, headers, body, now):
    try:
        return verify_webhook(body, headers, secret, now=now).event_id
    except (WebhookVerificationError, ValueError):
        return "null"
for line in sys.stdin.read().rstrip("\\n").split("\\n"):
    secret, now, body, *rest = line.split("\\t")
    rest = [b64decode(field).decode() for field in rest]
    headers = dict(zip(rest[::2], rest[1::2]))
    print(verify(b64decode(secret).decode(), headers, b64decode(body), float(now)))
`,
  },
  {
    name: 'PHP',
    fence: 'php',
    extension: 'php',
    command: 'php',
    checkAll: `<?php
error_reporting(E_ALL);
set_error_handler(fn ($code, $text) => throw new ErrorException($text));
require '${phpName}';
use function PaymentIntentsMru\\verifyWebhook;
function verify(string $secret, array $headers, string $body, int $now): string
{
    try {
        return verifyWebhook($body, $headers, $secret, now: $now)['eventId'];
    } catch (PaymentIntentsMru\\WebhookVerificationError | InvalidArgumentException) {
        return 'null';
    }
}
foreach (explode("\\n", rtrim(stream_get_contents(STDIN), "\\n")) as $line) {
    $fields = explode("\\t", $line);
    $headers = [];
    for ($at = 3; $at < count($fields); $at += 2) {
        $headers[base64_decode($fields[$at])] = base64_decode($fields[$at + 1]);
    }
    echo verify(base64_decode($fields[0]), $headers, base64_decode($fields[2]), (int) $fields[1]), "\\n";
}
`,
  },
]

export const languageOf = ({ fence }: Block) => languages.find((language) => language.fence === fence)
export const fileOf = ({ page, text }: Block): string | undefined =>
  page.startsWith('docs/merchants/') ? /^(?:<\?php )?(?:\/\/|#) (\w+\.\w+)\n/.exec(text)?.[1] : undefined

/** What a program needs in its folder: our package for its language, and the guide's programs. */
export const librariesOf = ({ extension }: Pick<Language, 'extension'>): Record<string, string> => ({
  ...(extension === 'mjs' ? npmClient : {}),
  ...(extension === 'py' ? pythonPackage : {}),
  ...(extension === 'php' ? { [phpName]: buildPhp().toString() } : {}),
  ...Object.fromEntries(
    readdirSync(new URL('../../clients/examples', import.meta.url))
      .filter((file) => file.endsWith(`.${extension}`))
      .map((file) => [file, textOf(`clients/examples/${file}`)]),
  ),
})

const npmClient = await npmClientFiles()
const pythonPackage = Object.fromEntries(
  readdirSync('clients/python/payment_intents_mru')
    .filter((file) => file.endsWith('.py'))
    .map((file) => `payment_intents_mru/${file}`)
    .map((file) => [file, textOf(`clients/python/${file}`)]),
)

const onPages = blocks.filter((block) => fileOf(block) !== undefined)

const inFiles = onPages.flatMap((program) =>
  languages.flatMap((language) => {
    const name = fileOf(program)?.replace(/\w+$/, language.extension) ?? ''
    const text = language.fence === program.fence ? undefined : librariesOf(language)[name]
    return text === undefined ? [] : [{ ...program, fence: language.fence, text }]
  }),
)

export const programs = [...onPages, ...inFiles]
export type CheckedRequest = Pick<Vector, 'secret' | 'now' | 'headers' | 'body' | 'bodyBase64'>
const base64 = (plain: string | Buffer): string => Buffer.from(plain).toString('base64')

const asLine = (request: CheckedRequest): string => {
  const headers = Object.entries(request.headers).flat().map(base64)
  return [base64(request.secret), request.now, base64(bodyOf(request)), ...headers].join('\t')
}

export async function verdictsOf(language: Language, requests: readonly CheckedRequest[]): Promise<string[]> {
  const runner = `run.${language.extension}`
  const files = { ...librariesOf(language), [runner]: language.checkAll }
  const input = `${requests.map(asLine).join('\n')}\n`
  const out = await runProgram([language.command, runner], { files, environment: {}, input })
  return out.trimEnd().split(/\r?\n/)
}
