import type { Deps } from '../deps.ts'
import type { Intent } from '../intents/intent.ts'
import { newId } from '../security/ids.ts'

/** How long a form can be used to pay. This is enough time for a customer to look up their PIN. */
const lifetimeMs = 2 * 3_600_000

type FormTokenDeps = Pick<Deps, 'secrets' | 'now'>
type IntentLink = Pick<Intent, 'shortCode'>

/**
 * Creates the token for a form that pays an intent. The token contains the payment's id and the time at which the form
 * was created, and is signed for this intent. The id stays the same however often the form is submitted.
 */
export function newFormToken(deps: FormTokenDeps, intent: IntentLink): string {
  const text = `${newId()}.${deps.now().getTime().toString(36)}`
  return `${text}.${deps.secrets.sign('sign form', signed(intent, text))}`
}

/**
 * Returns the payment id in a form's token, or null if the token is forged, belongs to a different intent or has
 * expired.
 */
export function readFormToken(deps: FormTokenDeps, intent: IntentLink, token: string): string | null {
  if (!isFormToken(deps, intent, token)) return null
  const [paymentId = '', issuedAt = ''] = token.split('.')
  return deps.now().getTime() - Number.parseInt(issuedAt, 36) <= lifetimeMs ? paymentId : null
}

/** Returns whether a token was issued for this intent, even if the token has expired. */
export function isFormToken(deps: Pick<Deps, 'secrets'>, intent: IntentLink, token: string): boolean {
  const [, text = '', signature = ''] = /^([0-9a-f]{24}\.[0-9a-z]{1,9})\.([\w-]{22})$/.exec(token) ?? []
  return deps.secrets.isSigned('sign form', signed(intent, text), signature)
}

const signed = ({ shortCode }: IntentLink, text: string): string => `${shortCode} ${text}`
