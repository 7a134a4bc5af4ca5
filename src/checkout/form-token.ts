import type { Deps } from '../deps.ts'
import type { Intent } from '../intents/intent.ts'
import { newId } from '../security/ids.ts'

/** How long a form can pay. It leaves enough time to look up a PIN. */
const lifetimeMs = 2 * 3_600_000

type FormTokenDeps = Pick<Deps, 'secrets' | 'now'>
type IntentLink = Pick<Intent, 'shortCode'>

/**
 * Creates the token of a form that pays an intent: the id of the payment, which stays the same however often the form
 * is sent, and the time of the form, signed for this intent.
 */
export function newFormToken(deps: FormTokenDeps, intent: IntentLink): string {
  const text = `${newId()}.${deps.now().getTime().toString(36)}`
  return `${text}.${deps.secrets.sign('sign form', signed(intent, text))}`
}

/** Returns the payment id of a form's token. Null if the token is forged, for another intent, or too old. */
export function readFormToken(deps: FormTokenDeps, intent: IntentLink, token: string): string | null {
  if (!isFormToken(deps, intent, token)) return null
  const [paymentId = '', issuedAt = ''] = token.split('.')
  return deps.now().getTime() - Number.parseInt(issuedAt, 36) <= lifetimeMs ? paymentId : null
}

/** Returns whether a token is for this intent, whatever its age. */
export function isFormToken(deps: Pick<Deps, 'secrets'>, intent: IntentLink, token: string): boolean {
  const [, text = '', signature = ''] = /^([0-9a-f]{24}\.[0-9a-z]{1,9})\.([\w-]{22})$/.exec(token) ?? []
  return deps.secrets.isSigned('sign form', signed(intent, text), signature)
}

const signed = ({ shortCode }: IntentLink, text: string): string => `${shortCode} ${text}`
