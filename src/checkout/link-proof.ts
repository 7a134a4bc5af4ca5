import type { Request } from 'express'
import type { Deps } from '../deps.ts'
import { formFields } from '../http/body/read-form.ts'
import type { Intent } from '../intents/intent.ts'
import { isFormToken } from './form-token.ts'

type IntentLink = Pick<Intent, 'shortCode'>

/**
 * Returns a signature that a payment page adds to its own URLs, so that a visitor who has already seen the page is not
 * treated as someone guessing links.
 */
export const newLinkProof = ({ secrets }: Pick<Deps, 'secrets'>, { shortCode }: IntentLink): string =>
  secrets.sign('sign link', shortCode)

/**
 * Returns whether a request comes from this payment's page, which means that it contains a valid proof in its URL or a
 * valid form token.
 */
export function hasLinkProof(deps: Pick<Deps, 'secrets'>, intent: IntentLink, req: Request): boolean {
  const { proof } = req.query
  return (
    (typeof proof === 'string' && deps.secrets.isSigned('sign link', intent.shortCode, proof)) ||
    isFormToken(deps, intent, formFields(req, 'form').form)
  )
}
