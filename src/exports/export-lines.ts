import { currencyCode } from '../../schemas/currency.ts'
import type { Delimiter } from '../../schemas/delimiter.ts'
import type { EntryType, ExportFormat, ExportKind, ExportLanguage } from '../../schemas/ledger.ts'
import { dayOf, type LedgerEntry } from '../ledger/entry.ts'
import { type Cell, csvHeader, csvRows } from '../platform/csv.ts'
import { noCommission } from '../wallets/commission.ts'

export type ExportedEntry = Omit<LedgerEntry, 'after'> & { after: Pick<LedgerEntry['after'], 'balance'> }

/** Amounts are in centimes. */
interface Fact {
  /** The name in JSON, if it isn't the key in `allColumns`. */
  json?: string
  name: Record<ExportLanguage, string>
  isAmount?: true
  read(entry: ExportedEntry): string | number | null
  /** Set if CSV has something else than JSON. */
  inCsv?(entry: ExportedEntry, language: ExportLanguage): string | undefined
}

const fact = (en: string, fr: string, ar: string, read: Fact['read']): Fact => ({ name: { en, fr, ar }, read })
const centimes = (...parts: Parameters<typeof fact>): Fact => ({ ...fact(...parts), isAmount: true })

type Text = 'referenceNumber' | 'merchantReference' | 'refundId' | 'payoutReference' | 'payerPhone' | 'reason'
/** Reads a text that not every entry has. */
const stored =
  (name: Text): Fact['read'] =>
  (entry) =>
    entry[name] ?? null

const feesOf = ({ commission = noCommission }: ExportedEntry) => commission
const timeOf = (at: Date | undefined): string | null => at?.toISOString() ?? null

/** For people. Programs get the type itself. */
const typeNames: Record<ExportLanguage, Partial<Record<LedgerEntry['type'], string>>> = {
  en: {},
  fr: { payment: 'paiement', refund: 'remboursement', fee: 'frais', payout: 'versement' },
  ar: { payment: 'دفع', refund: 'استرداد', fee: 'رسوم', payout: 'تحويل' },
}

/** By name in JSON, unless `json` is set. `number` is the same as in GET /dev/balance/entries. */
const allFacts = {
  number: fact('Number', 'Numéro', 'الرقم', ({ position = 0 }) => position),
  type: {
    ...fact('Type', 'Type', 'النوع', ({ type }) => type),
    inCsv: ({ type }: ExportedEntry, language: ExportLanguage) => typeNames[language][type],
  },
  // Statements count an entry on the day it was booked, which can be later than its own day.
  statementDay: fact('Statement day', 'Jour du relevé', 'يوم كشف الحساب', ({ bookedAt }) => dayOf(bookedAt)),
  dayOfPayment: { json: 'day', ...fact('Day of payment', 'Date de paiement', 'يوم الدفع', ({ day }) => day) },
  dayOfRefund: { json: 'day', ...fact('Day of refund', 'Date de remboursement', 'يوم الاسترداد', ({ day }) => day) },
  dayOfMovement: { json: 'day', ...fact('Day of movement', 'Date d’opération', 'يوم العملية', ({ day }) => day) },
  bookedAt: fact('Booked at', 'Comptabilisé le', 'وقت القيد', ({ bookedAt }) => timeOf(bookedAt)),
  occurredAt: fact('Occurred at', 'Effectué le', 'وقت العملية', ({ occurredAt }) => timeOf(occurredAt)),
  referenceNumber: fact('Reference number', 'Numéro de référence', 'الرقم المرجعي', stored('referenceNumber')),
  merchantReference: fact('Merchant reference', 'Référence du commerçant', 'مرجع التاجر', stored('merchantReference')),
  refundId: fact('Refund ID', 'Identifiant du remboursement', 'معرّف الاسترداد', stored('refundId')),
  payoutReference: fact('Payout reference', 'Référence du versement', 'مرجع التحويل', stored('payoutReference')),
  payerPhone: fact('Payer phone', 'Téléphone du payeur', 'هاتف الدافع', stored('payerPhone')),
  reason: fact('Reason', 'Motif', 'السبب', stored('reason')),
  currency: fact('Currency', 'Devise', 'العملة', () => currencyCode),
  // In an export of entries, this is the change of the balance, so it can be negative.
  amount: centimes('Amount', 'Montant', 'المبلغ', ({ amount }) => amount),
  refunded: { json: 'amount', ...centimes('Amount', 'Montant', 'المبلغ', ({ amount }) => -amount) },
  providerTtc: centimes('Merchant fee', 'Frais du commerçant', 'رسوم التاجر', (entry) => feesOf(entry).providerTtc),
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
} satisfies Record<string, Fact>

const origin = ['bookedAt', 'occurredAt', 'referenceNumber', 'merchantReference'] as const

/** The number comes first, because resuming a download relies on it. */
const shown: Record<ExportKind, readonly (keyof typeof allFacts)[]> = {
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

/** `key` is the name in JSON. */
const factsOf = (kind: ExportKind) =>
  shown[kind].map((name) => {
    const shared: Fact = allFacts[name]
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

/** However the entries are grouped, the lines are the same. */
export function createLineWriter({ kind, format, delimiter, language }: FileForm): LineWriter {
  const facts = factsOf(kind)
  if (format === 'jsonl') {
    const lineOf = (entry: ExportedEntry) =>
      JSON.stringify(Object.fromEntries(facts.map(({ key, read }) => [key, read(entry)])))
    return { header: '', lines: (entries) => entries.map((entry) => `${lineOf(entry)}\n`).join('') }
  }
  const amounts = facts.filter(({ isAmount }) => isAmount)
  const names = [
    ...facts.map(({ name }) => name[language]),
    ...amounts.map(({ name }) => `${name[language]} (${inCentimes[language]})`),
  ]
  const rowOf = (entry: ExportedEntry): Cell[] => [
    ...facts.map(({ read, inCsv, isAmount }) =>
      isAmount ? { centimes: Number(read(entry)) } : (inCsv?.(entry, language) ?? read(entry)),
    ),
    ...amounts.map(({ read }) => read(entry)),
  ]
  return {
    header: csvHeader(names, delimiter),
    lines: (entries) => csvRows(entries.map(rowOf), delimiter),
  }
}
