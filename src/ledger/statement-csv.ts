import { currencyCode } from '../../schemas/currency.ts'
import type { Delimiter } from '../../schemas/delimiter.ts'
import { type Cell, csvHeader, csvRows } from '../exports/csv.ts'
import type { Statement } from './statement.ts'

const columns: Record<string, (statement: Statement) => Cell> = {
  day: ({ day }) => day,
  currency: () => currencyCode,
  opening: ({ opening }) => opening,
  payments_count: ({ payments }) => payments.count,
  payments: ({ payments }) => payments.amount,
  refunds_count: ({ refunds }) => refunds.count,
  refunds: ({ refunds }) => refunds.amount,
  fees: ({ fees }) => fees.amount,
  payouts_count: ({ payouts }) => payouts.count,
  payouts: ({ payouts }) => payouts.amount,
  closing: ({ closing }) => closing,
  opening_decimal: ({ opening }) => ({ centimes: opening }),
  payments_decimal: ({ payments }) => ({ centimes: payments.amount }),
  refunds_decimal: ({ refunds }) => ({ centimes: refunds.amount }),
  fees_decimal: ({ fees }) => ({ centimes: fees.amount }),
  payouts_decimal: ({ payouts }) => ({ centimes: payouts.amount }),
  closing_decimal: ({ closing }) => ({ centimes: closing }),
  closed: ({ closed }) => String(closed),
}

/**
 * Returns statements as a CSV file with one row per day. Each amount is in two columns: in centimes, and as a decimal
 * number.
 */
export const statementsCsv = (statements: readonly Statement[], delimiter: Delimiter): string =>
  csvHeader(Object.keys(columns), delimiter) +
  csvRows(
    statements.map((statement) => Object.values(columns).map((cell) => cell(statement))),
    delimiter,
  )
