import type { Call } from '../../evidence/evidence.ts'
import type { Judge, Round } from '../round.ts'
import { intentsIn } from '../views/answers.ts'
import { signingsOf } from '../views/secrets.ts'

/**
 * No key, PIN, password, webhook secret, payment code, proof of a payment's link or whole phone number of a customer stands in a log, and in MongoDB they stand only where they must.
 */
export const secretKept: Judge = function* (round) {
  const secrets = secretsOf(round)
  const seen = new Set<string>()
  for (const { from, line } of round.texts())
    for (const what of foundIn(secrets, from, line)) {
      const said = `${from} ${what}`
      if (seen.has(said)) continue
      seen.add(said)
      yield { of: from, says: `${what} stands in: ${line.slice(0, 200)}` }
    }
}

interface Secrets {
  signing: Set<string>
  passwords: string[]
  /** Short ones, looked for as whole words of text. */
  words: Map<string, string>
  /** The same, of what MongoDB must know. */
  wordsOfLogs: Map<string, string>
  proofs: Set<string>
}

function secretsOf(round: Round): Secrets {
  const { wallets, providerWallets, staff } = round.setting
  const payers = [...wallets, ...providerWallets]
  return {
    signing: new Set(
      [...signingsOf(round.requests).values()].flatMap(({ secrets }) => secrets.map(({ secret }) => secret)),
    ),
    passwords: staff.map(({ password }) => password),
    words: new Map([
      ...payers.map(({ phone }) => [phone, 'the phone number of a wallet'] as const),
      // A PIN of four digits is any number.
      ...payers.filter(({ pin }) => pin.length > 4).map(({ pin }) => [pin, 'a PIN'] as const),
    ]),
    wordsOfLogs: new Map([
      ...round.calls
        .flatMap((call) => intentsIn(call))
        .map(({ code }) => [code ?? '', 'a payment code'] as const),
      ...round.calls.flatMap(phonesIn).map((phone) => [phone, 'the phone number of a customer'] as const),
    ]),
    proofs: new Set(round.calls.flatMap(({ path }) => /[?&]proof=([^&]+)/.exec(path)?.[1] ?? [])),
  }
}

/** Of who ordered, or whose payment was simulated. */
function phonesIn({ body }: Call): string[] {
  const { payerPhone, customer } = (body ?? {}) as { payerPhone?: unknown; customer?: { phone?: unknown } }
  return [payerPhone, customer?.phone].filter((phone) => typeof phone === 'string')
}

const isLog = (from: string): boolean => from.startsWith('log/')
/** Collections that are about wallets and customers themselves; an order's customer is delivered to. */
const ofPhones = /^dump\/(wallets|walletmovements|orders)\./
/** Fields of MongoDB whose text is a number, a code where it must be, or a sealed answer. */
const ofDump = new Set([
  'code',
  'codeKey',
  '$numberInt',
  '$numberLong',
  '$numberDouble',
  '$date',
  '$oid',
  'answer',
])
/** Fields of a log that are times and numbers of processes, or measures, and no words. */
const ofLog = /^(?:time|pid|port)$|(?:Ms|Bytes)$/

function* foundIn(secrets: Secrets, from: string, line: string): Generator<string> {
  if (/[sp]k_(?:test|live)_[0-9A-Za-z]{38}/.test(line)) yield 'an API key'
  for (const [text] of line.matchAll(/\b[0-9a-f]{64}\b/g))
    if (secrets.signing.has(text)) yield 'the secret of an endpoint'
  if (isLog(from))
    for (const [text] of line.matchAll(/(?<![\w-])[\w-]{22}(?![\w-])/g))
      if (secrets.proofs.has(text)) yield 'the proof of a link'
  for (const password of secrets.passwords) if (line.includes(password)) yield 'a password'
  // The body of an order's event has its customer.
  const isOrder = from === 'dump/deliveries.ndjson' && line.includes('order.new')
  if (ofPhones.test(from) || isOrder || !/\d{6}/.test(line)) return
  for (const [, word = ''] of textsIn(from, line).matchAll(numbers)) {
    const what = secrets.words.get(word) ?? (isLog(from) ? secrets.wordsOfLogs.get(word) : undefined)
    if (what !== undefined) yield what
  }
}

/** Six to eight digits by themselves, of a phone number also behind the country's; no part of an id, a decimal or a UUID. */
const numbers = /(?<![\w.-])(?:\+?(?:00)?222)?(\d{6,8})(?![\w-])(?!\.\d)/g

/** What may be words in a line of JSON, of a log its whole numbers too; a line that is none is text. */
function textsIn(from: string, line: string): string {
  const isSpared = (key: string): boolean => (isLog(from) ? ofLog.test(key) : ofDump.has(key))
  const texts: string[] = []
  const keep = (key: string, value: unknown): unknown => {
    const isText = typeof value === 'string' || (isLog(from) && Number.isInteger(value))
    if (isText && !isSpared(key)) texts.push(String(value))
    return value
  }
  try {
    JSON.parse(line, keep)
  } catch {
    return line
  }
  return texts.join(' ')
}
