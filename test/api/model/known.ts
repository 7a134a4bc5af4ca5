import type { Status } from '../../../schemas/list-intents.ts'

/** An intent. `told` are its events so far, each with the status that it tells and the amount. */
export interface Known {
  business: number
  sandbox: boolean
  isOpen: boolean
  /** Centimes: of a FIXED one its own, of an OPEN one what the merchant suggests. */
  amount: number | null
  status: Status
  reason: string | null
  failure: string | null
  paid: number | null
  refunds: number[]
  expiresAt: number
  told: [event: string, status: Status, amount: number | null][]
}

export const isPending = ({ status, expiresAt }: Known, now: number): boolean =>
  status === 'PENDING' && now < expiresAt

/** What is told of an OPEN intent is the amount paid. */
export const tell = (intent: Known, event: string): void =>
  void intent.told.push([event, intent.status, intent.isOpen ? intent.paid : intent.amount])

/** What of an intent an answer shows (SPEC 2.1). */
export function seenAt(intent: Known, now: number) {
  const isExpired = intent.status === 'PENDING' && !isPending(intent, now)
  const { failure } = intent
  return {
    status: isExpired ? 'CANCELLED' : intent.status,
    amount: intent.isOpen ? null : intent.amount,
    sandbox: intent.sandbox,
    hasCode: isPending(intent, now),
    reason: isExpired ? 'expired' : intent.reason,
    failure:
      failure === null
        ? null
        : { code: failure, retryable: failure !== 'technical_error' && isPending(intent, now) },
    paid: intent.paid,
    refunds: intent.refunds.toSorted((a, b) => a - b),
    refunded: sum(intent.refunds),
    expiresAt: new Date(intent.expiresAt).toISOString(),
  }
}

export const sum = (amounts: number[]): number => amounts.reduce((all, amount) => all + amount, 0)

export type Seen = ReturnType<typeof seenAt>
