import { type Command, InvalidArgumentError } from 'commander'
import { isStaffName, type Role, roles } from '../../staff/account-fields.ts'
import { act, found } from './act.ts'
import { choice } from './arguments.ts'
import { second } from './text.ts'

/** Parses the name of a staff account. Names are stored and compared in lower case. */
export function staffName(text: string): string {
  const name = text.toLowerCase()
  if (!isStaffName(name))
    throw new InvalidArgumentError(
      'Must be 1 to 64 characters (a-z, 0-9 and . _ @ -) and begin with a letter or digit.',
    )
  return name
}

const switches = {
  disable: ['sign an account out everywhere and refuse further sign-ins', true],
  enable: ['allow a disabled account to sign in again', false],
} as const

/** Adds the `staff create` command and the commands that change a staff account. */
export function addStaffCommands(program: Command): Command {
  const staff = program.command('staff').description('create and manage accounts of the support staff')
  staff
    .command('create')
    .description('create an account and print a link for its password, or outside production its password')
    .requiredOption('--name <name>', 'the name to sign in with', staffName)
    .requiredOption(
      '--role <role>',
      'viewer: may view; support: may also re-queue deliveries and export the audit trail; admin: may also change keys, businesses and staff',
      choice(...roles),
    )
    .action(
      act(async (deps, account: { name: string; role: Role }) => {
        const { createAccount, createAccountWithLink } = await import('../../staff/create-account.ts')
        const create = deps.config.production ? createAccountWithLink : createAccount
        const created = await create(deps, account, deps.by)
        return { ...found(created, `There is already an account ${account.name}`) }
      }),
    )

  for (const [command, [description, disabled]] of Object.entries(switches))
    staff
      .command(command)
      .description(description)
      .argument('<name>', 'name of the account', staffName)
      .action(
        act(async (deps, name: string) => {
          const { setDisabled } = await import('../../staff/change-account.ts')
          const { lookUpAccount, passwordInWords } = await import('../../staff/list-accounts.ts')
          found(await setDisabled(deps, name, disabled, deps.by), `There is no account ${name}`)
          const account = await lookUpAccount(deps, name)
          const lacksPassword = !disabled && account !== null && account.passwordChangedAt === null
          return { name, disabled, ...(lacksPassword ? { password: passwordInWords(account, second) } : {}) }
        }),
      )

  staff
    .command('password')
    .description(
      'print a link for a new password, or outside production a new password; signs the account out everywhere',
    )
    .argument('<name>', 'name of the account', staffName)
    .action(
      act(async (deps, name: string) => {
        const { issueLink, renewPassword } = await import('../../staff/change-account.ts')
        const renewed = deps.config.production
          ? await issueLink(deps, name, deps.by)
          : await renewPassword(deps, name, deps.by)
        const access = found(renewed, `There is no account ${name}`)
        return typeof access === 'string' ? { name, password: access } : access
      }),
    )

  staff
    .command('reset-factor')
    .description('remove the second factor of an account whose owner lost it; signs the account out everywhere')
    .argument('<name>', 'name of the account', staffName)
    .action(
      act(async (deps, name: string) => {
        const { removeSecondFactor } = await import('../../staff/change-account.ts')
        found(await removeSecondFactor(deps, name, deps.by), `There is no account ${name}`)
        return { name, secondFactor: false }
      }),
    )
  return staff
}
