import type { ChainOwner } from '../../src/chains/append.ts'
import { recordPayment } from '../../src/intents/payments/begin-and-settle.ts'
import type { LedgerDraft, LedgerEntry } from '../../src/ledger/entry.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import { newId } from '../../src/platform/ids.ts'
import { toUtcDay } from '../../src/platform/time.ts'
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

export const bookOne = (
  { deps }: Pick<Service, 'deps'>,
  owner: ChainOwner,
  type: 'payment' | 'refund' | 'payout',
  amount: number,
  text = 'INV-1',
): Promise<void> => deps.batchers.bookEntries(owner, draftsOf(deps.now(), type, amount, text), noDeadline)

export async function bookMany({ deps }: Pick<Service, 'deps'>, owner: ChainOwner, count: number) {
  const at = deps.now()
  const drafts = Array.from({ length: count }, (_, index) => {
    const text = difficultTexts[index % difficultTexts.length] ?? ''
    return [...draftsOf(at, 'payment', 10_000 + index, text), ...draftsOf(at, 'refund', 1 + index, text)]
  })
  drafts.push(draftsOf(at, 'payout', 123, 'P-1'))
  await deps.batchers.bookEntries(owner, drafts.flat(), noDeadline)
}

type Type = 'payment' | 'refund' | 'payout'
function draftsOf(occurredAt: Date, type: Type, amount: number, text: string): LedgerDraft[] {
  const _id = newId()
  const day = toUtcDay(occurredAt)
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
  return [
    { ...refund, _id, type, amount: -amount, reason: text, returnedFees: { providerTtc: fee, payerTtc: 1 } },
    { ...refund, _id: `${_id}-fee`, type: 'fee', amount: fee },
  ]
}

export const ledgerOf = ({ deps }: Pick<Service, 'deps'>, { businessId, sandbox }: ChainOwner) =>
  deps.LedgerEntry.find({ businessId, sandbox, type: { $ne: 'closing' } }, {}, { sort: { number: 1 } }).lean<
    LedgerEntry[]
  >()

export async function receiveLive(service: Service, live: Merchant, amount: number, fee = 0) {
  const referenceNumber = await payLive(service, live, amount, fee)
  await relay(service, live)
  return referenceNumber
}

export async function payLive(service: Service, live: Merchant, amount: number, fee: number) {
  const { referenceNumber } = await createIntent(service, live, { amount })
  const commission = { providerTtc: fee, payerTtc: 0, tof: 0, tte: 0, totalRevenue: fee }
  const payer = { payerPhone: '22 ** ** 01', payerHash: 'x' }
  const payment = { id: newId(), wallet: 'live:test', amount, commission, ...payer } as const
  const by = { marking: newMarking(service.deps), cause: null }
  const at = service.deps.now()
  const fixed = { ...service.deps, now: () => at }
  const intent = await storedIntent(service, referenceNumber)
  await recordPayment(fixed, intent, payment, { outcome: 'done' }, by, noDeadline)
  return referenceNumber
}
