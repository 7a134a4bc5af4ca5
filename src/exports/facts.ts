import { currencyCode } from '../../schemas/currency.ts'
import type { ExportKind, ExportLanguage } from '../../schemas/export-ledger.ts'
import type { EntryType } from '../../schemas/list-entries.ts'
import type { LedgerEntry } from '../ledger/entry.ts'
import { dayOf } from '../ledger/link.ts'
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
}

const feesOf = ({ commission = noCommission }: ExportedEntry) => commission
const timeOf = (at: Date | undefined): string | null => at?.toISOString() ?? null

/**
 * All facts. The keys are their names in JSON unless `json` is set. `number` is the same as in GET
 * /dev/balance/entries.
 */
const facts = {
  number: { name: { en: 'Number', fr: 'Numéro', ar: 'الرقم' }, read: ({ position = 0 }) => position },
  type: { name: { en: 'Type', fr: 'Type', ar: 'النوع' }, read: ({ type }) => type },
  // The sums of these days are in the statements. A movement can be booked on a later day than its own.
  statementDay: {
    name: { en: 'Statement day', fr: 'Jour du relevé', ar: 'يوم كشف الحساب' },
    read: ({ bookedAt }) => dayOf(bookedAt),
  },
  dayOfPayment: {
    json: 'day',
    name: { en: 'Day of payment', fr: 'Jour du paiement', ar: 'يوم الدفع' },
    read: ({ day }) => day,
  },
  dayOfRefund: {
    json: 'day',
    name: { en: 'Day of refund', fr: 'Jour du remboursement', ar: 'يوم الاسترداد' },
    read: ({ day }) => day,
  },
  dayOfMovement: {
    json: 'day',
    name: { en: 'Day of movement', fr: 'Jour du mouvement', ar: 'يوم الحركة' },
    read: ({ day }) => day,
  },
  bookedAt: {
    name: { en: 'Booked at', fr: 'Comptabilisé le', ar: 'وقت القيد' },
    read: ({ bookedAt }) => timeOf(bookedAt),
  },
  occurredAt: {
    name: { en: 'Occurred at', fr: 'Effectué le', ar: 'وقت العملية' },
    read: ({ occurredAt }) => timeOf(occurredAt),
  },
  referenceNumber: {
    name: { en: 'Reference number', fr: 'Numéro de référence', ar: 'الرقم المرجعي' },
    read: ({ referenceNumber = null }) => referenceNumber,
  },
  merchantReference: {
    name: { en: 'Merchant reference', fr: 'Référence du commerçant', ar: 'مرجع التاجر' },
    read: ({ merchantReference = null }) => merchantReference,
  },
  refundId: {
    name: { en: 'Refund ID', fr: 'Identifiant du remboursement', ar: 'معرّف الاسترداد' },
    read: ({ refundId = null }) => refundId,
  },
  payoutReference: {
    name: { en: 'Payout reference', fr: 'Référence du versement', ar: 'مرجع التحويل' },
    read: ({ payoutReference = null }) => payoutReference,
  },
  payerPhone: {
    name: { en: 'Payer phone', fr: 'Téléphone du payeur', ar: 'هاتف الدافع' },
    read: ({ payerPhone = null }) => payerPhone,
  },
  reason: { name: { en: 'Reason', fr: 'Motif', ar: 'السبب' }, read: ({ reason = null }) => reason },
  currency: { name: { en: 'Currency', fr: 'Devise', ar: 'العملة' }, read: () => currencyCode },
  // In an export of entries, the amount is the change of the balance, so it can be negative.
  amount: {
    name: { en: 'Amount', fr: 'Montant', ar: 'المبلغ' },
    isAmount: true,
    read: ({ amount }) => amount,
  },
  refunded: {
    json: 'amount',
    name: { en: 'Amount', fr: 'Montant', ar: 'المبلغ' },
    isAmount: true,
    read: ({ amount }) => -amount,
  },
  providerTtc: {
    name: { en: 'Merchant fee', fr: 'Frais du commerçant', ar: 'رسوم التاجر' },
    isAmount: true,
    read: (entry) => feesOf(entry).providerTtc,
  },
  net: {
    name: { en: 'Net', fr: 'Net', ar: 'الصافي' },
    isAmount: true,
    read: (entry) => entry.amount - feesOf(entry).providerTtc,
  },
  payerTtc: {
    name: { en: 'Payer fee', fr: 'Frais du payeur', ar: 'رسوم الدافع' },
    isAmount: true,
    read: (entry) => feesOf(entry).payerTtc,
  },
  tof: { name: { en: 'TOF', fr: 'TOF', ar: 'TOF' }, isAmount: true, read: (entry) => feesOf(entry).tof },
  tte: { name: { en: 'TTE', fr: 'TTE', ar: 'TTE' }, isAmount: true, read: (entry) => feesOf(entry).tte },
  returnedProviderTtc: {
    name: { en: 'Returned merchant fee', fr: 'Frais rendus au commerçant', ar: 'رسوم التاجر المعادة' },
    isAmount: true,
    read: ({ returnedFees }) => returnedFees?.providerTtc ?? 0,
  },
  returnedPayerTtc: {
    name: { en: 'Returned payer fee', fr: 'Frais rendus au payeur', ar: 'رسوم الدافع المعادة' },
    isAmount: true,
    read: ({ returnedFees }) => returnedFees?.payerTtc ?? 0,
  },
  balance: {
    name: { en: 'Balance', fr: 'Solde', ar: 'الرصيد' },
    isAmount: true,
    read: ({ after }) => after.balance,
  },
} as const satisfies Record<string, Fact>

const origin = ['bookedAt', 'occurredAt', 'referenceNumber', 'merchantReference'] as const

/** The facts of each kind of export, in the order of the columns. The number, which resumes a download, comes first. */
const shown: Record<ExportKind, readonly (keyof typeof facts)[]> = {
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

/** A fact of an export, under its name in JSON. */
export type ExportedFact = Fact & { key: string }

/** Returns the facts of a kind of export. */
export const factsOf = (kind: ExportKind): ExportedFact[] =>
  shown[kind].map((name) => {
    const fact: Fact = facts[name]
    return { ...fact, key: fact.json ?? name }
  })

/** The type of the entries that an export contains, or null for all types. */
export const entryTypeOf: Record<ExportKind, EntryType | null> = {
  payments: 'payment',
  refunds: 'refund',
  entries: null,
}
