import type { ChainOwner } from '../../src/chains/append.ts'
import { endPayment } from '../../src/intents/payments/begin-and-settle.ts'
import { dayOf, type EntryDraft, type LedgerEntry } from '../../src/ledger/entry.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import { newId } from '../../src/platform/ids.ts'
import { createIntent, relay } from './actions.ts'
import { storedIntent } from './pay.ts'
import type { Merchant, Service } from './service.ts'
import { newMarking } from './write-request.ts'

/** Merchants' texts that a spreadsheet could execute, or that are hard to write to a file and to cut in one. */
export const difficultTexts = [
  '=HYPERLINK("http://x")',
  '+1',
  '-2',
  '@SUM(A1)',
  '  =1',
  '＝1',
  '\t=1',
  'a\r\n7,"=1";é',
  "l'été; 5,5",
  '007',
  'مرجع',
]

/** A payment with its fee, a refund with its returned fee, or a payout, at the service's current time. */
export const bookOne = (
  { deps }: Pick<Service, 'deps'>,
  owner: ChainOwner,
  type: 'payment' | 'refund' | 'payout',
  amount: number,
  text = 'INV-1',
): Promise<void> => deps.batchers.bookEntries(owner, draftsOf(deps.now(), type, amount, text), noDeadline)

/** Books this many payments, about as many refunds and a payout in one write. */
export async function bookMany(
  { deps }: Pick<Service, 'deps'>,
  owner: ChainOwner,
  count: number,
): Promise<void> {
  const at = deps.now()
  const drafts = Array.from({ length: count }, (_, index) => {
    const text = difficultTexts[index % difficultTexts.length] ?? ''
    return [...draftsOf(at, 'payment', 10_000 + index, text), ...draftsOf(at, 'refund', 1 + index, text)]
  })
  await deps.batchers.bookEntries(
    owner,
    [...drafts.flat(), ...draftsOf(at, 'payout', 123, 'P-1')],
    noDeadline,
  )
}

function draftsOf(
  occurredAt: Date,
  type: 'payment' | 'refund' | 'payout',
  amount: number,
  text: string,
): EntryDraft[] {
  const _id = newId()
  const day = dayOf(occurredAt)
  if (type === 'payout') return [{ _id, type, amount: -amount, day, payoutReference: text }]
  const shared = { referenceNumber: 'PI-2222222222222222', merchantReference: text, occurredAt, day }
  const fee = Math.ceil(amount / 50)
  const commission = { providerTtc: fee, payerTtc: 5, tof: 2, tte: 1, totalRevenue: fee + 2 }
  if (type === 'payment')
    return [
      { ...shared, _id, type, amount, payerPhone: '22 ** ** 01', commission },
      { ...shared, _id: `${_id}-fee`, type: 'fee', amount: -fee },
    ]
  const refund = { ...shared, refundId: 'RF-2222222222222222' }
  const returnedFees = { providerTtc: fee, payerTtc: 1 }
  return [
    { ...refund, _id, type, amount: -amount, reason: text, returnedFees },
    { ...refund, _id: `${_id}-fee`, type: 'fee', amount: fee },
  ]
}

/** All entries in order, without closing markers. */
export const ledgerOf = ({ deps }: Pick<Service, 'deps'>, { businessId, sandbox }: ChainOwner) =>
  deps.LedgerEntry.find({ businessId, sandbox, type: { $ne: 'closing' } }, {}, { sort: { number: 1 } }).lean<
    LedgerEntry[]
  >()

/** A customer pays a live intent, as if by a wallet provider, and the relay books the payment. */
export async function receiveLive(
  service: Service,
  live: Merchant,
  amount: number,
  fee = 0,
): Promise<string> {
  const referenceNumber = await payLive(service, live, amount, fee)
  await relay(service, live)
  return referenceNumber
}

/** A customer pays a live intent, but the event stays in the outbox. */
export async function payLive(
  service: Service,
  live: Merchant,
  amount: number,
  fee: number,
): Promise<string> {
  const { referenceNumber } = await createIntent(service, live, { amount })
  const commission = { providerTtc: fee, payerTtc: 0, tof: 0, tte: 0, totalRevenue: fee }
  const payer = { payerPhone: '22 ** ** 01', payerHash: 'x' }
  const payment = { id: newId(), wallet: 'live:test', amount, commission, ...payer } as const
  const by = { marking: newMarking(service.deps), cause: null }
  const at = service.deps.now()
  const fixed = { ...service.deps, now: () => at }
  await endPayment(
    fixed,
    await storedIntent(service, referenceNumber),
    payment,
    { outcome: 'done' },
    by,
    noDeadline,
  )
  return referenceNumber
}
