import type { Command } from 'commander'
import type { IdSlice } from '../../mongo/id-page.ts'
import { type Role, roles } from '../../staff/account-fields.ts'
import type { AccountFacts } from '../../staff/list-accounts.ts'
import { act, found } from './act.ts'
import { choice } from './arguments.ts'
import { asList } from './list.ts'
import type { AdminDeps } from './run.ts'
import { staffName } from './staff.ts'
import { type Column, detailsText } from './table.ts'
import { dayOf, second } from './text.ts'

const listHelp = `
Examples:
  admin staff list
  admin staff list --role support --disabled`

/** Adds the commands `staff list` and `staff show`. */
export function addStaffReads(staff: Command): void {
  const list = staff
    .command('list')
    .description('list accounts by name')
    .option('--role <role>', `only accounts with this role: ${roles.join(' or ')}`, choice(...roles))
    .option('--disabled', 'only disabled accounts')
    .addHelpText('after', listHelp)
  const page = async (deps: AdminDeps, filter: Filter, slice: IdSlice) => {
    const { listAccounts } = await import('../../staff/list-accounts.ts')
    const { items, next } = await listAccounts(deps, filter, slice)
    return { items: await withSignIns(deps, items), next }
  }
  asList(list, columns, page, staffName)

  staff
    .command('show')
    .description('show the role and the state of an account')
    .argument('<name>', 'name of the account', staffName)
    .addHelpText('after', '\nExample:\n  admin staff show fatou')
    .action(
      act(async (deps, name: string) => {
        const { lookUpAccount } = await import('../../staff/list-accounts.ts')
        const { listSessions } = await import('../../staff/sessions-of.ts')
        const account = found(await lookUpAccount(deps, name), `There is no account ${name}`)
        const [shown] = await withSignIns(deps, [account])
        return { ...(shown ?? account), sessions: (await listSessions(deps, name)).length }
      }, detailsText),
    )
}

interface Filter {
  role?: Role
  disabled?: true
}

/** An account with its password's state in words, and the time of its last sign-in, which is known for 30 days. */
interface ListedAccount extends AccountFacts {
  password: string
  lastSignInAt: Date | null
}

async function withSignIns(deps: AdminDeps, accounts: readonly AccountFacts[]): Promise<ListedAccount[]> {
  const { passwordInWords } = await import('../../staff/list-accounts.ts')
  const { lastSignIns } = await import('../../staff/sessions-of.ts')
  const signIns = await lastSignIns(
    deps,
    accounts.map(({ name }) => name),
  )
  return accounts.map((account) => ({
    ...account,
    password: passwordInWords(account, second),
    lastSignInAt: signIns.get(account.name) ?? null,
  }))
}

const columns: Column<ListedAccount>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'ROLE', cell: ({ role }) => role },
  { title: 'STATE', cell: ({ disabledAt }) => (disabledAt === null ? 'enabled' : 'disabled') },
  { title: 'SECOND FACTOR', cell: ({ secondFactor }) => (secondFactor ? 'yes' : 'no') },
  { title: 'LAST SIGN-IN', cell: ({ lastSignInAt }) => dayOf(lastSignInAt) },
  { title: 'CREATED', cell: ({ createdAt }) => dayOf(createdAt) },
  { title: 'PASSWORD', cell: ({ password }) => password },
]
