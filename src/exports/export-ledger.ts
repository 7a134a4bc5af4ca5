import { setTimeout as pause } from 'node:timers/promises'
import { currencyCode } from '../../schemas/currency.ts'
import { csvParams as formParams, readCsvForm } from '../../schemas/delimiter.ts'
import type { ExportKind, ExportLanguage } from '../../schemas/ledger.ts'
import { type ExportLedgerQuery, exportLanguages } from '../../schemas/ledger.ts'
import type { Caller } from '../businesses/caller.ts'
import type { ChainOwner } from '../chains/append.ts'
import { endSpanNow, readSpan, type TimeSpan } from '../input/span.ts'
import type { ListedEntry, PositionRange } from '../ledger/list.ts'
import { findPositionRange, getPositionIndex, presentLedgerEntry } from '../ledger/list.ts'
import { maxListReadMs } from '../lists/pagination.ts'
import { rawCollection } from '../mongo/collection.ts'
import { toCsvHeader, toCsvRows } from '../platform/csv.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import { readInSlices } from '../platform/in-slices.ts'
import { toUtcDay } from '../platform/time.ts'
import { noCommission } from '../wallets/commission.ts'

function valuesOf(kind: ExportKind, entry: ListedEntry) {
  const { commission = noCommission, returnedFees } = entry
  const { totalRevenue: _, ...fees } = commission
  return {
    ...presentLedgerEntry(entry),
    // An entry's amount is negative if it reduces the balance.
    amount: kind === 'refunds' ? -entry.amount : entry.amount,
    // Statements count an entry on the day it was booked.
    statementDay: toUtcDay(entry.bookedAt),
    occurredAt: entry.occurredAt ?? null,
    payerPhone: entry.payerPhone ?? null,
    reason: entry.reason ?? null,
    currency: currencyCode,
    ...fees,
    net: entry.amount - fees.providerTtc,
    returnedProviderTtc: returnedFees?.providerTtc ?? 0,
    returnedPayerTtc: returnedFees?.payerTtc ?? 0,
  }
}

type Field = Exclude<keyof ReturnType<typeof valuesOf>, 'id'>

type Labels = readonly [en: string, fr: string, ar: string]

const centimesLabels = {
  amount: ['Amount', 'Montant', 'المبلغ'],
  providerTtc: ['Merchant fee', 'Frais du commerçant', 'رسوم التاجر'],
  net: ['Net', 'Net', 'الصافي'],
  payerTtc: ['Payer fee', 'Frais du payeur', 'رسوم الدافع'],
  tof: ['TOF', 'TOF', 'TOF'],
  tte: ['TTE', 'TTE', 'TTE'],
  returnedProviderTtc: ['Returned merchant fee', 'Frais restitués au commerçant', 'رسوم التاجر المعادة'],
  returnedPayerTtc: ['Returned payer fee', 'Frais restitués au payeur', 'رسوم الدافع المعادة'],
  balance: ['Balance', 'Solde', 'الرصيد'],
} satisfies Partial<Record<Field, Labels>>

const labels: Record<Exclude<Field, 'day'>, Labels> = {
  ...centimesLabels,
  number: ['Number', 'Numéro', 'الرقم'],
  type: ['Type', 'Type', 'النوع'],
  statementDay: ['Statement day', 'Jour du relevé', 'يوم كشف الحساب'],
  bookedAt: ['Booked at', 'Comptabilisé le', 'وقت القيد'],
  occurredAt: ['Occurred at', 'Effectué le', 'وقت العملية'],
  referenceNumber: ['Reference number', 'Numéro de référence', 'الرقم المرجعي'],
  merchantReference: ['Merchant reference', 'Référence du commerçant', 'مرجع التاجر'],
  refundId: ['Refund ID', 'Identifiant du remboursement', 'معرّف الاسترداد'],
  payoutReference: ['Payout reference', 'Référence du versement', 'مرجع التحويل'],
  payerPhone: ['Payer phone', 'Téléphone du payeur', 'هاتف الدافع'],
  reason: ['Reason', 'Motif', 'السبب'],
  currency: ['Currency', 'Devise', 'العملة'],
}

const dayLabels: Record<ExportKind, Labels> = {
  payments: ['Day of payment', 'Date de paiement', 'يوم الدفع'],
  refunds: ['Day of refund', 'Date de remboursement', 'يوم الاسترداد'],
  entries: ['Day of movement', 'Date d’opération', 'يوم العملية'],
}

const typeNames: Record<ExportLanguage, Partial<Record<string, string>>> = {
  en: {},
  fr: { payment: 'paiement', refund: 'remboursement', fee: 'frais', payout: 'versement' },
  ar: { payment: 'دفع', refund: 'استرداد', fee: 'رسوم', payout: 'تحويل' },
}

const inCentimes = { en: 'centimes', fr: 'centimes', ar: 'سنتيم' } as const

const origin = [
  'statementDay',
  'day',
  'bookedAt',
  'occurredAt',
  'referenceNumber',
  'merchantReference',
] as const
const fees = ['providerTtc', 'net', 'payerTtc', 'tof', 'tte'] as const
const returned = ['returnedProviderTtc', 'returnedPayerTtc'] as const

/** `number` comes first, because resuming a download relies on it. */
const fieldsByKind: Record<ExportKind, readonly Field[]> = {
  payments: ['number', ...origin, 'payerPhone', 'currency', 'amount', ...fees],
  refunds: ['number', ...origin, 'refundId', 'reason', 'currency', 'amount', ...returned],
  entries: ['number', 'type', ...origin, 'refundId', 'payoutReference', 'currency', 'amount', 'balance'],
}

const entryTypeOf = { payments: 'payment', refunds: 'refund', entries: null } as const

type ExportForm = ReturnType<typeof parseExportForm>

export interface ExportWriter {
  header: string
  lines(entries: readonly ListedEntry[]): string
}

export function createExportWriter({ kind, format, csv, language }: ExportForm): ExportWriter {
  const fields = fieldsByKind[kind]
  if (format === 'jsonl') {
    const lineOf = (entry: ListedEntry) => JSON.stringify(valuesOf(kind, entry), [...fields])
    return { header: '', lines: (entries) => entries.map((entry) => `${lineOf(entry)}\n`).join('') }
  }
  const isAmount = (field: Field) => field in centimesLabels
  const amounts = fields.filter(isAmount)
  const labelOf = (field: Field) =>
    (field === 'day' ? dayLabels[kind] : labels[field])[exportLanguages.indexOf(language)] ?? ''
  const names = [
    ...fields.map(labelOf),
    ...amounts.map((field) => `${labelOf(field)} (${inCentimes[language]})`),
  ]
  const rowOf = (entry: ListedEntry) => {
    const values = valuesOf(kind, entry)
    const cellOf = (field: Field) => {
      const value = values[field]
      if (isAmount(field)) return { centimes: Number(value) }
      if (field === 'type') return typeNames[language][values.type] ?? values.type
      return value instanceof Date ? value.toISOString() : (value ?? null)
    }
    return [...fields.map(cellOf), ...amounts.map((field) => Number(values[field]))]
  }
  return {
    header: toCsvHeader(names, csv),
    lines: (entries) => toCsvRows(entries.map(rowOf), csv.delimiter),
  }
}

/** This many entries take up about 25 kB. */
const entriesPerChunk = 125
/** These pauses keep a fast client from slowing down others. */
const pausesPerChunk = 3
/** Limits the pause after a chunk that other work interrupted. */
const maxPauseMs = 30

const csvParams = [...formParams, 'language'] as const
type FormQuery = Pick<ExportLedgerQuery, 'format' | (typeof csvParams)[number]>

/** JSON lines have no delimiter, byte order mark or language. */
export function parseExportForm(kind: ExportKind, query: FormQuery) {
  const { format = 'csv', language = 'en' } = query
  const param = csvParams.find((name) => query[name] !== undefined)
  if (format !== 'csv' && param !== undefined)
    throw refuse('VALIDATION_ERROR', { param, message: `${param} applies only to the csv format.` })
  return { kind, format, csv: readCsvForm(query), language }
}

/** Yields the oldest entries first, as fast as the client reads them. */
export async function* exportLedger(
  deps: Pick<Deps, 'lists' | 'now'>,
  caller: Caller,
  kind: ExportKind,
  query: ExportLedgerQuery,
): AsyncGenerator<string, void, undefined> {
  const span = endSpanNow(deps, readSpan(query))
  const writer = createExportWriter(parseExportForm(kind, query))
  const positions = await findExportRange(deps, caller, kind, span, Number(query.after ?? 0))
  let header = query.after === undefined ? writer.header : ''
  for await (const { text } of readExportChunks(deps, caller, kind, positions, writer)) {
    yield header + text
    header = ''
  }
  if (header !== '') yield header
}

const readExport = <T>(
  { lists }: Pick<Deps, 'lists'>,
  { businessId }: ChainOwner,
  read: Parameters<typeof lists.run<T>>[1],
): Promise<T> => lists.run(`export ${businessId}`, read)

export const findExportRange = (
  deps: Pick<Deps, 'lists'>,
  owner: ChainOwner,
  kind: ExportKind,
  span: TimeSpan,
  afterPosition?: number,
): Promise<PositionRange> =>
  readExport(deps, owner, (models) =>
    findPositionRange(models, owner, entryTypeOf[kind], span, afterPosition),
  )

/** Reads page by page, because a slow client would keep a cursor open. */
export async function* readExportChunks(
  deps: Pick<Deps, 'lists'>,
  owner: ChainOwner,
  kind: ExportKind,
  { first, last }: PositionRange,
  writer: ExportWriter,
): AsyncGenerator<{ text: string; lines: number }, void, undefined> {
  for (let start = first; start <= last; start += entriesPerChunk) {
    const beganAt = performance.now()
    const end = Math.min(last, start + entriesPerChunk - 1)
    const entries = await readExportedEntries(deps, owner, kind, { first: start, last: end })
    // The nightly clean-up can remove test entries during the export.
    if (entries.length === 0) continue
    const text = writer.lines(entries)
    const pauseMs = Math.min(pausesPerChunk * (performance.now() - beganAt), maxPauseMs)
    yield { text, lines: entries.length }
    await pause(pauseMs)
  }
}

const withoutTotals = {
  _id: 0,
  'after.opening': 0,
  'after.payments': 0,
  'after.refunds': 0,
  'after.fees': 0,
  'after.payouts': 0,
  'after.byType': 0,
} as const

export async function readExportedEntries(
  deps: Pick<Deps, 'lists'>,
  owner: ChainOwner,
  kind: ExportKind,
  { first, last }: PositionRange,
): Promise<ListedEntry[]> {
  const { businessId, sandbox } = owner
  const { where, field, index } = getPositionIndex(entryTypeOf[kind])
  const filter = { businessId, sandbox, ...where, [field]: { $gte: first, $lte: last } }
  const sort = { [field]: 1 } as const
  const options = { hint: index, sort, projection: withoutTotals, maxTimeMS: maxListReadMs }
  const entries: ListedEntry[] = []
  await readExport(deps, owner, ({ LedgerEntry }) => {
    const found = rawCollection(LedgerEntry).find<ListedEntry>(filter, options)
    return readInSlices(found, (entry) => void entries.push(entry))
  })
  return entries
}
