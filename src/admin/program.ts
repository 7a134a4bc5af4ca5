import { Command } from 'commander'
import { addApiCommands } from './commands/api.ts'
import { addBusinessCommands } from './commands/business.ts'
import { addDeliveriesCommands } from './commands/deliveries.ts'
import { addIntentsCommands } from './commands/intents.ts'
import { addKeyCommands } from './commands/key.ts'
import { addRetentionCommands } from './commands/retention.ts'
import { addSecretsCommands } from './commands/secrets.ts'
import { addShopCommands } from './commands/shop.ts'
import { addStaffCommands } from './commands/staff.ts'
import { addWalletCommands } from './commands/wallet.ts'

/** Returns the command-line program with all its commands. */
export function createProgram(): Command {
  const program = new Command('admin')
    .description('Administer the payment intents service')
    .option('--json', 'print the result as one JSON object')
    .showHelpAfterError()
    .enablePositionalOptions(false)

  addBusinessCommands(program)
  addApiCommands(program)
  addKeyCommands(program)
  addShopCommands(program)
  addStaffCommands(program)
  addIntentsCommands(program)
  addDeliveriesCommands(program)
  addWalletCommands(program)
  addRetentionCommands(program)
  addSecretsCommands(program)
  return program
}
