import type { Command } from 'commander'
import type { IdPageRequest } from '../../mongo/id-page.ts'
import { toIsoSecond } from '../../platform/time.ts'
import type { AccountFacts, AccountFilter } from '../../staff/list-accounts.ts'
import { isValidStaffName, staffRoles } from '../../staff/permissions.ts'
import { accountActions, describePassword, staffListActions } from '../../staff-acts/account-acts.ts'
import { accountDisplay } from '../../staff-acts/shown.ts'
import { addActCommands, addListAction, addSubcommand, commandAction, examplesHelp, orFail } from './act.ts'
import { choiceParser, createParser } from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { type CommandColumn, detailsText, toColumn } from './text.ts'

const staffName = createParser(
  (text) => (isValidStaffName(text.toLowerCase()) ? text.toLowerCase() : null),
  'Must be 1 to 64 characters (a-z, 0-9 and . _ @ -) and begin with a letter or digit.',
)

export function addStaffCommands(program: Command): void {
  const staff = addSubcommand(program, 'staff', 'create and manage support staff accounts')
  addActCommands(staff, staffListActions)
  addActCommands(staff, accountActions, staffName)

  const roles = staffRoles.join(' or ')
  const listHelp = examplesHelp('staff list', 'staff list --role support --disabled')
  const list = addSubcommand(staff, 'list', 'list accounts by name', listHelp)
    .option('--role <role>', `only accounts with this role: ${roles}`, choiceParser(...staffRoles))
    .option('--disabled', 'only disabled accounts')
  addListAction(list, columns, async () => listPage, staffName)

  addSubcommand(staff, 'show', "show an account's role and state", examplesHelp('staff show fatou'))
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
  const { listSessions } = await import('../../accounts/sessions.ts')
  const { withStaffAccounts } = await import('../../staff/account.ts')
  const account = orFail(await lookUpAccount(deps, name), `There is no account ${name}`)
  const [shown] = await withSignIns(deps, [account])
  return { ...(shown ?? account), sessions: (await listSessions(withStaffAccounts(deps), name)).length }
}

async function withSignIns(deps: AdminDeps, accounts: readonly AccountFacts[]) {
  const { findLastSignIns } = await import('../../accounts/sessions.ts')
  const { withStaffAccounts } = await import('../../staff/account.ts')
  const names = accounts.map(({ name }) => name)
  const signIns = await findLastSignIns(withStaffAccounts(deps), names)
  return accounts.map((account) => ({
    ...account,
    password: describePassword(account, toIsoSecond),
    lastSignInAt: signIns.get(account.name) ?? null,
  }))
}

const columns: CommandColumn<Awaited<ReturnType<typeof withSignIns>>[number]>[] = [
  ...Object.values(accountDisplay).map(toColumn),
  { title: 'PASSWORD', cell: ({ password }) => password },
]
