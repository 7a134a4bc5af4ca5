import type { Command } from 'commander'
import type { IdPageRequest } from '../../mongo/id-page.ts'
import { toSecond } from '../../platform/time.ts'
import type { AccountFacts, AccountFilter } from '../../staff/list-accounts.ts'
import { isValidStaffName, staffRoles } from '../../staff/permissions.ts'
import { accountActs, passwordInWords, staffListActs } from '../../staff-acts/account-acts.ts'
import { accountShown } from '../../staff-acts/shown.ts'
import { addActCommands, asList, commandAction, examples, orFail, subcommand } from './act.ts'
import { choice, parserFor } from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { type CommandColumn, columnOf, detailsText } from './text.ts'

const staffName = parserFor(
  (text) => (isValidStaffName(text.toLowerCase()) ? text.toLowerCase() : null),
  'Must be 1 to 64 characters (a-z, 0-9 and . _ @ -) and begin with a letter or digit.',
)

export function addStaffCommands(program: Command): void {
  const staff = subcommand(program, 'staff', 'create and manage accounts of the support staff')
  addActCommands(staff, staffListActs)
  addActCommands(staff, accountActs, staffName)

  const roles = staffRoles.join(' or ')
  const listHelp = examples('staff list', 'staff list --role support --disabled')
  const list = subcommand(staff, 'list', 'list accounts by name', listHelp)
    .option('--role <role>', `only accounts with this role: ${roles}`, choice(...staffRoles))
    .option('--disabled', 'only disabled accounts')
  asList(list, columns, async () => listPage, staffName)

  subcommand(staff, 'show', 'show the role and the state of an account', examples('staff show fatou'))
    .argument('<name>', 'name of the account', staffName)
    .action(commandAction(showAccount, detailsText))
}

async function listPage(deps: AdminDeps, filter: AccountFilter, slice: IdPageRequest) {
  const { listAccounts } = await import('../../staff/list-accounts.ts')
  const page = await listAccounts(deps, filter, slice)
  return { ...page, items: await withSignIns(deps, page.items) }
}

async function showAccount(deps: AdminDeps, name: string) {
  const { lookUpAccount } = await import('../../staff/list-accounts.ts')
  const { listSessions } = await import('../../staff/staff-sessions.ts')
  const account = orFail(await lookUpAccount(deps, name), `There is no account ${name}`)
  const [shown] = await withSignIns(deps, [account])
  return { ...(shown ?? account), sessions: (await listSessions(deps, name)).length }
}

async function withSignIns(deps: AdminDeps, accounts: readonly AccountFacts[]) {
  const { lastSignIns } = await import('../../staff/staff-sessions.ts')
  const names = accounts.map(({ name }) => name)
  const signIns = await lastSignIns(deps, names)
  return accounts.map((account) => ({
    ...account,
    password: passwordInWords(account, toSecond),
    lastSignInAt: signIns.get(account.name) ?? null,
  }))
}

const columns: CommandColumn<Awaited<ReturnType<typeof withSignIns>>[number]>[] = [
  ...Object.values(accountShown).map(columnOf),
  { title: 'PASSWORD', cell: ({ password }) => password },
]
