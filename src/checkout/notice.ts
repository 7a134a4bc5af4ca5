import type { PaymentAttempt } from '../intents/payments/payment.ts'
import { type FormMessages, noMessages } from './field.ts'
import type { Words } from './words/words.ts'

type EndedAttempt = Pick<PaymentAttempt, 'outcome' | 'reason'>

/** Returns the messages to show after a payment attempt that ended without a charge and left the intent PENDING. */
export function messagesOf(words: Words, { outcome, reason }: EndedAttempt): FormMessages {
  const { notices, faults } = words
  if (reason === 'wrong_pin') return { notice: null, faults: { pin: faults.pinDoesNotFit } }
  if (reason === 'wallet_locked' || reason === 'insufficient_funds' || reason === 'limit_exceeded')
    return { notice: notices[reason], faults: {} }
  return outcome === 'not-executed' ? { notice: notices.notExecuted, faults: {} } : noMessages
}
