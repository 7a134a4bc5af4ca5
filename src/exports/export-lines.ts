import { currencyCode } from '../../schemas/currency.ts'
import type { Delimiter } from '../../schemas/delimiter.ts'
import type { EntryType, ExportFormat, ExportKind, ExportLanguage } from '../../schemas/ledger.ts'
import { dayOf, type LedgerEntry } from '../ledger/entry.ts'
import { type CsvCell, csvHeader, csvRows } from '../platform/csv.ts'
import { noCommission } from '../wallets/commission.ts'

/** An entry, with the fields that exports read. */
export type ExportedEntry = Omit<LedgerEntry, 'after'> & { after: Pick<LedgerEntry['after'], 'balance'> }

/** A fact that exports show, with its name in CSV files. Facts that are amounts are in centimes. */
interface Fact {
  /** The name in JSON, if it is not the key of the fact. */
  json?: string
  name: Record<ExportLanguage, string>
  isAmount?: true
  read(entry: ExportedEntry): string | number | null
  /** The value in CSV files if it differs from the one in JSON. */
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

/** The types of entries, where people see other words than programs. */
const typeNames: Record<ExportLanguage, Partial<Record<LedgerEntry['type'], string>>> = {
  en: {},
  fr: { payment: 'paiement', refund: 'remboursement', fee: 'frais', payout: 'versement' },
  ar: { payment: 'دفع', refund: 'استرداد', fee: 'رسوم', payout: 'تحويل' },
}

/**
 * All facts. The keys are their names in JSON unless `json` is set. `number` is the same as in GET
 * /dev/balance/entries.
 */
const allFacts = {
  number: fact('Number', 'Numéro', 'الرقم', ({ position = 0 }) => position),
  type: {
    ...fact('Type', 'Type', 'النوع', ({ type }) => type),
    inCsv: ({ type }: ExportedEntry, language: ExportLanguage) => typeNames[language][type],
  },
  // The sums of these days are in the statements. A movement can be booked on a later day than its own.
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
  // In an export of entries, the amount is the change of the balance, so it can be negative.
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

/** The facts of each kind of export, in the order of the columns. The number, which resumes a download, comes first. */
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

/** Returns the facts of a kind of export, each with its name in JSON as `key`. */
const factsOf = (kind: ExportKind) =>
  shown[kind].map((name) => {
    const shared: Fact = allFacts[name]
    return { ...shared, key: shared.json ?? name }
  })

/** The type of the entries that an export contains, or null for all types. */
export const entryTypeOf: Record<ExportKind, EntryType | null> = {
  payments: 'payment',
  refunds: 'refund',
  entries: null,
}

/** The content and form of an exported file. The delimiter and language matter only for CSV. */
export interface FileForm {
  kind: ExportKind
  format: ExportFormat
  delimiter: Delimiter
  language: ExportLanguage
}

/** The lines of an exported file. */
export interface LineWriter {
  /** The names of the columns. Empty if the format has none. */
  header: string
  /** Returns one line per entry. The number of the entry is the first value of its line. */
  lines(entries: readonly ExportedEntry[]): string
}

/** The word behind the name of an amount in the columns that show it in centimes. */
const inCentimes = { en: 'centimes', fr: 'centimes', ar: 'سنتيم' } as const

/** Returns a writer for files of this form. It writes the same lines for the same entries, however they are grouped. */
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
  const rowOf = (entry: ExportedEntry): CsvCell[] => [
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
