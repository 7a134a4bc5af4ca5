import { timingSafeEqual } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import type { Intent } from '../intents/intent.ts'

/** Long enough to go and ask for one's PIN; a page left open longer is out of date. */
const lifetimeMs = 2 * 3_600_000

type Needs = Pick<Deps, 'secrets' | 'now'>
type Whose = Pick<Intent, '_id'>

/**
 * What a form carries that pays an intent: the id of the one payment that it makes however often it is sent, and when it was
 * made, signed for this intent.
 */
export function newFormToken(deps: Needs, intent: Whose): string {
  const text = `${newId()}.${deps.now().getTime().toString(36)}`
  return `${text}.${deps.secrets.hash(signed(intent, text))}`
}

/** The payment id of a form's token; null where it is not ours, another intent's or too old. */
export function readFormToken(deps: Needs, intent: Whose, token: string): string | null {
  const [, text = '', paymentId = '', issuedAt = '', mac = ''] =
    /^(([0-9a-f]{24})\.([0-9a-z]{1,9}))\.([\w-]{43})$/.exec(token) ?? []
  const isOurs = deps.secrets.hashes(signed(intent, text)).some((hash) => isSame(hash, mac))
  const age = deps.now().getTime() - Number.parseInt(issuedAt, 36)
  return isOurs && age <= lifetimeMs ? paymentId : null
}

/** No other use of the pepper signs a text that begins like this. */
const signed = ({ _id }: Whose, text: string): string => `checkout form ${_id} ${text}`

const isSame = (hash: string, mac: string): boolean =>
  hash.length === mac.length && timingSafeEqual(Buffer.from(hash), Buffer.from(mac))
