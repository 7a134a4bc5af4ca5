import { readDelimiter } from '../../../schemas/delimiter.ts'
import type { ListEntriesQuery, ListRefundsQuery } from '../../../schemas/list-entries.ts'
import type { GetStatementQuery, ListStatementsQuery } from '../../../schemas/list-statements.ts'
import type { Page } from '../../input/pagination.ts'
import { readBalance } from '../../ledger/balance.ts'
import { listEntries, parseEntrySearch, parseRefundSearch } from '../../ledger/list.ts'
import { parseDay, parseMonth } from '../../ledger/parse-day.ts'
import { presentEntry, presentListedRefund } from '../../ledger/present.ts'
import { readMonth, readStatement, type Statement } from '../../ledger/statement.ts'
import { statementsCsv } from '../../ledger/statement-csv.ts'
import type { OperationInput, Route } from '../operations/route.ts'
import { aboutBalance } from './balance-openapi.ts'

/** The operations that read a merchant's ledger. */
export const balanceRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/dev/balance',
    about: aboutBalance.get,
    key: 'secret',
    shows: 'balance',
    scope: 'payments.intents:read',
    run: (deps, caller, _input, deadlineAt) => readBalance(deps, caller, deadlineAt),
  },
  {
    method: 'get',
    path: '/dev/balance/entries',
    about: aboutBalance.entries,
    key: 'secret',
    shows: 'ledgerEntry',
    scope: 'payments.intents:read',
    isPage: true,
    run: async (deps, caller, { query }: OperationInput<ListEntriesQuery>) => {
      const { items, ...page } = await listEntries(deps, caller, parseEntrySearch(query))
      return { items: items.map(presentEntry), ...page }
    },
  },
  {
    method: 'get',
    path: '/dev/refunds',
    about: aboutBalance.refunds,
    key: 'secret',
    shows: 'refund',
    scope: 'payments.intents:read',
    isPage: true,
    run: async (deps, caller, { query }: OperationInput<ListRefundsQuery>) => {
      const { items, ...page } = await listEntries(deps, caller, parseRefundSearch(query))
      return { items: items.map(presentListedRefund), ...page }
    },
  },
  {
    method: 'get',
    path: '/dev/statements',
    about: aboutBalance.statements,
    key: 'secret',
    shows: 'statement',
    scope: 'payments.intents:read',
    isPage: true,
    run: async (deps, caller, { query }: OperationInput<ListStatementsQuery>) =>
      onePage(await readMonth(deps, caller, parseMonth(deps, query))),
    toCsv: ({ items }: Page<Statement>, { query }: OperationInput<GetStatementQuery>) => ({
      name: `statements-${items[0]?.day.slice(0, 7)}.csv`,
      text: statementsCsv(items, readDelimiter(query.delimiter)),
    }),
  },
  {
    method: 'get',
    path: '/dev/statements/:day',
    about: aboutBalance.statement,
    key: 'secret',
    shows: 'statement',
    scope: 'payments.intents:read',
    run: (deps, caller, { params }) => readStatement(deps, caller, parseDay(deps, params.day ?? '')),
    toCsv: (statement: Statement, { query }: OperationInput<GetStatementQuery>) => ({
      name: `statement-${statement.day}.csv`,
      text: statementsCsv([statement], readDelimiter(query.delimiter)),
    }),
  },
]

/** Returns the only page of a list that has at most one item per day of a month. */
const onePage = <Item>(items: Item[]): Page<Item> => ({
  items,
  page: 1,
  limit: 31,
  total: items.length,
  hasMore: false,
})
