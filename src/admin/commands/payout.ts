import type { Command } from 'commander'
import { act, Failed, found } from './act.ts'
import { choice, payoutReference, wholeNumber } from './arguments.ts'
import { linesOf } from './text.ts'

/** Adds the command `business payout`. */
export function addPayout(business: Command): void {
  business
    .command('payout')
    .description('book money that you have sent to a business')
    .argument('<id>', 'id of the business')
    .requiredOption('--amount <n>', 'amount in centimes, at most the balance', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .requiredOption(
      '--reference <text>',
      'reference of the transfer; each reference is booked only once',
      payoutReference,
    )
    .option('--mode <mode>', 'test or live', choice('test', 'live'), 'live')
    .action(
      act(async (deps, id: string, { amount, reference, mode }: PayoutOptions) => {
        const { balanceOf } = await import('../../ledger/balance.ts')
        const { PayoutRefused, payOut } = await import('../../ledger/pay-out.ts')
        const { LedgerFault } = await import('../../ledger/verify.ts')
        found(await deps.Business.exists({ _id: id }), `There is no business ${id}`)
        const owner = { businessId: id, sandbox: mode === 'test' }
        const payout = { ...owner, amount, reference }
        const { entry, alreadyBooked } = await payOut(deps, payout, deps.by).catch((error: unknown) => {
          if (error instanceof LedgerFault)
            throw new Failed(
              `Nothing was booked, because the ledger was changed. ${error.message} Run: admin ledger verify`,
            )
          throw error instanceof PayoutRefused ? new Failed(`${error.message}.`) : error
        })
        const balance = await balanceOf(deps, owner)
        const { _id, bookedAt } = entry
        return { id: _id, mode, amount, reference, alreadyBooked, bookedAt, balance }
      }, payoutText),
    )
}

interface BookedPayoutFacts {
  alreadyBooked: boolean
  bookedAt: Date
}

const payoutText = ({ alreadyBooked, bookedAt, ...facts }: BookedPayoutFacts): string => {
  const booked = `${alreadyBooked ? 'already booked' : 'booked'} at ${bookedAt.toISOString()}`
  return `${booked}\n${linesOf(facts)}`
}

interface PayoutOptions {
  amount: number
  reference: string
  mode: 'test' | 'live'
}
