import type { Call } from '../../evidence/evidence.ts'
import { intentsIn } from '../responses.ts'
import type { Check, Round } from '../round.ts'
import { signingSecrets } from '../signing-secrets.ts'

/**
 * No log contains an API key, PIN, password, signing secret, payment code, proof of a link or phone number of a
 * customer. MongoDB contains them only where it must.
 */
export const secretKept: Check = function* (round) {
  const secrets = secretsOf(round)
  const seen = new Set<string>()
  for (const { from, line } of round.texts())
    for (const what of foundIn(secrets, from, line)) {
      if (seen.has(from + what)) continue
      seen.add(from + what)
      yield [from, `has ${what}: ${line.slice(0, 200)}`]
    }
}

interface Secrets {
  signing: Set<string>
  passwords: string[]
  /** Numbers of 6 to 8 digits, and their meaning. */
  numbers: Map<string, string>
  /** Numbers that only logs must not contain, because MongoDB may store them. */
  ofLogs: Map<string, string>
  proofs: Set<string>
}

function secretsOf({ setting, calls, requests }: Round): Secrets {
  const payers = [...setting.wallets, ...setting.providerWallets]
  const codes = calls.flatMap((call) => intentsIn(call)).map(({ code }) => code ?? '')
  return {
    signing: new Set([...signingSecrets(requests).values()].flatMap(({ secrets }) => secrets)),
    passwords: setting.staff.map(({ password }) => password),
    numbers: new Map([
      ...payers.map(({ phone }) => [phone, 'the phone number of a wallet'] as const),
      ...payers.map(({ pin }) => [pin, 'a PIN'] as const),
    ]),
    ofLogs: new Map([
      ...codes.map((code) => [code, 'a payment code'] as const),
      ...calls.flatMap(phonesIn).map((phone) => [phone, 'the phone number of a customer'] as const),
    ]),
    proofs: new Set(calls.flatMap(({ path }) => /[?&]proof=([^&]+)/.exec(path)?.[1] ?? [])),
  }
}

function phonesIn({ body }: Call): string[] {
  const { payerPhone, customer } = (body ?? {}) as { payerPhone?: string; customer?: { phone?: string } }
  return [payerPhone, customer?.phone].filter((phone) => phone !== undefined)
}

/** Collections of wallets, and of orders with their customers. */
const ofPhones = /^dump\/(wallets|walletmovements|orders)\./
/** Fields of MongoDB with numbers, with the code itself, or with a sealed response. */
const ofDump = /^(?:code|codeKey|formerCodeKey|\$numberInt|\$numberLong|\$numberDouble|\$date|\$oid)$/
/** Fields of a log with times, measures, or numbers of processes. */
const ofLog = /^(?:time|pid|port)$|(?:Ms|Bytes)$/

function* foundIn(secrets: Secrets, from: string, line: string): Generator<string> {
  const isLog = from.startsWith('log/')
  if (/[sp]k_(?:test|live)_[0-9A-Za-z]{38}/.test(line)) yield 'an API key'
  for (const [text] of line.matchAll(/\b[0-9a-f]{64}\b/g))
    if (secrets.signing.has(text)) yield 'the signing secret of an endpoint'
  for (const [text] of isLog ? line.matchAll(/(?<![\w-])[\w-]{22}(?![\w-])/g) : [])
    if (secrets.proofs.has(text)) yield 'the proof of a payment link'
  for (const password of secrets.passwords) if (line.includes(password)) yield 'a password'
  // The event of an order has its customer.
  const isOrder = /^dump\/(deliveries|events)\./.test(from) && line.includes('order.new')
  if (ofPhones.test(from) || isOrder || !/\d{6}/.test(line)) return
  for (const [, number = ''] of wordsIn(line, isLog).matchAll(numbers)) {
    const what = secrets.numbers.get(number) ?? (isLog ? secrets.ofLogs.get(number) : undefined)
    if (what !== undefined) yield what
  }
}

/** Six to eight digits, with or without a country code, but not inside an id, a decimal or a UUID. */
const numbers = /(?<![\w.-])(?:\+?(?:00)?222)?(\d{6,8})(?![\w-])(?!\.\d)/g

/** The texts of a line of JSON, and in logs the integers too. */
function wordsIn(line: string, isLog: boolean): string {
  const texts: string[] = []
  const keep = (key: string, value: unknown): unknown => {
    const isText = typeof value === 'string' || (isLog && Number.isInteger(value))
    if (isText && !(isLog ? ofLog : ofDump).test(key)) texts.push(String(value))
    return value
  }
  try {
    JSON.parse(line, keep)
  } catch {
    return line
  }
  return texts.join(' ')
}
