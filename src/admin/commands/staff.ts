import type { Command } from 'commander'
import type { IdSlice } from '../../mongo/id-page.ts'
import type { AccountFacts, AccountFilter } from '../../staff/list-accounts.ts'
import { isStaffName, type Role, roles } from '../../staff/permissions.ts'
import { act, asList, found, subcommand } from './act.ts'
import { choice, parsed } from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { type Column, dayOf, detailsText, second } from './text.ts'

const listHelp = `
Examples:
  admin staff list
  admin staff list --role support --disabled`

/** Parses the name of a staff account. Names are stored and compared in lower case. */
const staffName = parsed(
  (text) => (isStaffName(text.toLowerCase()) ? text.toLowerCase() : null),
  'Must be 1 to 64 characters (a-z, 0-9 and . _ @ -) and begin with a letter or digit.',
)

/** The commands that change an account, each with its description and its action. */
const changes = {
  disable: ['sign an account out everywhere and refuse further sign-ins', setDisabledTo(true)],
  enable: ['allow a disabled account to sign in again', setDisabledTo(false)],
  password: [
    'print a link for a new password, or outside production a new password; signs the account out everywhere',
    renewAccess,
  ],
  'reset-factor': [
    'remove the second factor of an account whose owner lost it; signs the account out everywhere',
    resetFactor,
  ],
} as const

const roleDescription =
  'viewer: may view; support: may also re-queue deliveries and export the audit trail; admin: may also change keys, businesses and staff'

/** Adds the commands that create, change, list and show staff accounts. */
export function addStaffCommands(program: Command): void {
  const staff = subcommand(program, 'staff', 'create and manage accounts of the support staff')
  subcommand(staff, 'create', 'create an account and print a link for its password, or outside production its password')
    .requiredOption('--name <name>', 'the name to sign in with', staffName)
    .requiredOption('--role <role>', roleDescription, choice(...roles))
    .action(act(create))

  const onAccount = (name: string, description: string) =>
    subcommand(staff, name, description).argument('<name>', 'name of the account', staffName)
  for (const [name, [description, change]] of Object.entries(changes)) onAccount(name, description).action(act(change))

  const list = subcommand(staff, 'list', 'list accounts by name')
    .option('--role <role>', `only accounts with this role: ${roles.join(' or ')}`, choice(...roles))
    .option('--disabled', 'only disabled accounts')
    .addHelpText('after', listHelp)
  asList(list, columns, listPage, staffName)

  onAccount('show', 'show the role and the state of an account')
    .addHelpText('after', '\nExample:\n  admin staff show fatou')
    .action(act(showAccount, detailsText))
}

async function create(deps: AdminDeps, account: { name: string; role: Role }) {
  const { createAccount, createAccountWithLink } = await import('../../staff/change-account.ts')
  const createOne = deps.config.production ? createAccountWithLink : createAccount
  return { ...found(await createOne(deps, account, deps.by), `There is already an account ${account.name}`) }
}

function setDisabledTo(disabled: boolean) {
  return async (deps: AdminDeps, name: string): Promise<object> => {
    const { setDisabled } = await import('../../staff/change-account.ts')
    const { lookUpAccount, passwordInWords } = await import('../../staff/list-accounts.ts')
    found(await setDisabled(deps, name, disabled, deps.by), `There is no account ${name}`)
    const account = await lookUpAccount(deps, name)
    const lacksPassword = !disabled && account !== null && account.passwordChangedAt === null
    return { name, disabled, ...(lacksPassword ? { password: passwordInWords(account, second) } : {}) }
  }
}

async function renewAccess(deps: AdminDeps, name: string): Promise<object> {
  const { issueLink, renewPassword } = await import('../../staff/change-account.ts')
  const renew = deps.config.production ? issueLink : renewPassword
  const access = found(await renew(deps, name, deps.by), `There is no account ${name}`)
  return typeof access === 'string' ? { name, password: access } : access
}

async function resetFactor(deps: AdminDeps, name: string): Promise<object> {
  const { removeSecondFactor } = await import('../../staff/change-account.ts')
  found(await removeSecondFactor(deps, name, deps.by), `There is no account ${name}`)
  return { name, secondFactor: false }
}

async function listPage(deps: AdminDeps, filter: AccountFilter, slice: IdSlice) {
  const { listAccounts } = await import('../../staff/list-accounts.ts')
  const { items, next } = await listAccounts(deps, filter, slice)
  return { items: await withSignIns(deps, items), next }
}

async function showAccount(deps: AdminDeps, name: string) {
  const { lookUpAccount } = await import('../../staff/list-accounts.ts')
  const { listSessions } = await import('../../staff/staff-sessions.ts')
  const account = found(await lookUpAccount(deps, name), `There is no account ${name}`)
  const [shown] = await withSignIns(deps, [account])
  return { ...(shown ?? account), sessions: (await listSessions(deps, name)).length }
}

/** Adds to accounts their password's state in words, and the time of their last sign-in, which is known for 30 days. */
async function withSignIns(deps: AdminDeps, accounts: readonly AccountFacts[]) {
  const { passwordInWords } = await import('../../staff/list-accounts.ts')
  const { lastSignIns } = await import('../../staff/staff-sessions.ts')
  const names = accounts.map(({ name }) => name)
  const signIns = await lastSignIns(deps, names)
  return accounts.map((account) => ({
    ...account,
    password: passwordInWords(account, second),
    lastSignInAt: signIns.get(account.name) ?? null,
  }))
}

const columns: Column<Awaited<ReturnType<typeof withSignIns>>[number]>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'ROLE', cell: ({ role }) => role },
  { title: 'STATE', cell: ({ disabledAt }) => (disabledAt === null ? 'enabled' : 'disabled') },
  { title: 'SECOND FACTOR', cell: ({ secondFactor }) => (secondFactor ? 'yes' : 'no') },
  { title: 'LAST SIGN-IN', cell: ({ lastSignInAt }) => dayOf(lastSignInAt) },
  { title: 'CREATED', cell: ({ createdAt }) => dayOf(createdAt) },
  { title: 'PASSWORD', cell: ({ password }) => password },
]
