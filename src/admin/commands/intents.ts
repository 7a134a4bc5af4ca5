import type { Command } from 'commander'
import type { CancelResult, CancelSelection } from '../../intents/cancel.ts'
import * as cli from './act.ts'
import { choiceParser, idArgument, instantParser } from './arguments.ts'
import type { AdminDeps } from './run.ts'

const cancelHelp = `
Cancels the payment intents of one business, in one environment, that are PENDING
when the command begins. Each sends a payment.cancelled event and becomes
CANCELLED with the cancellationReason cancelled_by_operator. Its payment code
can be reused after 15 minutes, as usual.

"skipped" counts the payment intents that were not cancelled, by reason:
  being-paid  a customer is paying it. The exit code is 1: run the command again
  ended       it was paid or cancelled, or it expired, in the meantime

The command cancels at most 100 payment intents per second, so that other businesses
are not delayed. Without Redis, workers send the events within 15 seconds.
Ctrl-C stops the command after the current batch. If it is stopped or killed, run
it again: it cancels the payment intents that are still PENDING.

A business that is not suspended can create new payment intents in the meantime: see
business suspend.
${cli.examplesHelp(
  'intents cancel --business ID --mode live --dry-run',
  'intents cancel --business ID --mode test --created-before 2026-11-20',
)}`

export function addIntentsCommands(program: Command): void {
  const intents = cli.addSubcommand(program, 'intents', 'cancel payment intents')
  cli
    .addSubcommand(intents, 'cancel', 'cancel the PENDING payment intents of a business', cancelHelp)
    .requiredOption('--business <id>', 'id of the business', idArgument)
    .requiredOption('--mode <mode>', 'test or live', choiceParser('test', 'live'))
    .option('--created-before <time>', beforeDescription, instantParser('start'))
    .option('--dry-run', 'only count the payment intents', false)
    .action(cli.commandAction(cancel))
}

const beforeDescription =
  'only those created before this time (ISO 8601; UTC unless it has an offset; a date means the start of that day)'

type Options = { business: string; mode: 'test' | 'live'; createdBefore?: Date; dryRun: boolean }

type CancelCounts = { matched: number; cancelled: number; skipped: Partial<Record<CancelResult, number>> }

async function cancel(deps: AdminDeps, options: Options): Promise<CancelCounts> {
  const { business, mode, createdBefore, dryRun } = options
  const { countCancellableIntents } = await import('../../intents/cancel.ts')
  await cli.expectBusiness(deps, business)
  const now = deps.now()
  const selection: CancelSelection = {
    businessId: business,
    sandbox: mode === 'test',
    // If new intents were included, the command might never end.
    createdBefore: createdBefore !== undefined && createdBefore < now ? createdBefore : now,
  }
  const total = await countCancellableIntents(deps, selection)
  if (dryRun) return { matched: total, cancelled: 0, skipped: {} }
  const counts = await cli.withProgressBar(deps, total, (advance) =>
    cancelSelected(deps, selection, total, advance),
  )
  const paying = counts.skipped['being-paid'] ?? 0
  if (paying > 0) {
    process.exitCode = 1
    process.stderr.write(`Not cancelled, because a customer is paying: ${paying}. Run the command again.\n`)
  }
  return counts
}

async function cancelSelected(
  deps: AdminDeps,
  selection: CancelSelection,
  pending: number,
  advance: (count: number) => void,
): Promise<CancelCounts> {
  const counts: CancelCounts = { matched: 0, cancelled: 0, skipped: {} }
  const { cancelIntents } = await import('../../intents/cancel.ts')
  const { createMetrics } = await import('../../metrics/metrics.ts')
  const { openBatchers } = await import('../../context/batchers.ts')
  const { createLog } = await import('../../platform/log.ts')
  const { succeedsWithin } = await import('../../platform/timeout.ts')
  const { openJobQueues } = await import('../../queues/queues.ts')
  // If Redis is down, workers find the events at their next poll.
  const log = createLog('silent', 'admin', null)
  const queues = openJobQueues(deps.config, log)
  const isReady = new Promise<void>((resolve) => queues.whenReady(resolve))
  const ending = deps.onCtrlC()
  const count = (results: readonly CancelResult[]) => {
    counts.matched += results.length
    for (const result of results)
      if (result === 'cancelled') counts.cancelled += 1
      else counts.skipped[result] = (counts.skipped[result] ?? 0) + 1
    advance(results.length)
  }
  try {
    await succeedsWithin(isReady, 1000)
    const batchers = openBatchers(deps, deps.now, log)
    const parts = { ...deps, batchers, metrics: createMetrics(), enqueue: queues.enqueue }
    await cancelIntents(parts, selection, { ...deps.by, pending, ending, count })
    return counts
  } catch (error) {
    if (counts.matched > 0) process.stderr.write(`Before that: ${JSON.stringify(counts)}\n`)
    if (ending.aborted) throw new cli.CommandFailed('Stopped. Run the command again to cancel the rest.')
    throw error
  } finally {
    await queues.close()
  }
}
