import type { ExportFormat, ExportKind } from '../../../schemas/ledger.ts'
import { createLineWriter, type ExportedEntry, entryTypeOf } from '../../exports/export-lines.ts'
import { referenceNumber, refundId } from './intents-example.ts'

export const period = { from: '2026-11-01', to: '2026-11-30' }

const paidAt = new Date('2026-11-21T07:40:02.331Z')
const refundedAt = new Date('2026-11-21T15:12:44.870Z')
const shared = {
  businessId: '',
  sandbox: true,
  referenceNumber,
  merchantReference: null,
  day: '2026-11-21',
}
const ofPayment = { ...shared, occurredAt: paidAt, bookedAt: new Date('2026-11-21T07:40:02.352Z') }
const ofRefund = {
  ...shared,
  refundId,
  occurredAt: refundedAt,
  bookedAt: new Date('2026-11-21T15:12:44.902Z'),
}

const entryOf = (number: number, type: ExportedEntry['type'], amount: number, balance: number) => ({
  _id: `example-${number}`,
  number,
  position: number,
  type,
  amount,
  after: { balance },
})

/** The entries of the example: a payment, its fee, a refund, and the fee that it gave back. */
export const entries: readonly ExportedEntry[] = [
  {
    ...ofPayment,
    ...entryOf(1, 'payment', 50_000, 50_000),
    payerPhone: '22 ** ** 45',
    commission: { providerTtc: 1_000, payerTtc: 500, tof: 210, tte: 30, totalRevenue: 1_260 },
  },
  { ...ofPayment, ...entryOf(2, 'fee', -1_000, 49_000) },
  {
    ...ofRefund,
    ...entryOf(3, 'refund', -20_000, 29_000),
    reason: 'One item came back',
    returnedFees: { providerTtc: 400, payerTtc: 200 },
  },
  { ...ofRefund, ...entryOf(4, 'fee', 400, 29_400) },
]

/** Returns the file that an export of the example entries contains. */
export function fileOf(kind: ExportKind, format: ExportFormat): string {
  const { header, lines } = createLineWriter({ kind, format, delimiter: ',', language: 'en' })
  const type = entryTypeOf[kind]
  return header + lines(entries.filter((entry) => type === null || entry.type === type))
}
