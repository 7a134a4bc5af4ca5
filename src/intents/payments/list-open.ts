import type { Deps } from '../../platform/deps.ts'
import type { Intent } from '../intent.ts'

export interface OpenPayment {
  kind: 'payment' | 'refund'
  referenceNumber: string
  sandbox: boolean
  /** In centimes. */
  amount: number
  startedAt: Date
}

export interface OpenPayments {
  /** Oldest first. */
  open: OpenPayment[]
  unpaid: { live: number; sandbox: number }
}

export const maxOpen = 50
/** Counting stops here, so this number means "at least". */
export const maxUnpaid = 10_000

/** The partial indexes of the wallet queries contain only payments and refunds without a known outcome. */
export async function openPaymentsOf(
  deps: Pick<Deps, 'Intent' | 'now'>,
  businessId: string,
): Promise<OpenPayments> {
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
