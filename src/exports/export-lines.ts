import { currencyCode } from '../../schemas/currency.ts'
import type { Delimiter } from '../../schemas/delimiter.ts'
import type { EntryType, ExportFormat, ExportKind, ExportLanguage } from '../../schemas/ledger.ts'
import { dayOf, type LedgerEntry } from '../ledger/entry.ts'
import { type CsvCell, csvHeader, csvRows } from '../platform/csv.ts'
import { noCommission } from '../wallets/commission.ts'

export type ExportedEntry = Omit<LedgerEntry, 'after'> & { after: Pick<LedgerEntry['after'], 'balance'> }

interface Column {
  /** The name in JSON, if it isn't the key in `allColumns`. */
  json?: string
  name: Record<ExportLanguage, string>
  isAmount?: true
  read(entry: ExportedEntry): string | number | null
  /** Returns undefined if CSV has the same as JSON. */
  inCsv?(entry: ExportedEntry, language: ExportLanguage): string | undefined
}

const column = (en: string, fr: string, ar: string, read: Column['read']): Column => ({
  name: { en, fr, ar },
  read,
})
const centimes = (...parts: Parameters<typeof column>): Column => ({ ...column(...parts), isAmount: true })

type Text = 'referenceNumber' | 'merchantReference' | 'refundId' | 'payoutReference' | 'payerPhone' | 'reason'
/** Reads a text that not every entry has. */
const stored =
  (name: Text): Column['read'] =>
  (entry) =>
    entry[name] ?? null

const feesOf = ({ commission = noCommission }: ExportedEntry) => commission
const timeOf = (at: Date | undefined): string | null => at?.toISOString() ?? null

/** For people who read CSV files. JSON has the type itself. */
const typeNames: Record<ExportLanguage, Partial<Record<LedgerEntry['type'], string>>> = {
  en: {},
  fr: { payment: 'paiement', refund: 'remboursement', fee: 'frais', payout: 'versement' },
  ar: { payment: 'دفع', refund: 'استرداد', fee: 'رسوم', payout: 'تحويل' },
}

/** By name in JSON, unless `json` is set. `number` is the same as in GET /dev/balance/entries. */
const allColumns = {
  number: column('Number', 'Numéro', 'الرقم', ({ position = 0 }) => position),
  type: {
    ...column('Type', 'Type', 'النوع', ({ type }) => type),
    inCsv: ({ type }: ExportedEntry, language: ExportLanguage) => typeNames[language][type],
  },
  // Statements count an entry on the day it was booked, which can be later than its own day.
  statementDay: column('Statement day', 'Jour du relevé', 'يوم كشف الحساب', ({ bookedAt }) =>
    dayOf(bookedAt),
  ),
  dayOfPayment: {
    json: 'day',
    ...column('Day of payment', 'Date de paiement', 'يوم الدفع', ({ day }) => day),
  },
  dayOfRefund: {
    json: 'day',
    ...column('Day of refund', 'Date de remboursement', 'يوم الاسترداد', ({ day }) => day),
  },
  dayOfMovement: {
    json: 'day',
    ...column('Day of movement', 'Date d’opération', 'يوم العملية', ({ day }) => day),
  },
  bookedAt: column('Booked at', 'Comptabilisé le', 'وقت القيد', ({ bookedAt }) => timeOf(bookedAt)),
  occurredAt: column('Occurred at', 'Effectué le', 'وقت العملية', ({ occurredAt }) => timeOf(occurredAt)),
  referenceNumber: column(
    'Reference number',
    'Numéro de référence',
    'الرقم المرجعي',
    stored('referenceNumber'),
  ),
  merchantReference: column(
    'Merchant reference',
    'Référence du commerçant',
    'مرجع التاجر',
    stored('merchantReference'),
  ),
  refundId: column('Refund ID', 'Identifiant du remboursement', 'معرّف الاسترداد', stored('refundId')),
  payoutReference: column(
    'Payout reference',
    'Référence du versement',
    'مرجع التحويل',
    stored('payoutReference'),
  ),
  payerPhone: column('Payer phone', 'Téléphone du payeur', 'هاتف الدافع', stored('payerPhone')),
  reason: column('Reason', 'Motif', 'السبب', stored('reason')),
  currency: column('Currency', 'Devise', 'العملة', () => currencyCode),
  // In an export of entries, this is the change of the balance, so it can be negative.
  amount: centimes('Amount', 'Montant', 'المبلغ', ({ amount }) => amount),
  refunded: { json: 'amount', ...centimes('Amount', 'Montant', 'المبلغ', ({ amount }) => -amount) },
  providerTtc: centimes(
    'Merchant fee',
    'Frais du commerçant',
    'رسوم التاجر',
    (entry) => feesOf(entry).providerTtc,
  ),
  net: centimes('Net', 'Net', 'الصافي', (entry) => entry.amount - feesOf(entry).providerTtc),
  payerTtc: centimes('Payer fee', 'Frais du payeur', 'رسوم الدافع', (entry) => feesOf(entry).payerTtc),
  tof: centimes('TOF', 'TOF', 'TOF', (entry) => feesOf(entry).tof),
  tte: centimes('TTE', 'TTE', 'TTE', (entry) => feesOf(entry).tte),
  returnedProviderTtc: centimes(
    'Returned merchant fee',
    'Frais restitués au commerçant',
    'رسوم التاجر المعادة',
    ({ returnedFees }) => returnedFees?.providerTtc ?? 0,
  ),
  returnedPayerTtc: centimes(
    'Returned payer fee',
    'Frais restitués au payeur',
    'رسوم الدافع المعادة',
    ({ returnedFees }) => returnedFees?.payerTtc ?? 0,
  ),
  balance: centimes('Balance', 'Solde', 'الرصيد', ({ after }) => after.balance),
} satisfies Record<string, Column>

const origin = ['bookedAt', 'occurredAt', 'referenceNumber', 'merchantReference'] as const

/** The number comes first, because resuming a download relies on it. */
const columnsByKind: Record<ExportKind, readonly (keyof typeof allColumns)[]> = {
  payments: [
    'number',
    'statementDay',
    'dayOfPayment',
    ...origin,
    'payerPhone',
    'currency',
    'amount',
    'providerTtc',
    'net',
    'payerTtc',
    'tof',
    'tte',
  ],
  refunds: [
    'number',
    'statementDay',
    'dayOfRefund',
    ...origin,
    'refundId',
    'reason',
    'currency',
    'refunded',
    'returnedProviderTtc',
    'returnedPayerTtc',
  ],
  entries: [
    'number',
    'type',
    'statementDay',
    'dayOfMovement',
    ...origin,
    'refundId',
    'payoutReference',
    'currency',
    'amount',
    'balance',
  ],
}

const columnsOf = (kind: ExportKind) =>
  columnsByKind[kind].map((name) => {
    const shared: Column = allColumns[name]
    return { ...shared, key: shared.json ?? name }
  })

/** Null exports entries of all types. */
export const entryTypeOf: Record<ExportKind, EntryType | null> = {
  payments: 'payment',
  refunds: 'refund',
  entries: null,
}

/** Only CSV has a delimiter and a language. */
export interface FileForm {
  kind: ExportKind
  format: ExportFormat
  delimiter: Delimiter
  language: ExportLanguage
}

export interface LineWriter {
  /** Empty if the format has none. */
  header: string
  /** One line per entry, starting with the entry's number. */
  lines(entries: readonly ExportedEntry[]): string
}

/** Added to the names of columns in centimes. */
const inCentimes = { en: 'centimes', fr: 'centimes', ar: 'سنتيم' } as const

/** The lines don't depend on how the entries are grouped. */
export function createLineWriter({ kind, format, delimiter, language }: FileForm): LineWriter {
  const columns = columnsOf(kind)
  if (format === 'jsonl') {
    const lineOf = (entry: ExportedEntry) =>
      JSON.stringify(Object.fromEntries(columns.map(({ key, read }) => [key, read(entry)])))
    return { header: '', lines: (entries) => entries.map((entry) => `${lineOf(entry)}\n`).join('') }
  }
  const amounts = columns.filter(({ isAmount }) => isAmount)
  const names = [
    ...columns.map(({ name }) => name[language]),
    ...amounts.map(({ name }) => `${name[language]} (${inCentimes[language]})`),
  ]
  const rowOf = (entry: ExportedEntry): CsvCell[] => [
    ...columns.map(({ read, inCsv, isAmount }) =>
      isAmount ? { centimes: Number(read(entry)) } : (inCsv?.(entry, language) ?? read(entry)),
    ),
    ...amounts.map(({ read }) => read(entry)),
  ]
  return {
    header: csvHeader(names, delimiter),
    lines: (entries) => csvRows(entries.map(rowOf), delimiter),
  }
}
