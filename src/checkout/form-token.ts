import type { Deps } from '../deps.ts'
import type { Intent } from '../intents/intent.ts'
import { newId } from '../security/ids.ts'

/** Long enough to go and ask for one's PIN; a page left open longer is out of date. */
const lifetimeMs = 2 * 3_600_000

type Needs = Pick<Deps, 'secrets' | 'now'>
type Whose = Pick<Intent, 'shortCode'>

/**
 * What a form carries that pays an intent: the id of the one payment that it makes however often it is sent, and when it was
 * made, signed for this intent.
 */
export function newFormToken(deps: Needs, intent: Whose): string {
  const text = `${newId()}.${deps.now().getTime().toString(36)}`
  return `${text}.${deps.secrets.sign('sign form', signed(intent, text))}`
}

/** The payment id of a form's token; null where it is not ours, another intent's or too old. */
export function readFormToken(deps: Needs, intent: Whose, token: string): string | null {
  if (!isFormToken(deps, intent, token)) return null
  const [paymentId = '', issuedAt = ''] = token.split('.')
  return deps.now().getTime() - Number.parseInt(issuedAt, 36) <= lifetimeMs ? paymentId : null
}

/** Whether a token was made for this intent, however long ago. */
export function isFormToken(deps: Pick<Deps, 'secrets'>, intent: Whose, token: string): boolean {
  const [, text = '', signature = ''] = /^([0-9a-f]{24}\.[0-9a-z]{1,9})\.([\w-]{22})$/.exec(token) ?? []
  return deps.secrets.isSigned('sign form', signed(intent, text), signature)
}

const signed = ({ shortCode }: Whose, text: string): string => `${shortCode} ${text}`
