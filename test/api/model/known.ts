import type { IntentStatus } from '../../../schemas/intents.ts'

/** An intent as the model knows it. `events` holds its events so far, each with status and amount. */
export interface Known {
  business: number
  sandbox: boolean
  isOpen: boolean
  amount: number | null
  reference: string | null
  status: IntentStatus
  reason: string | null
  failure: string | null
  paid: number | null
  refunds: number[]
  expiresAt: number
  events: [event: string, status: IntentStatus, amount: number | null][]
}

export const isPending = ({ status, expiresAt }: Known, now: number): boolean =>
  status === 'PENDING' && now < expiresAt

export const addEvent = (intent: Known, event: string): void =>
  void intent.events.push([event, intent.status, intent.isOpen ? intent.paid : intent.amount])

/** What a response shows of it (SPEC 2.1). */
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
