import type { Command } from 'commander'
import { type Role, roles } from '../../staff/account.ts'
import { type AccountFacts, listAccounts, lookUpAccount } from '../../staff/list-accounts.ts'
import { act, found } from './act.ts'
import { choice } from './arguments.ts'
import { asList } from './list.ts'
import { staffName } from './staff.ts'
import { type Column, detailsText } from './table.ts'
import { dayOf } from './text.ts'

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
  asList(list, columns, (deps, filter: Filter, slice) => listAccounts(deps, filter, slice), staffName)

  staff
    .command('show')
    .description('show the role and the state of an account')
    .argument('<name>', 'name of the account', staffName)
    .addHelpText('after', '\nExample:\n  admin staff show fatou')
    .action(
      act(
        async (deps, name: string) => found(await lookUpAccount(deps, name), `There is no account ${name}`),
        detailsText,
      ),
    )
}

interface Filter {
  role?: Role
  disabled?: true
}

const columns: Column<AccountFacts>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'ROLE', cell: ({ role }) => role },
  { title: 'STATE', cell: ({ disabledAt }) => (disabledAt === null ? 'enabled' : 'disabled') },
  { title: 'SECOND FACTOR', cell: ({ secondFactor }) => (secondFactor ? 'yes' : 'no') },
  { title: 'CREATED', cell: ({ createdAt }) => dayOf(createdAt) },
  { title: 'PASSWORD SET', cell: ({ passwordChangedAt }) => dayOf(passwordChangedAt) },
]
