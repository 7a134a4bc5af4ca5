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
  disable: ['end its sessions and refuse its sign-ins', true],
  enable: ['accept its sign-ins again', false],
} as const

/** `staff create`, and what may be changed of an account. */
export function addStaffCommands(program: Command): void {
  const staff = program.command('staff').description('accounts of the support staff')
  staff
    .command('create')
    .description('create an account and print its password; it is not shown again')
    .requiredOption('--name <name>', 'the name to sign in with', staffName)
    .requiredOption(
      '--role <role>',
      'viewer: looks at everything; support: also re-queues deliveries',
      choice(...roles),
    )
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
    .description('replace its password, print it, and end its sessions')
    .argument('<name>', 'name of the account', staffName)
    .action(
      act(async (deps, name: string) => ({
        name,
        password: found(await renewPassword(deps, name, operator()), `There is no account ${name}`),
      })),
    )
}
