import { currencyCode } from '../../schemas/currency.ts'
import type { CsvForm } from '../../schemas/delimiter.ts'
import type { ListStatementsQuery } from '../../schemas/ledger.ts'
import { type ChainOwner, findChainEnd } from '../chains/append.ts'
import { readInstant } from '../input/instant.ts'
import { maxListReadMs } from '../lists/pagination.ts'
import { rawCollection } from '../mongo/collection.ts'
import { toCsvHeader, toCsvRows } from '../platform/csv.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import { dayMs, toUtcDay } from '../platform/time.ts'
import { type ClosedDay, createZeroTotals, type LedgerEntry, pickDayTotals } from './entry.ts'

export const getLedgerBalance = async (
  { LedgerEntry }: Pick<Deps, 'LedgerEntry'>,
  owner: ChainOwner,
): Promise<number> => (await findChainEnd(rawCollection(LedgerEntry), owner))?.after.balance ?? 0

/** A statement never changes once its day is over. */
export interface Statement extends ClosedDay {
  day: string
  closed: boolean
}

type StatementDeps = Pick<Deps, 'LedgerEntry' | 'batchers' | 'now'>

export async function readStatement(deps: StatementDeps, owner: ChainOwner, day: string): Promise<Statement> {
  const [statement] = await readDayStatements(deps, owner, [day])
  return statement as Statement
}

export const readMonthStatements = (
  deps: StatementDeps,
  owner: ChainOwner,
  month: string,
): Promise<Statement[]> => readDayStatements(deps, owner, daysOf(month, deps.now()))

/** Closed days are read from their markers, and today from the last entry. */
export async function readDayStatements(
  deps: StatementDeps,
  { businessId, sandbox }: ChainOwner,
  days: readonly string[],
): Promise<Statement[]> {
  const owner = { businessId, sandbox }
  const today = toUtcDay(deps.now())
  const last = days.at(-1) ?? today
  // A past day stays open in the ledger until the next booking.
  let markers = await markersFrom(deps, owner, days)
  if (!isCovered(markers, last < today ? last : dayBeforeLast(days))) {
    await deps.batchers.closeDays(owner)
    markers = await markersFrom(deps, owner, days)
  }
  const newest = isCovered(markers, last) ? null : await findChainEnd(rawCollection(deps.LedgerEntry), owner)
  // Another process may just have closed the last requested day.
  if (newest !== null && toUtcDay(newest.bookedAt) > last) markers = await markersFrom(deps, owner, days)
  return days.map((day) => {
    const marker = markers.find(({ through }) => day <= through)
    return marker === undefined ? openDay(newest, day, today) : closedDay(marker, day)
  })
}

const dayBeforeLast = (days: readonly string[]): string => days.at(-2) ?? ''

const isCovered = (markers: readonly Marker[], day: string): boolean =>
  day === '' || markers.some(({ through }) => day <= through)

type Marker = Required<Pick<LedgerEntry, 'day' | 'through' | 'closed'>>

const markerOptions = {
  sort: { through: 1 },
  hint: 'closings',
  projection: { day: 1, through: 1, closed: 1 },
  maxTimeMS: maxListReadMs,
} as const

function markersFrom({ LedgerEntry }: StatementDeps, owner: ChainOwner, days: readonly string[]) {
  const filter = { ...owner, through: { $gte: days[0] ?? '' } }
  const options = { ...markerOptions, limit: days.length }
  return rawCollection(LedgerEntry).find<Marker>(filter, options).toArray()
}

function closedDay({ day: movedOn, closed }: Marker, day: string): Statement {
  if (day === movedOn) return { day, ...closed, closed: true }
  return idleDay(day, day < movedOn ? closed.opening : closed.closing, true)
}

const idleDay = (day: string, balance: number, closed: boolean): Statement => {
  return { day, opening: balance, ...createZeroTotals(), closing: balance, closed }
}

function openDay(newest: LedgerEntry | null, day: string, today: string): Statement {
  const closed = day < today
  if (newest === null) return idleDay(day, 0, closed)
  const { after, bookedAt } = newest
  if (toUtcDay(bookedAt) === day)
    return { day, opening: after.opening, ...pickDayTotals(after), closing: after.balance, closed }
  return idleDay(day, toUtcDay(bookedAt) < day ? after.balance : after.opening, closed)
}

const firstDay = '2000-01-01'

export function parseStatementDay({ now }: { now(): Date }, text: string): string {
  const isDay = text.length === firstDay.length && readInstant(text, 'start') !== null
  if (isDay && text >= firstDay && text <= toUtcDay(now())) return text
  throw notInRange('day', 'must be a date from 2000-01-01 to today in UTC, such as 2026-11-26.')
}

export function parseStatementMonth({ now }: { now(): Date }, { month }: ListStatementsQuery): string {
  const current = monthOf(toUtcDay(now()))
  if (month === undefined || month <= current) return month ?? current
  throw notInRange('month', 'must not be later than the current month in UTC.')
}

function daysOf(month: string, now: Date): string[] {
  const days: string[] = []
  for (let at = Date.parse(`${month}-01`); at <= now.getTime(); at += dayMs) {
    const day = toUtcDay(new Date(at))
    if (monthOf(day) !== month) break
    days.push(day)
  }
  return days
}

const monthOf = (day: string): string => day.slice(0, 7)

const notInRange = (param: string, message: string) =>
  refuse('VALIDATION_ERROR', { param, message: `${param} ${message}` })

const plainColumns: Record<string, (statement: Statement) => string | number> = {
  'Statement day': ({ day }) => day,
  Closed: ({ closed }) => String(closed),
  Currency: () => currencyCode,
  'Number of payments': ({ payments }) => payments.count,
  'Number of refunds': ({ refunds }) => refunds.count,
  'Number of payouts': ({ payouts }) => payouts.count,
}

const amountColumns: Record<string, (statement: Statement) => number> = {
  Opening: ({ opening }) => opening,
  Payments: ({ payments }) => payments.amount,
  Refunds: ({ refunds }) => refunds.amount,
  Fees: ({ fees }) => fees.amount,
  Payouts: ({ payouts }) => payouts.amount,
  Closing: ({ closing }) => closing,
}

const header = [
  ...Object.keys(plainColumns),
  ...Object.keys(amountColumns),
  ...Object.keys(amountColumns).map((name) => `${name} (centimes)`),
]

/** The last columns repeat the amounts in centimes. */
export const formatStatementsCsv = (statements: readonly Statement[], form: CsvForm): string =>
  toCsvHeader(header, form) +
  toCsvRows(
    statements.map((statement) => {
      const centimes = Object.values(amountColumns).map((read) => read(statement))
      return [
        ...Object.values(plainColumns).map((read) => read(statement)),
        ...centimes.map((amount) => ({ centimes: amount })),
        ...centimes,
      ]
    }),
    form.delimiter,
  )
