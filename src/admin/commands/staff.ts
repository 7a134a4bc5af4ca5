import { type Command, InvalidArgumentError } from 'commander'
import { isStaffName, type Role, roles } from '../../staff/account.ts'
import { renewPassword, setDisabled } from '../../staff/change-account.ts'
import { createAccount } from '../../staff/create-account.ts'
import { act, found } from './act.ts'
import { choice } from './arguments.ts'
import { operator } from './operator.ts'

/** In lower case: that is how names are kept and compared. */
function staffName(text: string): string {
  const name = text.toLowerCase()
  if (!isStaffName(name))
    throw new InvalidArgumentError(
      'Must be 1 to 64 of a-z, 0-9 and . _ @ -, beginning with a letter or digit.',
    )
  return name
}

const switches = {
  disable: ['sign it out everywhere and refuse it', true],
  enable: ['let it sign in again', false],
} as const

/** `staff create`, and what may be changed of an account. */
export function addStaffCommands(program: Command): void {
  const staff = program.command('staff').description('accounts of the support staff')
  staff
    .command('create')
    .description('a new account; its password is shown only here')
    .requiredOption('--name <name>', 'what they sign in with', staffName)
    .requiredOption('--role <role>', 'viewer: looks; support: also sends deliveries again', choice(...roles))
    .action(
      act(async (deps, { name, role }: { name: string; role: Role }) => ({
        ...found(
          await createAccount(deps, { name, role }, operator()),
          `There is an account ${name} already`,
        ),
      })),
    )

  for (const [command, [description, disabled]] of Object.entries(switches))
    staff
      .command(command)
      .description(description)
      .argument('<name>', 'name of the account', staffName)
      .action(
        act(async (deps, name: string) => {
          found(await setDisabled(deps, name, disabled, operator()), `There is no account ${name}`)
          return { name, disabled }
        }),
      )

  staff
    .command('password')
    .description('a new password, shown only here; signs the account out everywhere')
    .argument('<name>', 'name of the account', staffName)
    .action(
      act(async (deps, name: string) => ({
        name,
        password: found(await renewPassword(deps, name, operator()), `There is no account ${name}`),
      })),
    )
}
