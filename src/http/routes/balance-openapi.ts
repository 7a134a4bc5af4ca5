import { getStatementQuery, listEntriesQuery, listRefundsQuery, listStatementsQuery } from '../../../schemas/ledger.ts'
import { described } from '../../../schemas/responses/fields.ts'
import {
  balance,
  day,
  ledgerEntryPage,
  listedRefundPage,
  statement,
  statementPage,
} from '../../../schemas/responses/ledger.ts'
import * as example from './balance-example.ts'
import { inSection, pageWith } from './openapi-text.ts'

export const aboutBalance = inSection('Balance', {
  get: {
    operationId: 'getBalance',
    summary: 'Retrieve the balance',
    description:
      "Returns what the service owes you in the key's environment: all payments, minus refunds, fees and payouts.",
    response: balance,
    example: { response: example.balance },
  },
  entries: {
    operationId: 'listBalanceEntries',
    summary: 'List balance entries',
    description:
      'Returns every change of the balance, newest first. Entries never change. A payment and its fee are two entries, unless the fee is 0.',
    query: listEntriesQuery,
    response: ledgerEntryPage,
    example: { query: { type: 'payment', limit: '50' }, response: pageWith(example.entry, 50) },
  },
  refunds: {
    operationId: 'listRefunds',
    summary: 'List refunds',
    description: "Returns the confirmed refunds of the key's environment, newest first.",
    query: listRefundsQuery,
    response: listedRefundPage,
    example: { response: pageWith(example.refund, 20) },
  },
  statements: {
    operationId: 'listStatements',
    summary: 'List the statements of a month',
    description:
      'Returns one statement for each UTC day of the month up to today, oldest first, on one page. With `Accept: text/csv`, the response is a CSV file with one row per day, and with each amount as a decimal number and in centimes.',
    query: listStatementsQuery,
    response: statementPage,
    example: {
      query: { month: '2026-11' },
      response: pageWith(example.statement, 31),
      csv: example.csv,
    },
  },
  statement: {
    operationId: 'getStatement',
    summary: 'Retrieve the statement of a day',
    description:
      'Returns the movements that were booked on a UTC day. The statement of a closed day never changes. With `Accept: text/csv`, the response is a CSV file.',
    params: { day: described('A day from 2000-01-01 to today, such as `2026-11-01`.', day) },
    query: getStatementQuery,
    response: statement,
    example: {
      params: { day: example.statement.day },
      response: example.statement,
      csv: example.csv,
    },
  },
})
