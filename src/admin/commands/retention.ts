import type { Command } from 'commander'
import { addSubcommand, CommandFailed, commandAction, examplesHelp, withProgressBar } from './act.ts'
import type { AdminDeps } from './run.ts'

const retentionHelp = `
Deletes what test keys created (after SANDBOX_RETENTION_DAYS), and the attempts of
live deliveries (after LIVE_DELIVERY_RETENTION_DAYS). The workers do the same every
night at 02:30 UTC.

Ctrl-C stops the command after the current batch. The next run continues from
there. After a run that was killed or failed, wait one minute before the next.
${examplesHelp('retention run --dry-run', 'retention run')}`

export function addRetentionCommands(program: Command): void {
  const retention = addSubcommand(program, 'retention', 'delete old data')
  addSubcommand(retention, 'run', 'delete old data now', retentionHelp)
    .option('--dry-run', 'only count what would be deleted', false)
    .action(commandAction(run))
}

async function run(deps: AdminDeps, { dryRun }: { dryRun: boolean }) {
  const { dryRunCleanUp, runCleanUp } = await import('../../retention/clean-up.ts')
  const { startCounts } = await import('../../retention/cleaning.ts')
  const record = () => deps.record({ act: 'retention.run', subject: 'retention', businessId: null })
  return withProgressBar(deps, await deps.Business.countDocuments(), async (advance) => {
    const { counts, watch } = startCounts({ count: () => undefined, done: () => advance(1) })
    const ending = deps.onCtrlC()
    try {
      const clean = dryRun ? dryRunCleanUp : runCleanUp
      const outcome = await clean(deps, ending, watch, record)
      if (outcome === 'already-running')
        throw new CommandFailed(
          'A clean-up is running, or was killed or failed within the last minute. Try again in a minute.',
        )
      if (outcome === 'stopped') throw new CommandFailed('Stopped. The next run continues from here.')
      return counts
    } catch (error) {
      // The next run won't count what this one has deleted.
      if (Object.values(counts).some((count) => count > 0))
        process.stderr.write(`Before that: ${JSON.stringify(counts)}\n`)
      throw error
    }
  })
}
