import type { Deps } from '../../platform/deps.ts'
import type { Intent } from '../intent.ts'

/** A payment or refund whose outcome is not known yet. */
export interface OpenPayment {
  kind: 'payment' | 'refund'
  referenceNumber: string
  sandbox: boolean
  /** The amount in centimes. */
  amount: number
  startedAt: Date
}

/** The payments and refunds of a business whose outcome is not known yet, and the number of its unpaid intents. */
export interface OpenPayments {
  /** Starts with the oldest. */
  open: OpenPayment[]
  unpaid: { live: number; sandbox: number }
}

/** The maximum number of intents that are read for payments, and for refunds. */
export const maxOpen = 50
/** Counting stops at this number, so a count of exactly this number means "at least this many". */
export const maxUnpaid = 10_000

/**
 * Reads the payments and refunds with the partial indexes of the wallet queries, which contain only those whose outcome
 * is not known yet.
 */
export async function openPaymentsOf(deps: Pick<Deps, 'Intent' | 'now'>, businessId: string): Promise<OpenPayments> {
  const now = deps.now()
  const unpaid = (sandbox: boolean) =>
    deps.Intent.countDocuments(
      { businessId, sandbox, status: 'PENDING', cancelsAt: { $gt: now } },
      { limit: maxUnpaid },
    )
  const openOf = (field: string, index: string) =>
    deps.Intent.find(
      { businessId, [field]: { $exists: true } },
      { referenceNumber: 1, sandbox: 1, hold: 1, refunds: 1 },
    )
      .hint(index)
      .limit(maxOpen)
      .lean<Pick<Intent, 'referenceNumber' | 'sandbox' | 'hold' | 'refunds'>[]>()
  const [payments, refunds, live, sandbox] = await Promise.all([
    openOf('hold.queryAt', 'paymentToQuery'),
    openOf('refunds.queryAt', 'refundToQuery'),
    unpaid(false),
    unpaid(true),
  ])
  const open = [
    ...payments.flatMap((intent) => {
      const { hold } = intent
      return hold === null ? [] : [openAs('payment', intent, hold.amount, hold.startedAt)]
    }),
    ...refunds.flatMap((intent) =>
      intent.refunds
        .filter(({ queryAt }) => queryAt !== undefined)
        .map(({ amount, createdAt }) => openAs('refund', intent, amount, createdAt)),
    ),
  ]
  return {
    open: open.toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime()),
    unpaid: { live, sandbox },
  }
}

const openAs = (
  kind: OpenPayment['kind'],
  { referenceNumber, sandbox }: Pick<Intent, 'referenceNumber' | 'sandbox'>,
  amount: number,
  startedAt: Date,
): OpenPayment => ({ kind, referenceNumber, sandbox, amount, startedAt })
