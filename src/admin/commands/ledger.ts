import type { Command } from 'commander'
import { act, subcommand } from './act.ts'
import type { AdminDeps } from './run.ts'

const verifyHelp = `
Recomputes every balance from the amounts, and compares each entry with its
payment, refund or payout. Shows the first fault of each ledger. The exit code is
0 only if there is none.

Example:
  admin ledger verify`

export function addLedgerCommand(program: Command): void {
  const ledger = subcommand(program, 'ledger', 'verify the ledgers')
  const proof = 'prove that the entries and balances of all ledgers follow from payments, refunds and payouts'
  subcommand(ledger, 'verify', proof).addHelpText('after', verifyHelp).action(act(verify))
}

async function verify(deps: AdminDeps) {
  const { verifyLedgers } = await import('../../verification/verify-ledger.ts')
  const { ledgers, faults: found, failed } = await verifyLedgers(deps, (batch) => batch(), true)
  const faults = [...found, ...failed]
  if (faults.length > 0) process.exitCode = 1
  return { proven: faults.length === 0, ledgers, faults }
}
