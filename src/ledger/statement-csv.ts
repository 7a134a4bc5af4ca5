import { currencyCode } from '../../schemas/currency.ts'
import type { Delimiter } from '../../schemas/delimiter.ts'
import { csvHeader, csvRows } from '../exports/csv.ts'
import type { Statement } from './statement.ts'

const facts: Record<string, (statement: Statement) => string | number> = {
  'Statement day': ({ day }) => day,
  Closed: ({ closed }) => String(closed),
  Currency: () => currencyCode,
  'Number of payments': ({ payments }) => payments.count,
  'Number of refunds': ({ refunds }) => refunds.count,
  'Number of payouts': ({ payouts }) => payouts.count,
}

const amounts: Record<string, (statement: Statement) => number> = {
  Opening: ({ opening }) => opening,
  Payments: ({ payments }) => payments.amount,
  Refunds: ({ refunds }) => refunds.amount,
  Fees: ({ fees }) => fees.amount,
  Payouts: ({ payouts }) => payouts.amount,
  Closing: ({ closing }) => closing,
}

const header = [
  ...Object.keys(facts),
  ...Object.keys(amounts),
  ...Object.keys(amounts).map((name) => `${name} (centimes)`),
]

/**
 * Returns statements as a CSV file with one row per day. As in the exports, each amount is a decimal number, and the
 * last columns repeat it in centimes.
 */
export const statementsCsv = (statements: readonly Statement[], delimiter: Delimiter): string =>
  csvHeader(header, delimiter) +
  csvRows(
    statements.map((statement) => {
      const centimes = Object.values(amounts).map((read) => read(statement))
      return [
        ...Object.values(facts).map((read) => read(statement)),
        ...centimes.map((amount) => ({ centimes: amount })),
        ...centimes,
      ]
    }),
    delimiter,
  )
