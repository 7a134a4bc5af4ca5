import { declines } from '../../schemas/payment-reasons.ts'
import type { PaymentAttempt } from '../intents/payments/payment.ts'
import { type FormMessages, noMessages } from './field.ts'
import type { Words } from './words/words.ts'

/** The reasons that have a notice of their own. */
const noticeReasons = ['wallet_locked', ...declines] as const

type EndedAttempt = Pick<PaymentAttempt, 'outcome' | 'reason'>

/** Returns the messages to show after a payment attempt that ended without a charge and left the intent PENDING. */
export function messagesOf(words: Words, { outcome, reason }: EndedAttempt): FormMessages {
  const { notices, faults } = words
  if (reason === 'wrong_pin') return { notice: null, faults: { pin: faults.pinDoesNotFit } }
  const known = noticeReasons.find((each) => each === reason)
  if (known !== undefined) return { notice: notices[known], faults: {} }
  return outcome === 'not-executed' ? { notice: notices.notExecuted, faults: {} } : noMessages
}
