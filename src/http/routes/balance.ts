import { readDelimiter } from '../../../schemas/delimiter.ts'
import type {
  GetStatementQuery,
  ListEntriesQuery,
  ListRefundsQuery,
  ListStatementsQuery,
} from '../../../schemas/ledger.ts'
import { type Page, pageOf, presentPage } from '../../input/pagination.ts'
import { readBalance } from '../../ledger/balance.ts'
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
import type { OperationInput, Route } from '../operations/route.ts'
import { aboutBalance } from './balance-openapi.ts'

/** The operations that read a merchant's ledger. */
export const balanceRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/dev/balance',
    about: aboutBalance.get,
    shows: 'balance',
    scope: 'payments.intents:read',
    needsQuery: true,
    run: (deps, caller) => readBalance(deps, caller),
  },
  {
    method: 'get',
    path: '/dev/balance/entries',
    about: aboutBalance.entries,
    shows: 'ledgerEntry',
    scope: 'payments.intents:read',
    isPage: true,
    run: async (deps, caller, { query }: OperationInput<ListEntriesQuery>) =>
      presentPage(await listEntries(deps, caller, parseEntrySearch(query)), presentEntry),
  },
  {
    method: 'get',
    path: '/dev/refunds',
    about: aboutBalance.refunds,
    shows: 'refund',
    scope: 'payments.intents:read',
    isPage: true,
    run: async (deps, caller, { query }: OperationInput<ListRefundsQuery>) =>
      presentPage(await listEntries(deps, caller, parseRefundSearch(query)), presentListedRefund),
  },
  {
    method: 'get',
    path: '/dev/statements',
    about: aboutBalance.statements,
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
    about: aboutBalance.statement,
    shows: 'statement',
    scope: 'payments.intents:read',
    run: (deps, caller, { params }) => readStatement(deps, caller, parseDay(deps, params.day ?? '')),
    toCsv: (statement: Statement, { query }: OperationInput<GetStatementQuery>) => ({
      name: `statement-${statement.day}.csv`,
      text: statementsCsv([statement], readDelimiter(query.delimiter)),
    }),
  },
]
