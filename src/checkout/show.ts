import type { Response } from 'express'
import { decimal } from '../../schemas/currency.ts'
import type { Deps } from '../deps.ts'
import { addHeader } from '../http/pages/send-page.ts'
import { amountOf } from './amount.ts'
import { messagesOf, newPayForm } from './confirm.ts'
import { noMessages } from './field.ts'
import { amountForm } from './forms.ts'
import { type Offer, type OfferHandler, sendSheet, walletFor } from './offer.ts'
import { notNow, panel } from './panels.ts'

/** Handles GET requests for a payment's page, which shows the payment's current state. */
export const show: OfferHandler = (deps, offer, req, res) => {
  const { intent, state } = offer
  if (state !== 'pending') return sendSheet(res, 200, offer, panel(offer, state))
  if (refuseUnpayable(deps, offer, res)) return
  const ownAttempt = intent.attempts.find(({ id }) => id === offer.sent)
  const amount = typed(req.query.amount) ?? (ownAttempt === undefined ? null : decimal(ownAttempt.amount))
  if (intent.amountType === 'OPEN' && amount === null)
    return sendSheet(res, 200, offer, amountForm(offer, suggested(offer), null))
  const checked = amountOf(deps, offer, amount ?? '')
  if ('fault' in checked) return sendSheet(res, 422, offer, amountForm(offer, amount ?? '', checked.fault))
  const messages = ownAttempt === undefined ? noMessages : messagesOf(offer.locale.words, ownAttempt)
  sendSheet(res, 200, offer, newPayForm(deps, offer, { amount: checked.amount, phone: '', messages }))
}

/**
 * Sends a page with the status 503 if an open payment cannot be paid at the moment. Returns whether it did.
 */
export function refuseUnpayable(deps: Pick<Deps, 'wallets'>, offer: Offer, res: Response): boolean {
  const { intent } = offer
  if (walletFor(deps, intent) !== null) return false
  addHeader(res, 'Retry-After', 60)
  // With this code, metrics and logs treat the response as a refusal and not as a fault, so that suspending a business
  // does not trigger an alert.
  if (intent.isSuspended) res.locals.code = 'FEATURE_DISABLED'
  sendSheet(res, 503, offer, notNow(offer))
  return true
}

/**
 * Returns the value of a query parameter. Returns null if the parameter is missing, or an empty string if it occurs
 * more than once.
 */
const typed = (value: unknown): string | null => (value === undefined ? null : typeof value === 'string' ? value : '')

const suggested = ({ intent: { amount }, locale }: Offer): string => (amount === null ? '' : locale.amount(amount))
