import { readDelimiter } from '../../../schemas/delimiter.ts'
import {
  type GetStatementQuery,
  getStatementQuery,
  type ListEntriesQuery,
  type ListRefundsQuery,
  type ListStatementsQuery,
  listEntriesQuery,
  listRefundsQuery,
  listStatementsQuery,
} from '../../../schemas/ledger.ts'
import { withDescription } from '../../../schemas/responses/fields.ts'
import * as schema from '../../../schemas/responses/ledger.ts'
import {
  listEntries,
  parseEntrySearch,
  parseRefundSearch,
  presentEntry,
  presentListedRefund,
} from '../../ledger/list.ts'
import {
  parseDay,
  parseMonth,
  readMonth,
  readStatement,
  type Statement,
  statementsCsv,
} from '../../ledger/statement.ts'
import { type Page, pageOf, presentPage } from '../../lists/pagination.ts'
import { readBalance } from '../../payouts/pay-out.ts'
import { inSection, type OperationInput } from '../operations/route.ts'

export const balanceRoutes = inSection('Balance', [
  {
    method: 'get',
    path: '/dev/balance',
    about: {
      operationId: 'getBalance',
      summary: 'Retrieve the balance',
      description:
        "Returns what the service owes you in the key's environment: all payments, minus refunds, fees and payouts.",
      response: schema.balanceSchema,
    },
    shows: 'balance',
    scope: 'payments.intents:read',
    needsQuery: true,
    run: (deps, caller) => readBalance(deps, caller),
  },
  {
    method: 'get',
    path: '/dev/balance/entries',
    about: {
      operationId: 'listBalanceEntries',
      summary: 'List balance entries',
      description:
        'Returns every change of the balance, newest first. A payment and its fee are two entries, unless the fee is 0.',
      query: listEntriesQuery,
      response: schema.ledgerEntryPageSchema,
    },
    shows: 'ledgerEntry',
    scope: 'payments.intents:read',
    isPage: true,
    run: async (deps, caller, { query }: OperationInput<ListEntriesQuery>) =>
      presentPage(await listEntries(deps, caller, parseEntrySearch(query)), presentEntry),
  },
  {
    method: 'get',
    path: '/dev/refunds',
    about: {
      operationId: 'listRefunds',
      summary: 'List refunds',
      description: "Returns the confirmed refunds of the key's environment, newest first.",
      query: listRefundsQuery,
      response: schema.listedRefundPageSchema,
    },
    shows: 'refund',
    scope: 'payments.intents:read',
    isPage: true,
    run: async (deps, caller, { query }: OperationInput<ListRefundsQuery>) =>
      presentPage(await listEntries(deps, caller, parseRefundSearch(query)), presentListedRefund),
  },
  {
    method: 'get',
    path: '/dev/statements',
    about: {
      operationId: 'listStatements',
      summary: 'List the statements of a month',
      description:
        'Returns one statement for each UTC day of the month up to today, oldest first, on one page. With `Accept: text/csv`, you get a CSV file with one row per day.',
      query: listStatementsQuery,
      response: schema.statementPageSchema,
    },
    shows: 'statement',
    scope: 'payments.intents:read',
    isPage: true,
    run: async (deps, caller, { query }: OperationInput<ListStatementsQuery>) => {
      const days = await readMonth(deps, caller, parseMonth(deps, query))
      return pageOf({ page: 1, limit: 31 }, days, days.length)
    },
    toCsv: ({ items }: Page<Statement>, { query }: OperationInput<GetStatementQuery>) => ({
      name: `statements-${items[0]?.day.slice(0, 7)}.csv`,
      text: statementsCsv(items, readDelimiter(query.delimiter)),
    }),
  },
  {
    method: 'get',
    path: '/dev/statements/:day',
    about: {
      operationId: 'getStatement',
      summary: 'Retrieve the statement of a day',
      description:
        'Returns what was booked on a UTC day; the statement of a closed day never changes. With `Accept: text/csv`, you get a CSV file.',
      params: {
        day: withDescription('A day from 2000-01-01 to today, such as `2026-11-01`.', schema.daySchema),
      },
      query: getStatementQuery,
      response: schema.statementSchema,
    },
    shows: 'statement',
    scope: 'payments.intents:read',
    run: (deps, caller, { params }) => readStatement(deps, caller, parseDay(deps, params.day ?? '')),
    toCsv: (statement: Statement, { query }: OperationInput<GetStatementQuery>) => ({
      name: `statement-${statement.day}.csv`,
      text: statementsCsv([statement], readDelimiter(query.delimiter)),
    }),
  },
])
