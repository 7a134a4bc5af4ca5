import type { Deps } from '../deps.ts'
import { inBatches } from '../in-batches.ts'
import type { Intent } from './intent.ts'
import { walletOutcomeJob } from './wallet-outcome-job.ts'

/**
 * Re-creates the jobs of payments and refunds that the wallet is to be asked about now; whoever is about to hear from it needs no job. Two looks, because
 * each has its own index. Answers how many intents have any.
 */
export async function sweepOutcomes(deps: Deps): Promise<number> {
  const now = deps.now()
  const payments = await askAgain(deps, { 'underWay.askAt': { $lte: now } })
  return payments + (await askAgain(deps, { 'refunds.askAt': { $lte: now } }))
}

async function askAgain(deps: Deps, due: Record<string, unknown>): Promise<number> {
  const now = deps.now()
  const found = deps.Intent.find(due, { underWay: 1, refunds: 1 }).lean<Held[]>()
  const queue = 'wallet-outcome'
  return inBatches(found.cursor(), (intents) =>
    deps.queues.standing.readd(
      [queue],
      intents.flatMap((intent) =>
        keysDue(intent, now).map((key) => ({ queue, job: walletOutcomeJob(intent._id, key, now, now) })),
      ),
    ),
  )
}

type Held = Pick<Intent, '_id' | 'underWay' | 'refunds'>

/** The payments and refunds that the wallet is to be asked about now. */
function keysDue({ underWay, refunds }: Held, now: Date): string[] {
  const open = underWay === null ? refunds : [underWay, ...refunds]
  return open.filter(({ askAt }) => askAt !== undefined && askAt <= now).map(({ id }) => id)
}
