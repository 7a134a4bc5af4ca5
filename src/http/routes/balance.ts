import { readCsvForm } from '../../../schemas/delimiter.ts'
import * as inputs from '../../../schemas/ledger.ts'
import { described } from '../../../schemas/requests.ts'
import * as schema from '../../../schemas/responses/ledger.ts'
import {
  listEntries,
  parseLedgerSearch,
  parseRefundSearch,
  presentLedgerEntry,
  presentListedRefund,
} from '../../ledger/list.ts'
import {
  formatStatementsCsv,
  parseStatementDay,
  parseStatementMonth,
  readMonthStatements,
  readStatement,
} from '../../ledger/statement.ts'
import { cutPage, presentPage } from '../../lists/pagination.ts'
import { readBalance } from '../../payouts/pay-out.ts'
import { declareOperations } from '../operations/route.ts'

const { get, list } = declareOperations('Balance', {
  read: 'payments.intents:read',
  params: {
    day: described('A day from 2000-01-01 to today, such as `2026-11-01`.', schema.daySchema),
  },
})

export const balanceRoutes = [
  get('/dev/balance', {
    operationId: 'getBalance',
    summary: 'Retrieve the balance',
    description: 'Returns what the service owes you: payments minus refunds, fees and payouts.',
    response: schema.balanceSchema,
    shows: 'balance',
    needsQuery: true,
    run: (deps, caller) => readBalance(deps, caller),
  }),
  list('/dev/balance/entries', {
    operationId: 'listBalanceEntries',
    summary: 'List balance entries',
    description: 'Returns every change to the balance, newest first. Each fee is a separate entry.',
    query: inputs.listEntriesQuery,
    response: schema.ledgerEntryPageSchema,
    shows: 'ledgerEntry',
    run: async (deps, caller, { query }) =>
      presentPage(await listEntries(deps, caller, parseLedgerSearch(query)), presentLedgerEntry),
  }),
  list('/dev/refunds', {
    operationId: 'listRefunds',
    summary: 'List refunds',
    description: "Returns the confirmed refunds of the key's environment, newest first.",
    query: inputs.listRefundsQuery,
    response: schema.listedRefundPageSchema,
    shows: 'refund',
    run: async (deps, caller, { query }) =>
      presentPage(await listEntries(deps, caller, parseRefundSearch(query)), presentListedRefund),
  }),
  list('/dev/statements', {
    operationId: 'listStatements',
    summary: 'List the statements for a month',
    description:
      'Returns one statement for each UTC day of the month up to today, oldest first, on one page. With `Accept: text/csv`, you get a CSV file.',
    query: inputs.listStatementsQuery,
    response: schema.statementPageSchema,
    shows: 'statement',
    run: async (deps, caller, { query }) => {
      const days = await readMonthStatements(deps, caller, parseStatementMonth(deps, query))
      return cutPage({ page: 1, limit: 31 }, days, days.length)
    },
    toCsv: ({ items }, { query }) => ({
      name: `statements-${items[0]?.day.slice(0, 7)}.csv`,
      text: formatStatementsCsv(items, readCsvForm(query)),
    }),
  }),
  get('/dev/statements/:day', {
    operationId: 'getStatement',
    summary: 'Retrieve the statement for a day',
    description: 'Returns what was booked on a UTC day. With `Accept: text/csv`, you get a CSV file.',
    query: inputs.getStatementQuery,
    response: schema.statementSchema,
    shows: 'statement',
    run: (deps, caller, { params }) => readStatement(deps, caller, parseStatementDay(deps, params.day)),
    toCsv: (statement, { query }) => ({
      name: `statement-${statement.day}.csv`,
      text: formatStatementsCsv([statement], readCsvForm(query)),
    }),
  }),
]
