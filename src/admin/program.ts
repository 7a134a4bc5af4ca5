import { Command } from 'commander'
import { addSubcommand, commandAction, examplesHelp } from './commands/act.ts'
import { parseReasonText } from './commands/arguments.ts'
import { addAuditCommands } from './commands/audit.ts'
import { addBusinessCommands } from './commands/business.ts'
import { addDeliveriesCommands } from './commands/deliveries.ts'
import { addEndpointCommands } from './commands/endpoint.ts'
import { addExportCommands } from './commands/export.ts'
import { addIntentsCommands } from './commands/intents.ts'
import { addKeyCommands } from './commands/key.ts'
import { addPersonCommands } from './commands/person.ts'
import { addReconcileCommand } from './commands/reconcile.ts'
import { addRetentionCommands } from './commands/retention.ts'
import type { AdminDeps } from './commands/run.ts'
import { addSecretsCommands } from './commands/secrets.ts'
import { addShopCommands } from './commands/shop.ts'
import { addStaffCommands } from './commands/staff.ts'
import { escapeErrorMessage } from './commands/text.ts'
import { addWalletCommands } from './commands/wallet.ts'

export function createProgram(): Command {
  const program = new Command('admin')
    .description('Administer the payment intents service')
    .option('--json', 'print the result as one JSON object')
    .option('--reason <text>', 'why you are doing this; shown in the audit trail', parseReasonText)
    .showHelpAfterError()
    .configureOutput({ outputError: (text, write) => write(escapeErrorMessage(text)) })
    .enablePositionalOptions(false)

  const groups = [
    addBusinessCommands,
    addApiCommands,
    addKeyCommands,
    addEndpointCommands,
    addShopCommands,
    addStaffCommands,
    addPersonCommands,
    addIntentsCommands,
    addDeliveriesCommands,
    addWalletCommands,
    addLedgerCommand,
    addReconcileCommand,
    addRetentionCommands,
    addSecretsCommands,
    addAuditCommands,
    addExportCommands,
  ]
  for (const addTo of groups) addTo(program)
  for (const group of [program, ...program.commands]) rejectUnknown(group)
  return program
}

function addApiCommands(program: Command) {
  const api = addSubcommand(program, 'api', 'switch the developer API on or off')
  for (const position of ['on', 'off'] as const) {
    const description = `switch the developer API ${position} for all businesses; takes effect within 5 s`
    const run = commandAction(async (deps) => {
      const { switchApi } = await import('../businesses/change-business.ts')
      await switchApi(deps, position === 'on', deps.by)
      return { api: position }
    })
    addSubcommand(api, position, description, examplesHelp(`api ${position}`)).action(run)
  }
}

const verifyLedgersHelp = `
Recomputes every balance from the amounts, and compares each entry with its
payment, refund or payout. Shows the first fault of each ledger. The exit code is
0 only if there are no faults.
${examplesHelp('ledger verify')}`

function addLedgerCommand(program: Command) {
  const ledger = addSubcommand(program, 'ledger', 'verify the ledgers')
  const proof = 'prove that the entries and balances of all ledgers follow from payments, refunds and payouts'
  addSubcommand(ledger, 'verify', proof, verifyLedgersHelp).action(commandAction(verifyLedgers))
}

async function verifyLedgers(deps: AdminDeps) {
  const verification = await import('../verification/verify-ledger.ts')
  const { ledgers, faults: found, failed } = await verification.verifyLedgers(deps, (batch) => batch(), true)
  const faults = [...found, ...failed]
  if (faults.length > 0) process.exitCode = 1
  return { proven: faults.length === 0, ledgers, faults }
}

/** Without this, Commander would print the group's help and exit with 0. */
function rejectUnknown(group: Command) {
  group.on('beforeHelp', ({ error: isError }: { error: boolean }) => {
    const [name] = group.args
    if (isError || name === undefined || name.startsWith('-')) return
    group.error(`error: unknown command '${name}'`)
  })
}
