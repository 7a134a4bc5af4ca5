import type { Request } from 'express'
import { readFormFields } from '../http/body/read-form.ts'
import type { Intent } from '../intents/intent.ts'
import type { Deps } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import type { PriceWithFee } from './layout.ts'

/** Customers need time to look up their PIN. */
const lifetimeMs = 2 * 3_600_000

type FormTokenDeps = Pick<Deps, 'secrets' | 'now'>
type IntentLink = Pick<Intent, 'shortCode'>

export interface SignedForm extends PriceWithFee {
  paymentId: string
}

/** A resubmitted form keeps its payment id. */
export function newFormToken(deps: FormTokenDeps, intent: IntentLink, { amount, fee }: PriceWithFee): string {
  const numbers = [deps.now().getTime(), amount, fee].map((number) => number.toString(36))
  const text = [newId(), ...numbers].join('.')
  return `${text}.${deps.secrets.sign('sign form', signed(intent, text))}`
}

/** Null if the token is forged, expired or for a different intent. */
export function readFormToken(deps: FormTokenDeps, intent: IntentLink, token: string): SignedForm | null {
  if (!isFormToken(deps, intent, token)) return null
  const [paymentId = '', ...numbers] = token.split('.')
  const [issuedAt = 0, amount = 0, fee = 0] = numbers.map((number) => Number.parseInt(number, 36))
  return deps.now().getTime() - issuedAt <= lifetimeMs ? { paymentId, amount, fee } : null
}

/** Also true if the token has expired. */
function isFormToken(deps: Pick<Deps, 'secrets'>, intent: IntentLink, token: string) {
  const [, text = '', signature = ''] =
    /^([0-9a-f]{24}(?:\.[0-9a-z]{1,11}){3})\.([\w-]{22})$/.exec(token) ?? []
  return deps.secrets.isSigned('sign form', signed(intent, text), signature)
}

const signed = ({ shortCode }: IntentLink, text: string) => `${shortCode} ${text}`

/** Visitors with this proof don't count as guessing links. */
export const newLinkProof = ({ secrets }: Pick<Deps, 'secrets'>, { shortCode }: IntentLink): string =>
  secrets.sign('sign link', shortCode)

export function hasLinkProof(deps: Pick<Deps, 'secrets'>, intent: IntentLink, req: Request): boolean {
  const { proof } = req.query
  return (
    (typeof proof === 'string' && deps.secrets.isSigned('sign link', intent.shortCode, proof)) ||
    isFormToken(deps, intent, readFormFields(req, 'form').form)
  )
}
