import type { Command } from 'commander'
import type { Counts } from '../../retention/counts.ts'
import { act, Failed } from './act.ts'
import type { AdminDeps } from './run.ts'

const retentionHelp = `
Deletes what test keys created (after SANDBOX_RETENTION_DAYS), the attempts of live
deliveries (after LIVE_DELIVERY_RETENTION_DAYS), and the stored first responses of
products and endpoints (after two days). The workers do the same every night at
02:30 UTC.

Ctrl-C stops the command after the current batch. The next run continues from
there. After a run that was killed or failed, wait one minute before the next.

Examples:
  admin retention run --dry-run
  admin retention run`

/** Adds the `retention run` command. */
export function addRetentionCommands(program: Command): void {
  const retention = program.command('retention').description('delete old data')
  retention
    .command('run')
    .description('delete old data now')
    .option('--dry-run', 'only count what would be deleted', false)
    .addHelpText('after', retentionHelp)
    .action(act(run))
}

async function run(deps: AdminDeps, { dryRun }: { dryRun: boolean }, command: Command): Promise<Counts> {
  const { json } = command.optsWithGlobals<{ json?: boolean }>()
  const { countCleanUp, runCleanUp } = await import('../../retention/clean-up.ts')
  const { startCounts } = await import('../../retention/counts.ts')
  const { recordCommand } = await import('./operator.ts')
  const { startProgress } = await import('./progress.ts')
  const progress = startProgress(await deps.Business.countDocuments(), json === true)
  const { counts, watch } = startCounts({ count: () => undefined, done: () => progress.add(1) })
  const ending = new AbortController()
  // The listener is removed after the first Ctrl-C, so a second one ends the process immediately.
  process.once('SIGINT', () => ending.abort())
  try {
    const outcome = dryRun
      ? await countCleanUp(deps, ending.signal, watch)
      : await runCleanUp(deps, ending.signal, watch, () => recordCommand(deps, 'retention.run'))
    if (outcome === 'already-running')
      throw new Failed('A clean-up is running, or was killed or failed within the last minute. Try again in a minute.')
    if (outcome === 'stopped') throw new Failed('Stopped. The next run continues from here.')
    return counts
  } catch (error) {
    // The counts are printed even if the run fails or is stopped. They would otherwise be lost, because the next run
    // does not count what this run has deleted.
    if (Object.values(counts).some((count) => count > 0))
      process.stderr.write(`Before that: ${JSON.stringify(counts)}\n`)
    throw error
  } finally {
    progress.end()
  }
}
